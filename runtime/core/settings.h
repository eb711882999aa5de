#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

// Settings declared once. A table of rows beside a struct of settings gives their validation, their options
// on a command line and their help:
//
//   struct SpringConfig { double stiffness = 1e4; };
//   constexpr Setting<SpringConfig> kSpringSettings[] = {
//       {"stiffness", "N/m", kPositive, "force over depth", setting<SpringConfig,
//       &SpringConfig::stiffness>}};
//   require_valid<SpringConfig>(kSpringSettings, config, "spring");
namespace abut {

// The numbers that a setting may be.
struct Range {
  double low = -std::numeric_limits<double>::infinity();  // least value
  double high = std::numeric_limits<double>::infinity();  // greatest value
  bool open = false;  // the ends themselves are excluded; infinite ones always are

  bool contains(double value) const;  // of infinities and NaN none
  std::string words() const;          // "positive", "0 or more", "between 0 and 1", "from 3 to 100"
};

inline constexpr Range kPositive{.low = 0, .open = true};      // greater than 0
inline constexpr Range kNonNegative{.low = 0};                 // 0 or greater
constexpr Range at_least(double low) { return {.low = low}; }  // low <= value
// low < value < high
constexpr Range between(double low, double high) { return {.low = low, .high = high, .open = true}; }
// low <= value <= high
constexpr Range from_to(double low, double high) { return {.low = low, .high = high}; }
// For ratios and moduli, of which products and squares stay finite.
inline constexpr Range kMagnitude = from_to(1e-12, 1e12);

// A setting that is one of a few words: an enumeration whose values count from 0 in their order.
template <class Config>
struct Choice {
  std::span<const std::string_view> words;  // in the order of the enumeration's values
  int (*get)(const Config&);                // none of the words: negative
  void (*set)(Config&, int);                // to the word of that index
};

// A row of a table of settings.
template <class Config>
struct Setting {
  std::string_view name;  // as options and keywords spell it
  std::string_view unit;  // for people; "" for a number without one
  Range range;            // numbers only
  std::string_view help;  // what it does, in a line
  // The member of Config: a number by reference, or a choice of words.
  std::variant<double& (*)(Config&), int& (*)(Config&), std::uint64_t& (*)(Config&), Choice<Config>> member;
};

// The member of a struct that a path of member pointers leads to, from the outside in.
template <class Config, auto... path>
constexpr auto& setting(Config& config) {
  return (config.*....*path);
}

// The Choice of a member that is an enumeration.
template <class Config, auto member>
constexpr Choice<Config> choice(std::span<const std::string_view> words) {
  using Value = std::remove_cvref_t<decltype(std::declval<Config&>().*member)>;
  return {words, [](const Config& config) { return static_cast<int>(config.*member); },
          [](Config& config, int value) { config.*member = static_cast<Value>(value); }};
}

// What people are told of a setting.
struct SettingInfo {
  std::string name, unit, default_value, range, help;  // as in the row
};

// A setting as somebody gave it: `text` is the value, {"stiffness", "1e4"} or {"stiffness", 1e4}.
struct SettingValue {
  // From text as it stands on a command line.
  SettingValue(std::string its_name, std::string its_text)
      : name(std::move(its_name)), text(std::move(its_text)) {}
  SettingValue(std::string its_name, double number);         // in digits that read back the same
  SettingValue(std::string its_name, std::int64_t number);   // in decimal digits
  SettingValue(std::string its_name, std::uint64_t number);  // in decimal digits, as seeds are
  // As std::int64_t: for literals.
  SettingValue(std::string its_name, int number) : SettingValue(std::move(its_name), std::int64_t{number}) {}

  std::string name, text;  // of the setting; its value as text
};
using SettingValues = std::vector<SettingValue>;  // of two with one name the later holds

// Throws InvalidInput, listing the names that there are, for a value that none of the rows describes.
void require_known(const SettingValues& values, std::span<const SettingInfo> rows, std::string_view who);

// The fewest digits that read back as this number: "0.1".
std::string number_text(double value);

namespace detail {
std::string number_words(const Range& range, bool whole);  // "a whole number from 3 to 100"
[[noreturn]] void refuse_setting(std::string_view who, std::string_view name, const std::string& value,
                                 std::string_view unit, const std::string& range);
bool read_number(const std::string& text, double& value);
bool read_number(const std::string& text, int& value);
bool read_number(const std::string& text, std::uint64_t& value);
std::string joined(std::span<const std::string_view> words);
}  // namespace detail

// Calls use(row, number) or use(row, choice) for the member of a row.
template <class Config, class Number, class Word>
void visit_setting(const Setting<Config>& row, Config& config, Number&& number, Word&& word) {
  std::visit(
      [&](const auto& member) {
        if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Choice<Config>>)
          word(member);
        else
          number(member(config));
      },
      row.member);
}

// Throws InvalidInput, naming `who`, the setting, its value, unit and range, unless every one is in its
// range.
template <class Config>
void require_valid(std::span<const Setting<Config>> table, const Config& config, std::string_view who) {
  Config copy = config;
  for (const Setting<Config>& row : table)
    visit_setting(
        row, copy,
        [&](const auto& value) {
          if (!row.range.contains(static_cast<double>(value)))
            detail::refuse_setting(
                who, row.name, number_text(static_cast<double>(value)), row.unit,
                detail::number_words(row.range, std::is_integral_v<std::decay_t<decltype(value)>>));
        },
        [&](const Choice<Config>& c) {
          const int value = c.get(config);
          if (value < 0 || value >= static_cast<int>(c.words.size()))
            detail::refuse_setting(who, row.name, "another one", "", "one of " + detail::joined(c.words));
        });
}

// The rows for people, with the defaults of Config.
template <class Config>
std::vector<SettingInfo> describe(std::span<const Setting<Config>> table) {
  Config standard;
  std::vector<SettingInfo> rows;
  for (const Setting<Config>& row : table) {
    SettingInfo info{std::string(row.name), std::string(row.unit), "", "", std::string(row.help)};
    visit_setting(
        row, standard,
        [&](const auto& value) {
          info.default_value = number_text(static_cast<double>(value));
          info.range = detail::number_words(row.range, std::is_integral_v<std::decay_t<decltype(value)>>);
        },
        [&](const Choice<Config>& c) {
          info.default_value = c.words[static_cast<std::size_t>(c.get(standard))];
          info.range = detail::joined(c.words);
        });
    rows.push_back(std::move(info));
  }
  return rows;
}

// Sets what was given. Throws InvalidInput for a name that is not in the table and for a value that is none
// or out of range.
template <class Config>
void apply(std::span<const Setting<Config>> table, const SettingValues& values, Config& config,
           std::string_view who) {
  require_known(values, describe(table), who);
  for (const SettingValue& value : values) {
    const auto row = std::find_if(table.begin(), table.end(), [&](const Setting<Config>& candidate) {
      return candidate.name == value.name;
    });
    visit_setting(
        *row, config,
        [&](auto& member) {
          std::decay_t<decltype(member)> number{};
          if (!detail::read_number(value.text, number) || !row->range.contains(static_cast<double>(number)))
            detail::refuse_setting(who, row->name, "'" + value.text + "'", row->unit,
                                   detail::number_words(row->range, std::is_integral_v<decltype(number)>));
          member = number;
        },
        [&](const Choice<Config>& c) {
          for (std::size_t k = 0; k < c.words.size(); ++k)
            if (c.words[k] == value.text) return c.set(config, static_cast<int>(k));
          detail::refuse_setting(who, row->name, "'" + value.text + "'", "",
                                 "one of " + detail::joined(c.words));
        });
  }
}

}  // namespace abut
