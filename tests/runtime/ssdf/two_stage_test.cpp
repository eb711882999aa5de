#include "runtime/ssdf/two_stage.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/core/random.h"
#include "tests/support/point_clouds.h"

namespace {

using namespace abut;
using ssdf::internal::kPack;
using ssdf::internal::kPackNumbers;
using ssdf::internal::kSecondPlaces;
using ssdf::internal::kThirdPlaces;
using ssdf::internal::second_place;
using ssdf::internal::Taylor;

using S = long double;

// A cloud in spacings, all of its points near.
template <class T>
struct Cloud {
  ssdf::internal::NearScratch<T> memory;

  Cloud() = default;
  explicit Cloud(const asset::OrientedPoints& points) {
    const asset::PointsView p = asset::view(points);
    for (int i = 0; i < p.point_count; ++i)
      add({p.x[i] / p.spacing, p.y[i] / p.spacing, p.z[i] / p.spacing}, {p.nx[i], p.ny[i], p.nz[i]});
  }
  void add(const Vec3<T>& x, const Vec3<T>& n) {
    const int i = count();
    memory.places.push_back(kPackNumbers * (i / kPack) + i % kPack);
    memory.packs.resize(std::size_t(kPackNumbers * (i / kPack + 1)));
    for (int k = 0; k < 3; ++k) {
      memory.packs[std::size_t(memory.places[i] + kPack * k)] = x[k];
      memory.packs[std::size_t(memory.places[i] + kPack * (3 + k))] = n[k];
    }
  }
  int count() const { return static_cast<int>(memory.places.size()); }
  Vec3<T> at(int i, int row) const {
    const T* const from = memory.packs.data() + memory.places[std::size_t(i)] + kPack * row;
    return {from[0], from[kPack], from[2 * kPack]};
  }

  template <int kOrder>
  Taylor<T, kOrder> at(const Vec3<T>& p) {
    Taylor<T, kOrder> phi;
    phi.clear();
    const auto scratch = ssdf::internal::make_scratch<T>(count(), memory);
    EXPECT_TRUE((ssdf::internal::two_stage<T, kOrder, T>({memory.packs.data(), memory.places.data(), count()},
                                                         p.data(), T(1e9), scratch, phi)));
    return phi;
  }
};

// A plate of unit quads in the plane z = 0, 21 by 21.
asset::OrientedPoints plate() {
  std::vector<Vec3<double>> positions, normals, tangents;
  for (int i = -10; i <= 10; ++i)
    for (int j = -10; j <= 10; ++j) {
      positions.emplace_back(i, j, 0);
      normals.emplace_back(0, 0, 1);
      tangents.emplace_back(1, 0, 0);
    }
  return test::make_points(positions, normals, 1, tangents);
}

TEST(TwoStage, OfAPlaneItIsTheHeight) {
  Cloud<double> cloud(plate());
  Random random(1);
  for (int k = 0; k < 100; ++k) {
    const Vec3<double> p(random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-3, 3));
    const auto phi = cloud.at<3>(p);
    EXPECT_NEAR(phi.value, p.z(), 1e-13);
    EXPECT_NEAR(phi.first[0], 0, 1e-13);
    EXPECT_NEAR(phi.first[1], 0, 1e-13);
    EXPECT_NEAR(phi.first[2], 1, 1e-13);
    for (const double second : phi.second) EXPECT_NEAR(second, 0, 1e-12);
    for (const double third : phi.third) EXPECT_NEAR(third, 0, 1e-11);
  }
}

TEST(TwoStage, OfABallItIsTheDistanceNearTheSurface) {
  const auto points = test::sphere_points(0.05, 2000);
  Cloud<double> cloud(points);
  const double radius = 0.05 / points.spacing[0];
  Random random(2);
  for (int k = 0; k < 200; ++k) {
    const Vec3<double> n = Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
    const double height = random.uniform(-2, 2);
    const auto phi = cloud.at<1>((radius + height) * n);
    EXPECT_NEAR(phi.value, height, 0.03);
    EXPECT_NEAR(n.dot(Vec3<double>(phi.first[0], phi.first[1], phi.first[2])), 1, 0.1);
  }
}

// Behind a thin plate, which has two sides, the other side's planes do not count.
TEST(TwoStage, SidesOfAThinPlateAreToldApart) {
  std::vector<Vec3<double>> positions, normals;
  for (int i = -10; i <= 10; ++i)
    for (int j = -10; j <= 10; ++j)
      for (const int side : {-1, 1}) {
        positions.emplace_back(i, j, side * 0.4);
        normals.emplace_back(0, 0, side);
      }
  Cloud<double> cloud(test::make_points(positions, normals, 1));
  for (const double z : {-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0})
    EXPECT_NEAR(cloud.at<0>({0.3, 0.2, z}).value, std::abs(z) - 0.4, 0.02) << z;
}

TEST(TwoStage, DerivativesAreThoseOfTheValue) {
  Cloud<S> cloud(test::sphere_points(0.05, 300));
  Random random(3);
  for (int k = 0; k < 20; ++k) {
    const Vec3<S> p = Vec3<double>(random.normal(), random.normal(), random.normal()).normalized().cast<S>() *
                      S(random.uniform(1, 7));
    const auto phi = cloud.at<3>(p);
    const S h = 1e-4L;
    for (int a = 0; a < 3; ++a) {
      const auto at = [&](S step) { return cloud.at<3>(p + step * Vec3<S>::Unit(a)); };
      const auto a1 = at(h), b1 = at(-h), a2 = at(2 * h), b2 = at(-2 * h);
      const auto slope = [&](const auto& f) { return (8 * (f(a1) - f(b1)) - (f(a2) - f(b2))) / (12 * h); };
      EXPECT_NEAR(phi.first[a], slope([](const auto& t) { return t.value; }), 1e-10);
      for (int b = 0; b < 3; ++b)
        EXPECT_NEAR(phi.second[second_place(std::min(a, b), std::max(a, b))],
                    slope([&](const auto& t) { return t.first[b]; }), 1e-9);
      for (int m = 0; m < 10; ++m)
        for (int at_m = 0; at_m < 3; ++at_m) {
          if (kThirdPlaces[m][at_m] != a) continue;
          const int others[2] = {kThirdPlaces[m][at_m == 0 ? 1 : 0], kThirdPlaces[m][at_m == 2 ? 1 : 2]};
          EXPECT_NEAR(phi.third[m],
                      slope([&](const auto& t) { return t.second[second_place(others[0], others[1])]; }),
                      1e-8);
        }
    }
  }
}

// What lies beyond the range changes nothing that a number shows.
TEST(TwoStage, PointsOutOfRangeDoNotCount) {
  Cloud<double> all(test::sphere_points(0.05, 3000));
  Random random(4);
  for (int k = 0; k < 50; ++k) {
    const Vec3<double> p =
        Vec3<double>(random.normal(), random.normal(), random.normal()).normalized() * random.uniform(10, 18);
    double nearest = 1e300;
    const auto distance = [&](int i) { return (all.at(i, 0) - p).norm(); };
    for (int i = 0; i < all.count(); ++i) nearest = std::min(nearest, distance(i));
    Cloud<double> near;
    for (int i = 0; i < all.count(); ++i)
      if (distance(i) <= ssdf::internal::sight_range(nearest)) near.add(all.at(i, 0), all.at(i, 3));
    ASSERT_LT(near.count(), all.count() / 2);
    EXPECT_NEAR(near.at<1>(p).value, all.at<1>(p).value, 1e-9);
    EXPECT_NEAR(near.at<1>(p).first[0], all.at<1>(p).first[0], 1e-8);
  }
}

// The points within sight give what all of them do, near and far away.
TEST(TwoStage, PointsOutOfSightDoNotMatter) {
  const auto ball = test::sphere_points(0.05, 2000);
  const asset::PointsView points = asset::view(ball);
  const double spacing = points.spacing;
  Cloud<S> cloud(ball);
  Random random(4);
  for (const double far : {0.0, 1.0, 10.0, 900.0, 1100.0, 1e6, 9e7})
    for (int k = 0; k < 10; ++k) {
      const Vec3<double> way = Vec3<double>(random.normal(), random.normal(), random.normal()).normalized(),
                         p = (0.05 + (far + 0.2 * random.uniform()) * spacing) * way;
      const Taylor<S, 2> all = cloud.at<2>(p.cast<S>() / S(spacing));
      const ssdf::SoftDistance<double> d = ssdf::two_stage_distance<double>(points, p);
      ASSERT_EQ(d.status, Status::kOk) << far;
      EXPECT_NEAR(d.value, double(all.value) * spacing, 1e-10 * (1 + far) * spacing) << far;
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(d.gradient[j], double(all.first[j]), 1e-8) << far;
      for (int m = 0; m < 6; ++m)
        EXPECT_NEAR(d.hessian(kSecondPlaces[m][0], kSecondPlaces[m][1]) * spacing, double(all.second[m]),
                    1e-6)
            << far;
    }
}

TEST(TwoStage, TooFarAwayThereIsAStatus) {
  const auto ball = test::sphere_points(0.05, 500);
  const asset::PointsView points = asset::view(ball);
  for (const double x : {1.1e8 * points.spacing, 1e100, 1e300, std::nan("")}) {
    const ssdf::SoftDistance<double> d = ssdf::two_stage_distance<double>(points, {x, 0, 0});
    EXPECT_EQ(d.status, Status::kInvalidInput) << x;
    EXPECT_TRUE(std::isnan(d.value));
  }
}

}  // namespace
