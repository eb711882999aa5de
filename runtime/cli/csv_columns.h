#pragma once

#include <cstdint>
#include <fstream>
#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The wanted columns of a CSV file, row by row, in constant memory.
namespace abut::cli {

// Columns are found by name in the first line; any others are passed over. Every error names the file, the
// line and the column.
class CsvColumns {
 public:
  // `names` must outlive this object; the first may be missing in the file, and those from `optional` on all
  // together; the others may not. `path` "-"
  // reads standard input. Throws IoError or InvalidInput.
  CsvColumns(const std::string& path, std::span<const std::string_view> names,
             std::size_t optional = static_cast<std::size_t>(-1));

  // The next row; false at the end. Throws InvalidInput where a row is incomplete. A field in double quotes
  // may contain commas.
  bool next();

  // Of the row read last: the field of names[k], empty where there is no such column; and as a number ("nan"
  // and "inf" are numbers), or InvalidInput.
  std::string_view text(std::size_t k) const;
  bool has(std::size_t k) const;
  double number(std::size_t k) const;

  // Share of the file read so far, in [0, 1]; 0 for a pipe.
  double share_read() const;

  // "<file>:<line>" of the row read last.
  std::string place() const;

 private:
  std::span<const std::string_view> names_;
  std::string file_name_;
  std::ifstream file_;
  std::istream* in_;
  std::string line_;
  std::vector<std::string_view> fields_;
  std::vector<std::size_t> column_;  // position of each wanted column; kAbsent where it is missing
  std::int64_t line_number_ = 0;
  std::uintmax_t bytes_ = 0, bytes_read_ = 0;
};

}  // namespace abut::cli
