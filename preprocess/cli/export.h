#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

// The parts of an asset that can be written as triangles: "surface", "hull".
std::vector<std::string> exportable_parts();

// Writes one part as OBJ, PLY or VTK, as the file's extension says: read back, the coordinates are the same
// bits. Throws InvalidInput for an unknown part or extension and where the asset has no such part, IoError
// where the file cannot be written.
void export_part(const asset::Asset& asset, const std::string& part, const std::filesystem::path& file);

}  // namespace abut::preprocess
