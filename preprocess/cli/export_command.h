#pragma once

#include <CLI/CLI.hpp>

#include "preprocess/cli/command.h"

namespace abut::preprocess {

// Adds the subcommand `export`, which sets `action` when it is chosen.
void add_export_command(CLI::App& app, Action& action);

}  // namespace abut::preprocess
