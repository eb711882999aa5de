#pragma once

#include <map>
#include <string>

#include "preprocess/cli/batch.h"

namespace abut::preprocess {

// What of an asset its user must know before using it, by its measures: that it is a thin shell, has lost
// parts, or is taken for solid behind flat lids. Empty where there is nothing.
std::string caution(const std::map<std::string, double>& measures);

// The table at the end of a run, a line per object, and what failed and why.
std::string summary_table(const BatchResult& batch);

// All that is known of the run and its objects as JSON; the keys carry the units.
std::string summary_json(const BatchResult& batch, const std::string& dataset, const std::string& out);

// "ok", "ok, mended", "ok, parts dropped", "ok, wrapped", "ok, THIN SHELL", these two also with ", parts
// dropped" behind, "ok, no volume", "ok, no points", "up to date", "interrupted", "failed". "mended": the
// surface is not that of the file, or not where it is there. Other warnings leave an object "ok".
std::string status_text(const ObjectResult& object);

// One line that names the file and says why the object failed.
std::string failure_text(const ObjectResult& object);

// True where every object is made or up to date.
bool all_fine(const BatchResult& batch);

}  // namespace abut::preprocess
