#pragma once

#include <map>
#include <string>

#include "preprocess/cli/batch.h"

namespace abut::preprocess {

// What a user must know about an asset before using it, by its measures: that it is a thin shell, has lost
// parts, or is assumed to be solid behind flat lids. Empty if there is nothing.
std::string caution(const std::map<std::string, double>& measures);

// The table at the end of a run: one line for each object, and the failures with their reasons.
std::string summary_table(const BatchResult& batch);

// Everything known about the run and its objects as JSON; the keys contain the units.
std::string summary_json(const BatchResult& batch, const std::string& dataset, const std::string& out);

// "failed", "interrupted", or "ok" or "up to date", followed by every word that applies: ", wrapped" or
// ", THIN SHELL"; ", parts dropped"; ", no volume"; ", no points"; of none of these ", mended" if the surface
// differs from the file's in shape or position. Other warnings leave an object "ok".
std::string status_text(const ObjectResult& object);

// One line with the file's name and the reason why the object failed.
std::string failure_text(const ObjectResult& object);

// Whether every object is made or up to date.
bool all_fine(const BatchResult& batch);

}  // namespace abut::preprocess
