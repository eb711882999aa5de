#include "runtime/proximity/surface_smoothed.h"

#include <algorithm>
#include <cmath>

#include "runtime/bvh/traversal.h"
#include "runtime/distance/surface_distance.h"

namespace abut::proximity {
namespace {

using asset::SurfaceView;
using derivative::WitnessDerivative;

constexpr double kReach = 20;               // in temperatures beyond the least term
constexpr std::size_t kMaxTerms = 1 << 16;  // tens of megabytes
constexpr double kWeighing = 1e-9;          // least share of a pair that matters in a derivative
constexpr double kParallel = 1e-7;          // sine of an angle that counts as zero, as in feature_derivative
constexpr double kCancelled = 1e-3;         // length of a mean normal that defines no direction

// Collects the unit directions from the corner farthest along n to the other corners that are equally far.
int ways_across(const distance::Triangle<double>& t, const Vec3<double>& n, Vec3<double> (&ways)[2]) {
  int top = 0, count = 0;
  for (int k = 1; k < 3; ++k)
    if (n.dot(t[k] - t[top]) > 0) top = k;
  for (int k = 0; k < 3; ++k) {
    if (k == top) continue;
    const Vec3<double> way = (t[k] - t[top]).normalized();
    if (std::abs(n.dot(way)) <= kParallel) ways[count++] = way;
  }
  return count;
}

// Whether the nearest points of two triangles slide: faces or edges of both, perpendicular to n, are
// parallel.
bool slide(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB, const SurfaceWitness& at) {
  Vec3<double> of_A[2], of_B[2];
  const int a = ways_across(distance::internal::triangle_of<double>(A, at.triangle_A), at.witness.n, of_A);
  if (a == 0) return false;
  const Vec3<double> n_B = X_AB.R.transpose() * -at.witness.n;
  const int b = ways_across(distance::internal::triangle_of<double>(B, at.triangle_B), n_B, of_B);
  return a + b > 2 || (b == 1 && of_A[0].cross(X_AB.R * of_B[0]).norm() <= kParallel);
}

}  // namespace

void SurfaceSmoother::add_pairs(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB,
                                double least, double beyond, Status& status) {
  const double reach = least + beyond;
  if (distance::near_triangles(A, B, X_AB, reach, kMaxTerms, pairs_) < reach) status = Status::kNotConverged;
  for (const distance::NearPair& pair : pairs_)
    terms_.push_back(
        {internal::apart_witness(A, B, X_AB, pair.triangle_A, pair.triangle_B, pair.pair), false});
}

// Adds the vertices of one surface within the other whose depth may weigh next to that of the deepest one;
// updates `deepest` (m).
void SurfaceSmoother::add_inside(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB,
                                 bool of_A, double reach, double& deepest) {
  const SurfaceView &of = of_A ? A : B, &within = of_A ? B : A;
  const Pose<double> X_WO = of_A ? X_AB.inverse() : X_AB;
  known_.assign(static_cast<std::size_t>(of.vertex_count), 0);
  const auto least = [&] { return std::max(0.0, deepest - reach); };
  const auto may_be_inside = [&](const Vec3<double>& low, const Vec3<double>& high) {
    const Vec3<double> center = X_WO * Vec3<double>(low / 2 + high / 2);
    return distance::signed_distance<double>(within, center).distance < (high / 2 - low / 2).norm() - least();
  };
  bvh::visit_boxes(of.tree, may_be_inside, [&](std::int32_t first, std::int32_t count) {
    for (std::int32_t corner = 3 * first; corner < 3 * (first + count); ++corner) {
      char& known = known_[of.triangles[corner]];
      if (known != 0) continue;
      known = 1;
      distance::DeepestPoint point;
      point.point = X_WO * distance::internal::corner<double>(of, corner / 3, corner % 3);
      const auto found = distance::signed_distance<double>(within, point.point);
      if (!(found.distance < -least())) continue;
      deepest = std::max(deepest, -found.distance);
      point.depth = point.bound = -found.distance;
      point.nearest = found.closest;
      point.normal = found.gradient;
      point.triangle_inner = corner / 3, point.triangle_outer = found.triangle;
      point.feature_outer = found.feature;
      point.weight_inner = Vec3<double>::Unit(corner % 3);
      terms_.push_back({internal::deepest_witness(A, B, X_AB, point, of_A), true});
    }
  });
}

// With e_i = exp(-d_i / T) / Z and w_i = e_i, less 1 / Z for a vertex inside, so that sum w_i = 1:
//   dvalue = sum e_i dd_i,   d2value = sum e_i d2d_i - (sum e_i dd_i' dd_i) / T + dvalue' dvalue / T
// and for the means x = sum w_i x_i:   dx = sum w_i dx_i - e_i (x_i - x) dd_i / T.
void SurfaceSmoother::blend(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB, double T,
                            SmoothedSurface& result) const {
  double least = std::numeric_limits<double>::infinity(), Z = 0;  // Z: in units of exp(-least / T)
  for (const Term& term : terms_) least = std::min(least, term.at.witness.distance);
  const auto exponential = [&](const Term& term) { return std::exp((least - term.at.witness.distance) / T); };
  const auto weight = [&](const Term& term) {
    return exponential(term) - (term.inside ? std::exp(least / T) : 0.0);
  };
  for (const Term& term : terms_) Z += weight(term);
  witness::Witness<double>& mean = result.pair.smoothed;
  mean.distance = mean.lower_bound = mean.upper_bound = least - T * std::log(Z);
  mean.p1 = mean.p2 = mean.n = Vec3<double>::Zero();
  for (const Term& term : terms_) {
    const double w = weight(term) / Z;
    mean.p1 += w * term.at.witness.p1, mean.p2 += w * term.at.witness.p2, mean.n += w * term.at.witness.n;
  }
  WitnessDerivative<double>& d = result.pair.derivative;
  d.clamped_count = 0;
  d.clamped_A.fill(Vec3<double>::Zero());
  d.dp1_A_dxi_B.setZero(), d.dp2_A_dxi_B.setZero(), d.dn_A_dxi_B.setZero(), d.dd_dxi_B.setZero();
  Mat6<double> spread = Mat6<double>::Zero();
  result.hessian.setZero();
  for (const Term& term : terms_) {
    const witness::Witness<double>& at = term.at.witness;
    const double e = exponential(term) / Z, w = weight(term) / Z;
    Mat6<double> hessian;
    WitnessDerivative<double> of = internal::carrier_derivative(A, B, X_AB, term.at, &hessian);
    if (of.status == Status::kInvalidInput) continue;
    if (e > kWeighing && !term.inside && slide(A, B, X_AB, term.at)) d.clamped_count = 1;
    if (at.distance == 0) {  // crossing triangles keep distance 0; the motion of their point is unknown
      of.dd_dxi_B.setZero(), hessian.setZero(), of.dn_A_dxi_B.setZero();
      if (e > kWeighing) d.clamped_count = 1;
    }
    d.dd_dxi_B += e * of.dd_dxi_B;
    spread += e * of.dd_dxi_B.transpose() * of.dd_dxi_B;
    result.hessian += e * hessian;
    d.dp1_A_dxi_B += w * of.dp1_A_dxi_B - e * (at.p1 - mean.p1) * of.dd_dxi_B / T;
    d.dp2_A_dxi_B += w * of.dp2_A_dxi_B - e * (at.p2 - mean.p2) * of.dd_dxi_B / T;
    d.dn_A_dxi_B += w * of.dn_A_dxi_B - e * (at.n - mean.n) * of.dd_dxi_B / T;
  }
  result.hessian += (d.dd_dxi_B.transpose() * d.dd_dxi_B - spread) / T;
  const double length = mean.n.norm();
  if (length < kCancelled) d.clamped_count = 1;
  if (length > 0) {
    mean.n /= length;
    d.dn_A_dxi_B /= length;
    d.dn_A_dxi_B -= mean.n * (mean.n.transpose() * d.dn_A_dxi_B).eval();
  }
}

SmoothedSurface SurfaceSmoother::operator()(const SurfaceView& A, const SurfaceView& B,
                                            const Pose<double>& X_AB, double temperature) {
  SmoothedSurface result;
  const SurfaceWitness nearest = surface_separation(A, B, X_AB, scratch_);
  result.pair.exact = result.pair.smoothed = nearest.witness;
  result.pair.derivative = derivative::detail::invalid_derivative<double>();
  result.hessian.setConstant(std::numeric_limits<double>::quiet_NaN());
  if (nearest.witness.status == Status::kInvalidInput) return result;
  Status status = nearest.witness.status;
  terms_.clear();
  const double d = nearest.witness.distance;
  const double far = kReach * temperature;
  if (d > 1e8 * far) {  // one pair only, to rounding
    terms_.push_back({nearest, false});
  } else {
    double deepest = 0;  // of the vertices; the deepest point overall may not be a vertex
    if (d < 0) {
      add_inside(A, B, X_AB, true, far, deepest);
      add_inside(A, B, X_AB, false, far, deepest);
      std::erase_if(terms_, [&](const Term& term) { return -term.at.witness.distance < deepest - far; });
    }
    if (deepest < far) add_pairs(A, B, X_AB, std::max(d, 0.0), far - deepest, status);
    if (terms_.empty()) terms_.push_back({nearest, false});
  }
  result.terms = terms_.size();
  blend(A, B, X_AB, temperature, result);
  result.pair.smoothed.status = status;
  result.pair.derivative.status =
      derivative::detail::status_of_derivative(status, result.pair.derivative.clamped_count);
  result.pair.smoothed.simplex_size = 0;
  return result;
}

}  // namespace abut::proximity
