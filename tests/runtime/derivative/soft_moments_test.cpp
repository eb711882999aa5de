#include "runtime/derivative/soft_moments.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/hulls.h"

namespace {

using namespace abut;

// The version for four vertices at a time against the template, for every number of vertices and temperatures
// from "one vertex counts" to "all count alike".
TEST(SoftMoments, FoursEqualTheReference) {
  const asset::ConvexPiece piece = test::tessellated_ellipsoid(3, {0.10, 0.07, 0.04});
  const asset::ConvexView hull = asset::view(piece);
  std::vector<std::int32_t> order(static_cast<std::size_t>(hull.vertex_count));
  std::iota(order.begin(), order.end(), 0);
  Random random(1);
  derivative::Heights<double> fast, slow;
  fast.reserve(order.size());
  slow.reserve(order.size());
  for (int i = 0; i < 400; ++i) {
    const std::size_t count = 1 + random.below(i % 2 ? 9 : 200);
    for (std::size_t k = 0; k < count; ++k) std::swap(order[k], order[k + random.below(order.size() - k)]);
    const std::span<const std::int32_t> vertices(order.data(), count);
    const Vec3<double> n = Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
    const derivative::Mat32<double> T = derivative::tangent_basis(n);
    const auto range = derivative::measure_heights<double>(hull, vertices, n, T, fast);
    const auto expected_range = derivative::measure_heights_reference<double>(hull, vertices, n, T, slow);
    EXPECT_NEAR(range.least, expected_range.least, 1e-16);
    double magnitude = 0;  // m; the sum itself may cancel
    for (std::size_t k = 0; k < count; ++k) {
      magnitude += std::abs(slow.depth[k]);
      EXPECT_NEAR(fast.depth[k], slow.depth[k], 1e-16);
      EXPECT_NEAR(fast.u[k], slow.u[k], 1e-16);
      EXPECT_NEAR(fast.v[k], slow.v[k], 1e-16);
    }
    const double rounding = static_cast<double>(count + 3) * std::numeric_limits<double>::epsilon();
    EXPECT_NEAR(range.sum, expected_range.sum, rounding * magnitude + 1e-16);
    const double temperature = std::pow(10.0, random.uniform(-6, 1));
    const auto found = derivative::soft_moments<double>(slow, count, range.least, temperature);
    const auto expected = derivative::soft_moments_reference<double>(slow, count, range.least, temperature);
    const double near = 1e-13 * expected.weight;  // the exponent carries its own rounding: up to 700 epsilon
    EXPECT_NEAR(found.weight, expected.weight, near);
    EXPECT_NEAR(found.first[0], expected.first[0], 0.1 * near);
    EXPECT_NEAR(found.first[1], expected.first[1], 0.1 * near);
    EXPECT_NEAR(found.uu, expected.uu, 0.01 * near);
    EXPECT_NEAR(found.uv, expected.uv, 0.01 * near);
    EXPECT_NEAR(found.vv, expected.vv, 0.01 * near);
  }
}

// A weight is within 2e-15 (1 + its logarithm) of exp, and vanishes beyond the range of doubles.
TEST(SoftMoments, WeightsAreExponentials) {
  derivative::Heights<double> heights;
  heights.reserve(1);
  for (double x = 0; x < 1100; x += 0.37) {
    heights.depth[0] = x;
    heights.u[0] = heights.v[0] = 1;
    const double a = derivative::soft_moments<double>(heights, 1, 0.0, 1.0).weight;
    EXPECT_NEAR(a, std::exp(-x), 4e-16 * (1 + x) * std::exp(-x) + 1e-290) << x;
    if (x > 700) {
      EXPECT_LT(a, 1e-290);
    }
  }
}

}  // namespace
