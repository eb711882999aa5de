#pragma once

#include <type_traits>

#include "runtime/witness/newest.h"

// The algorithm of Gilbert, Johnson and Keerthi (1988): the point of the Minkowski difference closest to the
// origin.
namespace abut::witness {

template <class S>
struct GjkResult {
  Simplex<S> simplex;  // carries v; with overlap it holds the last vertices met
  Vec3<S> v;           // closest point, m; zero if the origin is inside
  S length;            // |v|: an upper bound on the distance
  S height;            // g(v / |v|): a lower bound on the signed distance
  bool overlap;        // the origin is inside or within rounding of the boundary
  int iterations;
  int level_steps = 0;  // that left the length as it was
};

// Relative gap at which the iteration hands a curved shape over to Newton's method (polish.h). Polytopes have
// no such tolerance: they end when no vertex is left that lowers the plane through v by more than rounding.
inline constexpr double kCurvedGap = 1e-6;

// Steps without a shorter v in a row at the end: enough to walk over the features of a face.
inline constexpr int kMaxLevelSteps = 16;

// Goes to the closest point of the simplex and one more vertex. False if rounding leaves no progress to be
// made. A turn of v by an angle a shortens it by a^2 / 2 of itself only, which rounding hides while the plane
// through v still cuts off a height of a times the size of the body: so that where the heights are apart by
// more than rounding, a few steps are taken to points no farther away.
template <class S>
[[gnu::noinline]] bool advance_by_all_features(GjkResult<S>& result, S rounding) {
  Simplex<S>& simplex = result.simplex;
  const ClosestPoint<S> closest = simplex.closest(simplex.size + 1);
  const S length = closest.kept == 15 ? S(0) : closest.v.norm();
  if (!(length < result.length)) {
    const bool level = length <= result.length * (1 + 4 * std::numeric_limits<S>::epsilon());
    const bool open = result.length - result.height > 32 * rounding;
    if (!level || !open || result.level_steps++ >= kMaxLevelSteps) return false;
  }
  simplex.keep(closest, simplex.size + 1);
  result.v = closest.v;
  result.length = length;
  return true;
}

template <class S>
ABUT_INLINE bool advance(GjkResult<S>& result, S rounding) {
  if constexpr (std::is_same_v<S, double>) {
    Simplex<S>& simplex = result.simplex;
    const int count = simplex.size + 1;
    NewestPoint closest;
    closest_with_newest(simplex.vertex, count, closest);
    if (closest.inside) {
      simplex.size = 4;
      result.v.setZero();
      result.length = 0;
      return true;
    }
    const S length = closest.v.norm();
    if (length < result.length) {
      keep(closest, count, simplex);
      result.v = closest.v;
      result.length = length;
      return true;
    }
  }
  return advance_by_all_features(result, rounding);
}

// One round: asks for the vertex lowest along v, ends or adds it. Lower bound g(v/|v|) <= distance <= |v|.
// Returns true when the search is over: then v is where the height was found.
template <class S, class D>
bool gjk_step(D& difference, GjkResult<S>& result, S relative_gap, S limit) {
  Simplex<S>& simplex = result.simplex;

  DifferenceVertex<S>& found = simplex.vertex[simplex.size];
  found = difference.minimise(result.v);
  result.height = result.v.dot(found.w) / result.length;
  const S tolerance = std::max(difference.rounding() / 2, relative_gap * difference.magnitude());
  if (result.length - result.height <= tolerance || result.height - difference.rounding() > limit)
    return true;
  for (int k = 0; k < simplex.size; ++k) {
    if (simplex.vertex[k].same_point(found)) return true;
  }
  if (!advance(result, difference.rounding())) return true;
  result.overlap = result.length <= difference.rounding();
  return result.overlap;
}

// Distance of the origin to the Minkowski difference, started from result.simplex: 1 to 3 vertices of it.
// Ends also where the signed distance is known to be beyond `limit`, m.
template <class S, class D>
GjkResult<S> gjk_from(D& difference, GjkResult<S>& result, S relative_gap, S limit) {
  constexpr int kMaxIterations = 1000;
  const ClosestPoint<S> closest = result.simplex.closest(result.simplex.size);
  result.simplex.keep(closest, result.simplex.size);
  result.v = closest.v;
  result.length = result.v.norm();
  result.height = -std::numeric_limits<S>::infinity();
  result.overlap = result.length <= difference.rounding();
  result.iterations = 1;
  while (!result.overlap && result.iterations < kMaxIterations) {
    ++result.iterations;
    if (gjk_step(difference, result, relative_gap, limit)) break;
  }
  return result;
}

// Distance of the origin to the Minkowski difference, started along `guess` (not zero; from A to B).
template <class S, class D>
GjkResult<S> gjk(D& difference, const Vec3<S>& guess, S relative_gap,
                 S limit = std::numeric_limits<S>::infinity()) {
  GjkResult<S> result;
  result.simplex.vertex[0] = difference.minimise(guess);
  result.simplex.size = 1;
  return gjk_from(difference, result, relative_gap, limit);
}

}  // namespace abut::witness
