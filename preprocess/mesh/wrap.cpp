#include "preprocess/mesh/wrap.h"

#include <fmt/format.h>

#include <cmath>

#include "preprocess/index/index.h"
#include "preprocess/mesh/close.h"
#include "preprocess/mesh/measure.h"
#include "preprocess/mesh/object_size.h"
#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/weld.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

// Alpha over the diagonal, from coarse to fine, and the wrap's offset from the input over alpha.
constexpr double kAlphas[] = {1.0 / 55, 1.0 / 100}, kOffset = 1.0 / 12;
// Tolerance, over the diagonal, to which the distance of the wrap is measured, unless finer values decide:
// all points of a thin shell are equally far from the sheet that it wraps, and then each further digit costs
// a hundredfold.
constexpr double kCoarse = 1e-3;
// A wrap is a shell if its area over that of the open surface is larger, or its volume over the volume that
// the surface outlines is smaller, than these.
constexpr double kShellArea = 1.5, kShellVolume = 0.5;

double hull_volume(const TriangleMesh& mesh) {
  const asset::ConvexPiece piece = build_convex_piece(mesh.vertices);
  const asset::ConvexView view = asset::view(piece);
  TriangleMesh hull;
  for (std::int32_t v = 0; v < view.vertex_count; ++v)
    hull.vertices.emplace_back(view.x[v], view.y[v], view.z[v]);
  for (std::int32_t t = 0; t < view.triangle_count; ++t)
    hull.triangles.push_back({view.triangles[3 * t], view.triangles[3 * t + 1], view.triangles[3 * t + 2]});
  return volume(hull);
}

// Distance over the diagonal; above the true distance by at most kCoarse, or kHausdorffTolerance where that
// decides.
double distance_moved(const TriangleMesh& wrapped, const Wrapped& what, double diagonal) {
  const auto measured_to = [&](double tolerance) {
    return hausdorff(wrapped, what.outer, tolerance * diagonal).symmetric() / diagonal;
  };
  const double moved = measured_to(kCoarse), limit = CloseParameters::kMaxWrap;
  return moved <= limit || moved > limit + kCoarse ? moved
                                                   : measured_to(CloseParameters::kHausdorffTolerance);
}

void judge_shell(const Wrapped& what, const TriangleMesh& wrapped, double thickness, Report& report) {
  if (count_open_edges(what.input) == 0) return;
  const double held = volume(wrapped), outlined = std::abs(what.outlined);
  const bool is_shell = area(wrapped) > kShellArea * area(what.input) || held < kShellVolume * outlined;
  if (!is_shell) return;
  const double hull = hull_volume(wrapped);
  report.measures["thin_shell"] = 1;
  report.measures["shell_of_hull_percent"] = 100 * held / hull;
  if (outlined > 0) report.measures["shell_of_outlined_percent"] = 100 * held / outlined;
  report.warnings.push_back(fmt::format(
      "NOT A SOLID: the surface is open, and its wrap a thin double-walled shell, {:.2g} m thick, of {:.4g} "
      "cm3, {:.2g} % of its hull's {:.4g} cm3: close the mesh's openings if it is meant to outline a solid",
      thickness, 1e6 * held, 100 * held / hull, 1e6 * hull));
}

}  // namespace

TriangleMesh wrap_surface(const Wrapped& what, Report& report) {
  const double diagonal = object_size(what.input);
  double moved = 0, alpha = 0;
  TriangleMesh wrapped;
  for (const double relative : kAlphas) {
    alpha = relative * diagonal;
    wrapped = wrap(what.input, alpha, kOffset * alpha);
    moved = distance_moved(wrapped, what, diagonal);
    if (moved <= CloseParameters::kMaxWrap) break;
  }
  const std::string fault = find_fault(wrapped);
  if (!fault.empty()) throw InvalidInput("the surface could not be closed: " + fault);
  // If even the finest wrap is too far away, it encloses faces of the input: faces inside others, or a soup
  // that outlines no solid.
  if (moved > CloseParameters::kMaxWrap)
    throw InvalidInput(
        fmt::format("the surface could not be closed: even an alpha wrap is {:.3g} % of the diagonal away "
                    "from it (at most {} %): it outlines no solid",
                    100 * moved, 100 * CloseParameters::kMaxWrap));
  report.warnings.push_back(
      fmt::format("last resort: the surface was replaced by an alpha wrap (alpha {:.3g} m, offset {:.3g} m), "
                  "at most {:.2g} % of the diagonal away: concave details are rounded, sheets thickened",
                  alpha, kOffset * alpha, 100 * moved));
  report.measures["wrapped"] = 1;
  judge_shell(what, wrapped, 2 * kOffset * alpha, report);
  return wrapped;
}

}  // namespace abut::preprocess
