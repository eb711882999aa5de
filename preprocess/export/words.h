#pragma once

#include <string_view>

#include "preprocess/mesh/formats.h"

// Splits lines of OBJ or MTL files into words. Internal to the readers of appearance.
namespace abut::preprocess {

// Removes the first word from `line` and returns it; empty if there is none.
inline std::string_view take_word(std::string_view& line) {
  const char* const end = line.data() + line.size();
  const char* const first = skip_blanks(line.data(), end);
  const char* last = first;
  while (last != end && !is_blank(*last)) ++last;
  line = {last, static_cast<std::size_t>(end - last)};
  return {first, static_cast<std::size_t>(last - first)};
}

// `text` without surrounding blanks.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace abut::preprocess
