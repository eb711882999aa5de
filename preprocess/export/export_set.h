#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "preprocess/export/exporter.h"

// Exports many assets to one simulator.
namespace abut::preprocess {

struct ExportOptions {
  Amount amount;                          // for objects that `amounts` does not name
  std::map<std::string, Amount> amounts;  // by object
  ExportSettings settings;
};

struct ExportResult {
  ExportObject object;
  std::string asset_file, source_digest;
  std::vector<std::string> files;  // relative to the output folder
  std::string failure;             // why nothing was written for it; empty if it was
};

// Caution for an object that collides as a hull clearly larger than its solid; empty for any other.
std::string hull_caution(const ExportObject& object);

// The assets that a path denotes: itself, or the *.h5 files of a folder, ascending. Throws IoError if the
// path does not exist, InvalidInput if there are no assets.
std::vector<std::filesystem::path> assets_of(const std::filesystem::path& path);

// Loads an asset and names it after its file, as folders, scenes, reports and exports do: a renamed file is
// another object. Throws what asset::load throws.
asset::Asset load_named_by_file(const std::filesystem::path& file);

// Writes each asset to out/<id>/, the exporter's scene, and out/manifest.json: names, files, masses (kg),
// centres of mass (m), moments of inertia (kg m^2), hulls larger than their solids, failures and their
// reasons. An object that cannot be exported does not affect the others; `done` is called for each. An
// earlier export is replaced file by file.
//
// Throws IoError if files cannot be written; InvalidInput if `out` is a non-empty folder that is not an
// earlier export.
std::vector<ExportResult> export_set(const std::vector<std::filesystem::path>& assets, const Exporter& to,
                                     const std::filesystem::path& out, const ExportOptions& options,
                                     const std::function<void(const ExportResult&)>& done);

}  // namespace abut::preprocess
