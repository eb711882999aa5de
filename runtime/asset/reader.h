#pragma once

#include <filesystem>

#include "runtime/asset/asset.h"

namespace abut::asset {

// Reads and verifies an asset. Throws IoError where the file cannot be read; BadAsset where it is damaged
// (one flipped bit suffices), of a newer schema, or inconsistent. Safe to call from several threads.
Asset load(const std::filesystem::path& file);

// Only where it comes from, from a file verified in the same way: what tells whether an asset is up to date.
Provenance load_provenance(const std::filesystem::path& file);

}  // namespace abut::asset
