#pragma once

#include <type_traits>

#include "runtime/witness/epa.h"
#include "runtime/witness/gjk.h"
#include "runtime/witness/polish.h"
#include "runtime/witness/rim_polish.h"
#include "runtime/witness/tetrahedron.h"
#include "runtime/witness/witness.h"

// Witness points and signed distance of two convex shapes (see witness.h for what the answer means): GJK
// where the cores are apart, the expanding polytope where they overlap. The answer's gap between its bounds
// is of the order of rounding, or at most 1e-12 of the pair's size where cores overlap of which one is
// curved; otherwise the status says so. Two polytopes are then tried once again in the next wider scalar.
namespace abut::witness {

namespace detail {

template <class S>
struct Wider {
  using type = S;
};
template <>
struct Wider<float> {
  using type = double;
};
template <>
struct Wider<double> {
  using type = long double;
};

template <class S>
Witness<S> invalid_witness() {
  const S nan = std::numeric_limits<S>::quiet_NaN();
  const Vec3<S> none = Vec3<S>::Constant(nan);
  return {none,         none,         none,           nan, nan, nan, 0, Status::kInvalidInput, 0,
          {-1, -1, -1}, {-1, -1, -1}, {nan, nan, nan}};
}

// Sets the points and the simplex from weighted vertices, so that p2 - p1 = distance n to rounding: the
// weighted points' middle is kept, half the distance goes to either side.
template <class S>
void place_points(const Simplex<S>& simplex, Witness<S>& result) {
  Vec3<S> sum = Vec3<S>::Zero();
  for (int k = 0; k < 3; ++k) {
    const bool used = k < simplex.size;
    result.vertex_A[k] = used ? simplex.vertex[k].a : -1;
    result.vertex_B[k] = used ? simplex.vertex[k].b : -1;
    result.weight[k] = used ? std::max(S(0), simplex.weight[k]) : S(0);  // rounding may leave -1e-32
    if (used) sum += result.weight[k] * (simplex.vertex[k].x1 + simplex.vertex[k].x2);
  }
  result.simplex_size = simplex.size;
  result.p1 = (sum - result.distance * result.n) / 2;
  result.p2 = (sum + result.distance * result.n) / 2;
}

template <class S>
Witness<S> apart(const GjkResult<S>& gjk) {
  Witness<S> result = invalid_witness<S>();
  result.n = gjk.v / gjk.length;
  result.distance = gjk.length;
  result.upper_bound = gjk.length;
  result.lower_bound = gjk.height;
  result.iterations = gjk.iterations;
  place_points(gjk.simplex, result);
  return result;
}

// The difference is a planar set that contains the origin: the distance is zero, the normal the plane's.
template <class S, class D>
[[gnu::noinline, gnu::cold]] Witness<S> touching(D& difference, GjkResult<S>& gjk, const Vec3<S>& normal) {
  Witness<S> result = invalid_witness<S>();
  const S up = normal.dot(difference.minimise(normal).w);
  const S down = -normal.dot(difference.minimise(-normal).w);
  result.n = up >= down ? normal : Vec3<S>(-normal);
  result.distance = std::max(up, down);
  result.lower_bound = result.distance;
  result.upper_bound = std::max(gjk.length, result.distance);
  result.iterations = gjk.iterations;
  if (gjk.simplex.size == 4) gjk.simplex.flatten();
  place_points(gjk.simplex, result);
  return result;
}

// Weights of the point of a face closest to q, and how far that is.
template <class S>
S carry(const Workspace<S>& workspace, const PolytopeFace& face, const Vec3<S>& q, Simplex<S>& simplex) {
  Vec3<S> corner[3];
  for (int k = 0; k < 3; ++k) corner[k] = workspace.vertices[face.corner[k]].w - q;
  const ClosestPoint<S> on = closest_on_triangle<S>(corner[0], corner[1], corner[2]);
  simplex.size = 0;
  for (int k = 0; k < 3; ++k) {
    if (!(on.kept >> k & 1)) continue;
    simplex.vertex[simplex.size] = workspace.vertices[face.corner[k]];
    simplex.weight[simplex.size++] = on.weight[k];
  }
  return on.v.norm();
}

// Looks for a face of the polytope that carries q, the origin's projection on the plane of face f, better
// than `best`, which is `residual` away. Where several triangles share that plane within rounding, the search
// may end on another than the one that contains q.
template <class S>
[[gnu::noinline, gnu::cold]] void search_carrier(const Workspace<S>& workspace, std::int32_t f,
                                                 const Vec3<S>& q, S rounding, Simplex<S>& best,
                                                 S& residual) {
  const S plane = workspace.planes.offset[static_cast<std::size_t>(f)] + 64 * rounding;
  for (std::int32_t i = 0; i < workspace.faces.size; ++i) {
    const PolytopeFace& face = workspace.faces[i];
    if (!face.alive || workspace.planes.offset[static_cast<std::size_t>(i)] > plane) continue;
    Simplex<S> simplex;
    const S distance = carry(workspace, face, q, simplex);
    if (distance >= residual) continue;
    residual = distance;
    best = simplex;
  }
}

// The answer that an expanded polytope holds.
template <class S, class D>
Witness<S> from_polytope(D& difference, const EpaResult<S>& epa, const Workspace<S>& workspace,
                         S relative_gap, int iterations) {
  if (epa.face < 0) return invalid_witness<S>();
  Witness<S> result = invalid_witness<S>();
  result.n = epa.n;
  result.distance = -epa.depth;
  result.lower_bound = -epa.height;
  result.upper_bound = -epa.depth;
  result.iterations = iterations + epa.iterations;
  const Vec3<S> q = result.distance * result.n;
  Simplex<S> simplex;
  S residual = carry(workspace, workspace.faces[epa.face], q, simplex);
  if (!(residual <= difference.rounding()))
    search_carrier(workspace, epa.face, q, difference.rounding(), simplex, residual);
  place_points(simplex, result);
  // Points that are not where the distance says they are, or an origin outside: not an answer, no upper
  // bound.
  if (residual > 64 * difference.rounding() + relative_gap * difference.magnitude() ||
      epa.depth < -2 * difference.rounding()) {
    result.upper_bound = std::numeric_limits<S>::infinity();
  }
  return result;
}

// Number of vertices of the Minkowski difference of two polytopes, at most; 2^14 for more.
template <class D>
std::int32_t pairs_of_vertices(const D& difference) {
  const std::int64_t pairs =
      std::int64_t(vertex_count(difference.shape_a())) * vertex_count(difference.shape_b());
  return static_cast<std::int32_t>(std::min<std::int64_t>(pairs, 1 << 14));
}

template <class S, class D>
Witness<S> overlapping(D& difference, GjkResult<S>& gjk, Workspace<S>& workspace, S relative_gap) {
  Tetrahedron<S> seed;
  const DifferenceVertex<S>* corners = gjk.simplex.vertex;
  if (gjk.simplex.size < 4 || !spans_volume(corners)) {
    seed = span_tetrahedron<S>(difference);
    if (seed.flat) return touching(difference, gjk, seed.normal);
    corners = seed.corner;
  }
  // Only bodies that are round about a common centre come near these limits: there every facet is nearly the
  // nearest. A vertex comes twice only by rounding.
  const std::int32_t most_vertices =
      relative_gap > 0 ? 1024 : std::min(32768, 8 + 2 * pairs_of_vertices(difference));
  const EpaResult<S> epa = Epa<S, D>(difference, workspace, relative_gap, most_vertices).run(corners);
  return from_polytope(difference, epa, workspace, relative_gap, gjk.iterations);
}

// Signed distance of the cores.
template <class S, class D>
Witness<S> solve_polytopes(D& difference, const Vec3<S>& start, Workspace<S>& workspace) {
  GjkResult<S> found = gjk<S>(difference, start, S(0));
  return found.overlap ? overlapping(difference, found, workspace, S(0)) : apart(found);
}

// Gap at which the searches stop and Newton's method takes over, relative to the largest coordinate.
template <class S>
inline constexpr S kNewtonGap = static_cast<S>(std::max<double>(kCurvedGap,
                                                                16 * std::numeric_limits<S>::epsilon()));

// Ends the work on an answer about cores of which one at least is curved.
template <class S, class D>
void polish(D& difference, Witness<S>& result) {
  using A = std::remove_cvref_t<decltype(difference.shape_a())>;
  using B = std::remove_cvref_t<decltype(difference.shape_b())>;
  if constexpr (kHasRims<A> || kHasRims<B>)
    RimPolish<S, D>(difference).run(result);
  else
    Polish<S, D>(difference).run(result);
}

// Gap of the bounds of an overlap of curved cores, relative to the largest coordinate: they are certified to
// 1e-12 of the pair's size, of which the largest coordinate may be twice.
template <class S>
inline constexpr S kCertifiedGap = static_cast<S>(std::max<double>(2e-13,
                                                                   16 * std::numeric_limits<S>::epsilon()));

// Closes the bounds of an answer about an overlap with a curved core. Newton's method finds a maximum of g to
// rounding, but not that no other one is greater: a copy of the polytope is expanded until it holds the ball
// that the answer's lower bound allows. Where it meets a greater g, that maximum is the answer. Bodies that
// are round about a common centre need more vertices than are allowed here: a millisecond's work.
template <class S, class D>
void certify(D& difference, const Workspace<S>& polytope, Witness<S>& result) {
  constexpr int kMostRounds = 3;
  constexpr std::int32_t kMostVertices = 768;
  if (!std::isfinite(result.upper_bound)) return;  // no answer, or no overlap
  thread_local Workspace<S> fine;
  fine.copy_polytope(polytope);
  Epa<S, D> epa(difference, fine, kCertifiedGap<S>, kMostVertices);
  for (int round = 0; round < kMostRounds && result.lower_bound < 0; ++round) {
    const EpaResult<S> closed = epa.close(-result.lower_bound);
    result.iterations += closed.iterations;
    result.upper_bound = std::min(result.upper_bound, -closed.depth);
    if (closed.height >= -result.lower_bound - kCertifiedGap<S> * difference.magnitude()) return;
    Witness<S> greater = from_polytope(difference, epa.resume(), fine, kCertifiedGap<S>, result.iterations);
    polish(difference, greater);
    if (!(greater.lower_bound > result.lower_bound)) return;
    greater.upper_bound = std::min(greater.upper_bound, result.upper_bound);
    result = greater;
  }
}

// With a curved core the searches stop early, Newton's method ends the work, and an overlap is certified.
// Where Newton's method finds nothing between bodies that are apart, the search goes on. What GJK calls apart
// may turn out to overlap by less than its gap: then only the polytope gives an upper bound.
template <class S, class D>
Witness<S> solve_curved(D& difference, const Vec3<S>& start, Workspace<S>& workspace) {
  GjkResult<S> found = gjk<S>(difference, start, kNewtonGap<S>);
  if (!found.overlap) {
    Witness<S> result = apart(found);
    polish(difference, result);
    if (result.upper_bound - result.lower_bound > kCertifiedGap<S> * difference.magnitude()) {
      found = gjk<S>(difference, result.n, kCertifiedGap<S>);
      if (!found.overlap) result = apart(found);
    }
    if (!found.overlap && result.distance > 0) return result;
  }
  Witness<S> result = overlapping(difference, found, workspace, kNewtonGap<S>);
  polish(difference, result);
  certify(difference, workspace, result);
  return result;
}

// The witness of a half-space and a bounded core: its lowest point over the plane and that point's foot.
template <class S, class D>
Witness<S> over_plane(D& difference) {
  const Pose<S>& X_AB = difference.pose();
  Witness<S> result = invalid_witness<S>();
  Simplex<S> simplex;
  simplex.size = 1;
  simplex.weight[0] = 1;
  if constexpr (kHalfSpace<std::remove_cvref_t<decltype(difference.shape_a())>>) {
    result.n = Vec3<S>::UnitZ();
    const SupportPoint<S> low = core_support<S>(difference.shape_b(), Vec3<S>(-X_AB.R.row(2).transpose()));
    const Vec3<S> x2 = X_AB * low.point;
    result.distance = x2.z();
    simplex.vertex[0] = difference.point({x2.x(), x2.y(), 0}, x2, -1, low.index);
  } else {
    result.n = -X_AB.R.col(2);
    const SupportPoint<S> low = core_support<S>(difference.shape_a(), result.n);
    result.distance = result.n.dot(X_AB.p - low.point);
    simplex.vertex[0] = difference.point(low.point, low.point + result.distance * result.n, low.index, -1);
    difference.point(X_AB.p, X_AB.p, -1, -1);  // its size counts
  }
  result.lower_bound = result.upper_bound = result.distance;
  result.iterations = 1;
  place_points(simplex, result);
  return result;
}

// Adds the swept radii and the rounding error to an answer about the cores, and judges it.
template <class S>
void finish(Witness<S>& result, S radius_A, S radius_B, S rounding, S tolerance) {
  result.p1 += radius_A * result.n;
  result.p2 -= radius_B * result.n;
  const S radius = radius_A + radius_B;
  result.distance -= radius;
  result.lower_bound -= radius + rounding;
  result.upper_bound += rounding - radius;
  const bool good = result.upper_bound - result.lower_bound <= tolerance;
  result.status = !good                                   ? Status::kNotConverged
                  : std::abs(result.distance) <= rounding ? Status::kTouching
                                                          : Status::kOk;
}

// Gap of the bounds that a good answer about the cores may have: curved cores that overlap are bounded from
// above by a polytope inside them, everything else is exact to rounding.
template <bool curved, class D>
auto tolerance(const D& difference, decltype(difference.rounding()) distance) {
  using S = decltype(difference.rounding());
  return curved && distance < 0 ? 2 * kCertifiedGap<S> * difference.magnitude() : 64 * difference.rounding();
}

template <class S, class T>
Witness<S> cast_witness(const Witness<T>& wide, S rounding) {
  Witness<S> result = invalid_witness<S>();
  result.p1 = wide.p1.template cast<S>();
  result.p2 = wide.p2.template cast<S>();
  result.n = wide.n.template cast<S>();
  result.distance = static_cast<S>(wide.distance);
  result.lower_bound = static_cast<S>(wide.lower_bound) - rounding;
  result.upper_bound = static_cast<S>(wide.upper_bound) + rounding;
  result.iterations = wide.iterations;
  result.status = wide.status;
  result.simplex_size = wide.simplex_size;
  for (int k = 0; k < 3; ++k) {
    result.vertex_A[k] = wide.vertex_A[k];
    result.vertex_B[k] = wide.vertex_B[k];
    result.weight[k] = static_cast<S>(wide.weight[k]);
  }
  return result;
}

// The query of separation() below.
template <class S, class ShapeA, class ShapeB>
Witness<S> separate(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB, Workspace<S>& workspace,
                    const Vec3<S>& guess);

// The same in the next wider scalar.
template <class T, class S, class ShapeA, class ShapeB>
[[gnu::noinline, gnu::cold]] Witness<S> separate_wider(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB,
                                                       const Vec3<S>& start, S rounding) {
  thread_local Workspace<T> wide;
  const Witness<T> again = separate<T>(cast_shape<T>(A), cast_shape<T>(B), X_AB.template cast<T>(), wide,
                                       start.template cast<T>().eval());
  const Witness<S> result = cast_witness<S>(again, rounding);
  const bool numbers = std::isfinite(result.distance) && result.p1.allFinite() && result.p2.allFinite();
  return numbers ? result : invalid_witness<S>();
}

template <class S, class ShapeA, class ShapeB>
Witness<S> separate(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB, Workspace<S>& workspace,
                    const Vec3<S>& guess) {
  if (!usable(A) || !usable(B) || !X_AB.finite()) return invalid_witness<S>();
  Difference<S, ShapeA, ShapeB> difference(A, B, X_AB);
  Vec3<S> start = guess.squaredNorm() > 0 && guess.allFinite() ? guess : X_AB.p;
  if (!(start.squaredNorm() > 0)) start = Vec3<S>::UnitX();
  constexpr bool kAnyPlane = kHalfSpace<ShapeA> || kHalfSpace<ShapeB>;
  constexpr bool kAnyCurved = kCurved<ShapeA> || kCurved<ShapeB>;
  static_assert(!kHalfSpace<ShapeA> || !kHalfSpace<ShapeB>, "two half-spaces have no witness points");
  Witness<S> result;
  if constexpr (kAnyPlane)
    result = over_plane<S>(difference);
  else if constexpr (kAnyCurved)
    result = solve_curved(difference, start, workspace);
  else
    result = solve_polytopes(difference, start, workspace);
  const S rounding = difference.rounding();
  finish(result, swept_radius<S>(A), swept_radius<S>(B), rounding,
         tolerance < kAnyCurved && !kAnyPlane > (difference, result.distance));
  using T = typename Wider<S>::type;
  if constexpr (!std::is_same_v<S, T> && !kAnyCurved && !kAnyPlane) {
    if (result.status == Status::kNotConverged) {
      return separate_wider<T, S>(A, B, X_AB, start, rounding);
    }
  }
  return std::isfinite(result.distance) ? result : invalid_witness<S>();
}

}  // namespace detail

// Witness points, unit normal and signed distance of A and B, B posed by X_AB; everything in frame A, m.
// `guess`, if not zero, is a direction from A to B to start from, such as the normal of a neighbouring pose.
// The workspace is scratch memory that only ever grows. Never throws; see Status in the result.
template <class S, class ShapeA, class ShapeB>
Witness<S> separation(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB, Workspace<S>& workspace,
                      const Vec3<S>& guess = Vec3<S>::Zero()) {
  return detail::separate<S>(A, B, X_AB, workspace, guess);
}

// Two hulls in double precision: compiled for the processor's vectors (simd.h), the same bits.
template <>
Witness<double> separation(const asset::ConvexView& A, const asset::ConvexView& B, const Pose<double>& X_AB,
                           Workspace<double>& workspace, const Vec3<double>& guess);

// The same with a workspace of the calling thread.
template <class S, class ShapeA, class ShapeB>
Witness<S> separation(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB) {
  thread_local Workspace<S> workspace;
  return separation(A, B, X_AB, workspace);
}

}  // namespace abut::witness
