// Derivatives of steps with rigid contact of scanned objects: samples of either surface on the other's faces.
#include <gtest/gtest.h>

#include "tests/support/random_piles.h"
#include "tests/support/real_surfaces.h"

namespace {

using namespace abut;
using namespace abut::test;

body::Geometry scanned_object(const std::string& name) {
  auto object = std::make_shared<asset::Asset>();
  object->surfaces.push_back(*scanned_surface(name));
  return body::Geometry(std::shared_ptr<const asset::Asset>(std::move(object)));
}

TEST(FrictionalMeshes, DerivativesEqualDifferencesOrAKinkIsNamed) {
  if (scanned_surface("025_mug") == nullptr) GTEST_SKIP() << "no reference data";
  const body::Geometry objects[] = {scanned_object("025_mug"), scanned_object("011_banana")};
  constexpr int kStates = 5;
  int right = 0, contacts = 0;
  for (int k = 0; k < kStates; ++k) {
    SCOPED_TRACE(k);
    Random random(11, static_cast<std::uint64_t>(k));
    const System system(random_pile(random, 2, objects));
    StepDifferences differences(system, {.dt = 2e-3, .solver_settings = {{"tolerance", 1e-13}}});
    const DerivativeCheck check =
        check_derivatives(differences, pile_state(random, differences, system, false));
    EXPECT_NE(check.verdict, DerivativeVerdict::kWrong) << "error " << check.error;
    right += check.verdict == DerivativeVerdict::kRight;
    contacts += static_cast<int>(differences.integrator().contacts().size());
  }
  EXPECT_GT(right, kStates / 2);
  EXPECT_GT(contacts, kStates);
}

}  // namespace
