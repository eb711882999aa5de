#include "runtime/cli/setting_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runtime/contact/slip_setting.h"
#include "runtime/core/error.h"

namespace abut::cli {
namespace {

std::string option_of(std::string name, const std::string& prefix = {}) {
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + prefix + name;
}

}  // namespace

void add_setting_options(CLI::App& app, const std::vector<SettingGroup>& groups, SettingValues& given) {
  std::set<std::string> known;
  for (const SettingGroup& group : groups)
    for (const SettingInfo& row : group.settings)
      if (known.insert(row.name).second)
        app.add_option_function<std::vector<std::string>>(
               option_of(row.name, group.prefix),
               [&given, name = row.name,
                option = option_of(row.name, group.prefix)](const std::vector<std::string>& texts) {
                 if (texts.size() > 1) throw InvalidInput(option + " is given more than once");
                 given.push_back({name, texts.front()});
               })
            ->group("")  // describe_settings shows it
            ->allow_extra_args(false);
}

std::string slip_option(const SettingValues& given) {
  for (const SettingValue& value : given)
    if (contact::is_slip_setting(value.name)) return option_of(value.name);
  return {};
}

std::string describe_settings(const std::vector<SettingGroup>& groups) {
  std::size_t width = 0;
  for (const SettingGroup& group : groups)
    for (const SettingInfo& row : group.settings)
      width = std::max(width, option_of(row.name, group.prefix).size() + 2);
  std::string text;
  for (const SettingGroup& group : groups) {
    text += group.title + ":\n";
    for (const SettingInfo& row : group.settings) {
      const std::string unit = row.unit.empty() ? "" : fmt::format(" ({})", row.unit);
      text += fmt::format("  {:<{}}{}{}\n  {:<{}}default {}; {}\n", option_of(row.name, group.prefix), width,
                          row.help, unit, "", width, row.default_value, row.range);
    }
  }
  return text;
}

}  // namespace abut::cli
