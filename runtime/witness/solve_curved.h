#pragma once

#include "runtime/witness/polish.h"
#include "runtime/witness/rim_polish.h"
#include "runtime/witness/solve_polytopes.h"

// Answers about cores of which one at least is curved.
namespace abut::witness::detail {

// Gap at which the searches stop and Newton's method takes over, relative to the largest coordinate.
template <class S>
inline constexpr S kNewtonGap = static_cast<S>(std::max<double>(kCurvedGap,
                                                                16 * std::numeric_limits<S>::epsilon()));

// Ends the work on an answer about cores of which one at least is curved.
template <class S, class D>
void polish(D& difference, Witness<S>& result) {
  if (difference.shape_a().has_rims() || difference.shape_b().has_rims())
    RimPolish<S, D>(difference).run(result);
  else
    Polish<S, D>(difference).run(result);
}

// Gap of the bounds of an overlap of curved cores, relative to the largest coordinate: they are certified to
// 1e-12 of the pair's size, of which the largest coordinate may be twice.
template <class S>
inline constexpr S kCertifiedGap = static_cast<S>(std::max<double>(2e-13,
                                                                   16 * std::numeric_limits<S>::epsilon()));

// Largest gap of the bounds of a good answer about curved cores that overlap, m.
template <class S, class D>
S certified_gap(const D& difference) {
  return kCertifiedGap<S> * difference.magnitude();
}

// Closes the bounds of an answer about an overlap with a curved core. Newton's method finds a maximum of g to
// rounding, but not that no other one is greater: a copy of the polytope is expanded until it holds the ball
// that the answer's lower bound allows. Where it meets a greater g, that maximum is the answer. Bodies that
// are round about a common centre or axis need more vertices than are allowed here, which two or three
// milliseconds find out.
template <class S, class D>
void certify(D& difference, const Workspace<S>& polytope, Witness<S>& result) {
  constexpr int kMaxRounds = 3;
  constexpr std::int32_t kMaxVertices = 1536;
  if (!std::isfinite(result.upper_bound)) return;  // no answer, or no overlap
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
  // The lower bound may be another direction's than the answer's, where Newton's method found nothing.
  if (result.distance <= result.upper_bound + difference.rounding()) return;
  const Witness<S> sharper = next(2 * kMaxVertices);
  if (sharper.distance <= sharper.upper_bound + difference.rounding()) result = sharper;
}

// A point inside a core, posed by X: the middle of its support points along the axes.
template <class S, class Shape>
Vec3<S> middle(const Shape& shape, const Pose<S>& X) {
  Vec3<S> sum = Vec3<S>::Zero();
  for (int i = 0; i < 3; ++i)
    for (const S sign : {S(1), S(-1)}) sum += core_support<S>(shape, Vec3<S>(sign * Vec3<S>::Unit(i))).point;
  return X * Vec3<S>(sum / 6);
}

// The normal of two cores pushed into one another by `push` along -t.
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

// By how much the points of an answer are not d n apart, m.
template <class S>
S off_distance(const Witness<S>& points, S d, const Vec3<S>& n) {
  return (points.p2 - points.p1 - d * n).norm();
}

// Where cores touch, the vector between them has lost its direction in rounding, and often there is more than
// one normal: at vertices and rims a cone of them. Two come from the cores pushed into one another by a
// millionth of the smaller one, to either side of the line between their middles; the normal is the one
// midway, which is in the cone too. The points come from the cores pulled apart along it: where their normal
// is another one n', g(n') >= g(n), and they are pulled along that; or from where they are, whichever differ
// by the distance along the normal.
template <class S, class D>
[[gnu::noinline, gnu::cold]] Witness<S> touching_curved(D& difference) {
  constexpr int kMaxPulls = 8;
  thread_local Workspace<S> workspace;  // not the query's: its polytope is of the cores where they are
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

// Ascends to a maximum of g from the normal of an answer about cores that overlap by little, where the
// polytope has lost it in rounding. B pulled along n by -g(n) and some more is apart from A, and the normal
// n' of the two then has g(n') >= g(n): what is left of the pull along n' is less. Where n' = n it is a
// maximum of g. At a corner the normals are a cone, through which a pull of twice the depth takes steps of an
// angle.
template <class S, class D>
[[gnu::noinline, gnu::cold]] Witness<S> pulled_apart(D& difference, const Witness<S>& start) {
  constexpr int kMaxPulls = 30;
  const auto& A = difference.shape_a();
  const auto& B = difference.shape_b();
  const Pose<S>& X_AB = difference.pose();
  const S least = 1024 * difference.rounding();  // leaves the normal of the two an error of a thousandth
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

// Whether an answer about curved cores has close bounds, and its normal and its points the distance that it
// says.
template <class S, class D>
bool certified(D& difference, const Witness<S>& result) {
  const S gap = 2 * certified_gap<S>(difference);
  return result.upper_bound - result.lower_bound <= gap && result.distance <= result.upper_bound + gap &&
         result.n.dot(difference.minimise(result.n).w) >= result.distance - gap &&
         off_distance(result, result.distance, result.n) <= gap;
}

// Its bounds take in the distance, which may be beyond them by its rounding, and what the normal says.
template <class S, class D>
Witness<S> bounded(D& difference, Witness<S> result) {
  const S height = result.n.dot(difference.minimise(result.n).w);
  result.lower_bound = std::min({result.lower_bound, result.distance, height});
  result.upper_bound = std::max(result.upper_bound, result.distance);
  return result;
}

// With a curved core the searches stop early, Newton's method ends the work, and an overlap is certified.
// Where Newton's method finds nothing between bodies that are apart, the search goes on. What GJK calls apart
// may turn out to overlap by less than its gap: then only the polytope gives an upper bound.
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

// The answer about the bodies exchanged: its polytope has other first vertices, and ends elsewhere where
// rounding makes facets of no width.
template <class S, class D>
[[gnu::noinline, gnu::cold]] Witness<S> seen_from_B(const D& difference, const Vec3<S>& start) {
  thread_local Workspace<S> workspace;  // not the query's: its polytope is of the bodies as they were given
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
  constexpr S kNear = S(1e-4);  // of the size: distances that may be none
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
  // No answer, beyond what its normal and its points say.
  result.distance = std::min(result.distance, height(result.n));
  result.upper_bound =
      std::max(result.upper_bound, result.distance + off_distance(result, result.distance, result.n));
  return bounded(difference, result);
}

}  // namespace abut::witness::detail
