#include "runtime/witness/core.h"

#include <gtest/gtest.h>

#include "tests/runtime/witness/polytopes.h"

namespace {

using namespace abut;
using namespace abut::test;
using witness::support;

// The height reached is the greatest over all vertices, from every start; ties and plateaus included.
template <class S>
void expect_highest(const asset::ConvexView& hull, const Vec3<S>& n, S tolerance) {
  S highest = -std::numeric_limits<S>::infinity();
  for (std::int32_t i = 0; i < hull.vertex_count; ++i) {
    highest = std::max(highest, n.dot(witness::core_vertex<S>(hull, i)));
  }
  for (std::int32_t start = -1; start < hull.vertex_count; start += 1 + hull.vertex_count / 7) {
    const auto found = support(hull, n, start);
    ASSERT_GE(n.dot(found.point), highest - tolerance);
    ASSERT_EQ(found.point, witness::core_vertex<S>(hull, found.index));
  }
}

template <class S>
void run_directions(S tolerance) {
  Random random(9);
  for (const int rings : {2, 7, 20}) {
    const asset::ConvexPiece piece = round_hull({0.1, 0.07, 0.05}, rings);
    const asset::ConvexView hull = asset::view(piece);
    for (int i = 0; i < 300; ++i) {
      expect_highest<S>(hull, random_vector(random).normalized().cast<S>(), tolerance);
      ASSERT_FALSE(testing::Test::HasFatalFailure());
    }
    for (int axis = 0; axis < 3; ++axis) {
      expect_highest<S>(hull, Vec3<S>::Unit(axis), tolerance);
      expect_highest<S>(hull, -Vec3<S>::Unit(axis), tolerance);
    }
  }
}

TEST(Support, HillClimbingReachesTheTopInEveryScalar) {
  run_directions<float>(1e-8f);
  run_directions<double>(1e-17);
  run_directions<long double>(1e-20L);
}

// A fine grid bent into a paraboloid so flat that heights differ by less than rounding from one vertex to the
// next: coordinate differences still tell the way up.
TEST(Support, ClimbsANearlyFlatSummit) {
  const int n = 201;
  asset::ConvexPiece piece;
  for (int axis = 0; axis < 3; ++axis) {
    for (int i = 0; i < n; ++i) {
      const double x = (i - 150) * 1e-7;
      piece.vertices.push_back(axis == 0 ? x : axis == 1 ? 0.0 : -1e-4 * x * x);
    }
  }
  for (int i = 0; i < n; ++i) {
    piece.adjacency_offsets.push_back(static_cast<std::int32_t>(piece.adjacency.size()));
    if (i > 0) piece.adjacency.push_back(i - 1);
    if (i + 1 < n) piece.adjacency.push_back(i + 1);
  }
  piece.adjacency_offsets.push_back(static_cast<std::int32_t>(piece.adjacency.size()));
  EXPECT_EQ(support<double>(asset::view(piece), Vec3<double>(0, 0, 1), 0).index, 150);
  EXPECT_EQ(support<double>(asset::view(piece), Vec3<double>(0, 0, 1), 200).index, 150);
}

TEST(Support, EllipsoidTouchesItsTangentPlane) {
  Random random(10);
  const witness::Ellipsoid<double> ellipsoid{{0.3, 0.2, 0.1}};
  for (int i = 0; i < 100; ++i) {
    const Vec3<double> n = random_vector(random).normalized();
    const Vec3<double> s = support(ellipsoid, n).point;
    EXPECT_NEAR(s.cwiseQuotient(ellipsoid.semi_axes).norm(), 1, 1e-15);
    EXPECT_NEAR(s.dot(n), ellipsoid.semi_axes.cwiseProduct(n).norm(), 1e-15);
    // the Hessian is the derivative of the support point
    const Mat3<double> H = witness::core_hessian(witness::Core<double>(ellipsoid), n);
    const Vec3<double> t = n.unitOrthogonal() * 1e-6;
    const Vec3<double> difference =
        support<double>(ellipsoid, n + t).point - support<double>(ellipsoid, n - t).point;
    EXPECT_LT((difference / 2 - H * t).norm(), 1e-14);
    EXPECT_LT((H * n).norm(), 1e-15);
  }
}

}  // namespace
