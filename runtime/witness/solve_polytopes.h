#pragma once

#include "runtime/witness/epa.h"
#include "runtime/witness/gjk.h"
#include "runtime/witness/tetrahedron.h"
#include "runtime/witness/witness.h"

// Queries of two cores, from the results of GJK and the expanding polytope.
namespace abut::witness::detail {

template <class S>
Witness<S> invalid_witness() {
  const S nan = std::numeric_limits<S>::quiet_NaN();
  const Vec3<S> none = Vec3<S>::Constant(nan);
  return {none,         none,         none,           nan, nan, nan, 0, Status::kInvalidInput, 0,
          {-1, -1, -1}, {-1, -1, -1}, {nan, nan, nan}};
}

// Sets the points and the simplex from weighted vertices, with p2 - p1 = distance n to rounding: the
// midpoint of the weighted points is kept, and each point gets half of the distance. Returns the difference
// between the weighted points' own x2 - x1 and distance n.
template <class S>
Vec3<S> place_points(const Simplex<S>& simplex, Witness<S>& result) {
  Vec3<S> x1 = Vec3<S>::Zero(), x2 = x1;
  for (int k = 0; k < 3; ++k) {
    const bool used = k < simplex.size;
    result.vertex_A[k] = used ? simplex.vertex[k].a : -1;
    result.vertex_B[k] = used ? simplex.vertex[k].b : -1;
    result.weight[k] = used ? std::max(S(0), simplex.weight[k]) : S(0);  // rounding may leave -1e-32
    if (!used) continue;
    x1 += result.weight[k] * simplex.vertex[k].x1;
    x2 += result.weight[k] * simplex.vertex[k].x2;
  }
  result.simplex_size = simplex.size;
  const Vec3<S> sum = x1 + x2, step = result.distance * result.n;
  result.p1 = (sum - step) / 2;
  result.p2 = (sum + step) / 2;
  return x2 - x1 - step;
}

// Witness of cores that are apart. `rounding`: that of the Minkowski difference, m. Next to a body 1e8 times
// as large, a triangle may be so thin that no weights give its closest point: the upper bound is then that
// of the points that they do give.
template <class S>
Witness<S> apart(const GjkResult<S>& gjk, S rounding) {
  Witness<S> result = invalid_witness<S>();
  result.n = gjk.v / gjk.length;
  result.distance = gjk.length;
  result.upper_bound = gjk.length;
  result.lower_bound = gjk.height;
  result.iterations = gjk.iterations;
  const Vec3<S> off = place_points(gjk.simplex, result);
  if (!(off.squaredNorm() <= rounding * rounding)) result.upper_bound += off.stableNorm();
  return result;
}

// Witness if the Minkowski difference is a planar set that contains the origin: the distance is zero to
// rounding, the normal that of the plane.
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

// Computes the weights of a face's closest point to q, and returns its distance from q, m.
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

// Searches the polytope for a face that carries q, the origin's projection onto the plane of face f, better
// than `best`, which is `residual` (m) away. If several triangles are coplanar within rounding, EPA may end
// on one that does not contain q.
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

// Witness from an expanded polytope.
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
  const S off = place_points(simplex, result).norm();
  // If the points do not match the distance, or the origin is outside, this is not a valid witness and there
  // is no upper bound.
  if (std::max(residual, off) > 64 * difference.rounding() + relative_gap * difference.magnitude() ||
      epa.depth < -2 * difference.rounding()) {
    result.upper_bound = std::numeric_limits<S>::infinity();
  }
  return result;
}

// Upper bound on the number of vertices of the Minkowski difference of two polytopes, at most 2^14.
template <class D>
std::int32_t pairs_of_vertices(const D& difference) {
  const std::int64_t pairs =
      std::int64_t(vertex_count(difference.shape_a())) * vertex_count(difference.shape_b());
  return static_cast<std::int32_t>(std::min<std::int64_t>(pairs, 1 << 14));
}

template <class S, class D>
Witness<S> overlapping(D& difference, GjkResult<S>& gjk, Workspace<S>& workspace, S relative_gap,
                       S limit = std::numeric_limits<S>::infinity()) {
  Tetrahedron<S> seed;
  const DifferenceVertex<S>* corners = gjk.simplex.vertex;
  if (gjk.simplex.size < 4 || !spans_volume(corners)) {
    seed = span_tetrahedron<S>(difference);
    if (seed.flat) return touching(difference, gjk, seed.normal);
    corners = seed.corner;
  }
  // Only bodies that are round about a common centre come near these limits: there almost every facet is the
  // nearest. A vertex is inserted twice only because of rounding.
  const std::int32_t most_vertices =
      relative_gap > 0 ? 1024 : std::min(32768, 8 + 2 * pairs_of_vertices(difference));
  const EpaResult<S> epa = Epa<S, D>(difference, workspace, relative_gap, most_vertices, limit).run(corners);
  return from_polytope(difference, epa, workspace, relative_gap, gjk.iterations);
}

// Computes the signed distance of two polytopes. Next to a body 10,000 times as large, GJK may take a
// tetrahedron that is flat up to rounding for one that contains the origin: the polytope then finds a plane
// that separates the bodies, and the search restarts from its normal. Beyond `limit` (m) only the lower
// bound of the result holds, and the normal along which the cores are that far apart.
template <class S, class D>
Witness<S> solve_polytopes(D& difference, const Vec3<S>& start, Workspace<S>& workspace, S limit) {
  GjkResult<S> found = gjk<S>(difference, start, S(0), limit);
  if (found.height - difference.rounding() > limit) {
    Witness<S> beyond = invalid_witness<S>();
    beyond.lower_bound = found.height;
    beyond.n = found.v / found.length;
    return beyond;
  }
  if (!found.overlap) return apart(found, difference.rounding());
  Witness<S> result = overlapping(difference, found, workspace, S(0), limit);
  if (!(result.lower_bound > 2 * difference.rounding())) return result;
  found = gjk<S>(difference, result.n, S(0));
  return found.overlap ? result : apart(found, difference.rounding());
}

}  // namespace abut::witness::detail
