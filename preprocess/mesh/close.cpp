#include "preprocess/mesh/close.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "preprocess/mesh/close_part.h"
#include "preprocess/mesh/hanging.h"
#include "preprocess/mesh/measure.h"
#include "preprocess/mesh/object_size.h"
#include "preprocess/mesh/parts.h"
#include "preprocess/mesh/seams.h"
#include "preprocess/mesh/tunnels.h"
#include "preprocess/mesh/unite.h"
#include "preprocess/mesh/weld.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

constexpr double kLittleLeftOut = 0.01;  // share of the area; less in loose faces is not worth joining
// A vertex may be at most this many times farther from all others than they are from each other, since gates
// and limits scale with the diagonal.
constexpr double kStray = 10;

// Warns of a vertex far from all others; throws InvalidInput if its faces cannot bound a solid with the rest.
void judge_stray_vertex(const TriangleMesh& mesh, Report& report) {
  const std::optional<StrayVertex> stray = find_stray_vertex(mesh, kStray);
  if (!stray) return;
  const Eigen::Vector3d& at = mesh.vertices[stray->vertex];
  const std::string far = fmt::format(
      "the vertex at ({:.6g}, {:.6g}, {:.6g}) m is far from all others, which lie within {:.3g} m", at.x(),
      at.y(), at.z(), stray->others);
  if (!is_sound_at(mesh, stray->vertex))
    throw InvalidInput(far + ": it is not of the object; delete it or its faces");
  report.warnings.push_back(far + ": kept, since the surface is closed there; look whether it is meant");
  report.measures["kept_far_vertices"] = 1;
}

TriangleMesh take_in(const TriangleMesh& soup, Report& report) {
  if (soup.triangles.empty()) throw InvalidInput("the mesh has no faces");
  WeldedSoup welded = weld(soup);
  report.measures["welded_vertices"] = static_cast<double>(welded.seam_vertices);
  if (const std::size_t n = drop_collapsed(welded.mesh); n > 0)
    report.warnings.push_back(fmt::format("{} dropped", counted(n, "collapsed face")));
  // A vertex that only collapsed faces use is not part of the object.
  if (TriangleMesh used = select_faces(welded.mesh, std::vector<char>(welded.mesh.triangles.size(), 1));
      used.diagonal() < welded.mesh.diagonal())
    welded.mesh = std::move(used);
  if (welded.mesh.triangles.empty()) throw InvalidInput("every face is collapsed: the object has no surface");
  if (const double d = welded.mesh.diagonal(); d < CloseParameters::kLeastDiagonal)
    throw InvalidInput(fmt::format("the object measures {:.3g} m across, less than {} m: wrong units?", d,
                                   CloseParameters::kLeastDiagonal));
  judge_stray_vertex(welded.mesh, report);
  return std::move(welded.mesh);
}

// Closes seams whose two sides were rounded differently, or of which one side has vertices that the other
// lacks. Returns an upper bound of the distance by which vertices moved, m.
double close_seams(TriangleMesh& mesh, Report& report) {
  if (count_open_edges(mesh) == 0) return 0;
  const double gap = kRimTolerance * object_size(mesh);
  const std::size_t merged = weld_rims(mesh, gap);
  if (merged > 0)
    report.warnings.push_back(fmt::format("{} of open edges merged with others within {:.2g} m",
                                          counted(merged, "vertex", "vertices"), gap));
  if (const std::size_t n = split_rims(mesh, gap); n > 0)
    report.warnings.push_back(
        fmt::format("{} split at vertices of others within {:.2g} m", counted(n, "open edge"), gap));
  return merged > 0 ? gap : 0;
}

// Marks the parts (connected through vertices) that make up the object.
std::vector<char> parts_of_object(const TriangleMesh& mesh, const Parts& parts, double size,
                                  const CloseParameters& parameters) {
  const double speck = kNoise * size;
  if (!parameters.all_components)
    return joined_to_largest(mesh, parts, parameters.max_hausdorff * size, speck);
  std::vector<char> keep(parts.of.count);
  for (std::int32_t p = 0; p < parts.of.count; ++p)
    keep[p] = p == parts.largest || parts.extents[p] > speck ? 1 : 0;
  return keep;
}

double share_left_out(const TriangleMesh& mesh, const CloseParameters& parameters, double size) {
  const Parts parts = measure_parts(mesh);
  return left_out_share(mesh, parts, parts_of_object(mesh, parts, size, parameters));
}

// If most of the area would be dropped, or much area in loose faces, joins rims across larger gaps, provided
// that less is dropped then. Returns an upper bound of the distance by which vertices moved, m.
double join_loose_parts(TriangleMesh& mesh, const CloseParameters& parameters, Report& report) {
  const Parts parts = measure_parts(mesh);
  if (parts.of.count == 1 || count_open_edges(mesh) == 0) return 0;
  const double size = object_size(mesh);
  const std::vector<char> keep = parts_of_object(mesh, parts, size, parameters);
  const double left_out = left_out_share(mesh, parts, keep);
  if (left_out <= (leaves_out_loose_faces(mesh, parts, keep) ? kLittleLeftOut : kMaxLeftOut)) return 0;
  TriangleMesh joined = mesh;
  const double gap =
      join_rims(joined, kRimTolerance * size, parameters.max_hausdorff * size, parameters.max_area_change);
  if (gap == 0 || share_left_out(joined, parameters, size) >= left_out) return 0;
  mesh = std::move(joined);
  report.warnings.push_back(
      fmt::format("loose faces: vertices of open edges merged with others within {:.2g} m", gap));
  return gap;
}

// Selects, before any repair, the parts (connected through vertices) that make up the object.
TriangleMesh choose_parts(const TriangleMesh& mesh, const CloseParameters& parameters, Report& report) {
  const Parts parts = measure_parts(mesh);
  if (parts.of.count == 1) return mesh;
  const double size = object_size(mesh), speck = kNoise * size;
  const std::vector<char> keep = parts_of_object(mesh, parts, size, parameters);
  const std::size_t cavities = count_dropped_cavities(mesh, parts, keep, speck);
  TriangleMesh kept = drop_parts(
      mesh, parts, keep, parameters.all_components ? "" : ": --keep-all-components keeps them", report);
  if (cavities > 0)
    report.warnings.push_back(
        fmt::format("{} within the largest part dropped with the parts: the solid is filled there; "
                    "--keep-all-components keeps {}",
                    counted(cavities, "cavity", "cavities"), cavities == 1 ? "it" : "them"));
  return kept;
}

// Detaches limbs: a patch that stands on the rest along edges of three faces becomes a part of its own, to be
// united with it later. Walls of coincident faces between solids make no such edges.
void part_limbs(TriangleMesh& mesh, const CloseParameters& parameters, Report& report) {
  TriangleMesh bare = mesh;
  const Coincident found = cancel_coincident(bare);
  if (bare.triangles.empty() || most_faces_at_an_edge(bare) > CloseParameters::kMaxFacesAtAnEdge) return;
  const std::size_t limbs = split_limbs(bare, parameters.max_hausdorff * object_size(mesh));
  if (limbs == 0) return;
  mesh = std::move(bare);
  report.warnings.push_back(fmt::format("{} on edges of three or more faces closed apart from the rest",
                                        counted(limbs, "limb that stands", "limbs that stand")));
  if (found.flaps + found.duplicates > 0)
    report.warnings.push_back(fmt::format(
        "{} and {} dropped", counted(found.flaps, "flap of coincident faces", "flaps of coincident faces"),
        counted(found.duplicates, "repeated face")));
}

// Checks the volume and sets the final measures. `moved`: distance between the surface and its reference, m.
void finish(const TriangleMesh& surface, double moved, const TriangleMesh& input, Report& report) {
  const double diagonal = object_size(input), v = volume(surface), a = area(surface);
  if (!(v > CloseParameters::kFlat * CloseParameters::kFlat * diagonal * a))
    throw InvalidInput(fmt::format("the object encloses no volume ({:.3g} m^3)", v));
  report.measures["hausdorff_to_input_percent"] = 100 * moved / diagonal;
  report.measures["area_change_percent"] = 100 * std::abs(a / area(input) - 1);
  report.measures["surface_triangles"] = static_cast<double>(surface.triangles.size());
  report.measures["genus"] = static_cast<double>(genus(surface));
}

// Distance between the surface and its reference, m; only from the surface if parts overlapped.
double distance(const TriangleMesh& surface, const TriangleMesh& reference, bool overlapping) {
  const Hausdorff moved =
      hausdorff(surface, reference, CloseParameters::kHausdorffTolerance * object_size(reference));
  return overlapping ? moved.from_A : moved.symmetric();
}

}  // namespace

ClosedSurface close_surface(const TriangleMesh& soup, const CloseParameters& parameters, Report& report) {
  TriangleMesh mesh = take_in(soup, report);
  const double welded = close_seams(mesh, report);
  const double joined = welded + join_loose_parts(mesh, parameters, report);
  mesh = choose_parts(mesh, parameters, report);
  part_limbs(mesh, parameters, report);
  if (find_components(mesh).count > 1) {
    UnitedParts united = close_and_unite(mesh, parameters, report);
    const double moved = distance(united.surface, united.reference, united.overlapping);
    finish(united.surface, joined + moved, united.kept, report);
    return {std::move(united.surface), std::move(united.hull_points)};
  }
  ClosedPart closed = close_part(mesh, parameters, true, report).value();
  const double moved = distance(closed.surface, closed.reference, closed.overlapping);
  finish(closed.surface, joined + moved, mesh, report);
  return {std::move(closed.surface), std::move(closed.hull_points)};
}

}  // namespace abut::preprocess
