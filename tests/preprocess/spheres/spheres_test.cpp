#include "preprocess/spheres/spheres.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "preprocess/index/index.h"
#include "preprocess/remesh/surface_sampler.h"
#include "runtime/core/error.h"
#include "runtime/distance/surface_distance.h"
#include "tests/support/shapes.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

struct Made {
  asset::Surface surface;
  asset::SphereSet spheres;
  Report report;
};

Made make(const TriangleMesh& mesh, int count) {
  Made made{build_surface(mesh), {}, {}};
  made.spheres =
      make_spheres(mesh, asset::view(made.surface), {.count = count}, made.report, [](const std::string&) {});
  return made;
}

// How far a point is outside all spheres, m.
double outside(const asset::SphereSet& spheres, const Vector3d& p) {
  const auto count = static_cast<Eigen::Index>(spheres.radii.size());
  const Eigen::Map<const Eigen::Matrix3Xd> centers(spheres.centers.data(), 3, count);
  const Eigen::Map<const Eigen::RowVectorXd> radii(spheres.radii.data(), count);
  return ((centers.colwise() - p).colwise().norm() - radii).minCoeff();
}

// Random points of the surface, of the solid, and of the spheres.
void expect_held(const Made& made) {
  const asset::SurfaceView surface = asset::view(made.surface);
  const Eigen::Map<const Eigen::Matrix3Xd> vertices(surface.vertices, 3, surface.vertex_count);
  const Vector3d low = vertices.rowwise().minCoeff(), high = vertices.rowwise().maxCoeff();
  const double rounding = 1e-12 * (high - low).norm();
  const SurfaceSampler sample(surface);
  Random random(3, 0);
  for (std::int32_t v = 0; v < surface.vertex_count; ++v)
    EXPECT_LE(outside(made.spheres, vertices.col(v)), rounding);
  for (int i = 0; i < 20'000; ++i) {
    EXPECT_LE(outside(made.spheres, sample(random).first), rounding);
    Vector3d p;
    for (int axis = 0; axis < 3; ++axis) p[axis] = random.uniform(low[axis], high[axis]);
    if (distance::signed_distance<double>(surface, p).distance < 0) {
      EXPECT_LE(outside(made.spheres, p), rounding);
    }
    const std::size_t k = static_cast<std::size_t>(i) % made.spheres.radii.size();
    const Vector3d q = Vector3d::Map(made.spheres.centers.data() + 3 * k) +
                       made.spheres.radii[k] * in_unit_ball(random).normalized();
    EXPECT_LE(distance::signed_distance<double>(surface, q).distance, made.spheres.error[0] + rounding);
  }
}

TEST(Spheres, OneAboutABoxIsTheLeast) {
  const Made made = make(test::box(0.1, 0.1, 0.1), 1);
  ASSERT_EQ(made.spheres.radii.size(), 1U);
  const double half_diagonal = 0.05 * std::sqrt(3.0);
  EXPECT_NEAR(made.spheres.radii[0], half_diagonal, 0.03 * half_diagonal);
  EXPECT_NEAR(made.spheres.error[0], half_diagonal - 0.05, 0.03 * half_diagonal);
  expect_held(made);
}

TEST(Spheres, HoldATorusAndReachLessFarOutTheMoreThereAre) {
  const TriangleMesh torus = test::torus(0.05, 0.015, 20, 10);
  double before = std::numeric_limits<double>::infinity();
  for (const int count : {4, 16, 64}) {
    const Made made = make(torus, count);
    EXPECT_LE(made.spheres.radii.size(), static_cast<std::size_t>(count));
    EXPECT_LT(made.spheres.error[0], 0.8 * before);
    before = made.spheres.error[0];
    EXPECT_EQ(made.report.measures.at("spheres_outward_m"), before);
    expect_held(made);
  }
  EXPECT_LT(before, 2.5e-3);
}

// A plate a thousandth as thick as wide, and a body of kilometres.
TEST(Spheres, HoldThinAndLargeBodies) {
  expect_held(make(test::box(0.1, 0.1, 1e-4), 20));
  expect_held(make(test::torus(5e3, 1.5e3, 20, 10), 8));
}

TEST(Spheres, AreTheSameEveryTime) {
  const TriangleMesh torus = test::torus(0.05, 0.015, 20, 10);
  const Made a = make(torus, 10), b = make(torus, 10);
  EXPECT_EQ(a.spheres.centers, b.spheres.centers);
  EXPECT_EQ(a.spheres.radii, b.spheres.radii);
}

TEST(Spheres, WordsThatAreNoNumberAreRefused) {
  for (const char* text : {"", "0", "-3", "many", "3.5", "auto", "4097", "99999999999"})
    EXPECT_THROW(sphere_parameters_from_string(text), InvalidInput) << text;
  EXPECT_EQ(sphere_parameters_from_string("none").count, 0);
  EXPECT_EQ(sphere_parameters_from_string("64").text(), "64");
}

}  // namespace
}  // namespace abut::preprocess
