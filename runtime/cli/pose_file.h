#pragma once

#include <array>
#include <cstdint>
#include <fstream>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

// Pairs and poses from a CSV file, row by row, in constant memory.
namespace abut::cli {

struct PoseRow {
  std::string idx;                    // as in the file; empty where there is no such column
  std::string objA, objB;             // names of assets
  std::array<double, 4> quaternion;   // w, x, y, z of R_AB
  std::array<double, 3> translation;  // p_AB, m
};

// Columns are found by name in the first line: objA, objB, qw, qx, qy, qz, tx, ty, tz; idx if present; any
// others are passed over. Every error names the file, the line and the column.
class PoseFile {
 public:
  // "-" reads standard input. Throws IoError or InvalidInput.
  explicit PoseFile(const std::string& path);

  // The next row; false at the end. Throws InvalidInput where a row is incomplete or an entry is no number;
  // "nan" and "inf" are numbers. A field in double quotes may contain commas.
  bool next(PoseRow& row);

  // Share of the file read so far, in [0, 1]; 0 for a pipe.
  double share_read() const;

  // "<file>:<line>" of the row read last.
  std::string place() const;

 private:
  double number(std::string_view field, std::size_t column) const;

  static constexpr std::size_t kColumns = 10;
  std::string name_;
  std::ifstream file_;
  std::istream* in_;
  std::string line_;
  std::vector<std::string_view> fields_;
  std::array<std::size_t, kColumns> column_;  // position of each wanted column; kAbsent for idx
  std::int64_t line_number_ = 0;
  std::uintmax_t bytes_ = 0, bytes_read_ = 0;
};

}  // namespace abut::cli
