#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/contact/soft_minimum.h"
#include "tests/support/gap.h"

// Soft-minimum contact in extended precision, for comparison.
namespace abut::test {

using namespace abut::contact;

using S = long double;

// The force of the paper, written down once more without any of the library's sums: (11), (14)-(23), with the
// sign and the point of application of docs/soft_minimum.md.
struct Reference {
  SoftMinimumParameters<S> with;

  S spring(S g) const {
    const S x = -g / with.eps3;
    return with.stiffness * with.eps3 * (x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)));
  }
  S damping(S s) const {
    if (s >= 2) return 0;
    if (s <= 0) return 1 - s;
    if (with.damping == DampingLaw::kPaper) return (s - 2) * (s - 2) / 4;
    const S left = 1 - s / 2;
    return left * left * left * (1 + s / 2);
  }
  Vec3<S> plane_force(const Vec3<S>& p, const Vec3<S>& v, const Vec3<S>& x, const Vec3<S>& n) const {
    const S speed = n.dot(v), normal = spring(n.dot(p - x)) * damping(speed / with.dissipation_velocity);
    const Vec3<S> t = v - speed * n;
    return normal * n - with.friction * normal * t /
                            std::sqrt(with.stiction_velocity * with.stiction_velocity + t.squaredNorm());
  }

  // The distance of a sphere, a box or a half-space, and the nearest point's normal.
  static S exact_distance(const body::Primitive& primitive, const Vec3<S>& p, Vec3<S>& n) {
    if (const auto* sphere = std::get_if<body::Sphere<double>>(&primitive)) {
      n = p.normalized();
      return p.norm() - S(sphere->radius);
    }
    n = Vec3<S>::UnitZ();
    if (!std::holds_alternative<body::Box<double>>(primitive)) return p.z();
    const Vec3<S> half = std::get<body::Box<double>>(primitive).half.cast<S>();
    const Vec3<S> aside = p - p.cwiseMax(-half).cwiseMin(half);
    if (aside.norm() > 0) {
      n = aside.normalized();
      return aside.norm();
    }
    int k;
    const S depth = (half - p.cwiseAbs()).minCoeff(&k);
    n = (p[k] < 0 ? -1 : 1) * Vec3<S>::Unit(k);
    return -depth;
  }

  // Force on a point in a body's field, soft or exact distance.
  void at(const SoftBody& body, const Vec3<S>& p, const Vec3<S>& v, S eps1, S wall, Vec3<S>& force,
          S& phi) const {
    if (body.exact != nullptr) {
      Vec3<S> n;
      phi = exact_distance(*body.exact, p, n);
      force = plane_force(p, v, p - phi * n, n);
      return;
    }
    const asset::PointsView& planes = body.points;
    S nearest = 1e300L, total = 0;
    for (int i = 0; i < planes.point_count; ++i)
      nearest = std::min(nearest, (p - ssdf::internal::position<S>(planes, i)).squaredNorm());
    force.setZero();
    phi = 0;
    for (int i = 0; i < planes.point_count; ++i) {
      const Vec3<S> x = ssdf::internal::position<S>(planes, i), n = ssdf::internal::normal<S>(planes, i);
      S w = std::exp((nearest - (p - x).squaredNorm()) / eps1);
      if (wall > 0 && n.dot(p - x) < 0) {
        const S cube = std::pow(-n.dot(p - x) / wall, 3);
        w *= std::exp(-S(ssdf::kWallWeight) * cube / (1 + cube));
      }
      total += w;
      phi += w * n.dot(p - x);
      force += w * plane_force(p, v, x, n);
    }
    force /= total;
    phi /= total;
  }

  // Wrench on B about Bo in B, and the soft distance.
  Vec6<S> wrench(const SoftBody& A, const SoftBody& B, const Pose<S>& X_AB, const Vec6<S>& V,
                 S& distance) const {
    std::vector<S> phi;
    std::vector<Vec6<S>> F;
    const auto add = [&](const Vec3<S>& force_B, const Vec3<S>& p_B, S value) {
      Vec6<S> f;
      f << p_B.cross(force_B), force_B;
      F.push_back(f);
      phi.push_back(value);
    };
    const Vec3<S> w = V.head<3>(), nu = V.tail<3>();
    for (int i = 0; i < A.points.point_count; ++i) {  // points of A on planes of B: B gets the opposite
      const Vec3<S> p = X_AB.inverse() * ssdf::internal::position<S>(A.points, i);
      Vec3<S> force;
      S value;
      at(B, p, Vec3<S>(-(nu + w.cross(p))), with.eps1_B, with.wall_B, force, value);
      add(-force, p, value);
    }
    for (int i = 0; i < B.points.point_count; ++i) {
      const Vec3<S> p_B = ssdf::internal::position<S>(B.points, i);
      Vec3<S> force;
      S value;
      at(A, X_AB * p_B, Vec3<S>(X_AB.R * (nu + w.cross(p_B))), with.eps1_A, with.wall_A, force, value);
      add(X_AB.R.transpose() * force, p_B, value);
    }
    const S least = *std::min_element(phi.begin(), phi.end());
    Vec6<S> sum = Vec6<S>::Zero();
    S total = 0;
    distance = 0;
    for (std::size_t f = 0; f < phi.size(); ++f) {
      const S e = std::exp((least - phi[f]) / with.eps2);
      total += e;
      distance += e * phi[f];
      sum += e * F[f];
    }
    distance /= total;
    return sum / total;
  }
};

// All derivatives against central differences in extended precision, through contact and apart.
// Limits: of the gradient beside the largest entry of its column, of the Hessian beside the largest of all.
inline void expect_derivatives(const SoftBody& A, const SoftBody& B, const Pose<double>& X_AB,
                               const Vec6<double>& V_AB_B, const SoftMinimumConfig& config,
                               double gradient_limit, double hessian_limit) {
  const auto parameters = parameters_of(config, A, B);
  auto fine = parameters.cast<S>();
  fine.tolerance = 1e-17L;
  SoftMinimum<double> found;
  soft_minimum(A, B, X_AB, V_AB_B, parameters, ssdf::Order::kHessian, found);
  const auto ask = [&](int direction, S step) {
    Vec6<S> xi = Vec6<S>::Zero(), V = V_AB_B.cast<S>();
    (direction < 6 ? xi : V)[direction % 6] += step;
    SoftMinimum<S> result;
    soft_minimum_scalar(A, B, X_AB.cast<S>() * exp<S>(xi), V, fine, ssdf::Order::kGradient, result);
    return result;
  };
  // Slopes of the Jacobians: derivatives in the direction of the moved frame, one after the other. Those of
  // f(X exp(xi)) in one chart are the symmetric part.
  std::array<Mat12<S>, 7> chain;
  for (auto& matrix : chain) matrix.setZero();
  for (int d = 0; d < 12; ++d) {
    SCOPED_TRACE(d);
    // Differences of the fourth order: steps small beside eps2.
    const S h = d < 3 ? S(2e-5) : d < 6 ? S(5e-7) : S(1e-6);
    const auto a1 = ask(d, h), b1 = ask(d, -h), a2 = ask(d, 2 * h), b2 = ask(d, -2 * h);
    const auto slope = [&](const auto& f) {
      return ((8 * (f(a1) - f(b1)) - (f(a2) - f(b2))) / (12 * h)).eval();
    };
    EXPECT_LT(gap(found.jacobian.col(d).eval(), slope([](const auto& r) { return r.F_BBo_B; })),
              gradient_limit);
    const Eigen::Matrix<S, 6, 12> H = slope([](const auto& r) { return r.jacobian; });
    for (int row = 0; row < 6; ++row) chain[row].row(d) = H.row(row);
    if (d >= 6) continue;
    const S along = (8 * (a1.distance - b1.distance) - (a2.distance - b2.distance)) / (12 * h);
    EXPECT_NEAR(found.distance_gradient[d], double(along), gradient_limit);
    chain[6].row(d).head<6>() = slope([](const auto& r) { return r.distance_gradient; }).transpose();
  }
  for (int row = 0; row < 6; ++row) {
    const Mat12<S> expected = (chain[row] + chain[row].transpose()) / 2;
    EXPECT_LT(gap(found.hessian[row], expected), hessian_limit) << row;
    EXPECT_LT((found.hessian[row] - found.hessian[row].transpose()).norm(), 1e-9 * found.hessian[row].norm());
  }
  const Mat6<S> expected = (chain[6] + chain[6].transpose()).topLeftCorner<6, 6>() / 2;
  EXPECT_LT(gap(found.distance_hessian, expected), hessian_limit);
}

}  // namespace abut::test
