#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// Writes a mesh in the format that the path's extension names: .obj (text, 17 significant digits), .ply
// (binary, doubles), .vtk (legacy text polydata, 17 digits), all of which read back bit-identically, or .stl
// (binary, single precision). The file appears under its name complete or not at all.
//
// Throws InvalidInput for another extension, IoError if the file cannot be written (no permission, disk
// full).
void write_mesh(const TriangleMesh& mesh, const std::filesystem::path& path);

// Writes polygons of `corners` corners each, stored consecutively; otherwise like write_mesh.
void write_polygons(std::span<const Eigen::Vector3d> vertices, std::span<const std::int32_t> polygons,
                    int corners, const std::filesystem::path& path);

// Writes points with a normal each and no faces; otherwise like write_mesh.
void write_oriented_points(std::span<const Eigen::Vector3d> points, std::span<const Eigen::Vector3d> normals,
                           const std::filesystem::path& path);

// Writes `content` completely or not at all, like OutputFile. Throws IoError.
void write_whole(const std::filesystem::path& path, std::string_view content);

}  // namespace abut::preprocess
