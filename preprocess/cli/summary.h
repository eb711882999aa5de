#pragma once

#include <string>

#include "preprocess/cli/batch.h"

namespace abut::preprocess {

// The table at the end of a run, a line per object, and what failed and why.
std::string summary_table(const BatchResult& batch);

// All that is known of the run and its objects as JSON; the keys carry the units.
std::string summary_json(const BatchResult& batch, const std::string& dataset, const std::string& out);

// "ok", "ok, mended", "ok, wrapped", "ok, no volume", "up to date", "interrupted", "failed".
std::string status_text(const ObjectResult& object);

// One line that names the file and says why the object failed.
std::string failure_text(const ObjectResult& object);

// True where every object is made or up to date.
bool all_fine(const BatchResult& batch);

}  // namespace abut::preprocess
