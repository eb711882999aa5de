#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "runtime/core/settings.h"

// Options of a command line for the settings of tables (runtime/core/settings.h): --clamp-relative for
// clamp_relative.
namespace abut::cli {

// The settings of one model or quantity, as --help shows them.
struct SettingGroup {
  std::string title;  // "Settings of --model soft_minimum"
  std::vector<SettingInfo> settings;
  std::string prefix = {};  // of the options' names: "solver-"
};

// Makes `app` append to `given` what is said of any of the settings; groups may share names. `given` must
// outlive `app`.
void add_setting_options(CLI::App& app, const std::vector<SettingGroup>& groups, SettingValues& given);

// The option of the first of the settings that is a slip of friction (contact/slip_setting.h), empty: none
// is.
std::string slip_option(const SettingValues& given);

// The groups for --help, with units, defaults and ranges.
std::string describe_settings(const std::vector<SettingGroup>& groups);

}  // namespace abut::cli
