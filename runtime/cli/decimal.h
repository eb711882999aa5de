#pragma once

#include <string>

namespace abut::cli {

// Whether what may be a number is written in decimal: one that begins with 0 and a digit or a letter would be
// read as octal or hexadecimal.
inline bool decimal(const std::string& text) {
  const std::size_t first = text.find_first_not_of("+- \t");
  if (first == std::string::npos) return false;
  const std::size_t next = first + 1;
  return text[first] != '0' || next == text.size() ||
         std::string(".eE").find(text[next]) != std::string::npos;
}

}  // namespace abut::cli
