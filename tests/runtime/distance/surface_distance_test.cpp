#include "runtime/distance/surface_distance.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numbers>

#include "preprocess/index/index.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "tests/support/hulls.h"
#include "tests/support/shapes.h"

namespace {

using abut::Random;
using abut::Status;
using abut::Vec3;
using abut::asset::Surface;
using abut::distance::Feature;
using abut::distance::signed_distance;
using abut::distance::signed_distances;
using abut::distance::SurfaceDistance;
using abut::preprocess::build_surface;
using abut::preprocess::TriangleMesh;

Vec3<double> random_point(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

// Winding number of a closed surface about p, 1 inside and 0 outside, as a sum of solid angles
// [VanOosterom1983].
double winding_number(const TriangleMesh& mesh, const Vec3<double>& p) {
  long double sum = 0;
  for (const auto& t : mesh.triangles) {
    const Vec3<long double> a = (mesh.vertices[t[0]] - p).cast<long double>();
    const Vec3<long double> b = (mesh.vertices[t[1]] - p).cast<long double>();
    const Vec3<long double> c = (mesh.vertices[t[2]] - p).cast<long double>();
    const long double la = a.norm(), lb = b.norm(), lc = c.norm();
    sum += 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return static_cast<double>(sum / (4 * std::numbers::pi_v<long double>));
}

TEST(SignedDistance, BoxInClosedForm) {
  const Vec3<double> half(0.5, 0.1, 0.9);
  const Surface surface = build_surface(abut::test::box(1, 0.2, 1.8));
  for (int i = 0; i < 20000; ++i) {
    Random random(31, i);
    const Vec3<double> p = random_point(random, 1.5);
    const SurfaceDistance<double> found = signed_distance<double>(view(surface), p);
    const Vec3<double> q = p.cwiseAbs() - half;
    const double expected = q.cwiseMax(0).norm() + std::min(q.maxCoeff(), 0.0);
    Vec3<double> gradient = Vec3<double>::Zero();
    int axis = 0;
    if (q.maxCoeff(&axis) > 0)
      gradient = q.cwiseMax(0) / expected;
    else
      gradient[axis] = 1;
    for (int k = 0; k < 3; ++k) gradient[k] = std::copysign(gradient[k], p[k]);
    ASSERT_EQ(found.status, Status::kOk);
    ASSERT_NEAR(found.distance, expected, 1e-15);
    ASSERT_LT((found.gradient - gradient).norm(), 1e-12);
    ASSERT_LT((p - found.closest - found.distance * found.gradient).norm(), 1e-15);
  }
}

// On the surface itself: zero, touching, and the pseudonormal of face, edge and corner.
TEST(SignedDistance, WithinReachTheSameBitsBeyondItNothing) {
  const Surface surface = build_surface(abut::test::box(1, 0.2, 1.8));
  for (int i = 0; i < 2000; ++i) {
    Random random(33, i);
    const Vec3<double> p = random_point(random, 1.5);
    const SurfaceDistance<double> all = signed_distance<double>(view(surface), p);
    const double distance = std::abs(all.distance);
    const SurfaceDistance<double> within = signed_distance<double>(view(surface), p, 1.001 * distance);
    EXPECT_EQ(within.distance, all.distance);
    EXPECT_EQ(within.gradient, all.gradient);
    EXPECT_EQ(within.triangle, all.triangle);
    EXPECT_EQ(signed_distance<double>(view(surface), p, 0.999 * distance).status, Status::kInvalidInput);
  }
}

TEST(SignedDistance, OnTheSurface) {
  const Surface surface = build_surface(abut::test::box(1, 1, 1));
  const auto at = [&](double x, double y, double z) {
    return signed_distance<double>(view(surface), Vec3<double>(x, y, z));
  };
  for (const auto& [found, expected] :
       {std::pair{at(0.5, 0.1, 0.2), Vec3<double>(1, 0, 0)},
        std::pair{at(0.5, -0.5, 0.3), Vec3<double>(1, -1, 0)},
        std::pair{at(0.1, 0.1, 0.5), Vec3<double>(0, 0, 1)},  // on a face's diagonal
        std::pair{at(-0.5, -0.5, 0.5), Vec3<double>(-1, -1, 1)}}) {
    EXPECT_EQ(found.status, Status::kTouching);
    EXPECT_EQ(found.distance, 0);
    EXPECT_LT((found.gradient - expected.normalized()).norm(), 1e-15);
  }
}

TEST(SignedDistance, SignAgreesWithTheWindingNumber) {
  // Non-convex: a torus; a torus pinched and sheared; two bodies; a hollow sphere.
  std::vector<TriangleMesh> meshes = {abut::test::torus(1, 0.4, 24, 12), abut::test::torus(1, 0.6, 12, 6)};
  for (auto& v : meshes[1].vertices)
    v = Vec3<double>(v.x() + 0.8 * v.z() * v.z(), v.y() * (0.2 + v.x() * v.x()), v.z() - 0.5 * v.x());
  TriangleMesh hollow = abut::test::sphere(1, 2), pair = abut::test::sphere(0.5, 1);
  const auto append = [](TriangleMesh& to, const TriangleMesh& from, const Vec3<double>& shift, bool inward) {
    const auto base = static_cast<std::int32_t>(to.vertices.size());
    for (const auto& v : from.vertices) to.vertices.push_back(v + shift);
    for (const auto& t : from.triangles)
      to.triangles.push_back({base + t[0], base + t[inward ? 2 : 1], base + t[inward ? 1 : 2]});
  };
  append(hollow, abut::test::sphere(0.9, 1), {0, 0, 0}, true);
  append(pair, abut::test::box(0.3, 0.4, 0.5), {1, 0.2, 0}, false);
  meshes.push_back(hollow);
  meshes.push_back(pair);
  for (const TriangleMesh& mesh : meshes) {
    const Surface surface = build_surface(mesh);
    int inside = 0;
    for (int i = 0; i < 4000; ++i) {
      Random random(32, i);
      Vec3<double> p = random_point(random, 1.7);
      if (i % 2 == 0) {  // close to the surface, near a vertex
        p = mesh.vertices[random.below(mesh.vertices.size())] +
            random_point(random, i % 4 == 0 ? 1e-5 : 0.05);
      }
      const auto found = signed_distance<double>(view(surface), p);
      const double winding = winding_number(mesh, p);
      inside += winding > 0.5;
      ASSERT_EQ(found.distance<0, winding> 0.5) << i << " " << found.distance << " " << winding;
    }
    EXPECT_GT(inside, 200);
  }
}

TEST(SignedDistance, SliversTellNoSide) {
  Random random(37);
  for (int turn = 0; turn < 50; ++turn) {
    const abut::Mat3<double> R = abut::test::random_rotation(random);
    const Surface surface = build_surface(abut::test::wedge_with_sliver(R));
    for (int i = 0; i < 2000; ++i) {
      const Vec3<double> p{random.uniform(-0.5, 1.5), random.uniform(-0.5, 0.5), random.uniform(-0.5, 1.5)};
      const double height = std::max({p.x() - 1, -p.z(), p.z() - 1, std::abs(p.y()) - 0.2 * p.x()});
      if (std::abs(height) < 1e-9) continue;
      const SurfaceDistance<double> found = signed_distance<double>(view(surface), R * p);
      ASSERT_EQ(found.distance < 0, height < 0) << turn << " " << p.transpose();
      ASSERT_LT((R * p - found.closest - found.distance * found.gradient).norm(), 1e-14);
    }
  }
}

TEST(SignedDistance, GradientIsTheDerivative) {
  const Surface surface = build_surface(abut::test::torus(1, 0.4, 24, 12));
  int checked = 0;
  for (int i = 0; i < 1000; ++i) {
    Random random(33, i);
    const Vec3<long double> p = random_point(random, 1.5).cast<long double>();
    const auto found = signed_distance<long double>(view(surface), p);
    EXPECT_NEAR(found.gradient.norm(), 1, 1e-15);
    const long double h = 1e-7L;
    Vec3<long double> difference;
    bool smooth = true;  // the same triangle and feature on both sides of every step
    for (int k = 0; k < 3; ++k) {
      const Vec3<long double> step = h * Vec3<long double>::Unit(k);
      const auto up = signed_distance<long double>(view(surface), Vec3<long double>(p + step));
      const auto down = signed_distance<long double>(view(surface), Vec3<long double>(p - step));
      difference[k] = (up.distance - down.distance) / (2 * h);
      smooth &= (up.closest - down.closest).norm() < 10 * h;
    }
    if (!smooth) continue;
    ++checked;
    EXPECT_LT((difference - found.gradient).norm(), 1e-6) << i;
  }
  EXPECT_GT(checked, 900);
}

TEST(SignedDistance, ScalarsAgree) {
  const Surface surface = build_surface(abut::test::torus(1, 0.4, 24, 12));
  for (int i = 0; i < 2000; ++i) {
    Random random(34, i);
    const Vec3<float> p = random_point(random, 1.5).cast<float>();
    const auto exact = signed_distance<long double>(view(surface), Vec3<long double>(p.cast<long double>()));
    EXPECT_NEAR(signed_distance<double>(view(surface), Vec3<double>(p.cast<double>())).distance,
                exact.distance, 2e-15);
    EXPECT_NEAR(signed_distance<float>(view(surface), p).distance, exact.distance, 1e-6);
  }
}

TEST(SignedDistance, UnusableInput) {
  const Surface surface = build_surface(abut::test::box(1, 1, 1));
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    const auto found = signed_distance<double>(view(surface), Vec3<double>(0, bad, 0));
    EXPECT_EQ(found.status, Status::kInvalidInput);
    EXPECT_TRUE(std::isnan(found.distance) && found.closest.hasNaN() && found.gradient.hasNaN());
    EXPECT_EQ(found.triangle, -1);
  }
  EXPECT_EQ(signed_distance<double>({}, Vec3<double>::Zero()).status, Status::kInvalidInput);
  // Far away is no reason to fail.
  for (const double far : {1e30, 1e100, 1e153, 1e160, 1e300})
    EXPECT_NEAR(signed_distance<double>(view(surface), Vec3<double>(far, 0, 0)).distance / far, 1, 1e-15);
}

// From afar a corner's faces and edges are as near as itself within rounding: which of them is found last
// must not decide the sign.
TEST(SignedDistance, FarPointsAreOutside) {
  const Surface surface = build_surface(abut::test::torus(1, 0.4, 24, 12));
  Random random(36);
  for (int i = 0; i < 1000; ++i) {
    const Vec3<double> p = std::pow(10.0, random.uniform(8, 300)) * random_point(random, 1);
    ASSERT_GT(signed_distance<double>(view(surface), p).distance, 0) << p.transpose();
  }
}

TEST(SignedDistances, TheSameBitsForAnyNumberOfThreads) {
  const Surface surface = build_surface(abut::test::torus(1, 0.4, 60, 30));
  std::vector<Vec3<double>> points;
  for (int i = 0; i < 5000; ++i) {
    Random random(35, i);
    points.push_back(random_point(random, 1.5));
  }
  std::vector<SurfaceDistance<double>> one(points.size()), many(points.size());
  signed_distances(view(surface), points, one, 1);
  for (const int threads : {2, 3, 8, 16}) {
    signed_distances(view(surface), points, many, threads);
    for (std::size_t i = 0; i < points.size(); ++i) {
      ASSERT_EQ(std::memcmp(&one[i].distance, &many[i].distance, sizeof(double)), 0);
      ASSERT_EQ(one[i].closest, many[i].closest);
      ASSERT_EQ(one[i].gradient, many[i].gradient);
      ASSERT_EQ(one[i].triangle, many[i].triangle);
    }
  }
  many.pop_back();
  EXPECT_THROW(signed_distances(view(surface), points, many), abut::InvalidInput);
}

}  // namespace
