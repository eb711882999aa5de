#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

// Web pages of assets, each one file that loads nothing: a table of all objects, and for each object its
// layers in three dimensions, cut open, and its contact with the next one.
namespace abut::preprocess {

struct ReportedObject {
  std::filesystem::path asset;
  std::filesystem::path page;  // empty where it failed
  std::string failure;         // why there is no page
};

// Writes <id>.html for each asset to `out`, made where missing, and index.html where `with_index`. An asset
// that cannot be read, or has no surface, is a row of the table. `done` is told of each. Throws IoError where
// files cannot be written.
std::vector<ReportedObject> write_report(const std::vector<std::filesystem::path>& assets,
                                         const std::string& title, bool with_index,
                                         const std::filesystem::path& out,
                                         const std::function<void(const ReportedObject&)>& done);

}  // namespace abut::preprocess
