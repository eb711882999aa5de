#pragma once

#include <array>
#include <string>

#include "runtime/cli/csv_columns.h"

// Pairs and poses from a CSV file, row by row, in constant memory.
namespace abut::cli {

struct PoseRow {
  std::string idx;                    // as in the file; without such a column the row's number, from 0
  std::string objA, objB;             // names of assets
  std::array<double, 4> quaternion;   // w, x, y, z of R_AB
  std::array<double, 3> translation;  // p_AB, m
  std::array<double, 6> twist;        // V_AB_B, rad/s and m/s; zero where there are no such columns
};

// Columns objA, objB, qw, qx, qy, qz, tx, ty, tz; idx and wx, wy, wz, vx, vy, vz if present; any others are
// passed over. Throws as CsvColumns does.
class PoseFile {
 public:
  // "-" reads standard input.
  explicit PoseFile(const std::string& path);

  // The next row; false at the end.
  bool next(PoseRow& row);

  double share_read() const { return columns_.share_read(); }
  std::string place() const { return columns_.place(); }

 private:
  CsvColumns columns_;
  std::size_t rows_ = 0;  // read
};

}  // namespace abut::cli
