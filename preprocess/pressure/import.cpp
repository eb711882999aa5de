#include "preprocess/pressure/import.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string_view>

#include "preprocess/index/index.h"
#include "preprocess/mesh/read.h"
#include "preprocess/pressure/boundary.h"
#include "preprocess/pressure/grid.h"
#include "runtime/body/body.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"

namespace abut::preprocess {
namespace {

constexpr int kTetrahedronType = 10;        // VTK's cell type
constexpr double kZeroOnTheSurface = 1e-9;  // over the largest pressure
constexpr double kLeastVolume = 1e-14;      // over the cube of the longest edge
// Largest distance of a point from the origin, in diagonals: farther away rounding affects the checks of the
// asset.
constexpr double kFarthestPoint = 1e5;

// The file, for messages.
struct Source {
  std::string file;
  [[noreturn]] void refuse(const std::string& what) const { throw InvalidInput(file + ": " + what); }
};

std::vector<Tetrahedron> to_tetrahedra(const Grid& grid, const Source& source) {
  const auto points = static_cast<std::int64_t>(grid.points.size());
  if (grid.pressures.size() != grid.points.size())
    source.refuse("there is not one pressure per point; give as many as there are points");
  std::vector<Tetrahedron> tetrahedra(grid.corners.size() / 4);
  for (std::size_t i = 0; i < grid.types.size(); ++i)
    if (grid.types[i] != kTetrahedronType)
      source.refuse(fmt::format("cell {} is no tetrahedron; keep tetrahedra alone", i));
  for (std::size_t i = 0; i < grid.corners.size(); ++i) {
    if (grid.corners[i] < 0 || grid.corners[i] >= points)
      source.refuse(fmt::format("cell {} has point {}, and there are {}; points are counted from 0", i / 4,
                                grid.corners[i], points));
    tetrahedra[i / 4][i % 4] = static_cast<std::int32_t>(grid.corners[i]);
  }
  return tetrahedra;
}

void check_shapes(const TetrahedralMesh& mesh, const Source& source) {
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    if (!mesh.vertices[v].allFinite())
      source.refuse(fmt::format("point {} (from 0) is not finite; mend or remove it", v));
  Eigen::AlignedBox3d box;
  for (const Eigen::Vector3d& v : mesh.vertices) box.extend(v);
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    if (const double away = mesh.vertices[v].norm(); away > kFarthestPoint * box.diagonal().norm())
      source.refuse(
          fmt::format("point {} is {:.3g} m from the origin, and all are within {:.3g} m: too few of their "
                      "digits are left; move them to the origin",
                      v, away, box.diagonal().norm()));
  std::vector<char> used(mesh.vertices.size(), 0);
  for (const Tetrahedron& t : mesh.tetrahedra)
    for (const std::int32_t v : t) used[static_cast<std::size_t>(v)] = 1;
  if (const auto spare = std::find(used.begin(), used.end(), 0); spare != used.end())
    source.refuse(fmt::format("point {} is in no tetrahedron; remove it", spare - used.begin()));
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
    Eigen::Vector3d p[4];
    for (std::size_t k = 0; k < 4; ++k) p[k] = mesh.vertices[mesh.tetrahedra[t][k]];
    double longest = 0;
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < a; ++b) longest = std::max(longest, (p[a] - p[b]).norm());
    const double volume = six_volumes(p[0], p[1], p[2], p[3]) / 6;
    if (!(std::abs(volume) > kLeastVolume * longest * longest * longest))
      source.refuse(fmt::format("tetrahedron {} has no volume; remove or mend it", t));
    if (volume < 0)
      source.refuse(
          fmt::format("tetrahedron {} has the volume {:.3g} m3; exchange two of its corners", t, volume));
  }
}

// Converts pressures to extents; returns the largest pressure.
double normalize(std::vector<double>& pressures, const TetrahedralMesh& mesh, const VolumeBoundary& boundary,
                 const Source& source) {
  double largest = 0;
  for (std::size_t v = 0; v < pressures.size(); ++v) {
    if (!std::isfinite(pressures[v]) || pressures[v] < 0)
      source.refuse(
          fmt::format("the pressure at point {} is {}; it must be 0 or more; mend it", v, pressures[v]));
    largest = std::max(largest, pressures[v]);
  }
  if (!(largest > 0)) source.refuse("the pressure is zero all over; give the inner points one");
  if (!(largest >= body::kLeastModulus && largest <= body::kGreatestModulus))
    source.refuse(
        fmt::format("the largest pressure is {:g} Pa; it is the modulus that gives the pressures back, "
                    "and must be from {:g} to {:g} Pa; scale them",
                    largest, body::kLeastModulus, body::kGreatestModulus));
  for (const Triangle& triangle : boundary.mesh.triangles)
    for (const std::int32_t v : triangle) {
      double& p = pressures[static_cast<std::size_t>(v)];
      if (p > kZeroOnTheSurface * largest)
        source.refuse(fmt::format(
            "the pressure at point {}, on the surface, is {:.3g}; it must be 0 there; set it so", v, p));
      p = 0;
    }
  for (double& p : pressures) p /= largest;
  for (const std::int32_t t : boundary.tetrahedra)
    if (std::ranges::all_of(mesh.tetrahedra[static_cast<std::size_t>(t)],
                            [&](std::int32_t v) { return !(pressures[static_cast<std::size_t>(v)] > 0); }))
      source.refuse(
          fmt::format("tetrahedron {} is at the surface and has no pressure at any corner; split it at a "
                      "point inside that has one",
                      t));
  return largest;
}

// Measures and warns of a size that suggests that the points are not in metres.
void warn_of_units(const TriangleMesh& boundary, const Source& source, asset::Provenance& provenance) {
  Eigen::AlignedBox3d box;
  for (const Eigen::Vector3d& v : boundary.vertices) box.extend(v);
  const double diagonal = box.diagonal().norm();
  if (is_plausible_size(diagonal)) return;
  provenance.measures["implausible_size_m"] = diagonal;
  provenance.warnings.push_back(fmt::format(
      "{}: the object measures {:.4g} m across: are its units other than metres? Scale its points",
      source.file, diagonal));
}

// Points and field, with the boundary used to check the points.
struct CheckedVolume {
  ImportedVolume volume;
  TriangleMesh boundary;
};

CheckedVolume parse_volume(const std::filesystem::path& file) {
  const std::string contents = read_text(file);
  const std::string_view text = contents;
  const Source source{file.string()};
  Grid grid;
  if (text.starts_with("# vtk DataFile"))
    grid = read_legacy_grid(text, source.file);
  else if (text.substr(0, 1000).find("<VTKFile") != std::string_view::npos)
    grid = read_xml_grid(text, source.file);
  else
    source.refuse("neither a legacy VTK file nor an XML one (.vtu); save it as one of them");
  CheckedVolume checked;
  ImportedVolume& result = checked.volume;
  result.mesh.tetrahedra = to_tetrahedra(grid, source);
  result.mesh.vertices = std::move(grid.points);
  check_shapes(result.mesh, source);
  VolumeBoundary boundary = boundary_of(result.mesh, source.file);
  check_boundary(boundary, source.file);
  result.extent = std::move(grid.pressures);
  result.largest_pressure = normalize(result.extent, result.mesh, boundary, source);
  checked.boundary = std::move(boundary.mesh);
  return checked;
}

}  // namespace

ImportedVolume read_volume(const std::filesystem::path& file) {
  return within_memory(file, [&] { return parse_volume(file).volume; });
}

asset::Asset import_volume(const std::filesystem::path& file) {
  const auto [volume, boundary] = within_memory(file, [&] { return parse_volume(file); });
  const Source source{file.string()};
  asset::Asset result;
  result.name = file.stem().string();
  try {
    result.surfaces.push_back(build_surface(boundary));
    result.mass = mass_properties(boundary);
    result.convex.push_back(build_convex_piece(boundary.vertices));
  } catch (const InvalidInput& error) {
    source.refuse(std::string("its boundary: ") + error.what());
  }
  result.volumes.push_back(build_volume(volume.mesh, with_gradients(volume.mesh, volume.extent)));
  result.provenance.measures["import_largest_pressure"] = volume.largest_pressure;
  warn_of_units(boundary, source, result.provenance);
  return result;
}

}  // namespace abut::preprocess
