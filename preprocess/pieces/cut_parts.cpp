#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "preprocess/pieces/search.h"
#include "runtime/core/parallel.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/math/tangent_basis.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

constexpr int kSlices = 5;  // of a part along each of its axes, between which planes are tried
constexpr int kTurns = 4;   // of planes through the point farthest outside, about the gradient there

Plane plane_through(const Vector3d& n, const Vector3d& p) { return {n, n.dot(p)}; }

// Across the part, at right angles to the principal axes of its surface's points.
void add_slices(const HulledPart& part, std::vector<Plane>& planes) {
  const std::vector<Vector3d>& points = part.hull.vertices;
  Vector3d mean = Vector3d::Zero();
  for (const Vector3d& p : points) mean += p / static_cast<double>(points.size());
  Eigen::Matrix3d moments = Eigen::Matrix3d::Zero();
  for (const Vector3d& p : points) moments += (p - mean) * (p - mean).transpose();
  const Eigen::Matrix3d axes = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(moments).eigenvectors();
  for (int axis = 0; axis < 3; ++axis) {
    const Vector3d n = axes.col(axis);
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Vector3d& p : points) {
      low = std::min(low, n.dot(p));
      high = std::max(high, n.dot(p));
    }
    for (int i = 1; i < kSlices; ++i) planes.push_back({n, low + (high - low) * i / kSlices});
  }
}

std::vector<Plane> candidates(const asset::SurfaceView& surface, const HulledPart& part, double allowed) {
  std::vector<Plane> planes;
  add_slices(part, planes);
  const auto nearest = distance::signed_distance<double>(surface, part.over.at);
  const Vector3d g = nearest.gradient;
  for (const double into : {0.0, 0.5}) planes.push_back({g, g.dot(nearest.closest) - into * allowed});
  planes.push_back(plane_through(g, part.over.at));
  const Eigen::Matrix<double, 3, 2> T = tangent_basis(g);
  for (int i = 0; i < kTurns; ++i) {
    const double angle = std::numbers::pi * i / kTurns;
    planes.push_back(plane_through(T * Eigen::Vector2d(std::cos(angle), std::sin(angle)), part.over.at));
  }
  return planes;
}

struct Cut {
  HulledPart behind, before;
  double cost = std::numeric_limits<double>::infinity();
};

HulledPart hulled(Part part, const OutsideLattice& lattice, double allowed) {
  HulledPart result{std::move(part), {}, {}};
  result.hull = hull_of(result.part);
  if (!result.hull.flat()) result.over = lattice.overreach(result.hull, allowed);
  return result;
}

double cost_of(const HulledPart& part, const OutsideLattice& lattice, double allowed) {
  return part.over.excess + std::pow(lattice.spacing(), 3) * std::max(0.0, part.over.worst - allowed);
}

}  // namespace

void cut_parts(const asset::SurfaceView& surface, const OutsideLattice& lattice, double allowed,
               std::size_t most, std::vector<HulledPart>& parts, std::vector<CutMade>& made,
               const PieceProgress& progress) {
  const auto inside = [&](const Vector3d& p) {
    return distance::signed_distance<double>(surface, p).distance < 0;
  };
  while (parts.size() < most) {
    const auto farthest = std::max_element(
        parts.begin(), parts.end(),
        [](const HulledPart& a, const HulledPart& b) { return a.over.worst < b.over.worst; });
    if (farthest->over.worst <= allowed) return;
    progress(fmt::format("{} parts, {:.2g} m outside", parts.size(), farthest->over.worst));
    const std::vector<Plane> planes = candidates(surface, *farthest, allowed);
    std::vector<Cut> cuts(planes.size());
    parallel_for(static_cast<std::int64_t>(planes.size()), 0, [&](std::int64_t i, int) {
      auto [behind, before] = cut(farthest->part, planes[i], inside);
      Cut& c = cuts[i];
      c.behind = hulled(std::move(behind), lattice, allowed);
      c.before = hulled(std::move(before), lattice, allowed);
      if (c.behind.hull.flat() || c.before.hull.flat()) return;
      const double a = cost_of(c.behind, lattice, allowed), b = cost_of(c.before, lattice, allowed);
      c.cost = a * a + b * b;
    });
    const auto best = std::min_element(cuts.begin(), cuts.end(),
                                       [](const Cut& a, const Cut& b) { return a.cost < b.cost; });
    if (!std::isfinite(best->cost)) return;  // nothing divides it
    const std::size_t number = farthest->number;
    made.push_back({number, planes[static_cast<std::size_t>(best - cuts.begin())]});
    *farthest = std::move(best->behind);
    farthest->number = number;
    best->before.number = parts.size();
    parts.push_back(std::move(best->before));
  }
}

}  // namespace abut::preprocess
