#include "preprocess/mesh/write.h"

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <bit>
#include <span>

#include "runtime/core/error.h"
#include "runtime/core/extension.h"
#include "runtime/core/output_file.h"

namespace abut::preprocess {
namespace {

using Buffer = fmt::memory_buffer;

// What is written: vertices, one normal for each or none, and polygons with the same number of corners.
struct Shape {
  std::span<const Eigen::Vector3d> vertices;
  std::span<const Eigen::Vector3d> normals;
  std::span<const std::int32_t> polygons;
  int corners = 3;

  std::size_t count() const { return polygons.size() / static_cast<std::size_t>(corners); }
};

void append_vectors(std::span<const Eigen::Vector3d> vectors, std::string_view before, Buffer& out) {
  for (const Eigen::Vector3d& v : vectors) {
    fmt::format_to(std::back_inserter(out), "{}{:.17g} {:.17g} {:.17g}\n", before, v.x(), v.y(), v.z());
  }
}

// Appends one line for each polygon: `before`, then its corners counted from `first`.
void append_polygons(const Shape& shape, std::string_view before, int first, Buffer& out) {
  for (std::size_t i = 0; i < shape.polygons.size(); ++i) {
    const bool starts = i % static_cast<std::size_t>(shape.corners) == 0;
    if (starts) fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : "\n", before);
    fmt::format_to(std::back_inserter(out), " {}", shape.polygons[i] + first);
  }
  if (!shape.polygons.empty()) out.push_back('\n');
}

void format_obj(const Shape& shape, Buffer& out) {
  append_vectors(shape.vertices, "v ", out);
  append_vectors(shape.normals, "vn ", out);
  append_polygons(shape, "f", 1, out);
}

void format_ply(const Shape& shape, Buffer& out) {
  static_assert(std::endian::native == std::endian::little);
  fmt::format_to(
      std::back_inserter(out),
      "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\nproperty double y\n"
      "property double z\n{}element face {}\nproperty list uchar int vertex_indices\nend_header\n",
      shape.vertices.size(),
      shape.normals.empty() ? "" : "property double nx\nproperty double ny\nproperty double nz\n",
      shape.count());
  const auto append_bytes = [&](const void* bytes, std::size_t count) {
    out.append(static_cast<const char*>(bytes), static_cast<const char*>(bytes) + count);
  };
  for (std::size_t i = 0; i < shape.vertices.size(); ++i) {
    append_bytes(shape.vertices[i].data(), 3 * sizeof(double));
    if (!shape.normals.empty()) append_bytes(shape.normals[i].data(), 3 * sizeof(double));
  }
  const auto corners = static_cast<std::size_t>(shape.corners);
  for (std::size_t i = 0; i < shape.count(); ++i) {
    out.push_back(static_cast<char>(corners));
    append_bytes(shape.polygons.data() + i * corners, corners * sizeof(std::int32_t));
  }
}

void format_vtk(const Shape& shape, Buffer& out) {
  fmt::format_to(
      std::back_inserter(out),
      "# vtk DataFile Version 3.0\nAbut surface, metres\nASCII\nDATASET POLYDATA\nPOINTS {} double\n",
      shape.vertices.size());
  append_vectors(shape.vertices, "", out);
  if (shape.count() > 0) {
    fmt::format_to(std::back_inserter(out), "POLYGONS {} {}\n", shape.count(),
                   shape.count() + shape.polygons.size());
    append_polygons(shape, fmt::to_string(shape.corners), 0, out);
  }
  if (shape.normals.empty()) return;
  if (shape.count() == 0) {
    // Viewers show nothing without cells.
    fmt::format_to(std::back_inserter(out), "VERTICES {} {}\n", shape.vertices.size(),
                   2 * shape.vertices.size());
    for (std::size_t i = 0; i < shape.vertices.size(); ++i)
      fmt::format_to(std::back_inserter(out), "1 {}\n", i);
  }
  fmt::format_to(std::back_inserter(out), "POINT_DATA {}\nNORMALS normals double\n", shape.normals.size());
  append_vectors(shape.normals, "", out);
}

// STL stores single precision.
void format_stl(const Shape& shape, Buffer& out) {
  const auto append_floats = [&](const Eigen::Vector3d& v) {
    const Eigen::Vector3f single = v.cast<float>();
    const char* bytes = reinterpret_cast<const char*>(single.data());
    out.append(bytes, bytes + 3 * sizeof(float));
  };
  std::string head = "Abut surface, metres";
  head.resize(80, ' ');
  const auto count = static_cast<std::uint32_t>(shape.count());
  out.append(head.data(), head.data() + head.size());
  out.append(reinterpret_cast<const char*>(&count), reinterpret_cast<const char*>(&count) + sizeof count);
  for (std::size_t i = 0; i < shape.polygons.size(); i += 3) {
    const Eigen::Vector3d &a = shape.vertices[static_cast<std::size_t>(shape.polygons[i])],
                          &b = shape.vertices[static_cast<std::size_t>(shape.polygons[i + 1])],
                          &c = shape.vertices[static_cast<std::size_t>(shape.polygons[i + 2])];
    append_floats((b - a).cross(c - a).stableNormalized());
    for (const Eigen::Vector3d& corner : {a, b, c}) append_floats(corner);
    out.push_back(0);
    out.push_back(0);
  }
}

void write_shape(const Shape& shape, const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  Buffer out;
  if (extension == ".obj") {
    format_obj(shape, out);
  } else if (extension == ".ply") {
    format_ply(shape, out);
  } else if (extension == ".vtk") {
    format_vtk(shape, out);
  } else if (extension == ".stl" && shape.corners == 3) {
    if (shape.count() == 0) throw InvalidInput(path.string() + ": it has no triangles, and STL nothing else");
    format_stl(shape, out);
  } else {
    throw InvalidInput(
        fmt::format("{}: cannot write format \"{}\" (known: .obj, .ply, .vtk; triangles: .stl)",
                    path.string(), extension));
  }
  write_whole(path, {out.data(), out.size()});
}

}  // namespace

void write_mesh(const TriangleMesh& mesh, const std::filesystem::path& path) {
  std::vector<std::int32_t> corners;
  for (const Triangle& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
  write_polygons(mesh.vertices, corners, 3, path);
}

void write_polygons(std::span<const Eigen::Vector3d> vertices, std::span<const std::int32_t> polygons,
                    int corners, const std::filesystem::path& path) {
  write_shape({vertices, {}, polygons, corners}, path);
}

void write_oriented_points(std::span<const Eigen::Vector3d> points, std::span<const Eigen::Vector3d> normals,
                           const std::filesystem::path& path) {
  write_shape({points, normals, {}, 3}, path);
}

void write_whole(const std::filesystem::path& path, std::string_view content) {
  OutputFile file(path);
  file.write(content);
  file.finish();
}

}  // namespace abut::preprocess
