#include "runtime/proximity/depth_derivative.h"

#include <algorithm>
#include <cmath>

#include "runtime/bvh/overlap.h"
#include "runtime/distance/depth_balance.h"
#include "runtime/distance/surface_distance.h"

namespace abut::proximity {
namespace {

using asset::SurfaceView;
using derivative::WitnessDerivative;
using distance::Balance;
using distance::NearFeatures;

constexpr double kEqual = 1e-9;       // relative to the depth: features that are equally near
constexpr double kSameSlope = 1e-6;   // m / m; times the size: m / rad
constexpr double kParallel = 1e-9;    // sine of an angle that counts as zero
constexpr double kSameWeight = 1e-9;  // difference of weights that are equal
constexpr double kSameNormal = 1e-6;  // rad

// One deepest point and the features nearest to it; all in the outer surface's frame except for the slopes.
struct Deepest {
  const SurfaceView &inner, &outer;
  bool of_A;  // whether A is the inner body
  Pose<double> X_OI;
  SurfacePoint at;
  double size;  // m
  distance::FlatBasis flat;
  NearFeatures near;
  double equal;  // m: difference up to which depths are equal

  Deepest(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB, const SurfaceWitness& found)
      : inner(found.of_A ? A : B), outer(found.of_A ? B : A), of_A(found.of_A) {
    X_OI = of_A ? X_AB.inverse() : X_AB;
    at = of_A ? SurfacePoint{found.triangle_A, found.weight_A}
              : SurfacePoint{found.triangle_B, found.weight_B};
    size = bvh::ball_of(A.tree).radius + bvh::ball_of(B.tree).radius;
    distance::Triangle<double> t = distance::internal::triangle_of<double>(inner, at.triangle);
    for (Vec3<double>& v : t) v = X_OI * v;
    flat = flat_at(inner, at, distance::internal::face_normal<double>(inner, at.triangle));
    for (Vec3<double>& u : flat.along) u = X_OI.R * u;
    equal = kEqual * std::abs(found.witness.distance) + distance::kEqualDepth * size;
    near = distance::near_features(outer, distance::internal::at(t, at.weight), equal);
  }

  // The flat of the outer surface's nearest point, in that surface's frame.
  distance::FlatBasis of_outer(const Pose<double>& X_AB, const SurfaceWitness& found) const {
    const Vec3<double>& n = found.witness.n;
    return of_A ? flat_at(outer, {found.triangle_B, found.weight_B}, X_AB.R.transpose() * n)
                : flat_at(outer, {found.triangle_A, found.weight_A}, n);
  }

  // Derivative of the distance of feature i with respect to xi of B, with the point held in its body.
  Row6<double> slope(int i, const Pose<double>& X_AB, const Vec3<double>& p_inner) const {
    const distance::NearFeature& f = near.feature[i];
    const Vec3<double> n_B = of_A ? Vec3<double>(-f.normal) : Vec3<double>(X_AB.R.transpose() * f.normal);
    const Vec3<double> arm = (of_A ? f.nearest : p_inner).cross(n_B);
    Row6<double> dd;
    dd << arm.x(), arm.y(), arm.z(), n_B.x(), n_B.y(), n_B.z();
    return dd;
  }

  // The balance in which the feature that the witness names has the greatest weight; null if there is none.
  const Balance* of_witness(std::span<const Balance> all, const SurfaceWitness& found) const {
    const Vec3<double> n = of_A ? Vec3<double>(X_OI.R * -found.witness.n) : found.witness.n;
    int named = 0;  // the feature that the witness names, found by its normal
    for (int f = 1; f < near.count; ++f)
      if (near.feature[f].normal.dot(n) > near.feature[named].normal.dot(n)) named = f;
    const Balance* best = nullptr;
    for (const Balance& b : all)
      if (best == nullptr || b.weight_of(named) > best->weight_of(named)) best = &b;
    return best;
  }

  // Whether every balance gives the greatest weight to the witness's normal, and to no other one. If not, n
  // jumps where another balance becomes the least one.
  bool one_normal(std::span<const Balance> all, const SurfaceWitness& found) const {
    const Vec3<double> n = of_A ? Vec3<double>(X_OI.R * -found.witness.n) : found.witness.n;
    return std::all_of(all.begin(), all.end(), [&](const Balance& b) {
      const double greatest = *std::max_element(b.weight.begin(), b.weight.end());
      for (int k = 0; k < b.count; ++k)
        if (b.weight[k] >= greatest - kSameWeight &&
            (near.feature[b.feature[k]].normal - n).norm() > kSameNormal)
          return false;
      return true;
    });
  }

  // Whether the inner surface contains a direction from the point along which the depth stays the same. In
  // each wedge with sides u and v it looks for a direction u + share (v - u) along which no distance
  // decreases.
  bool level() const {
    bool found = false;
    internal::visit_wedges(inner, at.triangle, feature_of(at.weight),
                           [&](const Vec3<double>& u, const Vec3<double>& v) {
                             double least = 0, most = 1;
                             for (int i = 0; i < near.count; ++i) {
                               const double at_u = near.feature[i].normal.dot(X_OI.R * u) - kParallel,
                                            at_v = near.feature[i].normal.dot(X_OI.R * v) - kParallel;
                               if (at_u > 0 && at_v > 0) most = -1;
                               if (at_u > 0) least = std::max(least, at_u / (at_u - at_v));
                               if (at_v > 0) most = std::min(most, at_u / (at_u - at_v));
                             }
                             found = found || least <= most;
                           });
    return found;
  }
};

}  // namespace

WitnessDerivative<double> depth_derivative(const SurfaceView& A, const SurfaceView& B,
                                           const Pose<double>& X_AB, const SurfaceWitness& found,
                                           Mat6<double>* hessian) {
  const Deepest deepest(A, B, X_AB, found);
  const Vec3<double> p_inner = distance::internal::at(
      distance::internal::triangle_of<double>(deepest.inner, deepest.at.triangle), deepest.at.weight);
  const distance::FlatBasis held;  // the deepest point is held in its body for now
  const distance::FlatBasis outer = deepest.of_outer(X_AB, found);
  WitnessDerivative<double> result = feature_derivative(found.witness, X_AB, deepest.of_A ? held : outer,
                                                        deepest.of_A ? outer : held, hessian);
  if (hessian != nullptr && deepest.flat.dimension > 0)
    hessian->setConstant(std::numeric_limits<double>::quiet_NaN());
  if (result.status == Status::kInvalidInput) return result;

  std::array<Balance, 16> all;
  int count = 0;
  distance::balance_depths(deepest.near, deepest.flat, deepest.equal, all, &count);
  const Balance* const balance = deepest.of_witness({all.data(), static_cast<std::size_t>(count)}, found);
  const auto mean = [&](const Balance& b) {
    Row6<double> sum = Row6<double>::Zero();
    for (int k = 0; k < b.count; ++k) sum += b.weight[k] * deepest.slope(b.feature[k], X_AB, p_inner);
    return sum;
  };
  const auto clamp = [&] {
    result.clamped_count = std::max(result.clamped_count, 1);
    result.status = derivative::detail::status_of_derivative(found.witness.status, result.clamped_count);
  };
  if (balance == nullptr) {  // derivative of the nearest feature only
    clamp();
    return result;
  }
  const Row6<double> dd = mean(*balance);
  Row6<double> scale;
  scale << deepest.size, deepest.size, deepest.size, 1, 1, 1;
  for (int i = 0; i < count; ++i)
    if (((mean(all[i]) - dd).array().abs() > kSameSlope * scale.array()).any()) clamp();
  // The point follows all features that occur in any balance, if it can.
  std::array<int, NearFeatures::kMax> followed;
  int follow_count = 0;
  for (int f = 0; f < deepest.near.count; ++f)
    if (std::any_of(all.begin(), all.begin() + count, [&](const Balance& b) { return b.weight_of(f) > 0; }))
      followed[follow_count++] = f;
  const std::span<const int> features(followed.data(), follow_count);
  distance::Shares right(follow_count, 6);
  for (int k = 0; k < follow_count; ++k) right.row(k) = dd - deepest.slope(features[k], X_AB, p_inner);
  int rank = 0;
  const distance::Pulls P = distance::pulls(deepest.near, deepest.flat, features);
  const Eigen::Matrix<double, 2, 6> dz = distance::shortest_move(P, right, &rank);
  const Row6<double> off = (P * dz - right).cwiseAbs().colwise().maxCoeff();
  const bool kink = (off.array() > kSameSlope * scale.array()).any();
  if (kink || rank < deepest.flat.dimension || found.equalled || deepest.level() ||
      !deepest.one_normal({all.data(), static_cast<std::size_t>(count)}, found))
    clamp();

  // A move of the point in its body has the same effect as the same translation of the body.
  const Mat36<double> move_O = deepest.flat.along[0] * dz.row(0) + deepest.flat.along[1] * dz.row(1);
  const Mat36<double> move_A = deepest.of_A ? Mat36<double>(X_AB.R * move_O) : move_O;
  const Mat36<double> moved_B = (deepest.of_A ? -1.0 : 1.0) * (X_AB.R.transpose() * move_A);
  const auto follow = [&](Mat36<double>& d) { d += d.rightCols<3>().eval() * moved_B; };
  follow(result.dp1_A_dxi_B), follow(result.dp2_A_dxi_B), follow(result.dn_A_dxi_B);
  if (deepest.of_A) result.dp1_A_dxi_B += move_A, result.dp2_A_dxi_B += move_A;
  result.dd_dxi_B = dd;
  return result;
}

}  // namespace abut::proximity
