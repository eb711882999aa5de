#include "runtime/proximity/primitive_query.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "runtime/body/primitive_distance.h"
#include "runtime/distance/depth_balance.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/math/two_unknowns.h"
#include "runtime/proximity/primitive_sides.h"

namespace abut::proximity {
namespace {

using asset::SurfaceView;
using internal::Sides, internal::support;

constexpr double kTouching = 1e-13;       // relative to the size: a distance that counts as zero
constexpr double kEqual = 1e-12;          // relative to the size: depths that count as equal
constexpr double kNearlyTouching = 1e-6;  // of the size: below it features define n better than points
constexpr double kKink = 1e-6;            // m / m: slope along a feature at its nearest point

// The witness of points on S and P with the direction from P to S; all in P.
SurfaceWitness witness_of(const Sides& sides, const Vec3<double>& on_S, const Vec3<double>& on_P,
                          const Vec3<double>& n_PS, double distance) {
  SurfaceWitness found;
  witness::Witness<double>& w = found.witness;
  const Vec3<double> s = sides.X_AP * on_S, p = sides.X_AP * on_P, n = sides.X_AP.R * n_PS;
  w.p1 = sides.primitive_is_A ? p : s, w.p2 = sides.primitive_is_A ? s : p;
  w.n = sides.primitive_is_A ? n : Vec3<double>(-n);
  w.distance = w.upper_bound = distance;
  w.lower_bound = distance;
  w.iterations = w.simplex_size = 0;
  std::fill_n(w.vertex_A, 3, -1), std::fill_n(w.vertex_B, 3, -1), std::fill_n(w.weight, 3, 0.0);
  w.status = Status::kOk;
  return found;
}

// Deviation of the triangles that approximate a primitive, m: vertices deviate by half of it.
double deviation(const Sides& sides, const SurfaceView& triangles) {
  double most = 0;
  for (std::int32_t v = 0; v < triangles.vertex_count; ++v)
    most = std::max(
        most, std::abs(sides.f(Eigen::Map<const Vec3<double>>(triangles.vertices + std::ptrdiff_t(3) * v))));
  return 2 * most;
}

// Finds the deepest point of P within S if one is deeper than `least`; no point is deeper than `bound`.
bool deepest_of_primitive(const Sides& sides, const SurfaceView& triangles, double least,
                          PrimitiveScratch& scratch, SurfaceWitness& found, double& bound) {
  constexpr int kTurns = 8;
  const Pose<double> X_SP = sides.X_PS.inverse();
  const double off = deviation(sides, triangles);
  const distance::DeepestPoint on_triangles =
      scratch.deepest(triangles, sides.surface, X_SP, std::max(0.0, least - off));
  bound = std::max(least, on_triangles.bound + off);
  found.witness.iterations += on_triangles.steps;
  if (!on_triangles.complete) found.witness.status = Status::kNotConverged;
  if (on_triangles.triangle_inner < 0) return false;
  Vec3<double> p = sides.X_PS * on_triangles.point;
  const auto on_P = body::primitive_distance<double>(sides.primitive, p, 1);
  p -= on_P.value * on_P.gradient;
  distance::SurfaceDistance<double> at = distance::signed_distance<double>(sides.surface, X_SP * p);
  for (int turn = 0; turn < kTurns;
       ++turn) {  // the point where a plane across the normal touches P is usually deeper
    const Vec3<double> next = support(sides.primitive, sides.X_PS.R * -at.gradient);
    const auto there = distance::signed_distance<double>(sides.surface, X_SP * next);
    if (!(there.distance < at.distance)) break;
    p = next, at = there;
  }
  if (!(-at.distance > least)) return false;
  const int steps = found.witness.iterations;
  const Status status = found.witness.status;
  found = witness_of(sides, sides.X_PS * at.closest, p, sides.X_PS.R * -at.gradient, at.distance);
  found.witness.iterations = steps, found.witness.status = status;
  found.of_A = sides.primitive_is_A;
  const Vec3<double> weight =
      weights_at(distance::internal::triangle_of<double>(sides.surface, at.triangle), at.feature, at.closest);
  (sides.primitive_is_A ? found.triangle_B : found.triangle_A) = at.triangle;
  (sides.primitive_is_A ? found.weight_B : found.weight_A) = weight;
  return true;
}

// Where the bodies touch to within rounding, several normals may be as good as that of the nearest point,
// whose search does not see them all; this takes the one that separates.
void settle_normal(const Sides& sides, double touching, SurfaceWitness& found) {
  constexpr double kShallow =
      8 * kEqual;  // of the size: depths that the two ways of measuring do not distinguish
  witness::Witness<double>& w = found.witness;
  if (!(w.distance >= -kShallow * sides.size && w.distance <= kNearlyTouching * sides.size)) return;
  const Vec3<double> x = sides.X_AP.inverse() * (sides.primitive_is_A ? w.p2 : w.p1);
  const SurfacePoint at_S = sides.primitive_is_A ? SurfacePoint{found.triangle_B, found.weight_B}
                                                 : SurfacePoint{found.triangle_A, found.weight_A};
  const TouchingNormal settled = internal::touching_normal(sides, x, at_S, touching);
  const Vec3<double> n = sides.X_AP.R * (sides.primitive_is_A ? settled.n : Vec3<double>(-settled.n));
  const bool one_point = w.distance <= 4 * touching;
  if (one_point || (n - w.n).norm() * w.distance <= 4 * sides.rounding) w.n = n;
}

// The motion of S in P that corresponds to xi of B: x -> turn cross x + shift, linear in xi.
struct Motion {
  Mat36<double> turn = Mat36<double>::Zero(), shift = Mat36<double>::Zero();

  Motion(const body::Pair& pair, const Sides& sides) {
    const Mat3<double> R = sides.primitive_is_A ? pair.X_AB.R : Mat3<double>(-Mat3<double>::Identity());
    turn.leftCols<3>() = R, shift.rightCols<3>() = R;
    if (sides.primitive_is_A) shift.leftCols<3>() = skew(pair.X_AB.p) * R;
  }

  // Derivative of a point fixed in B, in B.
  static Mat36<double> of_B(const Vec3<double>& p) {
    Mat36<double> d;
    d << -skew(p), Mat3<double>::Identity();
    return d;
  }
};

// Adds to dp the motion of the point along its flat that keeps the distance least; returns whether that
// motion is determined.
bool slide(const Sides& sides, const Motion& motion, const body::PrimitiveDistance<double>& f,
           const distance::FlatBasis& flat, Mat36<double>& dp) {
  constexpr double kFlat = 1e-9;  // times 1 / size: curvature that counts as zero
  if (flat.dimension == 0) return true;
  Eigen::Matrix<double, 3, 2> U;  // a zero column for each dimension below two
  U << sides.X_PS.R * flat.along[0], sides.X_PS.R * flat.along[1];
  const derivative::Mat2<double> along = U.transpose() * f.hessian * U;
  if (along.norm() <= kFlat / sides.size) return false;
  Eigen::Matrix<double, 2, 6> right = -(U.transpose() * f.hessian * dp);
  for (int k = 0; k < 2; ++k) right.row(k) -= U.col(k).cross(f.gradient).transpose() * motion.turn;
  int rank = 0;
  dp += U * shortest_least_squares(along, right, kKink, &rank);
  return rank == flat.dimension && (U.transpose() * f.gradient).norm() <= kKink;
}

// Whether an edge or a face of S about the point lies along P, at the same distance all the way: then the
// points slide. A direction d from the point does where the slope g.d and the bend d'Hd of the distance
// vanish.
bool lies_along(const Sides& sides, std::int32_t triangle, const Vec3<double>& weight,
                const body::PrimitiveDistance<double>& f) {
  constexpr double kFlat = 1e-9;  // times 1 / size: curvature that counts as zero
  const auto level = [&](const Vec3<double>& d) { return std::abs(f.gradient.dot(d)) <= kKink; };
  const auto flat = [&](const Vec3<double>& d) { return d.dot(f.hessian * d) <= kFlat / sides.size; };
  bool found = false;
  internal::visit_wedges(
      sides.surface, triangle, feature_of(weight), [&](const Vec3<double>& u_S, const Vec3<double>& v_S) {
        const Vec3<double> u = sides.X_PS.R * u_S, v = sides.X_PS.R * v_S, way = v - u;
        if (found || !level(u)) return;
        found = flat(u);
        if (found || !level(v)) return;
        const double bend = way.dot(f.hessian * way);  // of u + t way, which is least at:
        const double t = bend > 0 ? std::clamp(-u.dot(f.hessian * way) / bend, 0.0, 1.0) : 0;
        found = flat((u + t * way).normalized());
      });
  return found;
}

// The primitive's distance at x, with the slope n of the answer where several faces are equally near.
body::PrimitiveDistance<double> distance_with(const Sides& sides, const Vec3<double>& x,
                                              const Vec3<double>& n) {
  constexpr double kClose = 1e-4;  // more than curvature causes
  auto f = body::primitive_distance<double>(sides.primitive, x, 2);
  if ((f.gradient - n).norm() > kKink) {
    const auto beside = body::primitive_distance<double>(sides.primitive, x + sides.beside * n, 2);
    if ((beside.gradient - n).norm() > kClose) return f;
    f.hessian = beside.hessian;
  }
  const Mat3<double> across = Mat3<double>::Identity() - n * n.transpose();  // the gradient keeps its length
  f.gradient = n, f.hessian = (across * f.hessian * across).eval();
  return f;
}

Vec3<double> mean_normal(const distance::NearFeatures& near, const distance::Balance& balance) {
  Vec3<double> mean = Vec3<double>::Zero();
  for (int k = 0; k < balance.count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    mean += balance.weight[at] * near.feature[static_cast<std::size_t>(balance.feature[at])].normal;
  }
  return mean;
}

// Whether the primitive's distance has a different slope next to x.
bool has_kink(const Sides& sides, const Vec3<double>& x, const Vec3<double>& slope) {
  constexpr double kOther = 1e-3;  // more than curvature causes
  for (int k = 0; k < 6; ++k) {
    const Vec3<double> aside = (k < 3 ? 1 : -1) * Vec3<double>::Unit(k % 3);
    const auto f = body::primitive_distance<double>(sides.primitive, x + sides.beside * aside, 1);
    if ((f.gradient - slope).norm() > kOther) return true;
  }
  return false;
}

// The slope, with respect to a move of S, of the distance at the point x of S, in P. Where the distance has a
// kink, it is the mean of the slopes around x with weights under which they cancel along the flat of the
// point.
Vec3<double> carried_slope(const Sides& sides, const Vec3<double>& x, const Vec3<double>& slope,
                           distance::FlatBasis flat) {
  constexpr int kAround = 8;
  static_assert(kAround <= distance::NearFeatures::kMax);
  Vec3<double> kept = slope;
  for (Vec3<double>& along : flat.along) along = sides.X_PS.R * along, kept -= along.dot(slope) * along;
  if ((slope - kept).norm() <= kKink) return slope;
  distance::NearFeatures near;
  for (int k = 0; k < kAround; ++k) {
    const double angle = 2 * std::numbers::pi * k / kAround;
    const Vec3<double> aside = std::cos(angle) * flat.along[0] + std::sin(angle) * flat.along[1];
    const Vec3<double> n =
        body::primitive_distance<double>(sides.primitive, x + sides.beside * aside, 1).gradient;
    const auto known = near.feature.begin() + near.count;
    if (std::none_of(near.feature.begin(), known,
                     [&](const auto& o) { return (o.normal - n).norm() <= kKink; }))
      near.feature[static_cast<std::size_t>(near.count++)] = {0, x, n, 0, distance::Feature::kFace};
  }
  const distance::Balance balance = distance::balance_depths(near, flat);
  return balance.count == 0 ? slope : mean_normal(near, balance);
}

// The slope, with respect to a move, of the depth of P's point p within S, from P to S and in P: the mean of
// the normals of the equally near faces of S, with weights under which their pulls along P cancel as well as
// they can at a point found on triangles; n if there are no such weights.
Vec3<double> held_slope(const Sides& sides, const SurfaceView& triangles, const Vec3<double>& p,
                        const Vec3<double>& n) {
  constexpr double kFacet = 0.06;  // greatest angle of a triangle with the round primitive it approximates
  distance::FlatBasis flat = internal::flat_of_primitive(sides, p);
  double pull = 0;
  for (const Vec3<double>& along : flat.along) pull = std::max(pull, std::abs(along.dot(n)));
  if (pull <= kKink) return n;
  for (Vec3<double>& along : flat.along) along = sides.X_PS.R.transpose() * along;
  const double off = deviation(sides, triangles);
  const distance::NearFeatures near =
      distance::near_features(sides.surface, sides.X_PS.inverse() * p, off + sides.beside);
  const bool is_round = off > sides.beside;
  const distance::Balance balance =
      distance::balance_depths(near, flat, 0, {}, nullptr, is_round ? kFacet : distance::kBalanced);
  return balance.count == 0 ? n : Vec3<double>(sides.X_PS.R * -mean_normal(near, balance));
}

// Derivative of a point of P within S that is held fixed in P.
derivative::WitnessDerivative<double> held_derivative(const body::Pair& pair, const Sides& sides,
                                                      const witness::Witness<double>& w,
                                                      const SurfacePoint& at) {
  const body::Geometry& of_P = (sides.primitive_is_A ? pair.A : pair.B)->geometry;
  const distance::FlatBasis held, flat = flat_at(sides.surface, at, sides.in_S(w.n));
  derivative::WitnessDerivative<double> result = sides.primitive_is_A
                                                     ? feature_derivative(w, pair.X_AB, held, flat)
                                                     : feature_derivative(w, pair.X_AB, flat, held);
  const Vec3<double> p = sides.primitive_is_A ? w.p1 : pair.X_AB.inverse() * w.p2;
  const Mat3<double> R_PA = sides.X_AP.R.transpose();
  const double sign = sides.primitive_is_A ? 1 : -1;  // w.n times this points from P to S
  const Vec3<double> slope_A =
      sign * (sides.X_AP.R * held_slope(sides, of_P.surface(), p, sign * (R_PA * w.n)));
  const Vec3<double> p_B = sides.primitive_is_A ? Vec3<double>(pair.X_AB.inverse() * w.p1) : p;
  result.dd_dxi_B = (pair.X_AB.R.transpose() * slope_A).transpose() * Motion::of_B(p_B);
  result.clamped_count = std::max(result.clamped_count, 1);
  result.status = derivative::detail::status_of_derivative(w.status, result.clamped_count);
  return result;
}

}  // namespace

bool of_primitive_and_surface(const body::Pair& pair) {
  return pair.A != nullptr && pair.B != nullptr &&
         (pair.A->geometry.primitive() != nullptr) != (pair.B->geometry.primitive() != nullptr);
}

void require_primitive_and_surface(const body::Pair& pair, const char* who) {
  const bool A_is = pair.A->geometry.primitive() != nullptr;
  body::require_valid(pair, A_is ? body::kNoPart : body::kSurfacePart,
                      A_is ? body::kSurfacePart : body::kNoPart, who);
}

SurfaceWitness primitive_separation(const body::Pair& pair, PrimitiveScratch& scratch) {
  const Sides sides(pair);
  const body::Geometry& of_P = (sides.primitive_is_A ? pair.A : pair.B)->geometry;
  const distance::LeastPoint least = scratch.least(sides.primitive, sides.surface, sides.X_PS);
  SurfaceWitness found = witness_of(sides, least.point, least.point - least.distance * least.normal,
                                    least.normal, least.distance);
  witness::Witness<double>& w = found.witness;
  if (least.triangle < 0 || !std::isfinite(least.distance) || !w.p1.allFinite() || !w.p2.allFinite()) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    found = witness_of(sides, Vec3<double>::Constant(nan), Vec3<double>::Constant(nan),
                       Vec3<double>::Constant(nan), nan);
    found.witness.status = Status::kInvalidInput;
    return found;
  }
  (sides.primitive_is_A ? found.triangle_B : found.triangle_A) = least.triangle;
  (sides.primitive_is_A ? found.weight_B : found.weight_A) = least.weight;
  found.of_A = !sides.primitive_is_A;
  w.lower_bound = least.bound - sides.rounding, w.upper_bound = least.distance + sides.rounding;
  w.iterations = least.steps;
  if (!least.complete) w.status = Status::kNotConverged;
  const double touching = kTouching * sides.size + sides.rounding;
  const bool within =
      least.distance > 0 && of_P.half_space() == nullptr &&
      distance::signed_distance<double>(sides.surface, sides.X_PS.inverse() * Vec3<double>::Zero()).distance <
          0;
  // The points of a half-space are never deeper than those of the surface.
  if ((least.distance <= touching || within) && of_P.half_space() == nullptr) {
    double bound = 0;
    const double depth = std::max(0.0, -least.distance);
    if (deepest_of_primitive(sides, of_P.surface(), depth + kEqual * sides.size, scratch, found, bound))
      w.lower_bound = -std::max(bound, -least.bound), w.upper_bound = w.distance + sides.rounding;
    else
      w.lower_bound = std::min(w.lower_bound, -bound);
  }
  settle_normal(sides, touching, found);
  if (std::abs(w.distance) <= touching && w.status == Status::kOk) w.status = Status::kTouching;
  return found;
}

derivative::WitnessDerivative<double> primitive_derivative(const body::Pair& pair,
                                                           const SurfaceWitness& found) {
  const witness::Witness<double>& w = found.witness;
  if (w.status == Status::kInvalidInput) return derivative::detail::invalid_derivative<double>();
  const Sides sides(pair);
  const SurfacePoint at = sides.primitive_is_A ? SurfacePoint{found.triangle_B, found.weight_B}
                                               : SurfacePoint{found.triangle_A, found.weight_A};
  if (found.of_A == sides.primitive_is_A && w.distance < 0) return held_derivative(pair, sides, w, at);

  // In P. For the surface's point:
  const Motion motion(pair, sides);
  const Vec3<double> x =
      sides.X_PS *
      distance::internal::at(distance::internal::triangle_of<double>(sides.surface, at.triangle), at.weight);
  const Vec3<double> n_P = sides.X_AP.R.transpose() * (sides.primitive_is_A ? w.n : Vec3<double>(-w.n));
  const auto f = w.distance <= kNearlyTouching * sides.size
                     ? distance_with(sides, x, n_P)
                     : body::primitive_distance<double>(sides.primitive, x, 2);
  // A point that is deepest in a kink of P moves along a flat that n is not perpendicular to.
  const distance::FlatBasis flat = flat_at(
      sides.surface, at,
      w.distance < 0 ? distance::internal::face_normal<double>(sides.surface, at.triangle) : sides.in_S(w.n));
  Mat36<double> dp = motion.shift - skew(x) * motion.turn;
  const Row6<double> dd = carried_slope(sides, x, f.gradient, flat).transpose() * dp;
  const bool exact = slide(sides, motion, f, flat, dp) && !lies_along(sides, at.triangle, at.weight, f) &&
                     !(w.distance < 0 && flat.dimension == 0 && has_kink(sides, x, f.gradient));
  // For the primitive's point and the normal:
  const Mat36<double> dg = f.hessian * dp, dq = dp - f.gradient * dd - f.value * dg;
  const Vec3<double> q = x - f.value * f.gradient;

  derivative::WitnessDerivative<double> result = derivative::detail::invalid_derivative<double>();
  if (!dp.allFinite() || !dq.allFinite() || !dg.allFinite() || !dd.allFinite()) return result;
  result.clamped_count = exact ? 0 : 1;
  result.status = derivative::detail::status_of_derivative(w.status, result.clamped_count);
  result.clamped_A = {Vec3<double>::Zero(), Vec3<double>::Zero()};
  result.dd_dxi_B = dd;
  if (sides.primitive_is_A) {
    result.dp1_A_dxi_B = dq, result.dp2_A_dxi_B = dp, result.dn_A_dxi_B = dg;
  } else {  // P is B, which moves in A
    const Mat3<double>& R = pair.X_AB.R;
    result.dp1_A_dxi_B = R * (dp + motion.of_B(x)), result.dp2_A_dxi_B = R * (dq + motion.of_B(q));
    Mat36<double> turned = dg;
    turned.leftCols<3>() -= skew(f.gradient);
    result.dn_A_dxi_B = -R * turned;
  }
  return result;
}

}  // namespace abut::proximity
