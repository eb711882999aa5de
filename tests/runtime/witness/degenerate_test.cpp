#include <gtest/gtest.h>

#include "runtime/witness/separation.h"
#include "runtime/witness/shapes.h"
#include "tests/runtime/witness/polytopes.h"
#include "tests/support/allocations.h"

// Configurations where rounding or symmetry leaves a search without a clear next step, and what must stay the
// same whatever the shapes: swapped bodies, another frame, another scale, another scalar, no allocation.
namespace {

using namespace abut;
using namespace abut::test;
using abut::test::good;
using abut::witness::separation;
using abut::witness::Witness;

TEST(Degenerate, CoincidentAndNestedRoundHulls) {
  witness::Workspace<double> workspace;
  for (const int rings : {3, 8, 16}) {
    const asset::ConvexPiece ball = round_hull({0.05, 0.05, 0.05}, rings),
                             egg = round_hull({0.09, 0.06, 0.07}, rings);
    for (const double shift : {0.0, 1e-12, 1e-6, 1e-3, 0.02}) {
      Pose<double> X_AB;
      X_AB.p = shift * Vec3<double>(1, 2, -2) / 3;
      for (const asset::ConvexPiece* B : {&ball, &egg}) {
        const Witness<double> w = separation(asset::view(ball), asset::view(*B), X_AB, workspace);
        EXPECT_TRUE(good(w)) << to_string(w.status) << rings << " " << shift;
        EXPECT_LT(w.upper_bound - w.lower_bound, 1e-12);
        const double inner =
            B == &ball ? 0.1 : 0.11;  // the depth of smooth bodies, less than a cell is missing
        EXPECT_NEAR(w.distance, -(inner - shift), rings == 3 ? 0.04 : 0.012);
      }
    }
  }
}

TEST(Degenerate, FlatAndThinPlates) {
  witness::Workspace<double> workspace;
  for (const double thickness : {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3}) {
    const asset::ConvexPiece plate = make_hull(box_points({0.1, 0.08, thickness / 2}));
    for (const double height : {0.0, 1e-16, 1e-10, 1e-5, 0.05}) {
      Pose<double> X_AB;
      X_AB.p = Vec3<double>(0.03, -0.01, height);
      const Witness<double> w = separation(asset::view(plate), asset::view(plate), X_AB, workspace);
      EXPECT_TRUE(good(w)) << to_string(w.status) << " " << thickness << " " << height;
      EXPECT_NEAR(w.distance, height - thickness, 1e-16) << thickness << " " << height;
      EXPECT_NEAR(w.n.norm(), 1, 1e-14);
    }
  }
}

TEST(Degenerate, CrossedEdgesAtEveryGap) {
  const asset::ConvexPiece A = make_hull({{-1, 0, 0}, {1, 0, 0}, {0, -0.5, -1}, {0, 0.5, -1}});
  const asset::ConvexPiece B = make_hull({{0, -1, 0}, {0, 1, 0}, {-0.5, 0, 1}, {0.5, 0, 1}});
  for (const double gap : {0.5, 1e-3, 1e-9, 1e-13, 1e-15, 0.0, -1e-15, -1e-13, -1e-9, -1e-3, -0.2}) {
    Pose<double> X_AB;
    X_AB.p = Vec3<double>(0.25, 0.125, gap);
    const Witness<double> w = separation(asset::view(A), asset::view(B), X_AB);
    EXPECT_TRUE(good(w)) << to_string(w.status) << " " << gap;
    EXPECT_NEAR(w.distance, gap, 2e-16);
    EXPECT_LT((w.n - Vec3<double>::UnitZ()).norm(), 1e-14) << gap;
    EXPECT_LT((w.p1 - Vec3<double>(0.25, 0, 0)).norm(), 1e-14);
    EXPECT_LT((w.p2 - Vec3<double>(0.25, 0, gap)).norm(), 1e-14);
  }
}

// Answers scale with the objects, stay with them in another frame, and turn around when A and B are swapped.
TEST(Degenerate, SwappedMovedAndScaled) {
  Random random(21);
  for (int i = 0; i < 300; ++i) {
    const Vec3<double> axes(0.1, 0.07, 0.05);
    Points A, B;
    for (int k = 0; k < 12; ++k) {
      A.push_back(random_vector(random).normalized().cwiseProduct(axes));
      B.push_back(random_vector(random).normalized().cwiseProduct(axes));
    }
    const Pose<double> X_AB{random_rotation<double>(random), (i % 2 ? 0.02 : 0.12) * random_vector(random)};
    const asset::ConvexPiece a = make_hull(A), b = make_hull(B);
    const Witness<double> w = separation(asset::view(a), asset::view(b), X_AB);
    ASSERT_TRUE(good(w));
    const Witness<double> swapped = separation(asset::view(b), asset::view(a), X_AB.inverse());
    EXPECT_NEAR(swapped.distance, w.distance, 1e-15);
    EXPECT_LT((X_AB.R * swapped.n + w.n).norm(), 1e-11 + 1e-15 / std::abs(w.distance));
    EXPECT_LT((X_AB * swapped.p1 - w.p2).norm(), 1e-11);
    for (const double scale : {1e-9, 1e-3, 1e3, 1e9}) {
      Points SA = A, SB = B;
      for (auto* points : {&SA, &SB}) {
        for (auto& p : *points) p *= scale;
      }
      const asset::ConvexPiece sa = make_hull(SA), sb = make_hull(SB);
      const Witness<double> s =
          separation(asset::view(sa), asset::view(sb), Pose<double>{X_AB.R, scale * X_AB.p});
      ASSERT_TRUE(good(s)) << scale;
      EXPECT_NEAR(s.distance / scale, w.distance, 1e-15) << scale;
    }
    Points MA = A;
    for (auto& p : MA) p += Vec3<double>(100, -100, 100);
    const asset::ConvexPiece ma = make_hull(MA);
    Pose<double> X_MB = X_AB;
    X_MB.p += Vec3<double>(100, -100, 100);
    const Witness<double> m = separation(asset::view(ma), asset::view(b), X_MB);
    ASSERT_TRUE(good(m));
    EXPECT_NEAR(m.distance, w.distance, 1e-12);
    const Witness<long double> l = separation(asset::view(a), asset::view(b), X_AB.cast<long double>());
    EXPECT_NEAR(static_cast<double>(l.distance), w.distance, 1e-15);
    EXPECT_LE(l.upper_bound - l.lower_bound, 1e-16L);
  }
}

// Boxes along the axes whose faces meet or nearly do, a hair's breadth apart or turned: where rounding hides
// that a step of GJK makes v shorter, and where it tears the polytope.
TEST(Degenerate, AxisAlignedBoxesThatNearlyTouch) {
  witness::Workspace<double> workspace;
  const std::size_t room = workspace.faces.storage.size();
  for (std::uint64_t i = 0; i < 20000; ++i) {
    Random random(5, i);
    const auto tiny = [&] { return (random.below(2) ? 1 : -1) * std::pow(10.0, random.uniform(-17, -9)); };
    Vec3<double> half_A, half_B;
    for (int k = 0; k < 3; ++k) half_A[k] = random.uniform(0.01, 0.1), half_B[k] = random.uniform(0.01, 0.1);
    Pose<double> X_AB;
    for (std::uint64_t turns = random.below(4); turns > 0; --turns) {
      Mat3<double> quarter = Mat3<double>::Zero();
      const auto a = static_cast<Eigen::Index>(random.below(3));
      quarter(a, a) = quarter((a + 2) % 3, (a + 1) % 3) = 1;
      quarter((a + 1) % 3, (a + 2) % 3) = -1;
      X_AB.R = quarter * X_AB.R;
    }
    const Vec3<double> reach = (X_AB.R * half_B).cwiseAbs();
    for (int k = 0; k < 3; ++k) {
      const double places[] = {0, half_A[k] - reach[k], reach[k] - half_A[k], half_A[k] + reach[k],
                               random.uniform(-0.1, 0.1)};
      X_AB.p[k] = places[random.below(5)] + (random.below(2) ? tiny() : 0);
    }
    if (random.below(2)) X_AB.R = X_AB.R * exp_rotation<double>({tiny(), tiny(), tiny()});
    const asset::ConvexPiece A = make_hull(box_points(half_A)), B = make_hull(box_points(half_B));
    ASSERT_TRUE(good(separation(asset::view(A), asset::view(B), X_AB, workspace))) << i;
    ASSERT_TRUE(good(separation(witness::Box<double>{half_A}, witness::Box<double>{half_B}, X_AB))) << i;
  }
  EXPECT_LE(workspace.faces.storage.size(), 16 * room);
}

// Beyond what squares of double hold, and beyond what distances do.
TEST(Degenerate, FarApart) {
  const asset::ConvexPiece A = round_hull({0.1, 0.06, 0.05}, 12);
  for (const double far : {1e70, 1e78, 1e100, 1e155, 1e200, 1e300}) {
    Pose<double> X_AB;
    X_AB.p = far * Vec3<double>(1, -2, 2) / 3;
    const Witness<double> w = separation(asset::view(A), asset::view(A), X_AB);
    EXPECT_TRUE(good(w)) << far;
    EXPECT_NEAR(w.distance / far, 1, 1e-14);
  }
  Pose<double> X_AB;
  X_AB.p.setConstant(1.7e308);
  const Witness<double> none = separation(asset::view(A), asset::view(A), X_AB);
  EXPECT_EQ(none.status, Status::kInvalidInput);
  EXPECT_TRUE(std::isnan(none.distance));
}

// Rounding of the larger body's vertices is a good part of the smaller body: the polytope may be torn, and
// find the same vertices again and again.
TEST(Degenerate, NestedInABodyATrillionTimesAsLarge) {
  constexpr int kMaxSteps = 1000;
  Random random(5);
  const asset::ConvexPiece A = round_hull({0.7e-5, 1.1e-5, 0.4e-5}, 24),
                           B = round_hull({1.3e7, 2e7, 1e7}, 12);
  witness::Workspace<double> workspace;
  for (int i = 0; i < 4000; ++i) {
    const Pose<double> X_AB{random_rotation<double>(random), 1e-16 * random_vector(random)};
    const Witness<double> w = separation(asset::view(A), asset::view(B), X_AB, workspace);
    ASSERT_LT(w.distance, 0);
    ASSERT_LE(w.upper_bound - w.lower_bound, 1e-12 * 2e7);
    ASSERT_LE(w.iterations, kMaxSteps) << i;
  }
}

TEST(Degenerate, NoAllocationOnceWarm) {
  Random random(3);
  const asset::ConvexPiece A = round_hull({0.1, 0.06, 0.05}, 12), B = round_hull({0.05, 0.08, 0.04}, 9);
  witness::Workspace<double> workspace;
  const std::size_t before = allocations();
  double sum = 0;
  for (int i = 0; i < 5000; ++i) {
    const Pose<double> X_AB{random_rotation<double>(random), 0.08 * random_vector(random)};
    const Witness<double> w = separation(asset::view(A), asset::view(B), X_AB, workspace);
    ASSERT_TRUE(good(w));
    sum += w.distance;
  }
  EXPECT_EQ(allocations(), before) << sum;
}

}  // namespace
