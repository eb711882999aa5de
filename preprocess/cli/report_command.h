#pragma once

#include <CLI/CLI.hpp>

#include "preprocess/cli/command.h"

namespace abut::preprocess {

// Adds the subcommand `report`, which sets `action` when it is chosen.
void add_report_command(CLI::App& app, Action& action);

}  // namespace abut::preprocess
