#pragma once

#include <cstddef>
#include <string>

namespace abut {

// Returns a count with its noun: "1 row", "3 rows"; "1 vertex", "0 vertices". `many` is the plural where it
// is not the noun with an s.
inline std::string counted(std::size_t count, const std::string& noun, const std::string& many = {}) {
  return std::to_string(count) + " " + (count == 1 ? noun : many.empty() ? noun + "s" : many);
}

}  // namespace abut
