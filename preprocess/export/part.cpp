#include "preprocess/export/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>

#include "preprocess/mesh/write.h"
#include "preprocess/remesh/oriented_points.h"
#include "runtime/core/error.h"
#include "runtime/core/extension.h"

namespace abut::preprocess {

TriangleMesh to_mesh(const asset::SurfaceView& surface) {
  TriangleMesh mesh;
  for (std::int32_t i = 0; i < surface.vertex_count; ++i)
    mesh.vertices.emplace_back(Eigen::Vector3d::Map(surface.vertices + 3 * i));
  for (std::int32_t i = 0; i < surface.triangle_count; ++i)
    mesh.triangles.push_back(
        {surface.triangles[3 * i], surface.triangles[3 * i + 1], surface.triangles[3 * i + 2]});
  return mesh;
}

TriangleMesh to_mesh(const asset::ConvexView& piece) {
  TriangleMesh mesh;
  for (std::int32_t i = 0; i < piece.vertex_count; ++i)
    mesh.vertices.emplace_back(piece.x[i], piece.y[i], piece.z[i]);
  for (std::int32_t i = 0; i < piece.triangle_count; ++i)
    mesh.triangles.push_back(
        {piece.triangles[3 * i], piece.triangles[3 * i + 1], piece.triangles[3 * i + 2]});
  return mesh;
}

namespace {

// Legacy VTK: an unstructured grid with the extent as point data.
void write_volume(const asset::VolumeView& v, const std::filesystem::path& file) {
  if (lower_extension(file) != ".vtk")
    throw InvalidInput(fmt::format("{}: cannot write tetrahedra as \"{}\" (known: .vtk)", file.string(),
                                   file.extension().string()));
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "# vtk DataFile Version 3.0\nAbut volume, metres\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                 "POINTS {} double\n",
                 v.vertex_count);
  for (const double* p = v.vertices; p < v.vertices + 3 * std::ptrdiff_t{v.vertex_count}; p += 3)
    fmt::format_to(out, "{:.17g} {:.17g} {:.17g}\n", p[0], p[1], p[2]);
  fmt::format_to(out, "CELLS {} {}\n", v.tetrahedron_count, 5 * std::int64_t{v.tetrahedron_count});
  for (const std::int32_t* t = v.tetrahedra; t < v.tetrahedra + 4 * std::ptrdiff_t{v.tetrahedron_count};
       t += 4)
    fmt::format_to(out, "4 {} {} {} {}\n", t[0], t[1], t[2], t[3]);
  fmt::format_to(out, "CELL_TYPES {}\n", v.tetrahedron_count);
  for (std::int32_t t = 0; t < v.tetrahedron_count; ++t) fmt::format_to(out, "10\n");
  fmt::format_to(out, "POINT_DATA {}\nSCALARS extent double 1\nLOOKUP_TABLE default\n", v.vertex_count);
  for (std::int32_t i = 0; i < v.vertex_count; ++i) fmt::format_to(out, "{:.17g}\n", v.extent[i]);
  write_whole(file, {text.data(), text.size()});
}

void write_quads(const asset::PointsView& points, const std::filesystem::path& file) {
  write_polygons(quads_of(points).vertices, {points.quads, std::size_t(4) * points.point_count}, 4, file);
}

void write_points(const asset::PointsView& points, const std::filesystem::path& file) {
  std::vector<Eigen::Vector3d> positions, normals;
  for (std::int32_t i = 0; i < points.point_count; ++i) {
    positions.emplace_back(points.x[i], points.y[i], points.z[i]);
    normals.emplace_back(points.nx[i], points.ny[i], points.nz[i]);
  }
  write_oriented_points(positions, normals, file);
}

// Writes all pieces as one mesh, piece after piece; in .obj each is an object of its own.
void write_pieces(const asset::Asset& asset, const std::filesystem::path& file) {
  TriangleMesh all;
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (std::size_t i = 1; i < asset.convex.size(); ++i) {
    const TriangleMesh mesh = to_mesh(asset::view(asset.convex[i]));
    const auto first = static_cast<std::int32_t>(all.vertices.size());
    fmt::format_to(out, "o piece_{}\n", i - 1);
    for (const Eigen::Vector3d& v : mesh.vertices)
      fmt::format_to(out, "v {:.17g} {:.17g} {:.17g}\n", v.x(), v.y(), v.z());
    all.vertices.insert(all.vertices.end(), mesh.vertices.begin(), mesh.vertices.end());
    for (const Triangle& t : mesh.triangles) {
      all.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
      fmt::format_to(out, "f {} {} {}\n", t[0] + first + 1, t[1] + first + 1, t[2] + first + 1);
    }
  }
  if (lower_extension(file) == ".obj")
    write_whole(file, {text.data(), text.size()});
  else
    write_mesh(all, file);
}

// In the format of cuRobo and other planners: JSON, which is also valid YAML.
void write_spheres(const asset::Asset& asset, const std::filesystem::path& file) {
  const std::string extension = lower_extension(file);
  if (extension != ".json" && extension != ".yml" && extension != ".yaml")
    throw InvalidInput(fmt::format("{}: cannot write spheres as \"{}\" (known: .json, .yml, .yaml)",
                                   file.string(), extension));
  const asset::SphereSet& spheres = asset.spheres.front();
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < spheres.radii.size(); ++i) {
    const double* const c = spheres.centers.data() + 3 * i;
    rows.push_back(fmt::format(R"(    {{"center": [{:.17g}, {:.17g}, {:.17g}], "radius": {:.17g}}})", c[0],
                               c[1], c[2], spheres.radii[i]));
  }
  const std::string name =
      nlohmann::json(asset.name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  write_whole(file, fmt::format("{{\"collision_spheres\": {{\n  {}: [\n{}\n  ]\n}}}}\n", name,
                                fmt::join(rows, ",\n")));
}

// An exportable part of the asset: how many of it there are (levels, pieces), and how one is written.
struct Part {
  const char* name;
  const char* option;  // option of the run that makes it; empty if every run does
  std::size_t (*count)(const asset::Asset&);
  void (*write)(const asset::Asset&, std::size_t number, const std::filesystem::path&);
};

constexpr Part kParts[] = {
    {"surface", "", [](const asset::Asset& a) { return a.surfaces.size(); },
     [](const asset::Asset& a, std::size_t i, const std::filesystem::path& file) {
       write_mesh(to_mesh(asset::view(a.surfaces[i])), file);
     }},
    {"hull", "", [](const asset::Asset& a) { return a.convex.size(); },
     [](const asset::Asset& a, std::size_t i, const std::filesystem::path& file) {
       write_mesh(to_mesh(asset::view(a.convex[i])), file);
     }},
    {"pieces", "--pieces auto", [](const asset::Asset& a) { return a.pieces.size(); },
     [](const asset::Asset& a, std::size_t, const std::filesystem::path& file) { write_pieces(a, file); }},
    {"spheres", "--spheres 64", [](const asset::Asset& a) { return a.spheres.size(); },
     [](const asset::Asset& a, std::size_t, const std::filesystem::path& file) { write_spheres(a, file); }},
    {"volume", "--tets 6000", [](const asset::Asset& a) { return a.volumes.size(); },
     [](const asset::Asset& a, std::size_t i, const std::filesystem::path& file) {
       write_volume(asset::view(a.volumes[i]), file);
     }},
    {"quads", "--quads 2000", [](const asset::Asset& a) { return a.points.size(); },
     [](const asset::Asset& a, std::size_t i, const std::filesystem::path& file) {
       write_quads(asset::view(a.points[i]), file);
     }},
    {"points", "--quads 2000", [](const asset::Asset& a) { return a.points.size(); },
     [](const asset::Asset& a, std::size_t i, const std::filesystem::path& file) {
       write_points(asset::view(a.points[i]), file);
     }},
};

}  // namespace

std::vector<std::string> exportable_parts() {
  std::vector<std::string> names;
  for (const Part& part : kParts) names.emplace_back(part.name);
  return names;
}

void export_part(const asset::Asset& asset, const std::string& part, const std::filesystem::path& file) {
  const std::size_t colon = std::min(part.find(':'), part.size());
  const std::string name = part.substr(0, colon), number = part.substr(std::min(colon + 1, part.size()));
  const Part* found =
      std::find_if(std::begin(kParts), std::end(kParts), [&](const Part& row) { return row.name == name; });
  std::size_t level = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), level);
  const bool is_number = error == std::errc() && end == number.data() + number.size();
  if (found == std::end(kParts) || (colon < part.size() && !is_number))
    throw InvalidInput(fmt::format("unknown part '{}': use one of {}, with a level such as volume:1", part,
                                   fmt::join(exportable_parts(), ", ")));
  const std::size_t count = found->count(asset);
  if (level >= count)
    throw InvalidInput(fmt::format("{}: the asset has no {}{}", asset.name, count == 0 ? name : part,
                                   count > 0 ? fmt::format(": its levels are 0 to {}", count - 1)
                                   : *found->option != '\0'
                                       ? fmt::format("; make it with abut-preprocess {}", found->option)
                                       : ""));
  found->write(asset, level, file);
}

}  // namespace abut::preprocess
