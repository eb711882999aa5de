#include "runtime/proximity/patch_derivative.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/bvh/overlap.h"
#include "runtime/bvh/traversal.h"
#include "runtime/distance/surface_distance.h"

namespace abut::proximity {
namespace {

using derivative::Mat32;
using derivative::TangentCurvature;
using derivative::Vec2;

constexpr double kWindow = 3;      // in reaches: farther points are left out
constexpr double kSpacing = 0.75;  // in reaches: longest edge of a triangle that is taken as a point
// Half the largest number of bisections of a triangle at its longest edge: down to 1e-19 of its length, below
// the resolution of a double.
constexpr int kMaxSplits = 64;

using Corners = std::array<Vec3<double>, 3>;  // relative to the witness point, m

// Sums over points of the surface, weighted by area and density.
class Moments {
 public:
  Moments(const Vec3<double>& n, const Mat32<double>& T, const Patch& patch)
      : n_(n), T_(T), steepness_(patch.radius / (patch.reach * patch.reach)), reach_(patch.reach) {}

  // Adds a triangle; bisects it first while its edges are long relative to the window.
  void add(const Corners& c, int splits = 0) {
    const Vec3<double> middle = (c[0] + c[1] + c[2]) / 3;
    double longest = 0, farthest = 0;  // m^2
    int side = 0;
    for (int k = 0; k < 3; ++k) {
      const double length = (c[(k + 1) % 3] - c[k]).squaredNorm();
      if (length > longest) longest = length, side = k;
      farthest = std::max(farthest, (c[k] - middle).squaredNorm());
    }
    if (middle.norm() - std::sqrt(farthest) > kWindow * reach_) return;
    if (longest > kSpacing * kSpacing * reach_ * reach_ && splits < 2 * kMaxSplits) {
      const Vec3<double> half = (c[side] + c[(side + 1) % 3]) / 2, &opposite = c[(side + 2) % 3];
      add({c[side], half, opposite}, splits + 1);
      add({half, c[(side + 1) % 3], opposite}, splits + 1);
      return;
    }
    if (middle.norm() > kWindow * reach_) return;
    add_point(middle, (c[1] - c[0]).cross(c[2] - c[0]).norm());
  }

  // Covariance of the tangent coordinates, m^2; zero if there are no points.
  derivative::Mat2<double> covariance() const {
    if (!(weight_ > 0)) return derivative::Mat2<double>::Zero();
    const Vec2<double> mean = first_ / weight_;
    return second_ / weight_ - mean * mean.transpose();
  }

 private:
  void add_point(const Vec3<double>& r, double area) {
    const double exponent = steepness_ * n_.dot(r) - r.squaredNorm() / (2 * reach_ * reach_);
    if (exponent > greatest_) {
      const double shrink = std::exp(greatest_ - exponent);
      weight_ *= shrink, first_ *= shrink, second_ *= shrink;
      greatest_ = exponent;
    }
    const double a = area * std::exp(exponent - greatest_);
    const Vec2<double> x = T_.transpose() * r;
    weight_ += a;
    first_ += a * x;
    second_ += a * x * x.transpose();
  }

  Vec3<double> n_;
  Mat32<double> T_;
  double steepness_, reach_;  // 1/m, m
  double greatest_ = -std::numeric_limits<double>::infinity();
  double weight_ = 0;
  Vec2<double> first_ = Vec2<double>::Zero();
  derivative::Mat2<double> second_ = derivative::Mat2<double>::Zero();
};

}  // namespace

TangentCurvature<double> patch_curvature(const asset::SurfaceView& surface, const Vec3<double>& p,
                                         const Vec3<double>& n, const Mat32<double>& T, const Patch& patch) {
  Moments moments(n, T, patch);
  const double window = kWindow * patch.reach;
  const auto within = [&](const Vec3<double>& low, const Vec3<double>& high) {
    return (low - p).cwiseMax(p - high).cwiseMax(0.0).norm() <= window;
  };
  bvh::visit_boxes(surface.tree, within, [&](std::int32_t first, std::int32_t count) {
    for (std::int32_t t = first; t < first + count; ++t) {
      Corners corners = distance::internal::triangle_of<double>(surface, t);
      for (Vec3<double>& corner : corners) corner -= p;
      moments.add(corners);
    }
  });
  return {moments.covariance() * (patch.radius / (patch.reach * patch.reach)), 0, {}};
}

derivative::WitnessDerivative<double> patch_derivative(const asset::SurfaceView& A,
                                                       const asset::SurfaceView& B, const Pose<double>& X_AB,
                                                       const witness::Witness<double>& witness,
                                                       const Patch& of_A, const Patch& of_B) {
  const Mat32<double> T = tangent_basis(witness.n), T_B = X_AB.R.transpose() * T;
  const Vec3<double> p2_B = X_AB.R.transpose() * (witness.p2 - X_AB.p),
                     m_B = -(X_AB.R.transpose() * witness.n);
  return derivative::differentiate<double>(
      witness, X_AB, T, patch_curvature(A, witness.p1, witness.n, T, of_A),
      patch_curvature(B, p2_B, m_B, T_B, of_B), bvh::ball_of(A.tree).radius + bvh::ball_of(B.tree).radius);
}

}  // namespace abut::proximity
