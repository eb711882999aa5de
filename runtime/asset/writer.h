#pragma once

#include <filesystem>

#include "runtime/asset/asset.h"
#include "runtime/core/output_file.h"

namespace abut::asset {

// Writes the asset to `file` in one atomic step: whatever happens, `file` is afterwards either the old file
// or the complete new one. The same asset gives the same bytes. Throws IoError (no permission, disk full),
// BadAsset if the asset's arrays are inconsistent, and InvalidInput for a text of its provenance that is too
// long.
void save(const Asset& asset, const std::filesystem::path& file, Replace replace = Replace::kTarget);

}  // namespace abut::asset
