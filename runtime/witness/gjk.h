#pragma once

#include <type_traits>

#include "runtime/witness/newest.h"

// The algorithm of Gilbert, Johnson and Keerthi (1988). It finds the point of the Minkowski difference
// closest to the origin.
namespace abut::witness {

template <class S>
struct GjkResult {
  Simplex<S> simplex;  // its vertices carry v; if `overlap`, the last vertices met
  Vec3<S> v;           // closest point, m; zero if the origin is inside
  S length;            // |v|: an upper bound on the distance
  S height;            // g(v / |v|): a lower bound on the signed distance
  bool overlap;        // the origin is inside or within rounding of the boundary
  int iterations;
  int level_steps = 0;  // steps in which the length did not decrease
};

// Relative gap at which the iteration hands a curved shape over to Newton's method (polish.h). Polytopes
// need no such tolerance: the iteration ends when no vertex lowers the plane through v by more than
// rounding.
inline constexpr double kCurvedGap = 1e-6;

// Limit of steps that do not shorten v: enough to walk over the features of a face.
inline constexpr int kMaxLevelSteps = 16;

// Moves v to the closest point of the simplex and one more vertex. Returns false if rounding prevents
// further progress. A rotation of v by an angle a shortens it only by the relative amount a^2 / 2, which
// rounding hides while the plane through v still cuts off a height of a times the size of the body. If the
// upper and lower bounds differ by more than rounding, a few steps to points no farther away are therefore
// allowed.
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

// One iteration: computes the vertex lowest along v and either ends or adds it. g(v/|v|) <= distance <= |v|
// holds throughout. Returns true when the search is over; v is then where the height was computed.
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

// Computes the distance of the origin to the Minkowski difference, starting from result.simplex: 1 to 3 of
// its vertices. Also ends once the signed distance is known to exceed `limit`, m.
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

// Computes the distance of the origin to the Minkowski difference, starting along `guess` (not zero; from A
// to B).
template <class S, class D>
GjkResult<S> gjk(D& difference, const Vec3<S>& guess, S relative_gap,
                 S limit = std::numeric_limits<S>::infinity()) {
  GjkResult<S> result;
  result.simplex.vertex[0] = difference.minimise(guess);
  result.simplex.size = 1;
  return gjk_from(difference, result, relative_gap, limit);
}

}  // namespace abut::witness
