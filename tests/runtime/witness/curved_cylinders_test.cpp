// Overlaps of pairs with a curved shape are certified: the bounds of the signed distance are within 1e-12 of
// the size, cold and along a walk, or the status says that they are not.
#include "tests/runtime/witness/curved_pairs.h"

namespace {

using namespace abut;
using namespace abut::test;

TEST(CurvedPairs, CylindersAreCertified) {
  expect_certified_with<witness::Cylinder<double>, witness::Cylinder<double>, witness::Ellipsoid<double>>(
      {"cylinder, cylinder", "cylinder, ellipsoid"}, 200);
}

// A cylinder of the size of a pin's point at the centre of a flat ellipsoid: many directions are nearly as
// good as the axis, which is the answer.
TEST(CurvedPairs, ASmallCylinderAtTheCentreOfAFlatEllipsoid) {
  constexpr double kThin = 0.02;
  const Mat3<double> turns[] = {Mat3<double>::Identity(), exp_rotation<double>({std::acos(-1.0) / 2, 0, 0}),
                                exp_rotation<double>({0, std::acos(-1.0) / 2, 0})};
  for (const double a : {0.1, 0.5})
    for (const double b : {0.1, 0.3})
      for (const double size : {1e-1, 1e-3, 1e-4, 1e-6})
        for (const double slender : {0.1, 1.0, 10.0})
          for (const Mat3<double>& R : turns) {
            const witness::Ellipsoid<double> ellipsoid{{a, b, kThin}};
            const witness::Cylinder<double> cylinder{kThin * size, kThin * size * slender};
            const auto w = witness::separation<double>(ellipsoid, cylinder, {R, Vec3<double>::Zero()});
            ASSERT_EQ(w.status, Status::kOk);
            const double along = std::abs(R(2, 2)), across = std::hypot(R(2, 0), R(2, 1));
            const double depth = kThin + along * cylinder.half_length + across * cylinder.radius;
            ASSERT_NEAR(w.distance, -depth, 1e-12) << a << ' ' << b << ' ' << size << ' ' << slender;
            ASSERT_NEAR(std::abs(w.n.z()), 1, 1e-9);
            ASSERT_LE(w.lower_bound, w.distance);
            ASSERT_GE(w.upper_bound, w.distance);
          }
}

}  // namespace
