#pragma once

#include <filesystem>

#include "runtime/asset/asset.h"
#include "runtime/core/output_file.h"

namespace abut::asset {

// Writes the asset to `file` in one atomic step: whatever happens, `file` is afterwards the old one or the
// whole new one. The same asset gives the same bytes. Throws IoError (no permission, disk full), BadAsset
// where the asset's arrays do not fit together.
void save(const Asset& asset, const std::filesystem::path& file, Replace replace = Replace::kTarget);

}  // namespace abut::asset
