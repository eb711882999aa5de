#pragma once

#include <array>
#include <string>

#include "runtime/cli/csv_columns.h"

// Reads pairs and poses from a CSV file, row by row, in constant memory.
namespace abut::cli {

struct PoseRow {
  std::string idx;                    // as in the file; without that column the row's number, from 0
  std::string objA, objB;             // names of assets
  std::array<double, 4> quaternion;   // w, x, y, z of R_AB
  std::array<double, 3> translation;  // p_AB, m
  std::array<double, 6> twist;        // V_AB_B, rad/s and m/s; zero if the columns are missing
};

// A CSV file with the columns objA, objB, qw, qx, qy, qz, tx, ty, tz and, optionally, idx and wx, wy, wz, vx,
// vy, vz; any others are ignored. Throws as CsvColumns does.
class PoseFile {
 public:
  // "-" reads standard input.
  explicit PoseFile(const std::string& path);

  // Reads the next row; false at the end.
  bool next(PoseRow& row);

  bool has_twists() const;
  double share_read() const { return columns_.share_read(); }
  std::string place() const { return columns_.place(); }

 private:
  CsvColumns columns_;
  std::size_t rows_ = 0;  // read so far
};

}  // namespace abut::cli
