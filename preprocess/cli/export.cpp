#include "preprocess/cli/export.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

struct Triangles {
  std::vector<double> vertices;  // (vertices, 3) m
  std::span<const std::int32_t> triangles;
};

Triangles part_of(const asset::Asset& asset, const std::string& part) {
  if (part == "surface" && !asset.surfaces.empty())
    return {asset.surfaces.front().vertices, asset.surfaces.front().triangles};
  if (part == "hull" && !asset.convex.empty()) {
    const asset::ConvexPiece& hull = asset.convex.front();
    const std::size_t n = hull.vertices.size() / 3;
    Triangles result{{}, hull.triangles};
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < 3; ++k) result.vertices.push_back(hull.vertices[k * n + i]);
    return result;
  }
  for (const std::string& known : exportable_parts())
    if (known == part) throw InvalidInput(asset.name + ": the asset has no " + part);
  throw InvalidInput(
      fmt::format("unknown part '{}': use one of {}", part, fmt::join(exportable_parts(), ", ")));
}

using Text = std::back_insert_iterator<std::string>;

void append_vertices(Text out, const Triangles& mesh, const char* prefix) {
  for (std::size_t i = 0; i < mesh.vertices.size(); i += 3)
    fmt::format_to(out, "{}{:.17g} {:.17g} {:.17g}\n", prefix, mesh.vertices[i], mesh.vertices[i + 1],
                   mesh.vertices[i + 2]);
}

void append_triangles(Text out, const Triangles& mesh, const char* prefix, int first_index) {
  const auto& t = mesh.triangles;
  for (std::size_t i = 0; i < t.size(); i += 3)
    fmt::format_to(out, "{}{} {} {}\n", prefix, t[i] + first_index, t[i + 1] + first_index,
                   t[i + 2] + first_index);
}

std::string as_obj(const Triangles& mesh, const std::string& title) {
  std::string text = fmt::format("# {}, metres\n", title);
  append_vertices(std::back_inserter(text), mesh, "v ");
  append_triangles(std::back_inserter(text), mesh, "f ", 1);
  return text;
}

std::string as_ply(const Triangles& mesh, const std::string& title) {
  std::string text = fmt::format(
      "ply\nformat ascii 1.0\ncomment {}, metres\nelement vertex {}\nproperty double x\nproperty double y\n"
      "property double z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
      title, mesh.vertices.size() / 3, mesh.triangles.size() / 3);
  append_vertices(std::back_inserter(text), mesh, "");
  append_triangles(std::back_inserter(text), mesh, "3 ", 0);
  return text;
}

std::string as_vtk(const Triangles& mesh, const std::string& title) {
  const std::size_t faces = mesh.triangles.size() / 3;
  std::string text =
      fmt::format("# vtk DataFile Version 3.0\n{}, metres\nASCII\nDATASET POLYDATA\nPOINTS {} double\n",
                  title.substr(0, 200), mesh.vertices.size() / 3);
  append_vertices(std::back_inserter(text), mesh, "");
  fmt::format_to(std::back_inserter(text), "POLYGONS {} {}\n", faces, 4 * faces);
  append_triangles(std::back_inserter(text), mesh, "3 ", 0);
  return text;
}

}  // namespace

std::vector<std::string> exportable_parts() { return {"surface", "hull"}; }

void export_part(const asset::Asset& asset, const std::string& part, const std::filesystem::path& file) {
  const Triangles mesh = part_of(asset, part);
  const std::string extension = file.extension().string(), title = asset.name + " " + part;
  std::string text;
  if (extension == ".obj")
    text = as_obj(mesh, title);
  else if (extension == ".ply")
    text = as_ply(mesh, title);
  else if (extension == ".vtk")
    text = as_vtk(mesh, title);
  else
    throw InvalidInput(file.string() + ": unknown format; end the name in .obj, .ply or .vtk");
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << text << std::flush;
  if (!out) throw IoError(file.string() + ": cannot write: " + std::strerror(errno));
}

}  // namespace abut::preprocess
