#pragma once

#include <filesystem>
#include <string_view>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// Writes a mesh in the format that the path's extension names: .obj (text, 17 significant digits), .ply
// (binary, doubles), .vtk (legacy text polydata, 17 digits): reading it back gives the same bits. The file
// appears whole under its name or not at all.
//
// Throws InvalidInput for another extension, IoError if the file cannot be written (no permission, disk
// full).
void write_mesh(const TriangleMesh& mesh, const std::filesystem::path& path);

// Writes `content` to a temporary name beside `path`, syncs and renames. Throws IoError, leaving nothing
// behind.
void write_whole(const std::filesystem::path& path, std::string_view content);

}  // namespace abut::preprocess
