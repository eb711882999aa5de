#pragma once

#include "runtime/witness/polish.h"
#include "runtime/witness/rim_polish.h"
#include "runtime/witness/solve_polytopes.h"

// Queries of two cores, at least one of them curved.
namespace abut::witness::detail {

// Gap, relative to the largest coordinate, at which the searches stop and Newton's method takes over.
template <class S>
inline constexpr S kNewtonGap = static_cast<S>(std::max<double>(kCurvedGap,
                                                                16 * std::numeric_limits<S>::epsilon()));

// Refines a witness of two cores, at least one of them curved, by Newton's method.
template <class S, class D>
void polish(D& difference, Witness<S>& result) {
  if (difference.shape_a().has_rims() || difference.shape_b().has_rims())
    RimPolish<S, D>(difference).run(result);
  else
    Polish<S, D>(difference).run(result);
}

// Gap of the bounds of overlapping curved cores, relative to the largest coordinate: they are certified to
// 1e-12 of the pair's size, and the largest coordinate may be twice that size.
template <class S>
inline constexpr S kCertifiedGap = static_cast<S>(std::max<double>(2e-13,
                                                                   16 * std::numeric_limits<S>::epsilon()));

// Largest gap of the bounds of a certified witness of overlapping curved cores, m.
template <class S, class D>
S certified_gap(const D& difference) {
  return kCertifiedGap<S> * difference.magnitude();
}

// Closes the bounds of a witness of overlapping cores, at least one of them curved. Newton's method finds a
// maximum of g to rounding, but does not prove that it is the global one: a copy of the polytope is therefore
// expanded until it contains the ball given by the lower bound. If the expansion finds a greater g, that
// maximum becomes the result. Bodies that are round about a common centre or axis need more vertices than
// allowed here; finding this out takes two or three milliseconds.
template <class S, class D>
void certify(D& difference, const Workspace<S>& polytope, Witness<S>& result) {
  constexpr int kMaxRounds = 3;
  constexpr std::int32_t kMaxVertices = 1536;
  if (!std::isfinite(result.upper_bound)) return;  // not a valid witness, or no overlap
  thread_local Workspace<S> fine;
  fine.copy_polytope(polytope);
  Epa<S, D> epa(difference, fine, kCertifiedGap<S>, kMaxVertices);
  const auto next = [&](std::int32_t most_vertices) {
    const EpaResult<S> grown = Epa<S, D>(difference, fine, kCertifiedGap<S>, most_vertices).resume();
    Witness<S> found = from_polytope(difference, grown, fine, kCertifiedGap<S>, result.iterations);
    polish(difference, found);
    found.upper_bound = std::min(found.upper_bound, result.upper_bound);
    return found;
  };
  for (int round = 0; round < kMaxRounds && result.lower_bound < 0; ++round) {
    const EpaResult<S> closed = epa.close(-result.lower_bound);
    result.iterations += closed.iterations;
    result.upper_bound = std::min(result.upper_bound, -closed.depth);
    if (closed.height >= -result.lower_bound - certified_gap<S>(difference)) break;
    const Witness<S> greater = next(kMaxVertices);
    if (!(greater.lower_bound > result.lower_bound)) break;
    result = greater;
  }
  // If Newton's method found nothing, the lower bound may belong to another direction than the result's.
  if (result.distance <= result.upper_bound + difference.rounding()) return;
  const Witness<S> sharper = next(2 * kMaxVertices);
  if (sharper.distance <= sharper.upper_bound + difference.rounding()) result = sharper;
}

// A point inside a core posed by X: the mean of its support points along the axes.
template <class S, class Shape>
Vec3<S> middle(const Shape& shape, const Pose<S>& X) {
  Vec3<S> sum = Vec3<S>::Zero();
  for (int i = 0; i < 3; ++i)
    for (const S sign : {S(1), S(-1)}) sum += core_support<S>(shape, Vec3<S>(sign * Vec3<S>::Unit(i))).point;
  return X * Vec3<S>(sum / 6);
}

// Returns the normal of the two cores after B is moved by `push` (m) along -t, into A.
template <class S, class D>
Vec3<S> pushed_normal(const D& difference, const Vec3<S>& t, S push, Workspace<S>& workspace) {
  const Pose<S> X{difference.pose().R, difference.pose().p - push * t};
  D pushed(difference.shape_a(), difference.shape_b(), X);
  GjkResult<S> found = gjk<S>(pushed, t, kCertifiedGap<S>);
  Witness<S> result = found.overlap ? overlapping(pushed, found, workspace, kCertifiedGap<S>)
                                    : apart(found, pushed.rounding());
  polish(pushed, result);
  return result.n;
}

// Length by which p2 - p1 differs from d n, m.
template <class S>
S off_distance(const Witness<S>& points, S d, const Vec3<S>& n) {
  return (points.p2 - points.p1 - d * n).norm();
}

// Witness of two cores that touch. The vector between their closest points has lost its direction in
// rounding, and often there is a cone of normals, at vertices and rims. Two normals are computed with the
// cores pushed into one another by a millionth of the smaller one, along directions on either side of the
// line between their middles; their mean is in the cone too. The points come from the cores pulled apart
// along it; if these have another normal n', then g(n') >= g(n), and they are pulled along n' next. The
// points at the original pose are taken instead if they fit the distance along the normal better.
template <class S, class D>
[[gnu::noinline, gnu::cold]] Witness<S> touching_curved(D& difference) {
  constexpr int kMaxPulls = 8;
  thread_local Workspace<S> workspace;  // not the query's, whose polytope is of the unmoved cores
  const auto& A = difference.shape_a();
  const auto& B = difference.shape_b();
  const Pose<S>& X_AB = difference.pose();
  const Vec3<S> t = (middle(B, X_AB) - middle(A, Pose<S>{})).stableNormalized();
  const auto width = [](const auto& shape, const Vec3<S>& u) {
    return u.dot(core_support<S>(shape, u).point - core_support<S>(shape, Vec3<S>(-u)).point);
  };
  const S least = std::min(width(A, t), width(B, Vec3<S>(X_AB.R.transpose() * t)));
  const S push = least / 1000000, pull = least / 1000;
  if (!(push > 64 * difference.rounding())) return invalid_witness<S>();
  const Vec3<S> side = t.unitOrthogonal() / 10;
  Vec3<S> n = (pushed_normal<S>(difference, (t + side).normalized(), push, workspace) +
               pushed_normal<S>(difference, (t - side).normalized(), push, workspace))
                  .normalized();
  if (!n.allFinite()) return invalid_witness<S>();
  Witness<S> result;
  for (int k = 0; k < kMaxPulls; ++k) {
    const Pose<S> X_pulled{X_AB.R, X_AB.p + pull * n};
    D pulled(A, B, X_pulled);
    const GjkResult<S> found = gjk<S>(pulled, n, kCertifiedGap<S>);
    if (found.overlap) return invalid_witness<S>();
    result = apart(found, pulled.rounding());
    polish(pulled, result);
    result.p2 -= pull * n;
    const S turned = (result.n - n).norm();
    n = result.n;
    if (pull * turned <= difference.rounding()) break;
  }
  const S d = n.dot(difference.minimise(n).w);
  const GjkResult<S> near = gjk<S>(difference, n, kCertifiedGap<S>);
  if (near.length > 0) {
    const Witness<S> here = apart(near, difference.rounding());
    if (off_distance(here, d, n) < off_distance(result, d, n)) result = here;
  }
  if (!(off_distance(result, d, n) <= certified_gap<S>(difference))) return invalid_witness<S>();
  const Vec3<S> x1 = result.p1, x2 = result.p2;
  result.n = n;
  result.distance = result.lower_bound = d;
  result.upper_bound = (x2 - x1).norm();
  result.p1 = (x1 + x2 - d * n) / 2;
  result.p2 = (x1 + x2 + d * n) / 2;
  return result;
}

// Ascends to a maximum of g from the normal of cores with a small overlap, where the polytope has lost it in
// rounding. B moved along n by slightly more than -g(n) is apart from A, and the normal n' of the two then
// has g(n') >= g(n), since the remaining distance along n' is smaller than the pull. If n' = n, it is a
// maximum of g. At a corner the normals form a cone, which a pull of twice the depth crosses in finite
// angular steps.
template <class S, class D>
[[gnu::noinline, gnu::cold]] Witness<S> pulled_apart(D& difference, const Witness<S>& start) {
  constexpr int kMaxPulls = 30;
  const auto& A = difference.shape_a();
  const auto& B = difference.shape_b();
  const Pose<S>& X_AB = difference.pose();
  const S least = 1024 * difference.rounding();  // leaves a relative error of a thousandth in the normal
  const auto g = [&](const Vec3<S>& n) { return n.dot(difference.minimise(n).w); };
  Vec3<S> n = (middle(B, X_AB) - middle(A, Pose<S>{})).stableNormalized();
  if (start.n.allFinite() && (n.isZero(0) || g(start.n) > g(n))) n = start.n;
  if (n.isZero(0)) return start;
  Witness<S> result = start;
  result.lower_bound = g(n);
  for (int k = 0; k < kMaxPulls; ++k) {
    const S before = result.lower_bound, pull = std::max(-2 * before, least - before);
    const Pose<S> X_pulled{X_AB.R, X_AB.p + pull * n};
    D pulled(A, B, X_pulled);
    const GjkResult<S> found = gjk<S>(pulled, n, kCertifiedGap<S>);
    if (found.overlap) break;
    Witness<S> apart_so = apart(found, pulled.rounding());
    polish(pulled, apart_so);
    const S now = g(apart_so.n);
    if (!(now > before)) break;
    apart_so.p2 -= pull * n;
    n = apart_so.n;
    result = apart_so;
    result.distance = result.lower_bound = now;
    result.upper_bound = start.upper_bound;
    if (!(now > before + difference.rounding())) break;
  }
  polish(difference, result);
  return result;
}

// Whether a witness of curved cores has close bounds, and whether its normal and points agree with its
// distance.
template <class S, class D>
bool certified(D& difference, const Witness<S>& result) {
  const S gap = 2 * certified_gap<S>(difference);
  return result.upper_bound - result.lower_bound <= gap && result.distance <= result.upper_bound + gap &&
         result.n.dot(difference.minimise(result.n).w) >= result.distance - gap &&
         off_distance(result, result.distance, result.n) <= gap;
}

// Widens the bounds to contain the distance, which may exceed them by rounding, and the lower bound also to
// the height along the normal.
template <class S, class D>
Witness<S> bounded(D& difference, Witness<S> result) {
  const S height = result.n.dot(difference.minimise(result.n).w);
  result.lower_bound = std::min({result.lower_bound, result.distance, height});
  result.upper_bound = std::max(result.upper_bound, result.distance);
  return result;
}

// Searches with a curved core: GJK and EPA stop early, Newton's method refines the result, and an overlap is
// certified. If Newton's method fails for bodies that are apart, GJK continues. Bodies that GJK reports as
// apart may overlap by less than its gap; then only the polytope gives an upper bound.
template <class S, class D>
Witness<S> search_curved(D& difference, const Vec3<S>& start, Workspace<S>& workspace) {
  GjkResult<S> found = gjk<S>(difference, start, kNewtonGap<S>);
  if (!found.overlap) {
    Witness<S> result = apart(found, difference.rounding());
    polish(difference, result);
    if (result.upper_bound - result.lower_bound > certified_gap<S>(difference)) {
      found = gjk<S>(difference, result.n, kCertifiedGap<S>);
      if (!found.overlap) result = apart(found, difference.rounding());
    }
    if (!found.overlap && result.distance > 0) return result;
  }
  Witness<S> result = overlapping(difference, found, workspace, kNewtonGap<S>);
  polish(difference, result);
  certify(difference, workspace, result);
  return result;
}

// Solves the query with the bodies exchanged: the polytope then starts from other vertices, and ends
// elsewhere where rounding makes facets without width.
template <class S, class D>
[[gnu::noinline, gnu::cold]] Witness<S> seen_from_B(const D& difference, const Vec3<S>& start) {
  thread_local Workspace<S> workspace;  // not the query's, whose polytope is of the given order
  const Pose<S> X_BA = difference.pose().inverse();
  D exchanged(difference.shape_b(), difference.shape_a(), X_BA);
  Witness<S> result = search_curved(exchanged, Vec3<S>(-(X_BA.R * start)), workspace);
  std::swap(result.p1, result.p2);
  std::swap(result.vertex_A, result.vertex_B);
  result.p1 = difference.pose() * result.p1;
  result.p2 = difference.pose() * result.p2;
  result.n = -(difference.pose().R * result.n);
  return result;
}

template <class S, class D>
Witness<S> solve_curved(D& difference, const Vec3<S>& start, Workspace<S>& workspace) {
  constexpr S kNear = S(1e-4);  // relative to the size: distances that may be those of touching bodies
  Witness<S> result = search_curved(difference, start, workspace);
  if (certified(difference, result)) return bounded(difference, result);
  if (std::abs(result.distance) < kNear * difference.magnitude()) {
    Witness<S> again = touching_curved<S>(difference);
    if (certified(difference, again)) return bounded(difference, again);
  }
  const auto height = [&](const Vec3<S>& n) { return n.dot(difference.minimise(n).w); };
  for (const Witness<S>& again : {pulled_apart(difference, result), seen_from_B(difference, start)}) {
    if (certified(difference, again)) return bounded(difference, again);
    if (height(again.n) > height(result.n) + difference.rounding()) result = again;
  }
  // Not certified: only the bounds given by the normal and the points hold.
  result.distance = std::min(result.distance, height(result.n));
  result.upper_bound =
      std::max(result.upper_bound, result.distance + off_distance(result, result.distance, result.n));
  return bounded(difference, result);
}

}  // namespace abut::witness::detail
