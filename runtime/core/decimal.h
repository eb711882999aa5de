#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace abut {

// Whether a whole number has leading zeros, by which other readers take it for octal.
inline bool has_leading_zeros(std::string_view digits) {
  return digits.size() > 1 && digits[0] == '0' &&
         digits.find_first_not_of("0123456789") == std::string_view::npos;
}

// What to add to a message that `text` is not the number asked for.
inline const char* decimal_hint(std::string_view text) {
  const std::size_t sign = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
  return has_leading_zeros(text.substr(sign)) ? ", written without leading zeros" : "";
}

// The number that the text is in decimal, with or without a sign; nothing where it is more or something else
// (blanks, hexadecimal, words such as inf, leading zeros), or what no Number holds.
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
