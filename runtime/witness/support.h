#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/asset/asset.h"
#include "runtime/math/pose.h"
#include "runtime/witness/direction_cell.h"

// Support function of a hull: h(n) = max over the hull of <x, n>, attained at the support point s(n).
// Directions need not be unit vectors, only finite and not zero. core.h has the support functions of other
// shapes.
namespace abut::witness {

// A point of a shape that is farthest in a given direction.
template <class S>
struct SupportPoint {
  Vec3<S> point;       // in the shape's frame, m
  std::int32_t index;  // of the vertex of a polytope, or of the rim of a cylinder or cone; otherwise -1
};

// Vertex i of a hull, in the hull's frame, m.
template <class S>
Vec3<S> core_vertex(const asset::ConvexView& hull, std::int32_t i) {
  return {static_cast<S>(hull.x[i]), static_cast<S>(hull.y[i]), static_cast<S>(hull.z[i])};
}

namespace detail {

// One step of support()'s hill climbing: moves `at` to its best neighbour. False if none is strictly better.
template <class S>
bool climb(const asset::ConvexView& hull, const Vec3<S>& n, std::int32_t& at) {
  // Differences are formed in double or wider and then rounded to S, which is exact enough for the margin
  // below in every scalar. Two neighbours are evaluated at a time.
  using Wide = std::common_type_t<S, double>;
  using Two = Eigen::Array<S, 2, 1>;
  using WideTwo = Eigen::Array<Wide, 2, 1>;
  const double *const x = hull.x, *const y = hull.y, *const z = hull.z;
  const Wide x0 = x[at], y0 = y[at], z0 = z[at];
  const S nx = n.x(), ny = n.y(), nz = n.z();
  const auto gains = [&](std::int32_t i, std::int32_t j) -> Two {
    return (WideTwo(x[i], x[j]) - x0).template cast<S>() * nx +
           (WideTwo(y[i], y[j]) - y0).template cast<S>() * ny +
           (WideTwo(z[i], z[j]) - z0).template cast<S>() * nz;
  };
  const std::int32_t* const begin = hull.adjacency + hull.adjacency_offsets[at];
  const std::int32_t* const end = hull.adjacency + hull.adjacency_offsets[at + 1];
  const std::int32_t* k = begin;
  Two most = Two::Zero();
  for (; end - k >= 2; k += 2) most = most.max(gains(k[0], k[1]));
  if (k < end) most = most.max(gains(*k, *k));
  const S gain = std::max(most[0], most[1]);
  if (!(gain > 0)) return false;
  std::int32_t best = at;
  for (k = begin; best == at && k < end; ++k) {
    if (gains(*k, *k)[0] == gain) best = *k;
  }
  const S magnitude = std::abs(static_cast<S>(x[best] - x0) * nx) +
                      std::abs(static_cast<S>(y[best] - y0) * ny) +
                      std::abs(static_cast<S>(z[best] - z0) * nz);
  if (gain <= 4 * std::numeric_limits<S>::epsilon() * magnitude) return false;
  at = best;
  return true;
}

// Hill climbing from the vertex `at` (-1: from the direction lookup).
template <class S>
[[gnu::noinline]] SupportPoint<S> climb_from(const asset::ConvexView& hull, const Vec3<S>& n,
                                             std::int32_t at) {
  if (at < 0)
    at = hull.lookup_resolution > 0 ? hull.support_lookup[direction_cell(n, hull.lookup_resolution)] : 0;
  for (std::int32_t steps = 0; steps < hull.vertex_count && climb(hull, n, at);) ++steps;
  return {core_vertex<S>(hull, at), at};
}

// The vertices that are support points of some direction in a direction cell.
struct Candidates {
  const std::int32_t *begin, *end;
};

template <class S>
Candidates cell_candidates(const asset::ConvexView& hull, const Vec3<S>& n) {
  const std::int32_t* const offsets = hull.candidate_offsets + direction_cell(n, hull.lookup_resolution);
  return {hull.candidates + offsets[0], hull.candidates + offsets[1]};
}

// The candidate with the greatest height along n.
template <class S>
SupportPoint<S> best_candidate(const asset::ConvexView& hull, const Candidates& candidates,
                               const Vec3<S>& n) {
  using Wide = std::common_type_t<S, double>;
  // Gains in height over the first candidate, as in climb(). Branch-free, to avoid mispredictions.
  const double *const xs = hull.x, *const ys = hull.y, *const zs = hull.z;
  const std::int32_t* k = candidates.begin;
  std::int32_t at = *k;
  const Wide x = xs[at], y = ys[at], z = zs[at];
  const S nx = n.x(), ny = n.y(), nz = n.z();
  S most = 0;
  while (++k < candidates.end) {
    const std::int32_t i = *k;
    const S gain =
        nx * static_cast<S>(xs[i] - x) + ny * static_cast<S>(ys[i] - y) + nz * static_cast<S>(zs[i] - z);
    at = gain > most ? i : at;
    most = gain > most ? gain : most;
  }
  return {core_vertex<S>(hull, at), at};
}

}  // namespace detail

// Returns the support vertex of a hull along n: by hill climbing on its edges from the vertex `hint`; without
// a hint (-1), as the best candidate of the direction's cell, or by climbing from the direction lookup if the
// hull has no candidates.
//
// On a convex polytope a vertex with no strictly better neighbour is a global maximum, plateaus included:
// the edges at a vertex span the cone in which the whole polytope lies. Gains are computed from differences
// of coordinates, not from differences of heights, so that short edges on a nearly flat summit are still
// distinguished. A step is taken only if its gain exceeds the rounding error of that sum, so that every step
// really climbs and the walk ends.
template <class S>
SupportPoint<S> support(const asset::ConvexView& hull, const Vec3<S>& n, std::int32_t hint = -1) {
  if (hint < 0 && hull.candidate_offsets != nullptr)
    return detail::best_candidate(hull, detail::cell_candidates(hull, n), n);
  return detail::climb_from(hull, n, hint);
}

}  // namespace abut::witness
