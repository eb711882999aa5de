#include "runtime/ssdf/kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "runtime/ssdf/primitives.h"
#include "tests/support/point_clouds.h"

namespace {

using namespace abut;
using namespace abut::ssdf;
using S = long double;

constexpr KernelKind kKinds[] = {KernelKind::kGaussian, KernelKind::kQuad, KernelKind::kCompact,
                                 KernelKind::kWall};

// Sides of different lengths: quads that are not square.
asset::OrientedPoints bar() { return box_points({0.05, 0.021, 0.008}, 0.009); }

Vec3<S> near_surface(const asset::PointsView& points, Random& random) {
  const auto i = static_cast<std::int32_t>(random.below(points.point_count));
  const Vec3<S> jump(S(random.normal()), S(random.normal()), S(random.normal()));
  return internal::position<S>(points, i) + S(0.3 * points.spacing) * jump;
}

TEST(Kernel, TheGaussianIsTheSoftDistance) {
  const asset::OrientedPoints cloud = bar();
  const asset::PointsView points = asset::view(cloud);
  const KernelField field(points, KernelKind::kGaussian, default_eps1(points));
  Random random(1);
  for (int k = 0; k < 50; ++k) {
    const Vec3<S> p = near_surface(points, random) * S(k % 5 ? 1 : 4);
    const auto found = field.distance<S>(p, Order::kHessian, S(0));
    const auto expected = soft_distance_dense<S>(points, p, S(field.eps1()));
    EXPECT_LT(double(std::abs(found.value - expected.value)), 1e-15);
    EXPECT_LT(double((found.gradient - expected.gradient).norm()), 1e-13);
    EXPECT_LT(double((found.hessian - expected.hessian).norm() / (expected.hessian.norm() + 1)), 1e-12);
  }
}

// The formula of (10) once more, from its definition.
TEST(Kernel, ValuesAreThoseOfTheDefinition) {
  const asset::OrientedPoints cloud = bar();
  const asset::PointsView points = asset::view(cloud);
  const S eps1 = S(default_eps1(points)), h = S(points.spacing);
  Random random(2);
  for (const KernelKind kind : kKinds) {
    const KernelField field(points, kind, double(eps1));
    for (int k = 0; k < 30; ++k) {
      const Vec3<S> p = near_surface(points, random);
      S above = 0, below = 0;
      for (std::int32_t i = 0; i < points.point_count; ++i) {
        const Vec3<S> r = p - internal::position<S>(points, i), n = internal::normal<S>(points, i);
        const S g = n.dot(r);
        S b = std::exp(-r.squaredNorm() / eps1);
        if (kind == KernelKind::kQuad) {  // rectangles: edges over the axes of the box
          Vec3<S> low = Vec3<S>::Constant(1), high = -low;
          for (int c = 0; c < 4; ++c) {
            const Vec3<S> corner = Vec3<double>::Map(points.vertices + 3 * points.quads[4 * i + c]).cast<S>();
            low = low.cwiseMin(corner);
            high = high.cwiseMax(corner);
          }
          S square = g * g;
          for (int c = 0; c < 3; ++c)
            if (std::abs(n[c]) < 0.5L) square += h * h * r[c] * r[c] / ((high - low)[c] * (high - low)[c]);
          b = std::exp(-square / eps1);
        }
        if (kind == KernelKind::kCompact) b = std::pow(std::max(S(0), 1 - r.squaredNorm() / (4 * eps1)), 3);
        if (kind == KernelKind::kWall) {
          const S s = std::pow(std::max(S(0), -g) / (S(kWallDepth) * h), 3);
          b *= std::exp(-S(kWallWeight) * s / (1 + s));
        }
        above += b * g;
        below += b;
      }
      const auto found = field.distance<S>(p, Order::kValue, S(0));
      if (below > 0) {
        EXPECT_LT(double(std::abs(found.value - above / below)), 1e-14) << int(kind);
      } else {
        EXPECT_EQ(found.status, Status::kNoOverlap);
      }
    }
  }
}

TEST(Kernel, DerivativesAreThoseOfTheValue) {
  const asset::OrientedPoints cloud = bar();
  const asset::PointsView points = asset::view(cloud);
  Random random(3);
  for (const KernelKind kind : kKinds) {
    const KernelField field(points, kind, default_eps1(points));
    int judged = 0;
    for (int k = 0; k < 30; ++k) {
      const Vec3<S> p = near_surface(points, random);
      const auto at = field.distance<S>(p, Order::kHessian, S(0));
      if (at.status != Status::kOk) continue;
      const S step = 2e-6L;
      Vec3<S> gradient;
      Mat3<S> hessian;
      bool inside = true;
      for (int a = 0; a < 3; ++a) {
        const auto ask = [&](int steps) {
          return field.distance<S>(p + S(steps) * step * Vec3<S>::Unit(a), Order::kGradient, S(0));
        };
        const auto l2 = ask(-2), l1 = ask(-1), r1 = ask(1), r2 = ask(2);
        inside = inside && l2.status == Status::kOk && r2.status == Status::kOk;
        gradient[a] = (8 * (r1.value - l1.value) - (r2.value - l2.value)) / (12 * step);
        hessian.col(a) = (8 * (r1.gradient - l1.gradient) - (r2.gradient - l2.gradient)) / (12 * step);
      }
      if (!inside) continue;
      ++judged;
      // kCompact and kWall have a third derivative that jumps.
      const bool smooth = kind == KernelKind::kGaussian || kind == KernelKind::kQuad;
      EXPECT_LT(double((gradient - at.gradient).norm()), smooth ? 1e-8 : 1e-6) << int(kind);
      EXPECT_LT(double((hessian - at.hessian).norm() / (at.hessian.norm() + 1 / points.spacing)),
                smooth ? 1e-6 : 1e-3)
          << int(kind);
      EXPECT_LT(double((at.hessian - at.hessian.transpose()).norm()), 1e-12 * double(at.hessian.norm() + 1));
    }
    EXPECT_GT(judged, 15);
  }
}

// Far away the value is the height over the planes of the points in front, whatever the distance, up to where
// numbers end; compact kernels end at their supports, those of quads at 1e10 spacings.
TEST(Kernel, FarValuesAreThoseOfThePointsInFront) {
  const asset::OrientedPoints cloud = bar();
  const asset::PointsView points = asset::view(cloud);
  Random random(7);
  for (const KernelKind kind : kKinds) {
    const KernelField field(points, kind, default_eps1(points));
    for (int k = 0; k < 8; ++k) {
      const Vec3<double> way = Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
      const auto ask = [&](double far) { return field.distance<double>(far * way, Order::kHessian); };
      const auto near = ask(1e5);
      const double in_front = near.value - 1e5 * near.gradient.dot(way);
      for (const double far :
           {1e6, 1e7, 1e10, 1e30, 1e60, 1e74, 1e80, 1e89, 1e91, 1e100, 1e150, 1e200, 1e299}) {
        const auto found = ask(far);
        if (kind == KernelKind::kCompact) {
          EXPECT_EQ(found.status, Status::kNoOverlap) << far;
        } else if (kind == KernelKind::kQuad && far > 1e8) {
          EXPECT_EQ(found.status, Status::kInvalidInput) << far;
          EXPECT_TRUE(std::isnan(found.value));
        } else {
          EXPECT_EQ(found.status, Status::kOk) << int(kind) << " " << far;
          EXPECT_NEAR(found.value / far, near.gradient.dot(way) + in_front / far, 1e-12)
              << int(kind) << " " << far;
          EXPECT_LT((found.gradient - near.gradient).norm(), 1e-12) << int(kind) << " " << far;
        }
      }
    }
  }
}

// Where the places of a block without a point are.
TEST(Kernel, NothingIsWhereThereIsNoPoint) {
  const asset::OrientedPoints cloud = bar();
  const asset::PointsView points = asset::view(cloud);
  ASSERT_NE(points.point_count % asset::kBlockPoints, 0);
  for (const KernelKind kind : kKinds) {
    const KernelField field(points, kind, default_eps1(points));
    const auto ask = [&](double far) {
      return field.distance<double>(Vec3<double>::Constant(far), Order::kValue);
    };
    const auto there = ask(asset::kAway), beyond = ask(2 * asset::kAway);
    EXPECT_EQ(there.status, beyond.status) << int(kind);
    if (there.status == Status::kOk) {
      EXPECT_NEAR(there.value / beyond.value, 0.5, 1e-12) << int(kind);
    }
  }
}

// From both sides of where it is computed by 1/s.
TEST(Kernel, ThePenaltyOfWallsIsSmoothFarBehind) {
  for (const S s : {S(999), S(1001), S(1e4), S(1e10)}) {
    const S cube = s * s * s, under = 1 / (1 + cube), weight = S(kWallWeight);
    const auto psi = wall_penalty<S>(-s, S(1));
    EXPECT_NEAR(double(psi.value / (weight * cube * under)), 1, 1e-15);
    EXPECT_NEAR(double(psi.first / (-weight * 3 * s * s * under * under)), 1, 1e-15);
    EXPECT_NEAR(double(psi.second / (weight * 6 * s * (1 - 2 * cube) * under * under * under)), 1, 1e-15);
  }
  const auto psi = wall_penalty(-1e200, 1e-3);
  EXPECT_EQ(psi.value, kWallWeight);
  EXPECT_EQ(psi.first, 0);
  EXPECT_EQ(psi.second, 0);
}

TEST(Kernel, TruncatedSumsHoldTheirTolerance) {
  const asset::OrientedPoints cloud = box_points({0.05, 0.041, 0.02}, 0.004);
  const asset::PointsView points = asset::view(cloud);
  Random random(4);
  for (const KernelKind kind : kKinds) {
    const KernelField field(points, kind, default_eps1(points));
    for (const double tolerance : {1e-12, 1e-6})
      for (int k = 0; k < 60; ++k) {
        const Vec3<double> p = (near_surface(points, random) * S(k % 3 ? 1 : 3)).cast<double>();
        const auto found = field.distance<double>(p, Order::kHessian, tolerance);
        const auto dense = field.distance<S>(p.cast<S>(), Order::kHessian, S(0));
        ASSERT_EQ(found.status, dense.status);
        if (found.status != Status::kOk) continue;
        const double r = p.norm() + 0.1, a = 2 * r / field.eps1();  // a rough bound of the terms
        EXPECT_LT(std::abs(found.value - double(dense.value)), tolerance * r);
        EXPECT_LT((found.gradient - dense.gradient.cast<double>()).norm(), tolerance * (1 + r * a));
        EXPECT_LT((found.hessian - dense.hessian.cast<double>()).norm(), tolerance * (a + r * a * a));
      }
  }
}

// A shell of 0.6 spacings: just outside the Gaussian reads inside, the kernel of walls does not.
TEST(Kernel, WallsReadTheRightSign) {
  constexpr double kSpacing = 0.01, kThickness = 0.006;
  const asset::OrientedPoints plate = box_points({0.1, 0.1, kThickness / 2}, kSpacing);
  const asset::PointsView points = asset::view(plate);
  const KernelField plain(points, KernelKind::kGaussian, default_eps1(points)),
      wall(points, KernelKind::kWall, default_eps1(points));
  const Vec3<double> out(0.0031, 0.0017, kThickness / 2 + 0.0005), in(0.0031, 0.0017, 0.0);
  EXPECT_LT(plain.distance<double>(out).value, 0);
  EXPECT_GT(wall.distance<double>(out).value, 0);
  EXPECT_LT(wall.distance<double>(in).value, 0);
}

// No support reaches beyond 2 sqrt(eps1).
TEST(Kernel, OutsideEverySupportThereIsNoNumber) {
  const asset::OrientedPoints cloud = bar();
  const asset::PointsView points = asset::view(cloud);
  const KernelField field(points, KernelKind::kCompact, default_eps1(points));
  const auto none = field.distance<double>({0.0, 0.0, 0.1});
  EXPECT_EQ(none.status, Status::kNoOverlap);
  EXPECT_TRUE(std::isnan(none.value) && std::isnan(none.hessian(1, 1)));
}

TEST(Kernel, FarPointsAndTinySmoothingStayFinite) {
  const asset::OrientedPoints cloud = bar();
  const asset::PointsView points = asset::view(cloud);
  for (const KernelKind kind : {KernelKind::kGaussian, KernelKind::kQuad, KernelKind::kWall})
    for (const double eps1 : {1e-12, 1e-6, 1.0})
      for (const double reach : {0.1, 1000.0}) {
        const auto found =
            KernelField(points, kind, eps1).distance<double>(reach * Vec3<double>(0.3, 0.5, 0.8));
        ASSERT_EQ(found.status, Status::kOk);
        EXPECT_TRUE(std::isfinite(found.value) && found.gradient.allFinite() && found.hessian.allFinite());
      }
}

TEST(Kernel, BatchesGiveTheSameBitsForAnyNumberOfThreads) {
  const asset::OrientedPoints cloud = bar();
  const asset::PointsView points = asset::view(cloud);
  Random random(5);
  std::vector<Vec3<double>> p;
  for (int k = 0; k < 1000; ++k) p.push_back(near_surface(points, random).cast<double>());
  std::vector<SoftDistance<double>> one(p.size()), more(p.size());
  const KernelField field(points, KernelKind::kWall, default_eps1(points));
  field.distances(p, Order::kGradient, one, 1e-6, 1);
  field.distances(p, Order::kGradient, more, 1e-6, 4);
  for (std::size_t k = 0; k < p.size(); ++k) {
    EXPECT_EQ(one[k].value, more[k].value);
    EXPECT_EQ(one[k].gradient, more[k].gradient);
  }
}

TEST(Kernel, BadInputIsRefused) {
  asset::OrientedPoints cloud = bar();
  asset::PointsView points = asset::view(cloud);
  EXPECT_THROW(KernelField({}, KernelKind::kWall, 1e-5), InvalidInput);
  EXPECT_THROW(KernelField(points, KernelKind::kWall, 0), InvalidInput);
  EXPECT_THROW(KernelField(points, KernelKind::kWall, std::nan("")), InvalidInput);
  points.quads = nullptr;
  EXPECT_THROW(KernelField(points, KernelKind::kQuad, 1e-5), InvalidInput);
  const KernelField field(points, KernelKind::kGaussian, 1e-5);
  EXPECT_EQ(field.distance<double>({0, std::nan(""), 0}).status, Status::kInvalidInput);
  std::vector<Vec3<double>> p(3, Vec3<double>::Zero());
  std::vector<SoftDistance<double>> few(2);
  EXPECT_THROW(field.distances(p, Order::kValue, few), InvalidInput);
}

}  // namespace
