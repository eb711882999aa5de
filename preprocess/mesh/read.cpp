#include "preprocess/mesh/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "datasets/listing.h"
#include "preprocess/mesh/formats.h"
#include "preprocess/mesh/weld.h"
#include "runtime/core/counted.h"
#include "runtime/core/extension.h"
#include "runtime/core/input_file.h"

namespace abut::preprocess {
namespace {

constexpr double kLargestPlausible_m = 10;
constexpr double kSmallestPlausible_m = 1e-3;

TriangleMesh parse(std::string_view content, const std::filesystem::path& path, Report& report) {
  const std::string name = path.string(), extension = lower_extension(path);
  if (extension == ".obj") return parse_obj(content, name, report);
  if (extension == ".ply") {
    TriangleMesh mesh = parse_ply(content, name, report);
    warn_of_duplicates(weld(mesh).seam_vertices, report);
    return mesh;
  }
  if (extension == ".stl") return parse_stl(content, name, report);
  if (datasets::has_mesh_extension(path)) return parse_scene(content, path, report);
  throw InvalidInput(
      fmt::format("{}: unknown mesh format \"{}\" (known: {})", name, extension, datasets::kMeshFormats));
}

void warn_of_units(const std::filesystem::path& path, double diagonal, Report& report) {
  if (is_plausible_size(diagonal)) return;
  report.measures["implausible_size_m"] = diagonal;
  if (diagonal > kLargestPlausible_m) {
    report.warnings.push_back(fmt::format(
        "{}: the object measures {:.4g} m across: are its units millimetres? Say so with --scale 0.001 (of a "
        "robot's mesh: in its URDF)",
        path.string(), diagonal));
  } else {
    report.warnings.push_back(fmt::format(
        "{}: the object measures {:.4g} mm across: are its units other than metres? Say so with --scale (of "
        "a robot's mesh: in its URDF)",
        path.string(), diagonal * 1e3));
  }
}

}  // namespace

bool is_plausible_size(double diagonal) {
  return diagonal >= kSmallestPlausible_m && diagonal <= kLargestPlausible_m;
}

void warn_of_duplicates(std::size_t count, Report& report) {
  if (count == 0) return;
  report.warnings.push_back(counted(count, "duplicated vertex", "duplicated vertices") + " merged");
}

namespace {

TriangleMesh read_soup(const std::filesystem::path& path, Report& report) {
  const std::string content = read_text(path);
  if (content.empty()) throw InvalidInput(fmt::format("{}: the file is empty", path.string()));
  TriangleMesh mesh = parse(content, path, report);
  if (mesh.triangles.empty()) throw InvalidInput(fmt::format("{}: the file has no faces", path.string()));
  std::vector<char> used(mesh.vertices.size(), 0);
  for (const Triangle& t : mesh.triangles) used[t[0]] = used[t[1]] = used[t[2]] = 1;
  if (const auto unused = std::count(used.begin(), used.end(), 0); unused > 0)
    report.warnings.push_back(counted(static_cast<std::size_t>(unused), "vertex", "vertices") +
                              " that no face uses ignored");
  report.measures["input_triangles"] = static_cast<double>(mesh.triangles.size());
  report.measures["input_vertices"] = static_cast<double>(mesh.vertices.size());
  return mesh;
}

void require_size(const std::filesystem::path& path, double diagonal, Report& report) {
  if (!(diagonal > 0)) {
    throw InvalidInput(
        fmt::format("{}: all vertices of its faces are at one point: export the mesh again, with more digits",
                    path.string()));
  }
  if (!(diagonal < kLargestCoordinate)) {
    throw InvalidInput(
        fmt::format("{}: the object measures {:.3g} m across: wrong units?", path.string(), diagonal));
  }
  warn_of_units(path, diagonal, report);
}

}  // namespace

TriangleMesh read_mesh_in_its_units(const std::filesystem::path& path, Report& report) {
  return within_memory(path, [&] { return read_soup(path, report); });
}

TriangleMesh read_mesh(const std::filesystem::path& path, double metres_per_unit, Report& report) {
  if (!(metres_per_unit > 0) || !std::isfinite(metres_per_unit)) {
    throw InvalidInput(
        fmt::format("{}: the scale must be a positive number, not {}", path.string(), metres_per_unit));
  }
  TriangleMesh mesh = read_mesh_in_its_units(path, report);
  if (metres_per_unit != 1) {
    for (Eigen::Vector3d& v : mesh.vertices) v *= metres_per_unit;
  }
  require_size(path, mesh.box_of_faces().diagonal().norm(), report);
  return mesh;
}

}  // namespace abut::preprocess
