#pragma once

#include <filesystem>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

struct ImportedAsset {
  asset::Asset asset;
  std::filesystem::path file;
};

// Makes the asset of a file of tetrahedra (import_volume) in the folder `out`, under the file's name
// (datasets/names.h), and writes it if verify() finds no problem. Waits for a concurrent run that makes an
// object of the same name. Throws IoError if the file cannot be read or is the output file, or the folder
// cannot be written; InvalidInput, naming file and element, if the asset would not be valid.
ImportedAsset import_asset(const std::filesystem::path& source, const std::filesystem::path& out);

}  // namespace abut::preprocess
