#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

// Output of commands for people. Texts from files and servers pass through here, so that none can control a
// terminal.
namespace abut::cli {

// The text with control characters [Unicode, C0, DEL and C1] as \xNN, except for newlines and tabs.
inline std::string printable(std::string_view text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {  // C1 in UTF-8
      safe += fmt::format("\\x{:02x}", next);
      ++i;
    } else if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F) {
      safe += fmt::format("\\x{:02x}", byte);
    } else {
      safe += text[i];
    }
  }
  return safe;
}

template <class... T>
void say(std::FILE* file, fmt::format_string<T...> format, T&&... arguments) {
  const std::string text = printable(fmt::format(format, std::forward<T>(arguments)...));
  std::fwrite(text.data(), 1, text.size(), file);
}

template <class... T>
void say(fmt::format_string<T...> format, T&&... arguments) {
  say(stdout, format, std::forward<T>(arguments)...);
}

// "PROGRAM: error: MESSAGE" on standard error, in one line.
inline void say_error(std::string_view program, std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  say(stderr, "{}: error: {}\n", program, message);
}

}  // namespace abut::cli
