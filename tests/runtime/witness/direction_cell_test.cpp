#include "runtime/witness/direction_cell.h"

#include <gtest/gtest.h>

#include <limits>

#include "runtime/core/random.h"

namespace {

using abut::Random;
using abut::Vec3;
using abut::witness::cell_direction;
using abut::witness::direction_cell;

TEST(DirectionCell, CentresMapToTheirOwnCell) {
  for (const int k : {1, 2, 3, 8, 15, 32}) {
    for (std::int32_t cell = 0; cell < 6 * k * k; ++cell) {
      EXPECT_EQ(direction_cell<double>(cell_direction<double>(cell, k), k), cell);
      EXPECT_EQ(direction_cell<float>(cell_direction<float>(cell, k) * 37.f, k), cell);
    }
  }
}

// A direction is at most half a cell away from its cell's centre, measured on the cube.
TEST(DirectionCell, DirectionsLieInTheirCell) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const int k = 1 + static_cast<int>(random.below(40));
    const Vec3<double> d(random.normal(), random.normal(), random.normal());
    const std::int32_t cell = direction_cell<double>(d, k);
    ASSERT_GE(cell, 0);
    ASSERT_LT(cell, 6 * k * k);
    const Vec3<double> on_cube = d / d.cwiseAbs().maxCoeff();
    EXPECT_LE((on_cube - cell_direction<double>(cell, k)).cwiseAbs().maxCoeff(), 1.0 / k + 1e-12);
  }
}

TEST(DirectionCell, UnusableDirectionsStayInRange) {
  const double bad[] = {0,
                        1,
                        -1,
                        std::nan(""),
                        std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity(),
                        1e-320,
                        1e308};
  for (const double x : bad) {
    for (const double y : bad) {
      for (const double z : bad) {
        const std::int32_t cell = direction_cell<double>(Vec3<double>(x, y, z), 8);
        EXPECT_GE(cell, 0);
        EXPECT_LT(cell, 6 * 64);
      }
    }
  }
}

}  // namespace
