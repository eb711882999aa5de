#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "runtime/core/settings.h"

// Command-line options for the settings of tables (runtime/core/settings.h): --clamp-relative for
// clamp_relative.
namespace abut::cli {

// The settings of one model or quantity, as --help shows them.
struct SettingGroup {
  std::string title;  // "Settings of --model soft_minimum"
  std::vector<SettingInfo> settings;
  std::string prefix = {};  // of the options' names: "solver-"
};

// Makes `app` append to `given` the settings that the command line sets; groups may share names. `given` must
// outlive `app`.
void add_setting_options(CLI::App& app, const std::vector<SettingGroup>& groups, SettingValues& given);

// The option of the first given setting that is a slip speed of friction (contact/slip_setting.h); empty if
// there is none.
std::string slip_option(const SettingValues& given);

// The text of the groups for --help, with units, defaults and ranges.
std::string describe_settings(const std::vector<SettingGroup>& groups);

}  // namespace abut::cli
