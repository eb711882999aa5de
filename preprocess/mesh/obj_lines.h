#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "runtime/core/input_file.h"

namespace abut::preprocess {

// The lines of an OBJ file, which end with LF, CR LF or, where there is no LF at all, CR; lines continued by
// backslashes are joined with blanks. Internal to the readers of OBJ, so that all of them see the same lines.
class ObjLines {
 public:
  explicit ObjLines(std::string_view content)
      : rest_(content), end_of_line_(content.find('\n') == content.npos ? '\r' : '\n') {
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  // Gets the next line, valid until the next call; returns false at the end of `content`.
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    line = take();
    first_ = read_;
    if (!continues(line)) return true;
    joined_.clear();
    while (continues(line)) {
      joined_.append(line.substr(0, line.rfind('\\'))).push_back(' ');
      line = rest_.empty() ? std::string_view() : take();
    }
    joined_.append(line);
    line = joined_;
    return true;
  }

  std::size_t number() const { return first_; }  // of next()'s line (its first part), from 1
  std::size_t read() const { return read_; }     // lines so far, counting every part

 private:
  // A comment always ends with its line: it may hold a path with backslashes.
  static bool continues(std::string_view line) {
    if (line.find('#') != line.npos) return false;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line.ends_with('\\');
  }

  std::string_view take() {
    const std::size_t end = std::min(rest_.find(end_of_line_), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++read_;
    return line;
  }

  std::string_view rest_;
  char end_of_line_;
  std::string joined_;
  std::size_t first_ = 0, read_ = 0;
};

}  // namespace abut::preprocess
