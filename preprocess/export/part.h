#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "runtime/asset/asset.h"

namespace abut::preprocess {

TriangleMesh to_mesh(const asset::SurfaceView& surface);
TriangleMesh to_mesh(const asset::ConvexView& piece);

// The parts of an asset that can be written: "surface", "hull", "pieces", "spheres", "volume", "quads"
// (of the points), "points" (with their normals).
std::vector<std::string> exportable_parts();

// Writes one part, "<part>" or "<part>:<level>" (0, the finest, where none is given): surfaces and
// points as OBJ, PLY or VTK, as the file's extension says, a volume as VTK with the extent at its points,
// spheres as JSON, which is YAML too, {"collision_spheres": {name: [{"center": [x, y, z], "radius": r},
// ...]}} in m. Read back, the numbers are the same bits. Throws InvalidInput for an unknown part or extension
// and where the asset has no such part or level, IoError where the file cannot be written.
void export_part(const asset::Asset& asset, const std::string& part, const std::filesystem::path& file);

}  // namespace abut::preprocess
