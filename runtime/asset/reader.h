#pragma once

#include <filesystem>

#include "runtime/asset/asset.h"

namespace abut::asset {

// Reads an asset and checks it. Throws IoError where the file cannot be read; BadAsset where it is damaged
// (one flipped bit suffices), of a newer schema, or such that a query could crash or never end. Whether its
// parts are those of one object is for `abut-preprocess verify` to say: whoever writes a file with a digest
// of its own, by another program than Abut's, may have any hull beside any surface. Safe to call from several
// threads.
Asset load(const std::filesystem::path& file);

// Only where it comes from, from a file verified in the same way: what tells whether an asset is up to date.
Provenance load_provenance(const std::filesystem::path& file);

}  // namespace abut::asset
