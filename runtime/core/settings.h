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

// Settings declared once: a table of rows next to a struct of settings provides their validation, their
// command-line options and their help:
//
//   struct SpringConfig { double stiffness = 1e4; };
//   constexpr Setting<SpringConfig> kSpringSettings[] = {
//       {"stiffness", "N/m", kPositive, "force over depth", setting<SpringConfig,
//       &SpringConfig::stiffness>}};
//   require_valid<SpringConfig>(kSpringSettings, config, "spring");
namespace abut {

// The range of values that a numeric setting may take.
struct Range {
  double low = -std::numeric_limits<double>::infinity();  // smallest value
  double high = std::numeric_limits<double>::infinity();  // largest value
  bool open = false;  // whether the ends are excluded; infinite ones always are

  bool contains(double value) const;  // false for infinities and NaN
  std::string words() const;          // "positive", "0 or more", "between 0 and 1", "from 3 to 100"
};

inline constexpr Range kPositive{.low = 0, .open = true};      // greater than 0
inline constexpr Range kNonNegative{.low = 0};                 // 0 or greater
constexpr Range at_least(double low) { return {.low = low}; }  // low <= value
// low < value < high
constexpr Range between(double low, double high) { return {.low = low, .high = high, .open = true}; }
// low <= value <= high
constexpr Range from_to(double low, double high) { return {.low = low, .high = high}; }
// For ratios and moduli, whose products and squares must stay finite.
inline constexpr Range kMagnitude = from_to(1e-12, 1e12);

// A setting whose value is one of a few words: an enumeration whose values count from 0 in the order of the
// words.
template <class Config>
struct Choice {
  std::span<const std::string_view> words;  // in the order of the enumeration's values
  int (*get)(const Config&);  // index of the current word; negative where the value is none of them
  void (*set)(Config&, int);  // sets the value to the word of that index
};

// A row of a table of settings.
template <class Config>
struct Setting {
  std::string_view name;  // as options and keywords spell it
  std::string_view unit;  // for users; "" for a dimensionless number
  Range range;            // numbers only
  std::string_view help;  // one line on what the setting does
  // Access to the member of Config: a reference to a number, or a choice of words.
  std::variant<double& (*)(Config&), int& (*)(Config&), std::uint64_t& (*)(Config&), Choice<Config>> member;
};

// Returns the member that a path of member pointers leads to, from the outermost to the innermost.
template <class Config, auto... path>
constexpr auto& setting(Config& config) {
  return (config.*....*path);
}

// Returns the Choice for a member that is an enumeration.
template <class Config, auto member>
constexpr Choice<Config> choice(std::span<const std::string_view> words) {
  using Value = std::remove_cvref_t<decltype(std::declval<Config&>().*member)>;
  return {words, [](const Config& config) { return static_cast<int>(config.*member); },
          [](Config& config, int value) { config.*member = static_cast<Value>(value); }};
}

// Description of a setting for users.
struct SettingInfo {
  std::string name, unit, default_value, range, help;  // as in the row
};

// A setting's value as a user gave it, kept as text: {"stiffness", "1e4"} or {"stiffness", 1e4}.
struct SettingValue {
  // From text, as on a command line.
  SettingValue(std::string its_name, std::string its_text)
      : name(std::move(its_name)), text(std::move(its_text)) {}
  SettingValue(std::string its_name, double number);         // with the fewest digits that read back the same
  SettingValue(std::string its_name, std::int64_t number);   // in decimal digits
  SettingValue(std::string its_name, std::uint64_t number);  // in decimal digits, as seeds are
  // Same as std::int64_t; for literals.
  SettingValue(std::string its_name, int number) : SettingValue(std::move(its_name), std::int64_t{number}) {}

  std::string name, text;  // name of the setting, and its value as text
};
using SettingValues = std::vector<SettingValue>;  // of two with the same name, the later one holds

// Throws InvalidInput, which lists the existing names, where a value's name is that of none of the rows.
void require_known(const SettingValues& values, std::span<const SettingInfo> rows, std::string_view who);

// Returns the number with the fewest digits that read back as the same number, such as "0.1".
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

// Calls number(member) where the row's member is a number, with a reference to it in `config`, and
// word(choice) where it is a choice of words.
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

// Throws InvalidInput, which names `who`, the setting, its value, unit and range, unless every setting of the
// table is within its range.
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

// Returns the table's rows for users, with the defaults of Config.
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

// Sets the given values in `config`. Throws InvalidInput for a name that is not in the table and for a value
// that cannot be read or is out of range.
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
