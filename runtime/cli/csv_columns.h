#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The wanted columns of a CSV file (RFC 4180), row by row, in constant memory; and fields to write.
namespace abut::cli {

// The text as a field that is read back as it is: in double quotes where it has commas, quotes, ends of lines
// or blanks at its ends.
std::string csv_field(std::string_view text);

// Columns are found by name in the first line; any others are passed over. Every error names the file, the
// line and the column.
class CsvColumns {
 public:
  // `names` must outlive this object; the first may be missing in the file, and those from `optional` on all
  // together; the others may not, and none may come twice. `path` "-" reads standard input; a pipe is read
  // where it is an open descriptor (/dev/fd/N, as <(...) of a shell). Throws IoError or InvalidInput.
  CsvColumns(const std::string& path, std::span<const std::string_view> names,
             std::size_t optional = static_cast<std::size_t>(-1));

  // The next row; false at the end. Throws InvalidInput where a row is incomplete or has more fields than the
  // first line has names, unless those are empty. A field in double quotes
  // may contain commas, ends of lines, and quotes that are doubled. Blanks around a field are not part of it.
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
  void open(const std::string& path);
  bool read_line();
  bool read_record();
  bool split();
  void find_columns(std::size_t optional);
  [[noreturn]] void refuse(const std::string& what) const;

  std::span<const std::string_view> names_;
  std::string file_name_;
  std::unique_ptr<std::istream> file_;
  std::istream* in_ = nullptr;
  std::string record_;      // the lines of one row
  std::size_t at_ = 0;      // of the record: up to where its fields are read
  bool in_quotes_ = false;  // there
  std::vector<std::string> fields_;
  std::size_t field_count_ = 0;             // of fields_, whose memory is kept
  std::size_t name_count_ = 0;              // of the first line
  std::vector<std::size_t> column_;         // position of each wanted column; kAbsent where it is missing
  std::int64_t line_ = 0, first_line_ = 0;  // read last; where the row begins
  std::uintmax_t bytes_ = 0, bytes_read_ = 0;
};

}  // namespace abut::cli
