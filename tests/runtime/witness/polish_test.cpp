#include "runtime/witness/polish.h"

#include <gtest/gtest.h>

#include "runtime/witness/separation.h"
#include "tests/runtime/witness/polytopes.h"
#include "tests/support/runs.h"

// Pairs with a curved body: the conditions of optimality, to rounding, in double and in extended precision.
namespace {

using namespace abut;
using namespace abut::test;
using abut::witness::Ellipsoid;
using abut::witness::separation;
using abut::witness::Sphere;
using abut::witness::Witness;

template <class S>
S support_height(const Ellipsoid<S>& ellipsoid, const Vec3<S>& n) {
  return ellipsoid.semi_axes.cwiseProduct(n).norm();
}

template <class S>
Pose<S> random_pose(Random& random, double reach) {
  Pose<S> X;
  X.R = random_rotation<S>(random);
  X.p = (reach * random_vector(random)).template cast<S>();
  return X;
}

template <class S>
Vec3<S> random_axes(Random& random, double thinnest) {
  return Vec3<S>(static_cast<S>(random.uniform(thinnest, 1)), static_cast<S>(random.uniform(thinnest, 1)),
                 static_cast<S>(random.uniform(thinnest, 1)));
}

// Both bodies' support points at +-n differ by d n, and no other direction gives more.
template <class S>
void expect_optimal(const Ellipsoid<S>& A, const Ellipsoid<S>& B, const Pose<S>& X_AB, const Witness<S>& w,
                    S tol, Random& random) {
  ASSERT_TRUE(w.status == Status::kOk || w.status == Status::kTouching)
      << to_string(w.status) << " " << w.distance;
  const auto g = [&](const Vec3<S>& n) {
    return n.dot(X_AB.p) - support_height(A, n) - support_height<S>(B, X_AB.R.transpose() * n);
  };
  ASSERT_LE(std::abs(w.n.norm() - 1), tol);
  ASSERT_LE(std::abs(g(w.n) - w.distance), tol);
  ASSERT_LE((w.p2 - w.p1 - w.distance * w.n).norm(), tol);
  ASSERT_LE((w.p1 - witness::support(A, w.n).point).norm(), tol);
  ASSERT_LE((w.p2 - X_AB * witness::support<S>(B, -(X_AB.R.transpose() * w.n)).point).norm(), tol);
  ASSERT_LE(w.lower_bound, w.distance);
  ASSERT_GE(w.upper_bound, w.distance);
  ASSERT_LE(w.upper_bound - w.lower_bound, w.distance < 0 ? S(2e-12) : 64 * tol);
  for (int i = 0; i < 50; ++i) {
    const Vec3<S> n = random_vector(random).normalized().template cast<S>();
    ASSERT_LE(g(n), w.distance + tol);
    const Vec3<S> near = (w.n + S(0.05) * n).normalized();
    ASSERT_LE(g(near), w.distance + tol);
  }
}

template <class S>
void run_ellipsoids(int count, S tol, double thinnest) {
  Random random(5);
  witness::Workspace<S> workspace;
  int deep = 0;
  for (int i = 0; i < count; ++i) {
    const Ellipsoid<S> A{random_axes<S>(random, thinnest)}, B{random_axes<S>(random, thinnest)};
    const Pose<S> X_AB = random_pose<S>(random, i % 2 ? 0.3 : 1.2);
    const Witness<S> w = separation(A, B, X_AB, workspace);
    expect_optimal(A, B, X_AB, w, tol, random);
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "pair " << i;
    deep += w.distance < -S(0.05);
  }
  EXPECT_GT(deep, count / 10);
}

TEST(Polish, EllipsoidsInDouble) { run_ellipsoids<double>(test::runs(5000), 1e-13, 0.2); }
TEST(Polish, ThinEllipsoidsInDouble) { run_ellipsoids<double>(2000, 1e-12, 0.02); }
TEST(Polish, EllipsoidsInExtendedPrecision) { run_ellipsoids<long double>(1000, 1e-16L, 0.2); }

TEST(Polish, EllipsoidsNearTouching) {
  Random random(6);
  for (const double gap : {1e-3, 1e-6, 1e-9, 1e-13, 0.0, -1e-13, -1e-9, -1e-6, -1e-3}) {
    for (int i = 0; i < 50; ++i) {
      const Ellipsoid<double> A{random_axes<double>(random, 0.2)}, B{random_axes<double>(random, 0.2)};
      Pose<double> X_AB{random_rotation<double>(random), Vec3<double>::Zero()};
      const Vec3<double> n = random_vector(random).normalized();
      X_AB.p = witness::support(A, n).point -
               X_AB.R * witness::support<double>(B, -(X_AB.R.transpose() * n)).point + gap * n;
      const Witness<double> w = separation(A, B, X_AB);
      EXPECT_NEAR(w.distance, gap, 1e-14);
      EXPECT_LT((w.n - n).norm(), 1e-13);
      expect_optimal(A, B, X_AB, w, 1e-13, random);
      ASSERT_FALSE(HasFatalFailure()) << gap << " " << i;
    }
  }
}

// A sphere given as an ellipsoid against the closed form, concentric and far apart included.
TEST(Polish, RoundEllipsoidsMatchSpheres) {
  const Ellipsoid<double> A{Vec3<double>::Constant(0.3)};
  for (const double distance : {0.0, 1e-8, 0.3, 0.5, 0.8, 3.0, 1e3}) {
    Pose<double> X_AB;
    X_AB.p = distance * Vec3<double>(1, 2, -2) / 3;
    const Witness<double> w = separation(A, Sphere<double>{0.5}, X_AB);
    EXPECT_NEAR(w.distance, distance - 0.8, 1e-13 * (1 + distance));
    const Witness<double> v = separation(A, Ellipsoid<double>{Vec3<double>::Constant(0.5)}, X_AB);
    EXPECT_NEAR(v.distance, distance - 0.8, 1e-13 * (1 + distance));
    for (const Witness<double>& answer : {w, v}) {
      // Round about one centre, every direction is as good: the bounds close slowly, and say so.
      EXPECT_TRUE(distance < 1e-3 || answer.status != Status::kNotConverged) << distance;
      EXPECT_LE(answer.lower_bound, distance - 0.8 + 1e-13);
      EXPECT_GE(answer.upper_bound, distance - 0.8 - 1e-13);
      EXPECT_LE(answer.upper_bound - answer.lower_bound, 0.01);
    }
  }
}

// Ellipsoid against polytope, on vertices, edges and faces, either way round.
template <class S>
void run_mixed(int count, S tol) {
  Random random(7);
  int features[4] = {0, 0, 0, 0};
  for (int i = 0; i < count; ++i) {
    const Ellipsoid<S> A{random_axes<S>(random, 0.2)};
    const Points B = i % 3 ? box_points(random_axes<double>(random, 0.2))
                           : Points{random_vector(random), random_vector(random), random_vector(random),
                                    random_vector(random)};
    const asset::ConvexPiece hull = make_hull(B);
    const Pose<S> X_AB = random_pose<S>(random, i % 2 ? 0.4 : 2.0);
    const Witness<S> w = separation(A, asset::view(hull), X_AB);
    ASSERT_TRUE(w.status == Status::kOk || w.status == Status::kTouching) << to_string(w.status) << i;
    const auto g = [&](const Vec3<S>& n) {
      S low = std::numeric_limits<S>::infinity();
      for (const auto& p : B) low = std::min<S>(low, n.dot(X_AB * p.template cast<S>()));
      return low - support_height(A, n);
    };
    ASSERT_LE(std::abs(g(w.n) - w.distance), tol);
    ASSERT_LE((w.p2 - w.p1 - w.distance * w.n).norm(), tol);
    ASSERT_LE((w.p1 - witness::support(A, w.n).point).norm(), tol);
    Vec3<S> p2 = Vec3<S>::Zero();
    for (int k = 0; k < w.simplex_size; ++k) {
      ASSERT_GE(w.weight[k], 0);
      p2 += w.weight[k] * (X_AB * B[static_cast<std::size_t>(w.vertex_B[k])].template cast<S>());
    }
    ASSERT_LE((p2 - w.p2).norm(), tol) << i << " " << w.distance << " " << w.simplex_size;
    ASSERT_LE(w.upper_bound - w.lower_bound, w.distance < 0 ? S(2e-12) : 64 * tol);
    ++features[w.simplex_size];
    for (int k = 0; k < 50; ++k) {
      ASSERT_LE(g(random_vector(random).normalized().template cast<S>()), w.distance + tol);
    }
    const Witness<S> swapped = separation(asset::view(hull), A, X_AB.inverse());
    ASSERT_LE(std::abs(swapped.distance - w.distance), tol);
    if (w.distance > 0) {
      ASSERT_LE((X_AB * swapped.p2 - w.p1).norm(), 100 * tol);
    }
  }
  for (int k = 1; k <= 3; ++k) EXPECT_GT(features[k], count / 100) << k;
}

TEST(Polish, EllipsoidAndPolytopeInDouble) { run_mixed<double>(3000, 1e-13); }
TEST(Polish, EllipsoidAndPolytopeInExtendedPrecision) { run_mixed<long double>(500, 1e-16L); }

}  // namespace
