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

}  // namespace
