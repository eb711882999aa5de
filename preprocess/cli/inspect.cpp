#include "preprocess/cli/inspect.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "preprocess/cli/summary.h"
#include "preprocess/tetrahedralize/tetrahedral_mesh.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/schema.h"

namespace abut::preprocess {
namespace {

using Text = std::back_insert_iterator<std::string>;

void append_surface(Text out, const asset::Surface& surface, std::size_t level) {
  Eigen::Map<const Eigen::Matrix3Xd> vertices(surface.vertices.data(), 3,
                                              static_cast<Eigen::Index>(surface.vertices.size() / 3));
  fmt::format_to(out, "surface {}    {} triangles, {} vertices, tree of {} nodes\n", level,
                 surface.triangles.size() / 3, vertices.cols(), surface.tree.counts.size() / bvh::kWidth);
  if (vertices.cols() == 0) return;
  const Eigen::Vector3d lo = 1e3 * vertices.rowwise().minCoeff(), hi = 1e3 * vertices.rowwise().maxCoeff();
  const Eigen::Vector3d size = hi - lo;
  fmt::format_to(out, "  size       {:.2f} x {:.2f} x {:.2f} mm, diagonal {:.2f} mm\n", size.x(), size.y(),
                 size.z(), size.norm());
  fmt::format_to(out, "  box        from ({:.2f}, {:.2f}, {:.2f}) to ({:.2f}, {:.2f}, {:.2f}) mm\n", lo.x(),
                 lo.y(), lo.z(), hi.x(), hi.y(), hi.z());
}

void append_convex(Text out, const asset::ConvexPiece& piece, std::size_t number) {
  const asset::ConvexView view = asset::view(piece);
  fmt::format_to(out,
                 "convex {}     {} vertices, {} triangles, {} neighbours in the mean, lookup 6 x {} x {}\n",
                 number, view.vertex_count, view.triangle_count,
                 view.vertex_count > 0
                     ? fmt::format("{:.1f}", static_cast<double>(piece.adjacency.size()) / view.vertex_count)
                     : "no",
                 view.lookup_resolution, view.lookup_resolution);
}

// Faces without a neighbour, and how many of them belong to a tetrahedron without pressure.
std::pair<std::size_t, std::size_t> surface_triangles(const asset::VolumeView& v) {
  std::size_t all = 0, zero = 0;
  for (std::int32_t slot = 0; slot < 4 * v.tetrahedron_count; ++slot)
    if (v.neighbours[slot] < 0) {
      ++all;
      zero += v.extent_ranges[slot / 4 * 2 + 1] == 0;
    }
  return {all, zero};
}

double mebibytes(const asset::Volume& volume) {
  std::size_t bytes = 0;
  asset::visit_volume(volume, [&](const char*, const auto& data, const asset::Shape&, const char*,
                                  const char*) { bytes += data.size() * sizeof data[0]; });
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
                   mebibytes(asset.volumes[i]),
                   seconds == asset.provenance.measures.end() ? "-" : fmt::format("{:.2f}", seconds->second));
  }
}

// Tangles of the quads by the strict rule, as they were counted when they were made.
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
  const asset::PointsView view = asset::view(points);
  std::vector<double> thickness = points.thickness;
  std::sort(thickness.begin(), thickness.end());
  fmt::format_to(out, "points {}     {} quads, {} vertices, tree of {} nodes\n", level, view.point_count,
                 view.vertex_count, view.tree.nodes);
  if (points.spacing.size() != 4 || thickness.empty()) return;
  fmt::format_to(out, "  spacing    {:.3f} mm; edges {:.3f} to {:.3f}, {:.3f} mm in the mean\n",
                 1e3 * points.spacing[0], 1e3 * points.spacing[1], 1e3 * points.spacing[3],
                 1e3 * points.spacing[2]);
  const auto quantile = [&](double q) {
    return 1e3 * thickness[static_cast<std::size_t>(q * static_cast<double>(thickness.size() - 1))];
  };
  fmt::format_to(out, "  walls      {:.2f} mm at the thinnest 1 %, {:.2f} mm in the median\n", quantile(0.01),
                 quantile(0.5));
}

void append_mass(Text out, const asset::MassProperties& mass) {
  const Eigen::Map<const Eigen::Vector3d> center(mass.center_of_mass);
  const Eigen::Matrix3d inertia = Eigen::Map<const Eigen::Matrix3d>(mass.inertia);
  fmt::format_to(out, "mass         volume {:.4f} cm3, area {:.3f} cm2\n", 1e6 * mass.volume,
                 1e4 * mass.area);
  fmt::format_to(out, "  centre     ({:.3f}, {:.3f}, {:.3f}) mm\n", 1e3 * center.x(), 1e3 * center.y(),
                 1e3 * center.z());
  if (!(mass.volume > 0) || !inertia.allFinite()) return;
  const Eigen::Vector3d radii =
      1e3 * (Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia).eigenvalues() / mass.volume)
                .cwiseMax(0)
                .cwiseSqrt();
  fmt::format_to(out, "  gyration   principal radii {:.3f}, {:.3f}, {:.3f} mm\n", radii.x(), radii.y(),
                 radii.z());
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
  fmt::format_to(out, "{}\nfile         {}, {:.2f} MiB, schema {}, digest verified\n", asset.name,
                 file.string(), static_cast<double>(std::filesystem::file_size(file)) / (1 << 20),
                 asset::kSchemaVersion);
  if (const std::string what = caution(asset.provenance.measures); !what.empty())
    fmt::format_to(out, "TAKE CARE    {}\n", what);
  for (std::size_t i = 0; i < asset.surfaces.size(); ++i) append_surface(out, asset.surfaces[i], i);
  for (std::size_t i = 0; i < asset.convex.size(); ++i) append_convex(out, asset.convex[i], i);
  append_volumes(out, asset);
  for (std::size_t i = 0; i < asset.points.size(); ++i) {
    append_points(out, asset.points[i], i);
    append_tangles(out, asset.provenance, i);
  }
  append_mass(out, asset.mass);
  append_provenance(out, asset.provenance);
  return text;
}

}  // namespace abut::preprocess
