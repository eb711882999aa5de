#pragma once

#include <filesystem>

#include "runtime/asset/asset.h"

namespace abut::asset {

// Loads an asset and checks it. Throws IoError if the file cannot be read, and BadAsset if it is damaged (one
// flipped bit suffices), has another schema version, or could make a query crash or never end. Whether its
// parts belong to the same object is checked by `abut-preprocess verify`: a file that another program writes
// with a valid digest may pair any hull with any surface. Thread-safe.
Asset load(const std::filesystem::path& file);

// Loads only the provenance, from a file verified in the same way; used to decide whether an asset is up to
// date.
Provenance load_provenance(const std::filesystem::path& file);

}  // namespace abut::asset
