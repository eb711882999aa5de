#include "preprocess/mesh/close.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "preprocess/mesh/close_part.h"
#include "preprocess/mesh/measure.h"
#include "preprocess/mesh/parts.h"
#include "preprocess/mesh/tunnels.h"
#include "preprocess/mesh/unite.h"
#include "preprocess/mesh/weld.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

constexpr double kRimTolerance = 1e-6;  // gap, of the diagonal, up to which open edges are taken for one

TriangleMesh take_in(const TriangleMesh& soup, Report& report) {
  if (soup.triangles.empty()) throw InvalidInput("the mesh has no faces");
  WeldedSoup welded = weld(soup);
  report.measures["welded_vertices"] = static_cast<double>(welded.seam_vertices);
  if (const std::size_t n = drop_collapsed(welded.mesh); n > 0)
    report.warnings.push_back(fmt::format("{} dropped", counted(n, "collapsed face")));
  if (welded.mesh.triangles.empty()) throw InvalidInput("every face is collapsed: the object has no surface");
  if (const double d = welded.mesh.diagonal(); d < CloseParameters::kLeastDiagonal)
    throw InvalidInput(fmt::format("the object measures {:.3g} m across, less than {} m: wrong units?", d,
                                   CloseParameters::kLeastDiagonal));
  return std::move(welded.mesh);
}

// Seams whose two sides were rounded differently.
void close_seams(TriangleMesh& mesh, Report& report) {
  if (count_open_edges(mesh) == 0) return;
  const double gap = kRimTolerance * mesh.diagonal();
  if (const std::size_t n = weld_rims(mesh, gap); n > 0)
    report.warnings.push_back(fmt::format("{} of open edges merged with others within {:.2g} m",
                                          counted(n, "vertex", "vertices"), gap));
}

// The parts joined through vertices, before any repair, that make up the object.
TriangleMesh choose_parts(const TriangleMesh& mesh, const CloseParameters& parameters, Report& report) {
  const Parts parts = measure_parts(mesh);
  if (parts.of.count == 1) return mesh;
  const double speck = kNoise * mesh.diagonal();
  std::vector<char> keep;
  if (parameters.all_components) {
    for (std::int32_t p = 0; p < parts.of.count; ++p)
      keep.push_back(p == parts.largest || parts.extents[p] > speck ? 1 : 0);
  } else {
    keep = joined_to_largest(mesh, parts, parameters.max_hausdorff * mesh.diagonal(), speck);
  }
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

// `moved`: between the surface and what it stands for, m.
void finish(const TriangleMesh& surface, double moved, const TriangleMesh& input, Report& report) {
  const double diagonal = input.diagonal(), v = volume(surface), a = area(surface);
  if (!(v > CloseParameters::kFlat * CloseParameters::kFlat * diagonal * a))
    throw InvalidInput(fmt::format("the object encloses no volume ({:.3g} m^3)", v));
  report.measures["hausdorff_to_input_percent"] = 100 * moved / diagonal;
  report.measures["area_change_percent"] = 100 * std::abs(a / area(input) - 1);
  report.measures["surface_triangles"] = static_cast<double>(surface.triangles.size());
  report.measures["genus"] = static_cast<double>(genus(surface));
}

Hausdorff distance(const TriangleMesh& surface, const TriangleMesh& reference) {
  return hausdorff(surface, reference, CloseParameters::kHausdorffTolerance * reference.diagonal());
}

}  // namespace

ClosedSurface close_surface(const TriangleMesh& soup, const CloseParameters& parameters, Report& report) {
  TriangleMesh mesh = take_in(soup, report);
  close_seams(mesh, report);
  mesh = choose_parts(mesh, parameters, report);
  if (find_components(mesh).count > 1) {
    UnitedParts united = close_and_unite(mesh, parameters, report);
    const Hausdorff moved = distance(united.surface, united.reference);
    finish(united.surface, united.overlapping ? moved.from_A : moved.symmetric(), united.kept, report);
    return {std::move(united.surface), std::move(united.hull_points)};
  }
  ClosedPart closed = close_part(mesh, parameters, true, report).value();
  finish(closed.surface, distance(closed.surface, closed.reference).symmetric(), mesh, report);
  return {std::move(closed.surface), std::move(closed.hull_points)};
}

}  // namespace abut::preprocess
