#include "runtime/cli/csv_columns.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>

#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/core/output_file.h"

namespace abut::cli {
namespace {

constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kLongestRecord = std::size_t{1} << 20;  // bytes: a longer row is no table of poses

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

void trim(std::string& text) {
  while (!text.empty() && blank(text.back())) text.pop_back();
  text.erase(0, std::min(text.find_first_not_of(" \t\r"), text.size()));
}

}  // namespace

std::string csv_field(std::string_view text) {
  const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos &&
                     (text.empty() || (!blank(text.front()) && !blank(text.back())));
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

CsvColumns::CsvColumns(const std::string& path, std::span<const std::string_view> names, std::size_t optional)
    : names_(names), file_name_(path == "-" ? "standard input" : path) {
  open(path);
  if (!read_record()) throw InvalidInput(file_name_ + ": empty; expected a line of column names");
  find_columns(optional);
}

void CsvColumns::open(const std::string& path) {
  if (path == "-") {
    in_ = &std::cin;
    return;
  }
  if (descriptor_of(path) >= 0) {
    file_ = std::make_unique<std::ifstream>(path, std::ios::binary);
    if (!*file_) throw IoError(path + ": cannot open");
  } else {
    auto file = std::make_unique<InputStream>(path);
    bytes_ = file->size();
    file_ = std::move(file);
  }
  in_ = file_.get();
}

void CsvColumns::find_columns(std::size_t optional) {
  name_count_ = field_count_;
  std::string all;
  for (const std::string_view name : names_.first(std::min(optional, names_.size())))
    all += (all.empty() ? "" : ",") + std::string(name);
  const auto quoted = [this](std::size_t k) { return "'" + std::string(names_[k]) + "'"; };
  const auto begin = fields_.begin(), end = begin + static_cast<std::ptrdiff_t>(field_count_);
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const auto found = std::find(begin, end, names_[k]);
    column_.push_back(found == end ? kAbsent : static_cast<std::size_t>(found - begin));
    if (found != end && std::find(found + 1, end, names_[k]) != end)
      refuse("two columns " + quoted(k) + "; remove or rename one");
    const bool needed = k < optional ? k > 0 : k > optional && column_[optional] != kAbsent;
    if (k > optional && column_[k] != kAbsent && column_[optional] == kAbsent)
      refuse("a column " + quoted(k) + " but no column " + quoted(optional));
    if (column_[k] == kAbsent && needed)
      refuse("no column " + quoted(k) + "; expected a first line like " + all);
  }
}

// Appends the next line to the record, without its end; false at the end of the file.
bool CsvColumns::read_line() {
  std::streambuf& in = *in_->rdbuf();
  int c = in.sbumpc();
  if (c == std::char_traits<char>::eof()) return false;
  ++line_;
  for (; c != '\n' && c != std::char_traits<char>::eof(); c = in.sbumpc()) {
    if (record_.size() >= kLongestRecord)
      refuse("a row of more than " + std::to_string(kLongestRecord) +
             " bytes; is this a CSV file, and is every quote closed?");
    record_ += static_cast<char>(c);
    ++bytes_read_;
  }
  ++bytes_read_;
  return true;
}

// Reads the fields of the next row that is not blank.
bool CsvColumns::read_record() {
  do {
    record_.clear();
    first_line_ = line_ + 1;
    if (!read_line()) return false;
    if (line_ == 1 && record_.starts_with(kByteOrderMark)) record_.erase(0, kByteOrderMark.size());
  } while (std::all_of(record_.begin(), record_.end(), blank));
  field_count_ = at_ = 0;
  in_quotes_ = false;
  while (!split()) {
    record_ += '\n';
    if (!read_line()) refuse("a quoted field that does not end; close its quote");
  }
  if (record_.find('\0') != std::string::npos)
    refuse("it contains a NUL byte: this is not a CSV file, or a damaged one");
  return true;
}

// Splits the record into fields, from where the last call stopped; false if the record ends within quotes.
bool CsvColumns::split() {
  for (;; ++at_) {
    if (!in_quotes_) {
      if (field_count_ == fields_.size()) fields_.emplace_back();
      fields_[field_count_++].clear();
      while (at_ < record_.size() && blank(record_[at_])) ++at_;
      in_quotes_ = at_ < record_.size() && record_[at_] == '"';
      at_ += in_quotes_;
    }
    std::string& field = fields_[field_count_ - 1];
    if (in_quotes_) {
      for (;; ++at_) {
        if (at_ >= record_.size()) return false;
        if (record_[at_] == '"' && (at_ + 1 >= record_.size() || record_[at_ + 1] != '"')) break;
        at_ += record_[at_] == '"';
        field += record_[at_];
      }
      in_quotes_ = false;
      for (++at_; at_ < record_.size() && record_[at_] != ','; ++at_)
        if (!blank(record_[at_])) refuse("text after the quoted field " + std::to_string(field_count_));
    } else {
      const std::size_t end = std::min(record_.find(',', at_), record_.size());
      field.assign(record_, at_, end - at_);
      trim(field);
      at_ = end;
    }
    if (at_ >= record_.size()) return true;
  }
}

bool CsvColumns::next() {
  if (!read_record()) return false;
  for (std::size_t k = 0; k < names_.size(); ++k)
    if (column_[k] != kAbsent && column_[k] >= field_count_)
      refuse("the row ends before column '" + std::string(names_[k]) + "'");
  for (std::size_t i = name_count_; i < field_count_; ++i)
    if (!fields_[i].empty())
      refuse("more fields than the first line has names (" + std::to_string(name_count_) +
             "); numbers have a decimal point, texts with commas stand in double quotes");
  return true;
}

bool CsvColumns::has(std::size_t k) const { return column_[k] != kAbsent; }

std::string_view CsvColumns::text(std::size_t k) const {
  return column_[k] == kAbsent ? std::string_view() : fields_[column_[k]];
}

double CsvColumns::number(std::size_t k) const {
  double value = 0;
  const std::string_view field = text(k);
  const std::size_t sign = field.starts_with('+') && !field.starts_with("+-") ? 1 : 0;
  const auto [end, error] = std::from_chars(field.data() + sign, field.data() + field.size(), value);
  if ((error != std::errc() && error != std::errc::result_out_of_range) || end != field.data() + field.size())
    refuse("column " + std::string(names_[k]) + ": '" + std::string(field) + "' is not a number");
  // Beyond the range of a double: the nearest value, 0 or infinity with its sign.
  return error == std::errc() ? value : std::strtod(std::string(field).c_str(), nullptr);
}

double CsvColumns::share_read() const {
  return bytes_ == 0 ? 0 : static_cast<double>(std::min(bytes_read_, bytes_)) / static_cast<double>(bytes_);
}

std::string CsvColumns::place() const { return file_name_ + ":" + std::to_string(first_line_); }

void CsvColumns::refuse(const std::string& what) const { throw InvalidInput(place() + ": " + what); }

}  // namespace abut::cli
