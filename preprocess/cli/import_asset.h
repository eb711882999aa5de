#pragma once

#include <filesystem>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

struct ImportedAsset {
  asset::Asset asset;
  std::filesystem::path file;
};

// Makes the asset of a file of tetrahedra (import_volume) in the folder `out`, under the file's name
// (datasets/names.h), and writes it if verify() has nothing against it; a run that makes an object of that
// name is waited for. Throws IoError where the file cannot be read, is what would be written to, or the
// folder cannot be written; InvalidInput, naming file and element, where the asset would not be sound.
ImportedAsset import_asset(const std::filesystem::path& source, const std::filesystem::path& out);

}  // namespace abut::preprocess
