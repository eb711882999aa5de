#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "preprocess/process/runner.h"

// Web pages of assets, each a single file that loads nothing else: a table of all objects, and for each
// object its layers in three dimensions, cut open, and its contact with the next object.
namespace abut::preprocess {

struct ReportedObject {
  std::filesystem::path asset;
  std::filesystem::path page;  // empty if it failed
  std::string failure;         // why there is no page
};

// Limits of the child process that makes a page.
struct ReportLimits {
  double timeout_seconds = 600;
  std::size_t memory_bytes = machine_memory();
};

// Writes <id>.html for each asset to `out`, which is created if missing, and index.html if `with_index`. An
// asset that cannot be read, has no surface, or exceeds the limits only gets a row in the table; if only its
// contact exceeds them, its page omits the contact. `done` is called for each. Throws, before it writes,
// InvalidInput if a page would replace a file that is not a page, or a link; IoError if files cannot be
// written.
std::vector<ReportedObject> write_report(const std::vector<std::filesystem::path>& assets,
                                         const std::string& title, bool with_index,
                                         const std::filesystem::path& out,
                                         const std::function<void(const ReportedObject&)>& done,
                                         const ReportLimits& limits = {});

}  // namespace abut::preprocess
