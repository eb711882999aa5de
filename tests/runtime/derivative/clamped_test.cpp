// Where d I + H is clamped the answer still is that of a pair of bodies: p2 - p1 = d n and n'n = 1 hold to
// first order, to rounding.
#include <gtest/gtest.h>

#include "runtime/core/random.h"
#include "runtime/derivative/witness_derivative.h"

namespace {

using namespace abut;
using derivative::Mat2;
using derivative::TangentCurvature;
using derivative::Vec2;

Vec3<double> random_vector(Random& random) { return {random.normal(), random.normal(), random.normal()}; }

// Radii of curvature from 0 to 1e3 times the size, and 0 to 2 flat directions.
TangentCurvature<double> random_curvature(Random& random) {
  const auto radius = [&] {
    return random.below(3) == 0 ? 0.0 : 0.1 * std::pow(10.0, random.uniform(-3, 3));
  };
  const double angle = random.uniform(0, 6.28);
  const Vec2<double> e(std::cos(angle), std::sin(angle)), f(-e.y(), e.x());
  TangentCurvature<double> H;
  H.flat_count = static_cast<int>(random.below(3));
  H.flat = {e, f};
  if (H.flat_count < 2) H.H += radius() * f * f.transpose();
  if (H.flat_count < 1) H.H += radius() * e * e.transpose();
  return H;
}

TEST(ClampedDerivative, KeepsTheWitnessEquation) {
  Random random(17);
  int clamped[3] = {0, 0, 0};
  for (int i = 0; i < 5000; ++i) {
    const Pose<double> X_AB{
        rotation_from_quaternion(random.normal(), random.normal(), random.normal(), random.normal()),
        0.1 * random_vector(random)};
    witness::Witness<double> w{};
    w.n = random_vector(random).normalized();
    w.distance = (random.below(4) == 0 ? 1 : -1) * 0.1 * std::pow(10.0, random.uniform(-4, 0));
    w.p1 = 0.1 * random_vector(random);
    w.p2 = w.p1 + w.distance * w.n;
    const auto d = derivative::differentiate<double>(w, X_AB, derivative::tangent_basis(w.n),
                                                     random_curvature(random), random_curvature(random), 0.2);
    ASSERT_TRUE(d.status == Status::kOk || d.status == Status::kClamped) << i;
    ASSERT_EQ(d.status == Status::kClamped, d.clamped_count > 0);
    ++clamped[d.clamped_count];
    const double turn = d.dn_A_dxi_B.cwiseAbs().maxCoeff(),
                 largest = std::max(
                     {1.0, turn, d.dp1_A_dxi_B.cwiseAbs().maxCoeff(), d.dp2_A_dxi_B.cwiseAbs().maxCoeff()});
    const Mat36<double> broken = d.dp2_A_dxi_B - d.dp1_A_dxi_B - w.n * d.dd_dxi_B - w.distance * d.dn_A_dxi_B;
    ASSERT_LT(broken.cwiseAbs().maxCoeff(), 1e-14 * largest) << i;
    ASSERT_LT((w.n.transpose() * d.dn_A_dxi_B).cwiseAbs().maxCoeff(), 1e-14 * std::max(1.0, turn)) << i;
    // dd is the motion of B's point along n while n is held
    const Vec3<double> arm = w.p2 - X_AB.p;
    Row6<double> dd;
    dd << arm.cross(w.n).transpose() * X_AB.R, w.n.transpose() * X_AB.R;
    ASSERT_LT((d.dd_dxi_B - dd).cwiseAbs().maxCoeff(), 1e-14) << i;
  }
  for (const int count : clamped) EXPECT_GT(count, 5);
}

}  // namespace
