#include "runtime/cli/csv_columns.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <limits>

#include "runtime/core/error.h"

namespace abut::cli {
namespace {

constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();
constexpr std::string_view kByteOrderMark =
    "\xef\xbb\xbf";  // spreadsheets put it before the first column's name

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// A field in double quotes may contain commas.
void split(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (;;) {
    const bool quoted = trim(line).starts_with('"');
    const std::size_t close = quoted ? line.find('"', line.find('"') + 1) : 0;
    const std::size_t comma = line.find(',', close);
    std::string_view field = trim(line.substr(0, comma));
    if (quoted && field.size() > 1 && field.ends_with('"')) field = field.substr(1, field.size() - 2);
    fields.push_back(field);
    if (comma == std::string_view::npos) return;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

CsvColumns::CsvColumns(const std::string& path, std::span<const std::string_view> names, std::size_t optional)
    : names_(names), file_name_(path == "-" ? "standard input" : path) {
  if (path == "-") {
    in_ = &std::cin;
  } else {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) throw IoError(path + ": cannot read: no such file");
    if (std::filesystem::is_directory(status)) throw IoError(path + ": cannot read: it is a folder");
    if (std::filesystem::is_regular_file(status)) bytes_ = std::filesystem::file_size(path, error);
    file_.open(path, std::ios::binary);
    if (!file_) throw IoError(path + ": cannot open");
    in_ = &file_;
  }
  if (!std::getline(*in_, line_)) throw InvalidInput(file_name_ + ": empty; expected a line of column names");
  bytes_read_ += line_.size() + 1;
  ++line_number_;
  if (line_.starts_with(kByteOrderMark)) line_.erase(0, kByteOrderMark.size());
  split(line_, fields_);
  std::string all;
  for (const std::string_view name : names_.first(std::min(optional, names_.size())))
    all += (all.empty() ? "" : ",") + std::string(name);
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const auto found = std::find(fields_.begin(), fields_.end(), names_[k]);
    column_.push_back(found == fields_.end() ? kAbsent : static_cast<std::size_t>(found - fields_.begin()));
    const bool needed = k < optional ? k > 0 : k > optional && column_[optional] != kAbsent;
    if (k > optional && column_[k] != kAbsent && column_[optional] == kAbsent)
      throw InvalidInput(place() + ": a column '" + std::string(names_[k]) + "' but no column '" +
                         std::string(names_[optional]) + "'");
    if (column_[k] == kAbsent && needed)
      throw InvalidInput(place() + ": no column '" + std::string(names_[k]) +
                         "'; expected a first line like " + all);
  }
}

bool CsvColumns::next() {
  do {
    if (!std::getline(*in_, line_)) {
      if (in_->bad())
        throw IoError(file_name_ + ": cannot read on after line " + std::to_string(line_number_));
      return false;
    }
    bytes_read_ += line_.size() + 1;
    ++line_number_;
  } while (trim(line_).empty());
  split(line_, fields_);
  for (std::size_t k = 0; k < names_.size(); ++k)
    if (column_[k] != kAbsent && column_[k] >= fields_.size())
      throw InvalidInput(place() + ": the row ends before column '" + std::string(names_[k]) + "'");
  return true;
}

bool CsvColumns::has(std::size_t k) const { return column_[k] != kAbsent; }

std::string_view CsvColumns::text(std::size_t k) const {
  return column_[k] == kAbsent ? std::string_view() : fields_[column_[k]];
}

double CsvColumns::number(std::size_t k) const {
  double value = 0;
  std::string_view field = text(k);
  if (!field.empty() && field.front() == '+') field.remove_prefix(1);
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc::result_out_of_range) return std::numeric_limits<double>::infinity();
  if (error != std::errc() || end != field.data() + field.size())
    throw InvalidInput(place() + ": column " + std::string(names_[k]) + ": '" + std::string(field) +
                       "' is not a number");
  return value;
}

double CsvColumns::share_read() const {
  return bytes_ == 0 ? 0 : static_cast<double>(std::min(bytes_read_, bytes_)) / static_cast<double>(bytes_);
}

std::string CsvColumns::place() const { return file_name_ + ":" + std::to_string(line_number_); }

}  // namespace abut::cli
