#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "runtime/asset/asset.h"

namespace abut::preprocess {

TriangleMesh to_mesh(const asset::SurfaceView& surface);
TriangleMesh to_mesh(const asset::ConvexView& piece);

// Names of the exportable parts of an asset: "surface", "hull", "pieces", "spheres", "volume", "quads" (of
// the points), "points" (with their normals).
std::vector<std::string> exportable_parts();

// Writes one part, "<part>" or "<part>:<level>" (default 0, the finest): surfaces and points as OBJ, PLY or
// VTK by the file's extension, a volume as VTK with the extent at its points, spheres as JSON, which is also
// valid YAML, {"collision_spheres": {name: [{"center": [x, y, z], "radius": r}, ...]}} in m. Numbers read
// back are bit-identical. Throws InvalidInput for an unknown part or extension and if the asset has no such
// part or level, IoError if the file cannot be written.
void export_part(const asset::Asset& asset, const std::string& part, const std::filesystem::path& file);

}  // namespace abut::preprocess
