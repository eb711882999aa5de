#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace abut {

// Returns whether `digits` is a whole number with leading zeros, which other readers take for octal.
inline bool has_leading_zeros(std::string_view digits) {
  return digits.size() > 1 && digits[0] == '0' &&
         digits.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns a hint to append to the message that `text` is not the requested number; empty where there is none.
inline const char* decimal_hint(std::string_view text) {
  const std::size_t sign = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
  return has_leading_zeros(text.substr(sign)) ? ", written without leading zeros" : "";
}

// Parses the text as a decimal number, with or without a sign. Returns nothing where the text has anything
// else (blanks, hexadecimal, words such as inf, leading zeros) or where the value does not fit a Number.
template <class Number>
std::optional<Number> decimal(std::string_view text) {
  const bool plus = text.starts_with('+');
  if (plus) text.remove_prefix(1);
  const std::string_view digits = text.substr(!plus && text.starts_with('-') ? 1 : 0);
  const char first = digits.empty() ? ' ' : digits[0];
  if ((first != '.' && (first < '0' || first > '9')) || has_leading_zeros(digits)) return std::nullopt;
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace abut
