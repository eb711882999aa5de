#include "runtime/witness/separation.h"

#include <gtest/gtest.h>

#include "tests/runtime/witness/polytopes.h"
#include "tests/support/runs.h"

namespace {

using namespace abut;
using namespace abut::test;
using abut::witness::separation;
using abut::witness::Sphere;
using abut::witness::Witness;

// Everything an answer about two polytopes promises, checked against the oracle: `size` is a length of the
// objects.
template <class S>
void expect_right(const Witness<S>& w, const Points& A, const Points& B, const Pose<S>& X_AB, double size,
                  long double tolerance = 1e-13L) {
  const Oracle oracle(A, B, X_AB.template cast<double>());
  const long double tol = tolerance * size, d = w.distance;
  ASSERT_TRUE(w.status == Status::kOk || w.status == Status::kTouching) << to_string(w.status);
  ASSERT_LE(w.lower_bound, w.distance);
  ASSERT_LE(w.distance, w.upper_bound);
  ASSERT_LE(w.upper_bound - w.lower_bound, 10 * tol);
  ASSERT_NEAR(w.n.norm(), 1, 10 * tolerance);
  ASSERT_LE((w.p2 - w.p1 - w.distance * w.n).norm(), tol);
  // n proves the distance from below
  const long double g = oracle.g(w.n.template cast<long double>());
  ASSERT_NEAR(static_cast<double>(g), static_cast<double>(d), tol);
  // the weights prove that p1 is in A and p2 in B, hence |d| from above if separated
  LVec p1 = LVec::Zero(), p2 = LVec::Zero();
  long double sum = 0;
  ASSERT_GE(w.simplex_size, 1);
  for (int k = 0; k < w.simplex_size; ++k) {
    ASSERT_GE(w.weight[k], 0);
    sum += w.weight[k];
    p1 += static_cast<long double>(w.weight[k]) * oracle.a[static_cast<std::size_t>(w.vertex_A[k])];
    p2 += static_cast<long double>(w.weight[k]) * oracle.b[static_cast<std::size_t>(w.vertex_B[k])];
  }
  ASSERT_NEAR(static_cast<double>(sum), 1, 10 * tolerance);
  ASSERT_LE((p1 - w.p1.template cast<long double>()).norm(), 4 * tol);
  ASSERT_LE((p2 - w.p2.template cast<long double>()).norm(), 4 * tol);
  const long double facet = oracle.best_facet();
  ASSERT_LE(facet, w.upper_bound + tol);
  if (d <= 0) {
    ASSERT_NEAR(static_cast<double>(facet), static_cast<double>(d), tol);
  }
}

Points random_points(Random& random, int law, int count) {
  Points points;
  for (int i = 0; i < count; ++i) {
    Vec3<double> p;
    switch (law) {
      case 0:
        p = random_vector(random);
        break;
      case 1:
        p = random_vector(random).normalized();
        break;
      case 2:  // on a coarse grid: parallel faces and edges, many vertices in one plane
        p = Vec3<double>(static_cast<double>(random.below(3)), static_cast<double>(random.below(3)),
                         static_cast<double>(random.below(3))) -
            Vec3<double>::Ones();
        break;
      case 3:
        p = random_vector(random).cwiseProduct(Vec3<double>(1, 1, 1e-6));
        break;  // thin
      default:
        p = random_vector(random).cwiseProduct(Vec3<double>(1, 1, 0));
        break;  // flat
    }
    points.push_back(p);
  }
  return points;
}

TEST(Separation, RandomPolytopesMatchTheOracle) {
  Random random(11);
  witness::Workspace<double> workspace;
  int overlapping = 0;
  for (int i = 0; i < test::runs(100000); ++i) {
    const int law_A = static_cast<int>(random.below(5)), law_B = static_cast<int>(random.below(5));
    const Points A = random_points(random, law_A, 4 + static_cast<int>(random.below(3)));
    const Points B = random_points(random, law_B, 1 + static_cast<int>(random.below(6)));
    Pose<double> X_AB;
    if (random.below(2)) X_AB.R = random_rotation<double>(random);
    const int move = static_cast<int>(random.below(4));
    if (move == 1) X_AB.p = random_vector(random);
    if (move == 2) X_AB.p = Vec3<double>(static_cast<double>(random.below(5)) - 2, 0, 0);
    if (move == 3) X_AB.p = 1e-7 * random_vector(random);
    const asset::ConvexPiece a = make_hull(A), b = make_hull(B);
    const Witness<double> w = separation(asset::view(a), asset::view(b), X_AB, workspace);
    expect_right(w, A, B, X_AB, 3);
    ASSERT_FALSE(HasFatalFailure()) << "pair " << i << " laws " << law_A << " " << law_B << " move " << move;
    overlapping += w.distance < 0;
  }
  EXPECT_GT(overlapping, 10000);
}

TEST(Separation, SpheresInClosedForm) {
  const Sphere<double> A{0.3}, B{0.5};
  for (const double distance : {2.0, 0.9, 0.8, 0.5, 0.01, 1e-9}) {
    Pose<double> X_AB;
    X_AB.p = distance * Vec3<double>(2, -1, 2) / 3;
    const Witness<double> w = separation(A, B, X_AB);
    EXPECT_NEAR(w.distance, distance - 0.8, 1e-15);
    EXPECT_LT((w.n - X_AB.p.normalized()).norm(), 1e-15);
    EXPECT_LT((w.p1 - 0.3 * w.n).norm(), 1e-15);
    EXPECT_LT((w.p2 - (X_AB.p - 0.5 * w.n)).norm(), 1e-15);
  }
  const Witness<double> concentric = separation(A, B, Pose<double>{});
  EXPECT_NEAR(concentric.distance, -0.8, 1e-15);
  EXPECT_NEAR(concentric.n.norm(), 1, 1e-15);
}

TEST(Separation, BoxesFaceToFace) {
  const Points points = box_points({1, 2, 3});
  const asset::ConvexPiece box = make_hull(points);
  for (const double shift : {-1.0, -0.25, -1e-9, 0.0, 1e-12, 1e-6, 0.5}) {
    for (int axis = 0; axis < 3; ++axis) {
      Pose<double> X_AB;
      X_AB.p[axis] = 2 * (axis + 1) + shift;
      X_AB.p[(axis + 1) % 3] = 0.125;
      const Witness<double> w = separation(asset::view(box), asset::view(box), X_AB);
      const double expected = shift;
      EXPECT_NEAR(w.distance, expected, 2e-14);
      EXPECT_NEAR(w.n[axis], 1, 1e-14);
      expect_right(w, points, points, X_AB, 3);
    }
  }
}

TEST(Separation, BadInputGivesNaNAndAStatus) {
  const asset::ConvexPiece box = make_hull(box_points({1, 1, 1}));
  const auto expect_invalid = [](const Witness<double>& w) {
    EXPECT_EQ(w.status, Status::kInvalidInput);
    EXPECT_TRUE(std::isnan(w.distance) && std::isnan(w.p1.x()) && std::isnan(w.p2.y()) &&
                std::isnan(w.n.z()));
    EXPECT_TRUE(std::isnan(w.lower_bound) && std::isnan(w.upper_bound));
  };
  expect_invalid(separation(asset::view(box), asset::ConvexView{}, Pose<double>{}));
  expect_invalid(separation(asset::ConvexView{}, asset::view(box), Pose<double>{}));
  for (const double bad : {std::nan(""), static_cast<double>(INFINITY)}) {
    Pose<double> X_AB;
    X_AB.p.y() = bad;
    expect_invalid(separation(asset::view(box), asset::view(box), X_AB));
    X_AB = Pose<double>{};
    X_AB.R(1, 2) = bad;
    expect_invalid(separation(asset::view(box), asset::view(box), X_AB));
    expect_invalid(separation(Sphere<double>{bad}, asset::view(box), Pose<double>{}));
  }
  expect_invalid(separation(Sphere<double>{-1.0}, asset::view(box), Pose<double>{}));
}

}  // namespace
