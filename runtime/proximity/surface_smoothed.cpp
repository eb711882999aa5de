#include "runtime/proximity/surface_smoothed.h"

#include <algorithm>
#include <cmath>

#include "runtime/bvh/traversal.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/proximity/blend.h"

namespace abut::proximity {
namespace {

using asset::SurfaceView;
using derivative::WitnessDerivative;

constexpr std::size_t kMaxTerms = 1 << 16;  // tens of megabytes
constexpr double kParallel = 1e-7;          // sine of an angle that counts as zero, as in feature_derivative

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

// With e_i = exp(-d_i / T) / Z, the weight is e_i, less 1 / Z for a vertex inside; it falls as e_i and rises
// as itself. The second derivative of the blend is
//   sum e_i d2d_i - (sum e_i dd_i' dd_i) / T + dvalue' dvalue / T
void SurfaceSmoother::blend(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB, double T,
                            Status status, SmoothedSurface& result) const {
  double least = std::numeric_limits<double>::infinity(), Z = 0;  // Z: in units of exp(-least / T)
  for (const Term& term : terms_) least = std::min(least, term.at.witness.distance);
  const auto exponential = [&](const Term& term) { return std::exp((least - term.at.witness.distance) / T); };
  const auto weight = [&](const Term& term) {
    return exponential(term) - (term.inside ? std::exp(least / T) : 0.0);
  };
  for (const Term& term : terms_) Z += weight(term);
  const auto share = [&](const Term& term) -> Share {
    const double w = weight(term) / Z;
    return {w, exponential(term) / Z, w};
  };
  Blend mean(T);
  for (const Term& term : terms_) mean.add_mean(share(term), term.at.witness);
  Mat6<double> spread = Mat6<double>::Zero();
  result.hessian.setZero();
  for (const Term& term : terms_) {
    const Share of_term = share(term);
    Mat6<double> hessian;
    WitnessDerivative<double> of = internal::carrier_derivative(A, B, X_AB, term.at, &hessian);
    if (of.status == Status::kInvalidInput) continue;
    bool kink = of_term.fall > kWeighing && !term.inside && slide(A, B, X_AB, term.at);
    if (term.at.witness.distance ==
        0) {  // crossing triangles keep distance 0; the motion of their point is unknown
      of.dd_dxi_B.setZero(), hessian.setZero(), of.dn_A_dxi_B.setZero();
      kink = true;
    }
    mean.add_slope(of_term, term.at.witness, of, kink);
    spread += of_term.fall * of.dd_dxi_B.transpose() * of.dd_dxi_B;
    result.hessian += of_term.fall * hessian;
  }
  mean.finish(least - T * std::log(Z), status, result.pair);
  const Row6<double>& slope = result.pair.derivative.dd_dxi_B;
  result.hessian += (slope.transpose() * slope - spread) / T;
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
  blend(A, B, X_AB, temperature, status, result);
  return result;
}

}  // namespace abut::proximity
