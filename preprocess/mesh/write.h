#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// Writes a mesh in the format that the path's extension names: .obj (text, 17 significant digits), .ply
// (binary, doubles), .vtk (legacy text polydata, 17 digits): reading it back gives the same bits; or .stl
// (binary, single precision). The file appears whole under its name or not at all.
//
// Throws InvalidInput for another extension, IoError if the file cannot be written (no permission, disk
// full).
void write_mesh(const TriangleMesh& mesh, const std::filesystem::path& path);

// The same for polygons of `corners` corners each, given one after the other.
void write_polygons(std::span<const Eigen::Vector3d> vertices, std::span<const std::int32_t> polygons,
                    int corners, const std::filesystem::path& path);

// The same for points with a normal each and no faces.
void write_oriented_points(std::span<const Eigen::Vector3d> points, std::span<const Eigen::Vector3d> normals,
                           const std::filesystem::path& path);

// Writes `content` whole or not at all, as OutputFile does. Throws IoError.
void write_whole(const std::filesystem::path& path, std::string_view content);

}  // namespace abut::preprocess
