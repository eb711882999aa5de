#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "preprocess/cli/batch.h"
#include "preprocess/cli/shards.h"

// The options of abut-preprocess DATASET OUT.
namespace abut::preprocess {

struct MakeArguments {
  std::string dataset, out, json, layout;
  std::vector<std::string> only;  // patterns of object names
  double scale = 0;               // metres per unit; 0: as the layout says
  bool quiet = false, events = false;
  BatchOptions batch;
  Shard shard;
};

void add_make_options(CLI::App& app, MakeArguments& arguments);

// Throws InvalidInput for options of a part that is not made, such as --piece-error without --pieces.
void refuse_unheeded(const CLI::App& app, const Parameters& parameters);

// The options that add_make_options declares: [{name, type, default, group, help, flag, repeats}, ...].
std::string settings_json();

}  // namespace abut::preprocess
