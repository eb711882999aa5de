#include "runtime/ssdf/field.h"

#include <gtest/gtest.h>

#include <cstring>

#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "runtime/ssdf/hilbert_curve.h"
#include "runtime/ssdf/kernel.h"
#include "tests/support/point_clouds.h"

namespace {

using namespace abut;
using namespace abut::ssdf;
using test::make_points;
using test::sphere_points;

// Sums of the absolute values of the terms, lengths no less than sqrt(eps1): what the tolerance is relative
// to.
struct Scales {
  long double value = 0, gradient = 0, hessian = 0;
};

Scales scales(const asset::PointsView& points, const Vec3<long double>& p, long double eps1) {
  using S = long double;
  std::vector<S> weights;
  S nearest2 = 1e300L, total = 0;
  for (int i = 0; i < points.point_count; ++i)
    nearest2 = std::min(nearest2, (p - internal::position<S>(points, i)).squaredNorm());
  Vec3<S> mean = Vec3<S>::Zero();
  for (int i = 0; i < points.point_count; ++i) {
    const Vec3<S> x = internal::position<S>(points, i);
    weights.push_back(std::exp((nearest2 - (p - x).squaredNorm()) / eps1));
    total += weights.back();
    mean += weights.back() * (x - p);
  }
  mean /= total;
  Scales sum;
  const S least = std::sqrt(eps1);
  for (int i = 0; i < points.point_count; ++i) {
    const S w = weights[i] / total, r = (p - internal::position<S>(points, i)).norm() + least;
    const S a = 2 / eps1 * (internal::position<S>(points, i) - p - mean).norm() + 1 / least;
    sum.value += w * r;
    sum.gradient += w * (1 + r * a);
    sum.hessian += w * (2 * a + 2 * r * a * a);
  }
  return sum;
}

template <class S>
void expect_close(const SoftDistance<S>& found, const asset::PointsView& points, const Vec3<double>& p,
                  double eps1, double tolerance, Order order = Order::kHessian) {
  const auto dense = soft_distance_dense<long double>(points, p.cast<long double>(), eps1);
  const Scales scale = scales(points, p.cast<long double>(), eps1);
  ASSERT_EQ(found.status, Status::kOk);
  EXPECT_LE(double(std::abs(found.value - dense.value) / scale.value), tolerance);
  if (order >= Order::kGradient) {
    EXPECT_LE(double((found.gradient.template cast<long double>() - dense.gradient).norm() / scale.gradient),
              tolerance);
  }
  if (order >= Order::kHessian) {
    EXPECT_LE(double((found.hessian.template cast<long double>() - dense.hessian).norm() / scale.hessian),
              tolerance);
  }
}

Vec3<double> random_point(Random& random, double reach) {
  return {random.uniform(-reach, reach), random.uniform(-reach, reach), random.uniform(-reach, reach)};
}

TEST(Field, TruncatedSumsHoldTheirTolerance) {
  const asset::OrientedPoints cloud = sphere_points(0.05, 700);
  const auto points = asset::view(cloud);
  Random random(1);
  for (const double smoothing : {0.05, 0.5, 5.0, 500.0}) {
    const double eps1 = smoothing * points.spacing * points.spacing;
    for (const double tolerance : {1e-12, 1e-6, 1e-2}) {
      for (int i = 0; i < 30; ++i) {
        const Vec3<double> p = random_point(random, i % 3 == 0 ? 0.5 : 0.06);
        SCOPED_TRACE(testing::Message() << smoothing << " " << tolerance << " " << p.transpose());
        for (const Order order : {Order::kValue, Order::kGradient, Order::kHessian})
          expect_close(soft_distance(points, p, eps1, order, tolerance), points, p, eps1, tolerance, order);
        if (tolerance < 1e-11) {
          expect_close(soft_distance_scalar<double>(points, p, eps1), points, p, eps1, tolerance);
          expect_close(
              soft_distance_scalar<long double>(points, p.cast<long double>(), eps1, Order::kHessian, 1e-15L),
              points, p, eps1, 1e-15);
        }
      }
    }
  }
}

// Two clusters far apart, and points between them: every one of either cluster counts.
TEST(Field, TwoFarClusters) {
  Random random(2);
  std::vector<Vec3<double>> positions, normals;
  for (int i = 0; i < 600; ++i) {
    const Vec3<double> side = i % 2 ? Vec3<double>(1, 0, 0) : Vec3<double>(-1, 0, 0);
    positions.push_back(side + random_point(random, 0.01));
    normals.push_back(random_point(random, 1).normalized());
  }
  const asset::OrientedPoints cloud = make_points(positions, normals, 1e-6);
  const auto points = asset::view(cloud);
  for (int i = 0; i < 60; ++i) {
    Vec3<double> p = random_point(random, 0.01);
    p.x() *= i % 3 == 0 ? 1e-4 : 1;
    expect_close(soft_distance(points, p, 5e-7), points, p, 5e-7, 1e-12);
    p.x() += i % 2;
    expect_close(soft_distance(points, p, 5e-7), points, p, 5e-7, 1e-12);
  }
}

// As eps1 falls the value tends to that of the plane of the nearest point; nothing overflows on the way.
TEST(Field, FarPointsAndTinySmoothingHaveTheRightLimit) {
  const asset::OrientedPoints cloud = sphere_points(0.05, 500);
  const auto points = asset::view(cloud);
  Random random(3);
  for (const double eps1 : {1e-12, 1e-9, 1e-5, 1.0}) {
    for (const double reach : {0.1, 10.0, 1000.0}) {
      for (int i = 0; i < 20; ++i) {
        const Vec3<double> p = reach * random_point(random, 1);
        const auto found = soft_distance(points, p, eps1);
        ASSERT_EQ(found.status, Status::kOk);
        ASSERT_TRUE(std::isfinite(found.value) && found.gradient.allFinite() && found.hessian.allFinite())
            << eps1 << " " << p.transpose();
        if (eps1 > 1e-10) continue;
        int nearest = 0;
        for (int k = 1; k < points.point_count; ++k)
          if ((p - internal::position<double>(points, k)).norm() <
              (p - internal::position<double>(points, nearest)).norm())
            nearest = k;
        const double plane =
            internal::normal<double>(points, nearest).dot(p - internal::position<double>(points, nearest));
        EXPECT_NEAR(found.value, plane, 1e-5 * (reach + 0.1)) << eps1 << " " << p.transpose();
      }
    }
  }
}

TEST(Field, BatchesGiveTheSameBitsForAnyNumberOfThreads) {
  const asset::OrientedPoints cloud = sphere_points(0.05, 500);
  const auto points = asset::view(cloud);
  Random random(4);
  std::vector<Vec3<double>> p;
  for (int i = 0; i < 2000; ++i) p.push_back(random_point(random, 0.08));
  p[7].y() = std::nan("");
  std::vector<SoftDistance<double>> one(p.size()), more(p.size());
  const double eps1 = default_eps1(points);
  soft_distances(points, p, eps1, Order::kHessian, one, kTolerance, 1);
  for (const int threads : {2, 3, 8, 16}) {
    soft_distances(points, p, eps1, Order::kHessian, more, kTolerance, threads);
    for (std::size_t i = 0; i < p.size(); ++i) {
      ASSERT_EQ(std::memcmp(&one[i].value, &more[i].value, sizeof(double)), 0);
      ASSERT_EQ(std::memcmp(one[i].hessian.data(), more[i].hessian.data(), 9 * sizeof(double)), 0);
    }
  }
  EXPECT_EQ(one[7].status, Status::kInvalidInput);
  EXPECT_TRUE(std::isnan(one[7].value));
  EXPECT_NEAR(one[8].value, soft_distance(points, p[8], eps1).value, 1e-12);
}

// Packets of neighbours: near and far, dense and sparse batches, a point that is not one among them.
TEST(Field, PacketsHoldTheirToleranceAndGiveTheSameBits) {
  const asset::OrientedPoints cloud = sphere_points(0.05, 700);
  const auto points = asset::view(cloud);
  const double eps1 = default_eps1(points);
  Random random(6);
  for (const double reach : {0.06, 0.5}) {
    std::vector<Vec3<double>> p;
    for (int i = 0; i < 403; ++i) p.push_back(random_point(random, reach));
    p[100].x() = std::nan("");
    p[200] = {1e306, -1e306, 0};  // so far that squares are infinite, and everything else in one cell
    std::vector<SoftDistance<double>> one(p.size()), more(p.size());
    for (const Order order : {Order::kValue, Order::kGradient, Order::kHessian}) {
      soft_distances(points, p, eps1, order, one, 1e-6, 1);
      soft_distances(points, p, eps1, order, more, 1e-6, 3);
      for (std::size_t i = 0; i < p.size(); ++i) {
        if (i == 100 || i == 200) continue;
        expect_close(one[i], points, p[i], eps1, 1e-6, order);
        ASSERT_EQ(std::memcmp(&one[i].value, &more[i].value, sizeof(double)), 0);
        ASSERT_EQ(std::memcmp(one[i].hessian.data(), more[i].hessian.data(), 9 * sizeof(double)), 0);
      }
      EXPECT_EQ(one[100].status, Status::kInvalidInput);
    }
  }
}

// Every cell of a cube once, each a neighbour of the one before.
TEST(HilbertCurve, GoesFromCellToCell) {
  constexpr internal::HilbertCurve curve;
  constexpr std::uint32_t kEdge = 32, kCell = (1 << internal::HilbertCurve::kLevels) / kEdge;
  std::vector<Eigen::Vector3i> cells(kEdge * kEdge * kEdge, Eigen::Vector3i::Constant(-1));
  for (std::uint32_t x = 0; x < kEdge; ++x)
    for (std::uint32_t y = 0; y < kEdge; ++y)
      for (std::uint32_t z = 0; z < kEdge; ++z) {
        Eigen::Vector3i& cell = cells[curve(kCell * x, kCell * y, kCell * z) / (kCell * kCell * kCell)];
        ASSERT_EQ(cell.x(), -1);
        cell = Eigen::Vector3i(x, y, z);
      }
  for (std::size_t i = 1; i < cells.size(); ++i) ASSERT_EQ((cells[i] - cells[i - 1]).cwiseAbs().sum(), 1);
}

// Far away the value is the height over the plane of the point that lies farthest that way, to rounding of
// the place; the same on either side of the distances where squares stop telling points apart.
TEST(Field, FarAway) {
  const asset::OrientedPoints cloud = sphere_points(0.05, 500);
  const auto points = asset::view(cloud);
  const double eps1 = default_eps1(points);
  for (const double distance : {1e3, 1e4, 1e5, 1e6, 1e9, 1e14, 1e30, 1e79, 1e81, 1e100, 1e160, 1e300}) {
    SCOPED_TRACE(distance);
    for (std::uint64_t k = 0; k < 20; ++k) {
      Random random(3, k);
      const Vec3<double> d = Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
      int top = 0;
      for (int i = 1; i < points.point_count; ++i)
        if (d.dot(internal::position<double>(points, i)) > d.dot(internal::position<double>(points, top)))
          top = i;
      const double expected = distance * d.dot(internal::normal<double>(points, top));
      std::vector<Vec3<double>> p = {distance * d};
      std::vector<SoftDistance<double>> batch(1);
      soft_distances(points, p, eps1, Order::kHessian, batch, 1e-6, 1);
      for (const auto& found :
           {soft_distance(points, p[0], eps1), soft_distance_scalar<double>(points, p[0], eps1),
            KernelField(points, KernelKind::kGaussian, eps1).distance<double>(p[0]), batch[0]}) {
        ASSERT_EQ(found.status, Status::kOk);
        EXPECT_NEAR(found.value / distance, expected / distance, 0.11 / distance + 1e-5);
        EXPECT_TRUE(found.gradient.allFinite() && found.hessian.allFinite());
      }
    }
  }
  const Vec3<double> far(1e160, -2e160, 3e160);
  EXPECT_EQ(KernelField(points, KernelKind::kCompact, eps1).distance<double>(far).status, Status::kNoOverlap);
  const auto walls = KernelField(points, KernelKind::kWall, eps1).distance<double>(far);
  EXPECT_EQ(walls.status, Status::kOk);
  EXPECT_NEAR(walls.value / far.stableNorm(), 1, 0.01);  // by that point's normal
}

// A tolerance above 1, an eps1 so small that squares do not tell which point is nearest, and one so large
// that all weigh the same.
TEST(Field, SettingsAtTheEndsOfTheirRanges) {
  const asset::OrientedPoints cloud = sphere_points(0.05, 500);
  const auto points = asset::view(cloud);
  const Vec3<double> p(0.05, 0.04, -0.03);
  const auto nearest = soft_distance_dense<long double>(points, p.cast<long double>(), 1e-30L);
  EXPECT_NEAR(soft_distance(points, p, 1e-30).value, static_cast<double>(nearest.value), 1e-15);
  EXPECT_EQ(soft_distance(points, p, 1e-5, Order::kHessian, 1e300).status, Status::kOk);
  const auto dense = soft_distance_dense<long double>(points, p.cast<long double>(), 1e150L);
  EXPECT_NEAR(soft_distance(points, p, 1e150).value, static_cast<double>(dense.value), 1e-15);
  EXPECT_EQ(soft_distance(points, p, 1e151).status, Status::kInvalidInput);
}

TEST(Field, BadInputIsRefused) {
  const asset::OrientedPoints cloud = sphere_points(0.05, 50);
  const auto points = asset::view(cloud);
  std::vector<Vec3<double>> p(3, Vec3<double>::Zero());
  std::vector<SoftDistance<double>> results(3), few(2);
  EXPECT_THROW(soft_distances(points, p, 0.0, Order::kValue, results), InvalidInput);
  EXPECT_THROW(soft_distances(points, p, std::nan(""), Order::kValue, results), InvalidInput);
  EXPECT_THROW(soft_distances(points, p, 1e-5, Order::kValue, results, -1.0), InvalidInput);
  EXPECT_THROW(soft_distances(points, p, 1e-5, Order::kValue, few), InvalidInput);
  EXPECT_THROW(soft_distances({}, p, 1e-5, Order::kValue, results), InvalidInput);
  for (const auto& none : {soft_distance({}, p[0], 1e-5), soft_distance(points, p[0], -1e-5),
                           soft_distance(points, {0, 0, std::nan("")}, 1e-5)}) {
    EXPECT_EQ(none.status, Status::kInvalidInput);
    EXPECT_TRUE(std::isnan(none.value) && std::isnan(none.hessian(0, 0)));
  }
}

TEST(Field, BadCloudsAreRefused) {
  const std::vector<Vec3<double>> x = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, n(3, Vec3<double>::UnitZ());
  EXPECT_NO_THROW(make_points(x, n, 1));
  EXPECT_THROW(make_points({}, {}, 1), InvalidInput);
  EXPECT_THROW(make_points({{0, 0, 0}, {1, std::nan(""), 0}, {0, 1, 0}}, n, 1), InvalidInput);
  EXPECT_THROW(make_points(x, {{0, 0, 1}, {0, 0, 1.01}, {0, 0, 1}}, 1), InvalidInput);
  EXPECT_THROW(make_points(x, {{0, 0, 1}, {0, 0, 0}, {0, 0, 1}}, 1), InvalidInput);
  EXPECT_THROW(make_points({x[1], x[1], x[1]}, n, 1), InvalidInput);
  EXPECT_THROW(make_points(x, n, 0), InvalidInput);
}

}  // namespace
