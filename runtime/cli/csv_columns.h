#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Reads the requested columns of a CSV file (RFC 4180), row by row, in constant memory; also formats fields.
namespace abut::cli {

// The text as a CSV field that is read back unchanged: in double quotes if it contains commas, quotes or ends
// of lines, or has blanks at its ends.
std::string csv_field(std::string_view text);

// Reads columns by their name in the first line and ignores all others. Every error names the file, the line
// and the column.
class CsvColumns {
 public:
  // `names` must outlive this object. The first column may be missing in the file, and so may all columns
  // from index `optional` on, but only together; the others must exist, and none may occur twice. `path` "-"
  // reads standard input; a pipe is read if it is an open descriptor (/dev/fd/N, as in <(...) of a shell).
  // Throws IoError or InvalidInput.
  CsvColumns(const std::string& path, std::span<const std::string_view> names,
             std::size_t optional = static_cast<std::size_t>(-1));

  // Reads the next row; false at the end. Throws InvalidInput if a row is incomplete, or has more fields than
  // the first line has names and these are not empty. A field in double quotes may contain commas, ends of
  // lines and doubled quotes. Blanks around a field are not part of it.
  bool next();

  // Field of the row read last: `text` returns that of names[k], empty if there is no such column (`has`);
  // `number` returns it as a number ("nan" and "inf" are numbers) or throws InvalidInput.
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
  std::size_t at_ = 0;      // position in the record up to which fields are read
  bool in_quotes_ = false;  // at that position
  std::vector<std::string> fields_;
  std::size_t field_count_ = 0;             // fields in use; the others keep their memory
  std::size_t name_count_ = 0;              // in the first line
  std::vector<std::size_t> column_;         // index of each requested column; kAbsent if missing
  std::int64_t line_ = 0, first_line_ = 0;  // read last; first of the row
  std::uintmax_t bytes_ = 0, bytes_read_ = 0;
};

}  // namespace abut::cli
