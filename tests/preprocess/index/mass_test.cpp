#include <gtest/gtest.h>

#include <numbers>

#include "preprocess/index/index.h"
#include "runtime/core/error.h"
#include "runtime/math/pose.h"
#include "tests/support/shapes.h"

namespace {

using abut::Mat3;
using abut::Vec3;
using abut::asset::MassProperties;
using abut::preprocess::mass_properties;
using abut::preprocess::TriangleMesh;
constexpr double kPi = std::numbers::pi;

Vec3<double> center(const MassProperties& m) { return Vec3<double>(m.center_of_mass); }
Mat3<double> inertia(const MassProperties& m) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(m.inertia);
}

TEST(MassProperties, BoxInClosedForm) {
  const double x = 0.3, y = 0.02, z = 1.7, V = x * y * z;
  const MassProperties m = mass_properties(abut::test::box(x, y, z));
  EXPECT_NEAR(m.volume, V, 1e-15 * V);
  EXPECT_NEAR(m.area, 2 * (x * y + y * z + z * x), 1e-14);
  EXPECT_LT(center(m).norm(), 1e-16);
  const Vec3<double> I = V / 12 * Vec3<double>(y * y + z * z, z * z + x * x, x * x + y * y);
  EXPECT_LT((inertia(m) - Mat3<double>(I.asDiagonal())).cwiseAbs().maxCoeff(), 1e-15 * I.maxCoeff());
}

TEST(MassProperties, UnitTetrahedronInClosedForm) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  const MassProperties m = mass_properties(mesh);
  EXPECT_DOUBLE_EQ(m.volume, 1.0 / 6);
  EXPECT_DOUBLE_EQ(m.area, (3 + std::sqrt(3.0)) / 2);
  EXPECT_LT((center(m) - Vec3<double>::Constant(0.25)).norm(), 1e-16);
  // integral of x^2 is 1/60, of x y 1/120; less V/16 each to move to the centre of mass.
  const double xx = 1.0 / 60 - 1.0 / 96, xy = 1.0 / 120 - 1.0 / 96;
  const Mat3<double> expected =
      (Mat3<double>() << 2 * xx, -xy, -xy, -xy, 2 * xx, -xy, -xy, -xy, 2 * xx).finished();
  EXPECT_LT((inertia(m) - expected).cwiseAbs().maxCoeff(), 1e-17);
}

// The error of an inscribed tessellation falls with the square of its edge.
TEST(MassProperties, SphereAndTorusConverge) {
  const double R = 0.7, r = 0.2;
  double sphere_error = 0, torus_error = 0;
  for (const int level : {4, 5}) {
    const MassProperties s = mass_properties(abut::test::sphere(r, level));
    const double V = 4 * kPi / 3 * r * r * r;
    const double error = std::abs(inertia(s)(0, 0) / (0.4 * V * r * r) - 1);
    if (level == 5) {
      EXPECT_NEAR(sphere_error / error, 4, 0.1);
    }
    sphere_error = error;
    const MassProperties t = mass_properties(abut::test::torus(R, r, 8 << level, 4 << level));
    const double W = 2 * kPi * kPi * R * r * r;
    const double off = std::abs(inertia(t)(2, 2) / (W * (R * R + 0.75 * r * r)) - 1) +
                       std::abs(t.volume / W - 1) + std::abs(t.area / (4 * kPi * kPi * R * r) - 1);
    if (level == 5) {
      EXPECT_NEAR(torus_error / off, 4, 0.1);
    }
    torus_error = off;
  }
  EXPECT_LT(sphere_error, 5e-3);
  EXPECT_LT(torus_error, 5e-3);
}

// Moving the mesh moves the centre and turns the inertia, 100 m from the origin too.
TEST(MassProperties, MoveWithTheMesh) {
  TriangleMesh mesh = abut::test::torus(0.05, 0.02, 40, 20);
  for (Vec3<double>& v : mesh.vertices) v.x() *= 1.5;
  mesh.vertices[0] *= 1.3;
  const MassProperties before = mass_properties(mesh);
  for (const double distance : {0.0, 1.0, 100.0}) {
    const abut::Pose<double> X{abut::exp_rotation<double>({0.4, -1.1, 0.3}),
                               distance * Vec3<double>(0.6, -0.5, 0.7)};
    TriangleMesh moved = mesh;
    for (Vec3<double>& v : moved.vertices) v = X * v;
    const MassProperties after = mass_properties(moved);
    // The vertices themselves are rounded to 1e-16 of the distance.
    const double tolerance = 1e-15 * (1 + distance / 0.05);
    EXPECT_NEAR(after.volume / before.volume, 1, 10 * tolerance);
    EXPECT_NEAR(after.area / before.area, 1, 10 * tolerance);
    EXPECT_LT((center(after) - X * center(before)).norm(), 1e-16 + tolerance * 0.05);
    const Mat3<double> turned = X.R * inertia(before) * X.R.transpose();
    EXPECT_LT((inertia(after) - turned).norm() / turned.norm(), 10 * tolerance);
  }
}

TEST(MassProperties, RefuseWhatIsNoSolid) {
  TriangleMesh inside_out = abut::test::box(1, 1, 1);
  for (auto& t : inside_out.triangles) std::swap(t[0], t[1]);
  EXPECT_THROW(mass_properties(inside_out), abut::InvalidInput);
  EXPECT_THROW(mass_properties(TriangleMesh{}), abut::InvalidInput);
  EXPECT_THROW(mass_properties(abut::test::box(1, 1, 0)), abut::InvalidInput);
  TriangleMesh broken = abut::test::box(1, 1, 1);
  broken.vertices[2].y() = std::nan("");
  EXPECT_THROW(mass_properties(broken), abut::InvalidInput);
  broken = abut::test::box(1, 1, 1);
  broken.triangles[5][1] = 8;
  EXPECT_THROW(mass_properties(broken), abut::InvalidInput);
}

}  // namespace
