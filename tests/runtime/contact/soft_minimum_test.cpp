#include "runtime/contact/soft_minimum.h"

#include <gtest/gtest.h>

#include "runtime/core/random.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"
#include "tests/support/point_clouds.h"

namespace {

using namespace abut;
using namespace abut::contact;
using asset::PointsView;
using ssdf::Order;

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

  // Sums over one body's planes: force on a point, soft distance.
  void at(const PointsView& planes, const Vec3<S>& p, const Vec3<S>& v, S eps1, S wall, Vec3<S>& force,
          S& phi) const {
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
  Vec6<S> wrench(const PointsView& A, const PointsView& B, const Pose<S>& X_AB, const Vec6<S>& V,
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
    for (int i = 0; i < A.point_count; ++i) {  // points of A on planes of B: B gets the opposite
      const Vec3<S> p = X_AB.inverse() * ssdf::internal::position<S>(A, i);
      Vec3<S> force;
      S value;
      at(B, p, Vec3<S>(-(nu + w.cross(p))), with.eps1_B, with.wall_B, force, value);
      add(-force, p, value);
    }
    for (int i = 0; i < B.point_count; ++i) {
      const Vec3<S> p_B = ssdf::internal::position<S>(B, i);
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

struct Case {
  asset::OrientedPoints A, B;
  Pose<double> X_AB;
  Vec6<double> V;
};

// Two balls, one with a rough sampling, from deep inside each other to far apart.
Case make_case(int k) {
  Random random(7, k);
  Case c{test::sphere_points(0.05, 180), test::sphere_points(0.03, 70 + 20 * (k % 5)), {}, {}};
  const double gaps[] = {-0.02, -0.004, -0.0005, 0.0, 0.002, 0.01};
  Vec3<double> direction(random.normal(), random.normal(), random.normal());
  c.X_AB = {test::random_rotation(random), (0.08 + gaps[k % 6]) * direction.normalized()};
  for (int i = 0; i < 6; ++i) c.V[i] = random.normal() * (i < 3 ? 2 : 0.1);
  if (k % 4 == 0) c.V.setZero();
  return c;
}

template <class Found, class Expected>
double gap(const Found& found, const Expected& expected) {
  const S size = expected.cwiseAbs().maxCoeff();
  return double((found.template cast<S>() - expected).cwiseAbs().maxCoeff() / (size > 0 ? size : 1));
}

TEST(SoftMinimum, TheWrenchIsThatOfThePaper) {
  for (int k = 0; k < 24; ++k) {
    SCOPED_TRACE(k);
    const Case c = make_case(k);
    const PointsView A = asset::view(c.A), B = asset::view(c.B);
    SoftMinimumConfig config;
    config.damping = k % 2 ? DampingLaw::kPaper : DampingLaw::kTwiceDifferentiable;
    config.kernel = k % 8 < 6 ? ssdf::KernelKind::kGaussian : ssdf::KernelKind::kWall;
    const auto parameters = parameters_of(config, A, B);
    S distance;
    const Vec6<S> expected =
        Reference{parameters.cast<S>()}.wrench(A, B, c.X_AB.cast<S>(), c.V.cast<S>(), distance);
    SoftMinimum<double> found, dense, scalar;
    soft_minimum(A, B, c.X_AB, c.V, parameters, Order::kValue, found);
    soft_minimum_scalar(A, B, c.X_AB, c.V, parameters, Order::kValue, scalar);
    auto all = parameters;
    all.tolerance = 0;
    soft_minimum(A, B, c.X_AB, c.V, all, Order::kValue, dense);
    SoftMinimum<S> fine;
    soft_minimum_scalar(A, B, c.X_AB.cast<S>(), c.V.cast<S>().eval(), parameters.cast<S>(), Order::kValue,
                        fine);
    for (const auto* result : {&found, &scalar, &dense}) {
      EXPECT_LT(gap(result->F_BBo_B, expected), 2e-11);
      EXPECT_LT(std::abs(double(result->distance - distance)), 1e-13);
    }
    EXPECT_LT(gap(fine.F_BBo_B, expected), 1e-12);
  }
}

// All derivatives against central differences in extended precision, through contact and apart.
// Limits: of the gradient beside the largest entry of its column, of the Hessian beside the largest of all.
void expect_derivatives(const Case& c, const SoftMinimumConfig& config, double gradient_limit,
                        double hessian_limit) {
  const PointsView A = asset::view(c.A), B = asset::view(c.B);
  const auto parameters = parameters_of(config, A, B);
  auto fine = parameters.cast<S>();
  fine.tolerance = 1e-17L;
  SoftMinimum<double> found;
  soft_minimum(A, B, c.X_AB, c.V, parameters, Order::kHessian, found);
  const auto ask = [&](int direction, S step) {
    Vec6<S> xi = Vec6<S>::Zero(), V = c.V.cast<S>();
    (direction < 6 ? xi : V)[direction % 6] += step;
    SoftMinimum<S> result;
    soft_minimum_scalar(A, B, c.X_AB.cast<S>() * exp<S>(xi), V, fine, Order::kGradient, result);
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

TEST(SoftMinimum, DerivativesAreThoseOfTheWrench) {
  for (int k = 0; k < 6; ++k) {
    SCOPED_TRACE(k);
    expect_derivatives(make_case(k + 1), {}, 1e-8, 1e-6);
  }
}

TEST(SoftMinimum, DerivativesHoldTenCentimetresApart) {
  Case c = make_case(5);
  c.X_AB.p *= 1.8 / 0.9;  // from 10 mm to 10 cm apart
  EXPECT_NEAR(c.X_AB.p.norm() - 0.08, 0.1, 1e-9);
  expect_derivatives(c, {}, 1e-8, 1e-6);
}

// A result that is used again holds nothing of the query before.
TEST(SoftMinimum, WhatWasNotAskedForIsZero) {
  const Case c = make_case(2);
  const SoftMinimumParameters<double> with = parameters_of({}, asset::view(c.A), asset::view(c.B));
  const auto ask = [&](Order order, SoftMinimum<double>& found) {
    soft_minimum(asset::view(c.A), asset::view(c.B), c.X_AB.cast<double>(), c.V.cast<double>(), with, order,
                 found);
  };
  SoftMinimum<double> found;
  ask(Order::kHessian, found);
  EXPECT_GT(found.hessian[5].norm(), 0);
  ask(Order::kGradient, found);
  for (const Mat12<double>& of_component : found.hessian) EXPECT_EQ(of_component.norm(), 0);
  EXPECT_EQ(found.distance_hessian.norm(), 0);
  EXPECT_GT(found.jacobian.norm(), 0);
  ask(Order::kValue, found);
  EXPECT_EQ(found.jacobian.norm(), 0);
  EXPECT_EQ(found.distance_gradient.norm(), 0);
}

// Apart by more than springs reach there is no force, at any distance and at once; from 1e8 spacings on the
// distance is the gap of the balls about the points, with its derivatives.
TEST(SoftMinimum, FarApart) {
  const Case c = make_case(2);
  const PointsView A = asset::view(c.A), B = asset::view(c.B);
  const SoftMinimumParameters<double> with = parameters_of({}, A, B);
  const asset::Asset asset_A = test::points_asset(c.A), asset_B = test::points_asset(c.B);
  const body::Body a = test::body_of(asset_A), b = test::body_of(asset_B);
  const auto model = make_soft_minimum_model();
  for (const double far : {1e1, 1e3, 1e6, 1e7, 1e8, 1e14, 1e100, 1e160, 1e300}) {
    SCOPED_TRACE(far);
    Pose<double> X_AB = c.X_AB;
    X_AB.p *= far;
    const contact::PairWrench wrench = model->wrench({&a, &b, X_AB, c.V});
    EXPECT_EQ(wrench.status, Status::kNoOverlap);
    EXPECT_EQ(wrench.F_BBo_B.norm(), 0);
    EXPECT_EQ(model->constraints({&a, &b, X_AB}, 0.1).status, Status::kNoOverlap);
    SoftMinimum<double> found;
    soft_minimum(A, B, X_AB, c.V, with, Order::kHessian, found);
    EXPECT_EQ(found.status, Status::kNoOverlap);
    EXPECT_EQ(found.F_BBo_B.norm(), 0);
    EXPECT_NEAR(found.distance / X_AB.p.stableNorm(), 1, 1 / far + 0.02);
    EXPECT_NEAR(found.distance_gradient.tail<3>().norm(), 1, 0.05);
    EXPECT_TRUE(found.distance_hessian.allFinite());
  }
}

TEST(SoftMinimum, DerivativesOfTheFarView) {
  const Case c = make_case(1);
  const PointsView A = asset::view(c.A), B = asset::view(c.B);
  const auto with = parameters_of({}, A, B).cast<S>();
  Pose<S> X_AB = c.X_AB.cast<S>();
  X_AB.p *= 1e8L;
  const auto ask = [&](const Vec6<S>& xi) {
    SoftMinimum<S> found;
    soft_minimum_scalar<S>(A, B, X_AB * exp<S>(xi), Vec6<S>::Zero(), with, Order::kHessian, found);
    return found;
  };
  const SoftMinimum<S> at = ask(Vec6<S>::Zero());
  const S h = 1e-3L, length = X_AB.p.norm();
  for (int i = 0; i < 6; ++i) {
    const S up = ask(h * Vec6<S>::Unit(i)).distance, down = ask(-h * Vec6<S>::Unit(i)).distance;
    EXPECT_NEAR(double((up - down) / (2 * h)), double(at.distance_gradient[i]), 1e-8);
    EXPECT_NEAR(double((up - 2 * at.distance + down) / (h * h)), double(at.distance_hessian(i, i)), 1e-5);
    for (int j = 0; j < i; ++j) {
      const Vec6<S> both = h * (Vec6<S>::Unit(i) + Vec6<S>::Unit(j)),
                    cross = h * (Vec6<S>::Unit(i) - Vec6<S>::Unit(j));
      const S mixed =
          (ask(both).distance + ask(-both).distance - ask(cross).distance - ask(-cross).distance) /
          (4 * h * h);
      EXPECT_NEAR(double(mixed), double(at.distance_hessian(i, j)), 1e-5) << i << " " << j;
    }
  }
  EXPECT_GT(length, 1e5L);
}

TEST(SoftMinimum, SettingsOutOfRangeAreRefused) {
  const Case c = make_case(1);
  const PointsView A = asset::view(c.A), B = asset::view(c.B);
  for (double SoftMinimumConfig::*setting : {&SoftMinimumConfig::eps1, &SoftMinimumConfig::eps2,
                                             &SoftMinimumConfig::eps3, &SoftMinimumConfig::stiction})
    for (const double value : {0.0, -1.0, 1e-300, 1e300, std::nan("")}) {
      SoftMinimumConfig config;
      config.*setting = value;
      EXPECT_THROW(parameters_of(config, A, B), InvalidInput);
    }
}

// The third derivative of this kernel jumps where a plane is crossed: differences are less exact there.
TEST(SoftMinimum, DerivativesHoldWithTheKernelOfWalls) {
  SoftMinimumConfig config;
  config.kernel = ssdf::KernelKind::kWall;
  for (const int k : {1, 3, 4}) {
    SCOPED_TRACE(k);
    expect_derivatives(make_case(k), config, 1e-7, 1e-4);
  }
}

}  // namespace
