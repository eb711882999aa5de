// Derivatives of steps with rigid contact and friction, over random states of piles and arms.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "tests/runtime/dynamics/step/frictional_steps.h"
#include "tests/runtime/dynamics/system/no_asset.h"

namespace {

using namespace abut;
using namespace abut::test;

// How many of so many random piles have derivatives that equal differences; none may be wrong without a kink.
// objects(k): the shapes of pile k, none for boxes, balls and cylinders.
template <class Objects>
int right_piles(std::uint64_t seed, int piles, Objects&& objects) {
  int right = 0;
  for (int k = 0; k < piles; ++k) {
    Random random(seed, static_cast<std::uint64_t>(k));
    const System system(random_pile(random, 1 + k % 3, objects(k)));
    StepDifferences differences(system, exact_config());
    const DerivativeCheck check =
        check_derivatives(differences, pile_state(random, differences, system, false));
    EXPECT_NE(check.verdict, DerivativeVerdict::kWrong) << "state " << k << ", error " << check.error;
    right += check.verdict == DerivativeVerdict::kRight;
  }
  return right;
}

TEST(FrictionalDerivatives, EqualDifferencesOverRandomPilesOrNameAKink) {
  constexpr int kStates = 90;
  EXPECT_GT(right_piles(7, kStates, [](int) { return std::span<const body::Geometry>(); }), kStates * 6 / 10);
}

TEST(FrictionalDerivatives, EqualDifferencesOverPilesOfCurvedBodiesOrNameAKink) {
  constexpr int kStates = 60;
  const body::Geometry bodies[] = {body::Geometry(body::Capsule<double>{0.04, 0.025}),
                                   body::Geometry(body::Cone<double>{0.03, 0.04}),
                                   body::Geometry(body::Ellipsoid<double>{{0.05, 0.03, 0.04}})};
  const auto from_one = [&bodies](int k) {
    return std::span<const body::Geometry>(bodies).subspan(static_cast<std::size_t>(k) / 3 % 3);
  };
  EXPECT_GT(right_piles(23, kStates, from_one), kStates * 6 / 10);
}

// Piles that are moved apart by corners of rims: on an edge, and of caps that lie on one another nearly flat.
TEST(FrictionalDerivatives, OfWhatIsMovedApartEqualDifferencesOrNameAKink) {
  const auto verdict = [](int k, bool settled) {
    Random random(19, static_cast<std::uint64_t>(k));
    const System system(random_pile(random, 1 + k % 3));
    StepDifferences differences(system, exact_config());
    return check_derivatives(differences, pile_state(random, differences, system, settled)).verdict;
  };
  EXPECT_EQ(verdict(461, false), DerivativeVerdict::kRight);
  EXPECT_NE(verdict(214, true), DerivativeVerdict::kWrong);
}

// A rod that lies on one end, the other one above what a step reaches: the points about the patch are those
// of its own end, whichever that is.
TEST(FrictionalDerivatives, OfARodOnThePatchOfOneEnd) {
  constexpr double kRadius = 0.01, kHalf = 0.2, kGap = 5e-6, kTilt = (1.5e-4 - kGap) / (2 * kHalf);
  for (const int end : {-1, 1}) {
    const double angle = M_PI / 2 + end * kTilt;
    const double height = kGap + kHalf * std::abs(std::cos(angle)) + kRadius * std::abs(std::sin(angle));
    std::ostringstream text;
    text.precision(17);
    text << "gravity 0 0 -9.81\nmu 0.5\npatch 0.002\nplane 0 0 1 0\nbody rod 1 0.02 0.02 5e-5 0 0 " << height
         << ' ' << std::cos(angle / 2) << " 0 " << std::sin(angle / 2) << " 0 0.002 0 0 0 0 0 1\ncyl "
         << kRadius << ' ' << kHalf << " 0 0 0 0 1 0 0 0\n";
    const System system(scene_of(text.str()));
    StepDifferences differences(system, exact_config());
    const DerivativeCheck check = check_derivatives(differences, system.initial_state());
    EXPECT_EQ(check.verdict, DerivativeVerdict::kRight) << "end " << end << ", error " << check.error;
  }
}

TEST(FrictionalDerivatives, EqualDifferencesOverRandomArmsOrNameAKink) {
  constexpr int kStates = 24;
  int right = 0;
  for (int k = 0; k < kStates; ++k) {
    SCOPED_TRACE(k);
    Random random(8, static_cast<std::uint64_t>(k));
    const System system(random_arm(random, static_cast<unsigned>(k)));
    StepDifferences differences(system, exact_config());
    const DerivativeCheck check =
        check_derivatives(differences, pile_state(random, differences, system, false));
    EXPECT_NE(check.verdict, DerivativeVerdict::kWrong) << "error " << check.error;
    right += check.verdict == DerivativeVerdict::kRight;
  }
  EXPECT_GT(right, kStates / 2);
}

}  // namespace
