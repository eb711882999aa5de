#include "runtime/derivative/smooth.h"

#include <gtest/gtest.h>

#include "runtime/derivative/finite_difference.h"
#include "runtime/witness/separation.h"
#include "tests/runtime/derivative/cast_witness.h"
#include "tests/support/hulls.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

// Shapes in closed form with rims, sides, slopes and discs: the analytic derivative in double against
// differences of the query in extended precision.
namespace {

using namespace abut;
using namespace abut::witness;
using derivative::WitnessDerivative;
using Long = long double;
using Stacked = Eigen::Matrix<double, 10, 6>;

template <class S>
Stacked stacked(const WitnessDerivative<S>& d) {
  Stacked m;
  m << d.dp1_A_dxi_B.template cast<double>(), d.dp2_A_dxi_B.template cast<double>(),
      d.dn_A_dxi_B.template cast<double>(), d.dd_dxi_B.template cast<double>();
  return m;
}

struct Tally {
  int used = 0, kinks = 0, flat = 0, overlapping = 0;
  double worst = 0;
};

template <class ShapeA, class ShapeB>
void compare(const ShapeA& A, const ShapeB& B, std::uint64_t seed, Tally& tally) {
  Random random(seed);
  const Core<double> a = Core<Long>(A).template cast<double>(), b = Core<Long>(B).template cast<double>();
  for (int i = 0; i < test::runs(100); ++i) {
    Pose<Long> X_AB{test::random_rotation(random).cast<Long>(),
                    Vec3<Long>(random.normal(), random.normal(), random.normal()).normalized() * 3};
    X_AB.R = Eigen::Quaternion<Long>(X_AB.R).normalized().toRotationMatrix();
    for (int k = 0; k < 6; ++k) {  // to a distance from 10 cm deep to 30 cm apart
      const Witness<Long> w = separation(A, B, X_AB);
      X_AB.p += (Long(0.1) * (i % 5 - 1) + Long(0.003) - w.distance) * w.n;
    }
    const Witness<Long> w = separation(A, B, X_AB);
    ASSERT_TRUE(w.status == Status::kOk) << to_string(w.status);
    const auto query = [&](const Pose<Long>& X) { return separation(A, B, X); };
    const auto differences = [&](Long h) {
      return stacked(derivative::central_differences<Long>(w, X_AB, h, h, query));
    };
    // Two steps extrapolated; where they tell different slopes, a kink lies between: no derivative.
    const Stacked one = differences(2e-6L), two = differences(4e-6L), expected = (4 * one - two) / 3;
    if ((one - two).norm() > 1e-6 * one.norm()) {
      ++tally.kinks;
      continue;
    }
    const Witness<double> narrow = test::cast_witness<double>(w);
    const auto found = derivative::smooth_derivative(a, b, X_AB.template cast<double>(), narrow);
    const Vec3<double> m = -(X_AB.R.transpose() * w.n).template cast<double>();
    const Vec3<double> p2 = (X_AB.inverse() * w.p2).template cast<double>();
    ASSERT_EQ(found.status, Status::kOk);
    ++tally.used;
    tally.overlapping += w.distance < 0;
    tally.flat += derivative::curvature(a, narrow.n, narrow.p1).flat_count > 0 ||
                  derivative::curvature(b, m, p2).flat_count > 0;
    const double error = (stacked(found) - expected).norm() / std::max(1.0, expected.norm());
    tally.worst = test::worst_of(tally.worst, error);
    ASSERT_LT(error, 1e-9) << i << " d " << narrow.distance << " n " << narrow.n.transpose() << " m "
                           << m.transpose();
  }
}

TEST(SmoothDerivative, RimsSidesSlopesAndDiscsMatchDifferences) {
  const Cylinder<Long> cylinder{0.5L, 0.4L};
  const Cone<Long> cone{0.5L, 0.4L};
  const Capsule<Long> capsule{0.5L, 0.3L};
  const Ellipsoid<Long> ellipsoid{{0.4L, 0.5L, 0.7L}};
  Tally tally;
  compare(capsule, ellipsoid, 1, tally);
  compare(capsule, capsule, 2, tally);
  compare(cylinder, ellipsoid, 3, tally);
  compare(ellipsoid, cone, 4, tally);
  compare(cylinder, Sphere<Long>{0.3L}, 5, tally);
  compare(cylinder, capsule, 6, tally);
  compare(cone, cylinder, 7, tally);
  compare(cylinder, cylinder, 8, tally);
  compare(Swept<Long, Cone<Long>>{cone, 0.1L}, cone, 9, tally);
  compare(HalfSpace<Long>{}, ellipsoid, 10, tally);
  compare(Swept<Long, HalfSpace<Long>>{{}, 0.1L}, capsule, 11, tally);
  const Box<Long> box{{0.3L, 0.4L, 0.2L}};
  compare(box, ellipsoid, 12, tally);
  compare(Swept<Long, Box<Long>>{box, 0.05L}, cone, 13, tally);
  compare(capsule, box, 14, tally);
  compare(box, box, 15, tally);
  std::printf("%d pairs, %d overlapping, %d with a flat direction, %d at a kink; largest error %.1e\n",
              tally.used, tally.overlapping, tally.flat, tally.kinks, tally.worst);
  EXPECT_GT(tally.used, test::runs(1000));
  EXPECT_GT(tally.flat, test::runs(200));
  EXPECT_GT(tally.overlapping, test::runs(150));
}

TEST(SmoothDerivative, AHullIsRefused) {
  const asset::ConvexPiece cube = test::box_hull({0.1, 0.1, 0.1});
  const Core<double> hull(asset::view(cube)), ball(Sphere<double>{0.1});
  const Pose<double> X_AB{Mat3<double>::Identity(), {0, 0, 0.5}};
  const Witness<double> w = separation(asset::view(cube), Sphere<double>{0.1}, X_AB);
  ASSERT_EQ(w.status, Status::kOk);
  for (const auto& d : {derivative::smooth_derivative(hull, ball, X_AB, w),
                        derivative::smooth_derivative(ball, hull, X_AB, w)}) {
    EXPECT_EQ(d.status, Status::kInvalidInput);
    EXPECT_TRUE(std::isnan(d.dn_A_dxi_B(0, 0)));
  }
}

}  // namespace
