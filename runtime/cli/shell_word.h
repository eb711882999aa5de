#pragma once

#include <string>

namespace abut::cli {

// The text as one word of a shell command line: unchanged if it has no special characters, else in single
// quotes; prefixed by ./ if it could be taken for an option.
inline std::string shell_word(const std::string& text) {
  constexpr const char* kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=:,./@%";
  std::string word = text.starts_with('-') ? "./" + text : text;
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace abut::cli
