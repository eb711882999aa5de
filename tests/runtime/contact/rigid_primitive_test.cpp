// Rigid primitives pressed into a cube, whose pressure grows linearly under its face: Archimedes.
#include "runtime/contact/rigid_primitive.h"

#include <gtest/gtest.h>

#include <numbers>

#include "runtime/contact/pressure_energy.h"
#include "runtime/contact/pressure_field.h"
#include "runtime/core/error.h"
#include "tests/support/hulls.h"

namespace {

using namespace abut;
using contact::rigid_primitive;

const Vec6<double> kAtRest = Vec6<double>::Zero();
constexpr double kHalfSide = 0.05, kModulus = 2e6;

const asset::Asset& rigid_cube() {
  static const asset::Asset cube = [] {
    asset::Asset made;
    made.volumes.push_back(test::star_volume(asset::view(test::box_hull({kHalfSide, kHalfSide, kHalfSide}))));
    return made;
  }();
  return cube;
}

// Force on a body whose lowest point is `depth` below the cube's top, turned by R about its own centre, at
// the height `centre` above that point.
Vec6<double> pressed(const contact::RigidPrimitive& shape, double deviation, const Mat3<double>& R,
                     double centre, double depth) {
  const asset::Asset rigid = rigid_primitive(shape, deviation);
  const asset::AssetView A = asset::view(rigid_cube()), B = asset::view(rigid);
  contact::PressureFieldConfig config;
  config.A.modulus = kModulus;
  config.B.modulus = contact::kRigid;
  const Pose<double> X_AB{R, {0, 0, kHalfSide - depth + centre}};
  const contact::PairWrench w =
      contact::make_pressure_field_model(config)->wrench({&A, &B, X_AB}, kAtRest, kAtRest);
  return shift_wrench<double>(X_AB, w.F_BBo_B);
}

// Upward force of this volume below the face.
double lifted(double volume) { return kModulus / kHalfSide * volume; }

TEST(RigidPrimitive, PressesByTheVolumeThatItDisplaces) {
  const double r = 0.01, depth = 0.003, deviation = 1e-5;
  const Mat3<double> upright = Mat3<double>::Identity();
  const Mat3<double> lying = exp_rotation<double>({std::numbers::pi / 2, 0, 0});
  const double cap = std::numbers::pi * depth * depth * (3 * r - depth) / 3;
  const double segment = r * r * std::acos(1 - depth / r) - (r - depth) * std::sqrt(depth * (2 * r - depth));
  EXPECT_NEAR(pressed(witness::Box<double>{{0.01, 0.012, 0.02}}, 1e-6, upright, 0.02, depth)[5],
              lifted(4 * 0.01 * 0.012 * depth), 1e-10 * lifted(4 * 0.01 * 0.012 * depth));
  for (const double scale : {1.0, 0.25}) {
    // Triangles to either side of the surface: errors cancel to a part of the deviation over the depth.
    const double tolerance = scale * deviation / depth;
    EXPECT_NEAR(pressed(witness::Capsule<double>{0, r}, scale * deviation, upright, r, depth)[5], lifted(cap),
                tolerance * lifted(cap));
    EXPECT_NEAR(pressed(witness::Capsule<double>{0.02, r}, scale * deviation, upright, r + 0.02, depth)[5],
                lifted(cap), tolerance * lifted(cap));
    EXPECT_NEAR(pressed(witness::Cylinder<double>{0.02, r}, scale * deviation, lying, r, depth)[5],
                lifted(0.04 * segment), 2 * tolerance * lifted(0.04 * segment));
    EXPECT_NEAR(pressed(witness::Cylinder<double>{0.02, r}, scale * deviation, upright, 0.02, depth)[5],
                lifted(std::numbers::pi * r * r * depth),
                tolerance * lifted(std::numbers::pi * r * r * depth));
  }
}

TEST(RigidPrimitive, SurfacesAreClosedAndWithinTheDeviation) {
  const double r = 0.02, deviation = 2e-4;
  for (const double half_length : {0.0, 0.03}) {
    const asset::Asset made = rigid_primitive(witness::Capsule<double>{half_length, r}, deviation);
    const asset::SurfaceView surface = asset::view(made).surface;
    double volume = 0, worst = 0;
    for (std::int32_t t = 0; t < surface.triangle_count; ++t) {
      Vec3<double> p[3];
      for (int k = 0; k < 3; ++k)
        p[k] = Vec3<double>::Map(surface.vertices + 3 * surface.triangles[3 * t + k]);
      volume += p[0].dot(p[1].cross(p[2])) / 6;
      const Vec3<double> centre = (p[0] + p[1] + p[2]) / 3;
      for (const Vec3<double>& x : {p[0], p[1], p[2], centre}) {
        const Vec3<double> axis(0, 0, std::clamp(x.z(), -half_length, half_length));
        worst = std::max(worst, std::abs((x - axis).norm() - r));
      }
    }
    EXPECT_LE(worst, 0.5001 * deviation);
    const double exact = std::numbers::pi * r * r * (4 * r / 3 + 2 * half_length);
    EXPECT_NEAR(volume, exact, 0.02 * exact);  // positive: outward all over
  }
}

TEST(RigidPrimitive, SizesThatAreNoneAreRefused) {
  using Shape = contact::RigidPrimitive;
  for (const Shape& bad :
       {Shape(witness::Box<double>{{0.1, 0, 0.1}}), Shape(witness::Capsule<double>{0, 0}),
        Shape(witness::Capsule<double>{-1, 0.1}), Shape(witness::Cylinder<double>{0, 0.1})})
    EXPECT_THROW(rigid_primitive(bad, 1e-4), InvalidInput);
  for (const double bad : {0.0, 0.06, std::nan("")})
    EXPECT_THROW(rigid_primitive(witness::Capsule<double>{0, 0.1}, bad), InvalidInput);
}

// F = -dU/dxi with half-spaces too, which the model's own contract does not reach.
TEST(PressureEnergy, OfAHalfSpaceHasTheWrenchForItsGradient) {
  const asset::AssetView A = asset::view(rigid_cube());
  for (const double modulus_B : {3e6, contact::kRigid}) {
    contact::PressureFieldConfig config;
    config.A.modulus = kModulus;
    config.B.modulus = modulus_B;
    const Pose<double> X_AB{exp_rotation<double>({0.2, -0.1, 0.3}), {0.003, 0.002, -0.04}};
    const auto ask = [&](const Pose<double>& X) {
      return contact::half_space_wrench(A, {}, X, kAtRest, kAtRest, config, contact::Want::kEnergy);
    };
    const contact::PairWrench w = ask(X_AB);
    for (int k = 0; k < 6; ++k) {
      Vec6<double> xi = kAtRest;
      xi[k] = 1e-5;
      const double slope = (ask(X_AB * exp(xi)).energy - ask(X_AB * exp<double>(-xi)).energy) / 2e-5;
      EXPECT_NEAR(w.F_BBo_B[k], -slope, 1e-6 * w.F_BBo_B.norm()) << modulus_B << ", " << k;
    }
    EXPECT_GT(w.energy, 0);
  }
}

}  // namespace
