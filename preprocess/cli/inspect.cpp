#include "preprocess/cli/inspect.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "preprocess/cli/figures.h"
#include "preprocess/cli/summary.h"
#include "preprocess/tetrahedralize/tetrahedral_mesh.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/schema.h"
#include "runtime/core/counted.h"

namespace abut::preprocess {
namespace {

using Text = std::back_insert_iterator<std::string>;

std::string vector_text(const Eigen::Vector3d& v, const Figures& text) {
  return fmt::format("({}, {}, {})", text(v.x()), text(v.y()), text(v.z()));
}

void append_surface(Text out, const asset::Surface& surface, std::size_t level) {
  Eigen::Map<const Eigen::Matrix3Xd> vertices(surface.vertices.data(), 3,
                                              static_cast<Eigen::Index>(surface.vertices.size() / 3));
  fmt::format_to(out, "surface {}    {}, {}, tree of {}\n", level,
                 counted(surface.triangles.size() / 3, "triangle"),
                 counted(surface.vertices.size() / 3, "vertex", "vertices"),
                 counted(surface.tree.counts.size() / bvh::kWidth, "node"));
  if (vertices.cols() == 0) return;
  const Eigen::Vector3d lo = vertices.rowwise().minCoeff(), hi = vertices.rowwise().maxCoeff();
  const Eigen::Vector3d size = hi - lo;
  const Figures text = length_figures(size.norm());
  fmt::format_to(out, "  size       {} x {} x {} {}, diagonal {} {}\n", text(size.x()), text(size.y()),
                 text(size.z()), text.unit, text(size.norm()), text.unit);
  fmt::format_to(out, "  box        from {} to {} {}\n", vector_text(lo, text), vector_text(hi, text),
                 text.unit);
}

void append_convex(Text out, const asset::ConvexPiece& piece, std::size_t number) {
  const asset::ConvexView view = asset::view(piece);
  fmt::format_to(out, "convex {}     {}, {}, {} neighbours in the mean, lookup 6 x {} x {}\n", number,
                 counted(static_cast<std::size_t>(view.vertex_count), "vertex", "vertices"),
                 counted(static_cast<std::size_t>(view.triangle_count), "triangle"),
                 view.vertex_count > 0
                     ? fmt::format("{:.1f}", static_cast<double>(piece.adjacency.size()) / view.vertex_count)
                     : "no",
                 view.lookup_resolution, view.lookup_resolution);
}

// Number of faces without a neighbour, and how many of them belong to a tetrahedron without pressure.
std::pair<std::size_t, std::size_t> surface_triangles(const asset::VolumeView& v) {
  std::size_t all = 0, zero = 0;
  for (std::int32_t slot = 0; slot < 4 * v.tetrahedron_count; ++slot)
    if (v.neighbours[slot] < 0) {
      ++all;
      zero += v.extent_ranges[slot / 4 * 2 + 1] == 0;
    }
  return {all, zero};
}

// Size of the arrays of a part; `visit_part` is schema.h's function for it.
template <class VisitPart>
double mebibytes(VisitPart&& visit_part) {
  std::size_t bytes = 0;
  visit_part([&](const char*, const auto& data, const asset::Shape&, const char*, const char*) {
    bytes += data.size() * sizeof data[0];
  });
  return static_cast<double>(bytes) / (1 << 20);
}

void append_volumes(Text out, const asset::Asset& asset) {
  if (asset.volumes.empty()) return;
  fmt::format_to(out, "volumes      {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7}\n", "tetrahedra",
                 "vertices", "surface", "least", "1st perc.", "pressure", "size", "time");
  fmt::format_to(out, "  level      {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7}\n", "", "", "triangles",
                 "angle deg", "angle deg", "zero on %", "MiB", "s");
  for (std::size_t i = 0; i < asset.volumes.size(); ++i) {
    const asset::VolumeView v = asset::view(asset.volumes[i]);
    TetrahedralMesh mesh;
    for (std::int32_t k = 0; k < v.vertex_count; ++k)
      mesh.vertices.emplace_back(Eigen::Vector3d::Map(v.vertices + 3 * k));
    for (std::int32_t t = 0; t < v.tetrahedron_count; ++t)
      mesh.tetrahedra.push_back(
          {v.tetrahedra[4 * t], v.tetrahedra[4 * t + 1], v.tetrahedra[4 * t + 2], v.tetrahedra[4 * t + 3]});
    const TetrahedralQuality quality = measure(mesh);
    const auto [surface, zero] = surface_triangles(v);
    const auto seconds = asset.provenance.measures.find(fmt::format("volume{}_seconds", i));
    fmt::format_to(out, "  {:<10} {:>10} {:>9} {:>9} {:>9.2f} {:>9.2f} {:>9.2f} {:>7.2f} {:>7}\n", i,
                   v.tetrahedron_count, v.vertex_count, surface, quality.min_dihedral, quality.p1_dihedral,
                   surface == 0 ? 0 : 100.0 * static_cast<double>(zero) / static_cast<double>(surface),
                   mebibytes([&](auto&& visit) { asset::visit_volume(asset.volumes[i], visit); }),
                   seconds == asset.provenance.measures.end() ? "-" : fmt::format("{:.2f}", seconds->second));
  }
}

// Tangles of the quads by the strict rule, as counted when they were made.
void append_tangles(Text out, const asset::Provenance& provenance, std::size_t level) {
  const auto value = [&](const char* name) {
    const auto found = provenance.measures.find(fmt::format("points{}_{}", level, name));
    return found == provenance.measures.end() ? std::string("unknown") : fmt::format("{:.0f}", found->second);
  };
  fmt::format_to(
      out, "  tangles    quads that face against the surface nearest to them: {}; pairs that cross: {}\n",
      value("flips"), value("self_intersections"));
}

void append_points(Text out, const asset::OrientedPoints& points, std::size_t level) {
  std::vector<double> thickness = points.thickness;
  std::sort(thickness.begin(), thickness.end());
  fmt::format_to(out, "points {}     {}, {}, tree of {}\n", level, counted(points.areas.size(), "quad"),
                 counted(points.vertices.size() / 3, "vertex", "vertices"),
                 counted(points.tree.counts.size() / bvh::kWidth, "node"));
  if (points.spacing.size() != 4 || thickness.empty()) return;
  const Figures text = length_figures(points.spacing[0]);
  fmt::format_to(out, "  spacing    {} {}; edges {} to {}, {} {} in the mean\n", text(points.spacing[0]),
                 text.unit, text(points.spacing[1]), text(points.spacing[3]), text(points.spacing[2]),
                 text.unit);
  const auto quantile = [&](double q) {
    return thickness[static_cast<std::size_t>(q * static_cast<double>(thickness.size() - 1))];
  };
  const Figures wall = length_figures(quantile(0.5));
  fmt::format_to(out, "  walls      {} {} at the thinnest 1 %, {} {} in the median\n", wall(quantile(0.01)),
                 wall.unit, wall(quantile(0.5)), wall.unit);
}

void append_grid(Text out, const asset::DistanceGrid& grid, std::size_t level,
                 const asset::Provenance& provenance) {
  const asset::DistanceGridView view = asset::view(grid);
  fmt::format_to(out, "grid {}       {} in {}, {:.2f} MiB\n", level,
                 counted(grid.coefficients.size(), "coefficient"), counted(view.brick_count, "brick"),
                 mebibytes([&](auto&& visit) { asset::visit_grid(grid, visit); }));
  const Figures text = length_figures(view.spacing);
  fmt::format_to(out, "  spacing    {} {} between nodes; reaches {} {} outside\n", text(view.spacing),
                 text.unit, text(view.reach), text.unit);
  const auto mean = provenance.measures.find("grid_error_mean_m"),
             worst = provenance.measures.find("grid_error_worst_m");
  if (mean == provenance.measures.end() || worst == provenance.measures.end()) return;
  const Figures error = length_figures(mean->second);
  fmt::format_to(out, "  error      {} {} in the mean near the surface, {} {} at most\n", error(mean->second),
                 error.unit, error(worst->second), error.unit);
}

void append_pieces(Text out, const asset::Asset& asset) {
  const asset::Pieces& pieces = asset.pieces.front();
  std::size_t vertices = 0, most = 0;
  for (std::size_t i = 1; i < asset.convex.size(); ++i) {
    const std::size_t count = asset.convex[i].vertices.size() / 3;
    vertices += count;
    most = std::max(most, count);
  }
  fmt::format_to(out, "pieces       {}, {}, {} at most in one, {}, tree of {}\n",
                 counted(asset.convex.size() - 1, "convex piece"), counted(vertices, "vertex", "vertices"),
                 most, counted(pieces.adjacency.size() / 2, "pair of neighbours", "pairs of neighbours"),
                 counted(pieces.tree.counts.size() / bvh::kWidth, "node"));
  const Figures text = length_figures(asset.surfaces.empty() ? 1 : std::sqrt(asset.mass.area));
  fmt::format_to(out,
                 "  error      they reach {} {} outside at most, what they leave out is {} {} from them\n",
                 text(pieces.errors[0]), text.unit, text(pieces.errors[1]), text.unit);
}

void append_spheres(Text out, const asset::SphereSet& spheres) {
  const auto [least, most] = std::minmax_element(spheres.radii.begin(), spheres.radii.end());
  const Figures text = length_figures(*most);
  fmt::format_to(out, "spheres      {} that hold the solid, radii {} to {} {}\n",
                 counted(spheres.radii.size(), "sphere"), text(*least), text(*most), text.unit);
  fmt::format_to(out, "  error      they reach {} {} outside at most\n", text(spheres.error[0]), text.unit);
}

void append_mass(Text out, const asset::MassProperties& mass) {
  const Eigen::Map<const Eigen::Vector3d> center(mass.center_of_mass);
  const Eigen::Matrix3d inertia = Eigen::Map<const Eigen::Matrix3d>(mass.inertia);
  const Figures volume = volume_figures(mass.volume), area = area_figures(mass.area);
  const Figures length = length_figures(std::sqrt(mass.area));
  fmt::format_to(out, "mass         volume {} {}, area {} {}\n", volume(mass.volume), volume.unit,
                 area(mass.area), area.unit);
  fmt::format_to(out, "  centre     {} {}\n", vector_text(center, length), length.unit);
  if (!(mass.volume > 0) || !inertia.allFinite()) return;
  const Eigen::Vector3d radii =
      (Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia).eigenvalues() / mass.volume)
          .cwiseMax(0)
          .cwiseSqrt();
  fmt::format_to(out, "  gyration   principal radii {}, {}, {} {}\n", length(radii.x()), length(radii.y()),
                 length(radii.z()), length.unit);
}

void append_provenance(Text out, const asset::Provenance& provenance) {
  fmt::format_to(out, "source       {}\n  digest     {}\n", provenance.source_file, provenance.source_digest);
  const auto append_map = [&](const char* title, const auto& entries) {
    fmt::format_to(out, "{}\n", title);
    for (const auto& [key, value] : entries) fmt::format_to(out, "  {:<34} {}\n", key, value);
  };
  append_map("parameters", provenance.parameters);
  append_map("versions", provenance.versions);
  append_map("measures", provenance.measures);
  append_map("seconds of each stage", provenance.stage_seconds);
  fmt::format_to(out, "warnings     {}\n", provenance.warnings.empty() ? "none" : "");
  for (const std::string& warning : provenance.warnings) fmt::format_to(out, "  {}\n", warning);
}

}  // namespace

std::string inspect(const std::filesystem::path& file) {
  const asset::Asset asset = asset::load(file);
  std::string text;
  const Text out(text);
  fmt::format_to(out, "{}\nfile         {}, {:.2f} MiB, schema {}, digest verified\n", file.stem().string(),
                 file.string(), static_cast<double>(std::filesystem::file_size(file)) / (1 << 20),
                 asset::kSchemaVersion);
  if (asset.name != file.stem().string())
    fmt::format_to(out, "renamed      it was made as {}; in folders it goes by the name of its file\n",
                   asset.name);
  if (const std::string what = caution(asset.provenance.measures); !what.empty())
    fmt::format_to(out, "TAKE CARE    {}\n", what);
  for (std::size_t i = 0; i < asset.surfaces.size(); ++i) append_surface(out, asset.surfaces[i], i);
  for (std::size_t i = 0; i < (asset.pieces.empty() ? asset.convex.size() : 1); ++i)
    append_convex(out, asset.convex[i], i);
  if (!asset.pieces.empty()) append_pieces(out, asset);
  append_volumes(out, asset);
  for (std::size_t i = 0; i < asset.points.size(); ++i) {
    append_points(out, asset.points[i], i);
    append_tangles(out, asset.provenance, i);
  }
  for (std::size_t i = 0; i < asset.grids.size(); ++i) append_grid(out, asset.grids[i], i, asset.provenance);
  for (const asset::SphereSet& spheres : asset.spheres) append_spheres(out, spheres);
  append_mass(out, asset.mass);
  append_provenance(out, asset.provenance);
  return text;
}

}  // namespace abut::preprocess
