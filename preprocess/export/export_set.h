#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "preprocess/export/exporter.h"

// Many assets to one simulator.
namespace abut::preprocess {

struct ExportOptions {
  Amount amount;                          // of objects that `amounts` does not name
  std::map<std::string, Amount> amounts;  // by object
  ExportSettings settings;
};

struct ExportResult {
  ExportObject object;
  std::string asset_file, source_digest;
  std::vector<std::string> files;  // relative to the output folder
  std::string failure;             // why nothing of it was written; empty: it was
};

// What to know of an object that collides as a hull clearly larger than its solid; empty for another.
std::string hull_caution(const ExportObject& object);

// The assets that a path stands for: itself, or the *.h5 of a folder, ascending. Throws IoError where
// the path does not exist, InvalidInput where there is none.
std::vector<std::filesystem::path> assets_of(const std::filesystem::path& path);

// The asset of a file, which goes by the file's name in folders, scenes, reports and exports: a renamed file
// is another object. Throws what asset::load throws.
asset::Asset load_named_by_file(const std::filesystem::path& file);

// Writes each asset to out/<id>/, the exporter's scene, and out/manifest.json: names, files, masses (kg),
// centres of mass (m), moments of inertia (kg m^2), hulls larger than their solids, what failed and why. An
// object that cannot be exported is a failure of its own; `done` is told of each. An earlier export is
// replaced file by file.
//
// Throws IoError where files cannot be written; InvalidInput where `out` is a folder with something in it and
// no export.
std::vector<ExportResult> export_set(const std::vector<std::filesystem::path>& assets, const Exporter& to,
                                     const std::filesystem::path& out, const ExportOptions& options,
                                     const std::function<void(const ExportResult&)>& done);

}  // namespace abut::preprocess
