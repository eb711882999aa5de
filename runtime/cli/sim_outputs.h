#pragma once

#include <string>

#include "runtime/cli/sim_options.h"
#include "runtime/dynamics/system/scene.h"

// Where the outputs of abut-sim may go.
namespace abut::cli {

// Whether --out has the name of a recording; otherwise it is a CSV file.
bool is_recording(const std::string& out);

// Throws InvalidInput if two outputs go to the same file or to standard output.
void require_distinct_outputs(const SimArguments& arguments);

// Refuses outputs that would replace the scene, one of its robots, a control file, an asset or, but for a
// recording, a recording, and names of files of other formats.
void require_fit_outputs(const SimArguments& arguments, const dynamics::Scene& scene);

}  // namespace abut::cli
