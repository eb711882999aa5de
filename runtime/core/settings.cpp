#include "runtime/core/settings.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "runtime/core/error.h"

namespace abut {
namespace {

template <class T>
bool read_whole(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Whole numbers may also be written as floating-point numbers: 1e9 or 50.0.
template <class Integer>
bool read_integer(const std::string& text, Integer& value) {
  if (read_whole(text, value)) return true;
  double number = 0;
  constexpr double kMaxExact = 9007199254740992;  // 2^53
  if (!read_whole(text, number) || number != std::trunc(number) || std::abs(number) > kMaxExact ||
      !std::in_range<Integer>(static_cast<std::int64_t>(number)))
    return false;
  value = static_cast<Integer>(number);
  return true;
}

}  // namespace

std::string number_text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

SettingValue::SettingValue(std::string its_name, double number)
    : name(std::move(its_name)), text(number_text(number)) {}
SettingValue::SettingValue(std::string its_name, std::int64_t number)
    : name(std::move(its_name)), text(std::to_string(number)) {}
SettingValue::SettingValue(std::string its_name, std::uint64_t number)
    : name(std::move(its_name)), text(std::to_string(number)) {}

bool Range::contains(double value) const {
  if (!std::isfinite(value)) return false;
  return open ? value > low && value < high : value >= low && value <= high;
}

std::string Range::words() const {
  if (std::isinf(low) && std::isinf(high)) return "any number";
  if (std::isfinite(high))
    return (open ? "between " : "from ") + number_text(low) + (open ? " and " : " to ") + number_text(high);
  if (low == 0) return open ? "positive" : "0 or more";
  return (open ? "more than " : "at least ") + number_text(low);
}

void require_known(const SettingValues& values, std::span<const SettingInfo> rows, std::string_view who) {
  for (const SettingValue& value : values) {
    std::string names;
    bool known = false;
    for (const SettingInfo& row : rows) {
      known = known || row.name == value.name;
      names += (names.empty() ? "; it has: " : ", ") + row.name;
    }
    if (!known) throw InvalidInput(std::string(who) + " has no setting '" + value.name + "'" + names);
  }
}

namespace detail {

void refuse_setting(std::string_view who, std::string_view name, const std::string& value,
                    std::string_view unit, const std::string& range) {
  std::string message(who);
  message.append(": ").append(name).append(" is ").append(value);
  if (!unit.empty()) message.append(" ").append(unit);
  throw InvalidInput(message.append("; it must be ").append(range));
}

bool read_number(const std::string& text, double& value) { return read_whole(text, value); }
bool read_number(const std::string& text, int& value) { return read_integer(text, value); }
bool read_number(const std::string& text, std::uint64_t& value) { return read_integer(text, value); }

std::string number_words(const Range& range, bool whole) {
  const std::string words = range.words();
  return (whole ? words.starts_with("from") ? "a whole number " : "a whole number, " : "") + words;
}

std::string joined(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

}  // namespace detail
}  // namespace abut
