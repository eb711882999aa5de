#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "preprocess/process/runner.h"

// Web pages of assets, each one file that loads nothing: a table of all objects, and for each object its
// layers in three dimensions, cut open, and its contact with the next one.
namespace abut::preprocess {

struct ReportedObject {
  std::filesystem::path asset;
  std::filesystem::path page;  // empty where it failed
  std::string failure;         // why there is no page
};

// Of the child process that makes a page.
struct ReportLimits {
  double timeout_seconds = 600;
  std::size_t memory_bytes = machine_memory();
};

// Writes <id>.html for each asset to `out`, made where missing, and index.html where `with_index`. An asset
// that cannot be read, has no surface, or needs more than the limits is a row of the table; one whose contact
// needs more has a page without. `done` is told of each. Throws, before it writes, InvalidInput where a page
// would replace a file that is none, or a link; IoError where files cannot be written.
std::vector<ReportedObject> write_report(const std::vector<std::filesystem::path>& assets,
                                         const std::string& title, bool with_index,
                                         const std::filesystem::path& out,
                                         const std::function<void(const ReportedObject&)>& done,
                                         const ReportLimits& limits = {});

}  // namespace abut::preprocess
