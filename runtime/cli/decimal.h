#pragma once

#include <string>

namespace abut::cli {

// Whether what may be a number is written in decimal: whole numbers that begin with 0 would be read as octal,
// and any with an x as hexadecimal.
inline bool decimal(const std::string& text) {
  const std::size_t first = text.find_first_not_of("+- \t");
  if (first == std::string::npos || text.find_first_of("xX") != std::string::npos) return false;
  return text[first] != '0' || first + 1 == text.size() ||
         text.find_first_of(".eE", first) != std::string::npos;
}

}  // namespace abut::cli
