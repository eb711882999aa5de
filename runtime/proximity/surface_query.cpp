#include "runtime/proximity/surface_query.h"

#include <algorithm>
#include <cmath>

#include "runtime/bvh/overlap.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/proximity/depth_derivative.h"

namespace abut::proximity {
namespace {

using asset::SurfaceView;
using distance::DeepestPoint;
using distance::Feature;
using witness::Witness;

constexpr double kFar = 1e8;         // in sizes of the bodies: rays between them are parallel to rounding
constexpr double kTouching = 1e-13;  // in sizes of the bodies: a distance that counts as zero
constexpr double kNearlyTouching = 1e-6;  // in sizes of the bodies: features define n better than points
constexpr double kStep = 64;              // in units of the distance at which surfaces touch
constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();

using internal::apart_witness;
using internal::deepest_witness;

double size_of(const SurfaceView& A, const SurfaceView& B) {
  return bvh::ball_of(A.tree).radius + bvh::ball_of(B.tree).radius;
}

// Largest coordinate that occurs in the computation.
double reach_of(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB) {
  return bvh::ball_of(A.tree).center.norm() + bvh::ball_of(B.tree).center.norm() + size_of(A, B) +
         X_AB.p.stableNorm();
}

// Stores the pairs of vertices with the weights of the joint simplex, three at most.
void add_simplex(const SurfaceView& A, const SurfaceView& B, SurfaceWitness& found) {
  Witness<double>& w = found.witness;
  w.simplex_size = 0;
  std::fill_n(w.vertex_A, 3, -1);
  std::fill_n(w.vertex_B, 3, -1);
  std::fill_n(w.weight, 3, 0.0);
  double left_A = found.weight_A[0], left_B = found.weight_B[0];
  int i = 0, j = 0;
  while (i < 3 && j < 3) {  // splits the weights of both triangles at their common partial sums
    const double both = std::min(left_A, left_B);
    if (both > 0) {
      if (w.simplex_size == 3) return void(w.simplex_size = 0);
      w.vertex_A[w.simplex_size] = A.triangles[std::ptrdiff_t(3) * found.triangle_A + i];
      w.vertex_B[w.simplex_size] = B.triangles[std::ptrdiff_t(3) * found.triangle_B + j];
      w.weight[w.simplex_size++] = both;
    }
    left_A -= both;
    left_B -= both;
    if (left_A <= left_B) {
      if (++i < 3) left_A += found.weight_A[i];
    } else if (++j < 3) {
      left_B += found.weight_B[j];
    }
  }
}

Witness<double> invalid_witness() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Vec3<double> nans = Vec3<double>::Constant(nan);
  return {nans, nans,         nans,         nan,      nan, nan, 0, Status::kInvalidInput,
          0,    {-1, -1, -1}, {-1, -1, -1}, {0, 0, 0}};
}

// Separation of bodies so far apart that their extreme points along the line of centres are nearest, to
// rounding.
SurfaceWitness far_separation(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB) {
  using Wide = Vec3<long double>;
  const Pose<long double> X = X_AB.cast<long double>();
  const Wide way = X * Wide(bvh::ball_of(B.tree).center.cast<long double>()) -
                   bvh::ball_of(A.tree).center.cast<long double>();
  const Vec3<double> n = way.stableNormalized().cast<double>();
  const auto farthest = [](const SurfaceView& surface, const Vec3<double>& along, Vec3<double>& weight) {
    std::int32_t triangle = 0;
    double most = -std::numeric_limits<double>::infinity();
    for (std::int32_t t = 0; t < surface.triangle_count; ++t)
      for (int k = 0; k < 3; ++k)
        if (const double h = along.dot(distance::internal::corner<double>(surface, t, k)); h > most) {
          most = h, triangle = t, weight = Vec3<double>::Unit(k);
        }
    return triangle;
  };
  SurfaceWitness found;
  found.triangle_A = farthest(A, n, found.weight_A);
  found.triangle_B = farthest(B, X_AB.R.transpose() * -n, found.weight_B);
  int k_A, k_B;
  found.weight_A.maxCoeff(&k_A), found.weight_B.maxCoeff(&k_B);
  const Wide p1 = distance::internal::corner<long double>(A, found.triangle_A, k_A);
  const Wide p2 = X * distance::internal::corner<long double>(B, found.triangle_B, k_B);
  const long double d = (p2 - p1).stableNorm();
  Witness<double>& w = found.witness;
  w = invalid_witness();
  // d is beyond a double, or 1 / d, the scale of the derivatives, is not normal.
  if (!std::isfinite(static_cast<double>(d)) || !std::isnormal(static_cast<double>(1 / d))) return found;
  w.p1 = p1.cast<double>(), w.p2 = p2.cast<double>(), w.n = ((p2 - p1) / d).cast<double>();
  w.distance = static_cast<double>(d);
  w.lower_bound = w.distance * (1 - kRounding), w.upper_bound = w.distance * (1 + kRounding);
  w.status = Status::kOk;
  add_simplex(A, B, found);
  return found;
}

// Whether the first triangle of any connected component of `of` lies within `within`: where the surfaces do
// not cross, so does the whole component.
bool any_part_within(const SurfaceView& of, const SurfaceView& within, const Pose<double>& X) {
  for (std::int32_t part = 0; part < of.part_count; ++part) {
    const Vec3<double> p = X * distance::internal::corner<double>(of, of.parts[part], 0);
    if (distance::internal::outside_box<double>(within.tree, p)) continue;
    if (distance::signed_distance<double>(within, p).distance < 0) return true;
  }
  return false;
}

// Whether a body, or a connected component of one, is within the other, given the nearest points, which are
// apart.
bool is_within(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB,
               const SurfaceWitness& nearest) {
  const Pose<double> X_BA = X_AB.inverse();
  return internal::on_inner_side(A, B, X_AB, nearest) || (A.part_count > 1 && any_part_within(A, B, X_BA)) ||
         (B.part_count > 1 && any_part_within(B, A, X_AB));
}

// Whether the bodies are apart after B moves by `step` (m) along n: then no point is deeper than that, which
// is thus known without a search for the deepest point.
bool parted_by(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB, const SurfaceWitness& at,
               double step, double least) {
  const Pose<double> X{X_AB.R, X_AB.p + step * at.witness.n};
  const distance::NearestTriangles nearest =
      distance::nearest_triangles(A, B, X, at.triangle_A, at.triangle_B);
  return nearest.complete() && nearest.pair.distance2 >= least * least &&
         !is_within(A, B, X, apart_witness(A, B, X, nearest.triangle_A, nearest.triangle_B, nearest.pair));
}

// Whether bodies that touch overlap by no more than kStep times the touching distance. Surfaces farther apart
// do not: one within the other would be at least as deep as they are apart.
bool parts(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB, SurfaceWitness& touching) {
  const double step = kStep * internal::touching_distance(A, B, X_AB);
  if (!parted_by(A, B, X_AB, touching, step, step / 2)) return false;
  Witness<double>& w = touching.witness;
  if (!(w.distance > step)) w.lower_bound = std::min(w.lower_bound, -step);
  return true;
}

// The search for the deepest point of one surface within the other.
struct DepthSide {
  distance::DeepestSearch& search;
  const SurfaceView &inner, &outer;
  Pose<double> X_OI;
  bool of_A;
  DeepestPoint found{};
  bool begun = false;

  void go_on(double least, std::int32_t limit) {
    found = begun ? search.resume(least, limit) : search(inner, outer, X_OI, least, limit);
    begun = true;
  }
};

// Finds the deepest point of either surface, unless none is deeper than `least`; of equally deep points, one
// of the body with fewer triangles, or of A. When the search takes long, a move of B that parts the bodies
// may prove that no point is deeper.
void find_deepest(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB, double least,
                  SurfaceScratch& scratch, SurfaceWitness& found) {
  constexpr std::int32_t kFewSteps = 1 << 9;
  const double size = size_of(A, B), equal = distance::kEqualDepth * size;
  DepthSide sides[2] = {{scratch.deepest_of_A, A, B, X_AB.inverse(), true},
                        {scratch.deepest_of_B, B, A, X_AB, false}};
  const int fewer = B.triangle_count < A.triangle_count ? 1 : 0;
  DepthSide &first = sides[fewer], &second = sides[1 - fewer];
  const SurfaceWitness touching = found;
  for (std::int32_t limit = kFewSteps;; limit = std::min(4 * limit, distance::kMaxDepthSteps)) {
    first.go_on(std::max(least, second.found.depth), limit);
    second.go_on(std::max(least, first.found.depth + equal), limit);
    const bool of_second = second.found.triangle_inner >= 0 && second.found.depth > first.found.depth + equal;
    const DepthSide& deeper = of_second ? second : first;
    const DeepestPoint &deepest = deeper.found, &other = (of_second ? first : second).found;
    found = deepest.triangle_inner < 0 ? touching : deepest_witness(A, B, X_AB, deepest, deeper.of_A);
    found.equalled = deepest.equalled ||
                     (other.triangle_inner < 0 ? other.equalled
                                               : other.depth >= deepest.depth * (1 - distance::kTie) - equal);
    found.witness.iterations = touching.witness.iterations + first.found.steps + second.found.steps;
    const bool complete = first.found.complete && second.found.complete;
    const double gap = std::max(distance::kLeastGap * size, 64 * kRounding * reach_of(A, B, X_AB)),
                 step = std::max(least, deepest.depth) * (1 + distance::kDepthGap) + gap;
    const bool parted = !complete && parted_by(A, B, X_AB, found, step, gap / 2);
    const double bound = parted ? step : std::max(first.found.bound, second.found.bound);
    if (deepest.triangle_inner >= 0) {
      found.witness.lower_bound = -bound;
      if (parted) found.witness.status = Status::kOk;
    } else if (!(found.witness.distance > bound)) {  // else apart: from afar a normal may give the wrong side
      found.witness.lower_bound = std::min(found.witness.lower_bound, -bound);
    }
    if (parted || complete) return;
    found.witness.status = Status::kNotConverged;
    if (limit == distance::kMaxDepthSteps) return;
  }
}

}  // namespace

namespace internal {
namespace {

// The normal from A to B where their nearest points coincide: that of the face which an edge or a corner of
// the other body pierces.
Vec3<double> normal_at_one_point(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB,
                                 const SurfaceWitness& at) {
  const Feature of_A = feature_of(at.weight_A), of_B = feature_of(at.weight_B);
  if (of_A != Feature::kFace && of_B == Feature::kFace)
    return X_AB.R * -distance::internal::pseudonormal<double>(B, at.triangle_B, of_B).normalized();
  return distance::internal::pseudonormal<double>(A, at.triangle_A, of_A).normalized();
}

}  // namespace

double touching_distance(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB) {
  return kTouching * size_of(A, B) + kRounding * reach_of(A, B, X_AB);
}

double unsure_distance(const SurfaceView& A, const SurfaceView& B) {
  constexpr double kUnsure = 1e-9;  // in sizes of the bodies
  return kUnsure * size_of(A, B);
}

bool on_inner_side(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB,
                   const SurfaceWitness& nearest) {
  const Vec3<double>&p1 = nearest.witness.p1, &p2 = nearest.witness.p2;
  const Vec3<double> gap = p2 - p1;
  const auto inward = [](const SurfaceView& surface, std::int32_t triangle, const Vec3<double>& weights,
                         const Vec3<double>& p, const Vec3<double>& to_p) {
    const distance::Feature feature = feature_of(weights);
    const Vec3<double> normal = distance::internal::pseudonormal<double>(surface, triangle, feature);
    return distance::internal::on_inner_side<double>(surface, triangle, feature, normal, p, to_p);
  };
  return inward(A, nearest.triangle_A, nearest.weight_A, p2, gap) ||
         inward(B, nearest.triangle_B, nearest.weight_B, X_AB.inverse() * p1, -(X_AB.R.transpose() * gap));
}

SurfaceWitness apart_witness(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB,
                             std::int32_t triangle_A, std::int32_t triangle_B,
                             const distance::TrianglePair<double>& pair) {
  SurfaceWitness found;
  found.triangle_A = triangle_A, found.triangle_B = triangle_B;
  found.weight_A = pair.weight_A, found.weight_B = pair.weight_B;
  Witness<double>& w = found.witness;
  w = invalid_witness();
  w.p1 = pair.on_A, w.p2 = pair.on_B;
  w.distance = std::sqrt(pair.distance2);
  const double rounding = kRounding * reach_of(A, B, X_AB);
  w.lower_bound = w.distance - rounding, w.upper_bound = w.distance + rounding;
  const bool one_point = w.distance <= touching_distance(A, B, X_AB);
  w.status = one_point ? Status::kTouching : Status::kOk;
  w.n = w.distance > 64 * rounding ? Vec3<double>((w.p2 - w.p1) / w.distance)
                                   : normal_at_one_point(A, B, X_AB, found);
  add_simplex(A, B, found);
  return found;
}

bool settle_normal(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB,
                   SurfaceWitness& found) {
  Witness<double>& w = found.witness;
  const double rounding = kRounding * reach_of(A, B, X_AB);
  if (!(w.distance >= 0 && w.distance <= kNearlyTouching * size_of(A, B))) return false;
  const TouchingNormal touching =
      touching_normal(A, B, X_AB, {found.triangle_A, found.weight_A}, {found.triangle_B, found.weight_B},
                      touching_distance(A, B, X_AB));
  const bool one_point = w.distance <= 64 * rounding;
  if (one_point ? touching.n.norm() > 0.5 : (touching.n - w.n).norm() * w.distance <= 4 * rounding)
    w.n = touching.n;
  return touching.separates || !one_point;
}

SurfaceWitness deepest_witness(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB,
                               const DeepestPoint& deepest, bool of_A) {
  const Vec3<double> weight =
      weights_at(distance::internal::triangle_of<double>(of_A ? B : A, deepest.triangle_outer),
                 deepest.feature_outer, deepest.nearest);
  SurfaceWitness found;
  found.of_A = of_A;
  Witness<double>& w = found.witness;
  w = invalid_witness();
  if (of_A) {  // the search was in B's frame
    w.p1 = X_AB * deepest.point, w.p2 = X_AB * deepest.nearest, w.n = X_AB.R * -deepest.normal;
    found.triangle_A = deepest.triangle_inner, found.triangle_B = deepest.triangle_outer;
    found.weight_A = deepest.weight_inner, found.weight_B = weight;
  } else {
    w.p1 = deepest.nearest, w.p2 = deepest.point, w.n = deepest.normal;
    found.triangle_A = deepest.triangle_outer, found.triangle_B = deepest.triangle_inner;
    found.weight_A = weight, found.weight_B = deepest.weight_inner;
  }
  w.distance = w.upper_bound = -deepest.depth;
  w.lower_bound = -deepest.bound;
  w.status = deepest.complete ? Status::kOk : Status::kNotConverged;
  add_simplex(A, B, found);
  return found;
}

}  // namespace internal

void require_surfaces(const body::Pair& pair, const char* who) {
  body::require_valid(pair, body::kSurfacePart, who);
  const int primitives =
      (pair.A->geometry.primitive() != nullptr) + (pair.B->geometry.primitive() != nullptr);
  for (const body::Body* body : {pair.A, pair.B})
    if (body->geometry.primitive() != nullptr)
      throw InvalidInput(std::string(who) + ": " + body->geometry.name() +
                         " is a primitive, where surfaces of two assets are needed; " +
                         (primitives == 2
                              ? "the model hull has distances of two primitives"
                              : "the model surface has distances of a primitive and an asset, and "
                                "their derivatives"));
}

SurfaceWitness surface_separation(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB,
                                  SurfaceScratch& scratch, const SurfaceWitness& near) {
  SurfaceWitness found;
  Witness<double>& w = found.witness;
  w = invalid_witness();
  if (!X_AB.finite() || A.triangle_count <= 0 || B.triangle_count <= 0) return found;
  const double size = size_of(A, B);
  const double between = (X_AB * bvh::ball_of(B.tree).center - bvh::ball_of(A.tree).center).stableNorm();
  if (!(between <= kFar * size)) return far_separation(A, B, X_AB);

  const distance::NearestTriangles nearest =
      distance::nearest_triangles(A, B, X_AB, near.triangle_A, near.triangle_B);
  if (nearest.triangle_A < 0) return found;
  found = apart_witness(A, B, X_AB, nearest.triangle_A, nearest.triangle_B, nearest.pair);
  w.iterations = nearest.visits;
  if (!nearest.complete()) {
    w.lower_bound = std::min(w.lower_bound, nearest.bound);
    w.status = Status::kNotConverged;
  }

  const bool leads_apart = internal::settle_normal(A, B, X_AB, found);
  const bool overlap = w.distance > internal::unsure_distance(A, B)
                           ? is_within(A, B, X_AB, found)
                           : !leads_apart || !parts(A, B, X_AB, found);
  if (overlap) find_deepest(A, B, X_AB, internal::touching_distance(A, B, X_AB), scratch, found);
  return found;
}

SurfaceSolver::SurfaceSolver(const body::Geometry& A, const body::Geometry& B) : A_(A), B_(B) {
  const body::Body a{A}, b{B};
  require_surfaces({&a, &b, {}}, "separation");
}

witness::Witness<double> SurfaceSolver::operator()(const Pose<double>& X_AB) {
  near_ = surface_separation(A_.surface(), B_.surface(), X_AB, scratch_, near_);
  return near_.witness;
}

}  // namespace abut::proximity
