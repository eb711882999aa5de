#include "runtime/proximity/surface_query.h"

#include <gtest/gtest.h>

#include "preprocess/index/index.h"
#include "runtime/core/random.h"
#include "runtime/distance/surface_distance.h"
#include "tests/support/real_surfaces.h"
#include "tests/support/runs.h"

// Signed distances of surfaces against all pairs of triangles, invariants and closed forms.
namespace {

using namespace abut;
using asset::Surface;
using preprocess::TriangleMesh;
using proximity::SurfaceWitness;
using test::ask;

Pose<double> random_pose(Random& random, double distance) {
  const auto unit = [&] {
    return Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
  };
  return {exp_rotation<double>(random.uniform(0, 3) * unit()), distance * unit()};
}

TriangleMesh scaled(TriangleMesh mesh, double factor) {
  for (Vec3<double>& v : mesh.vertices) v *= factor;
  return mesh;
}

distance::Triangle<double> triangle(const Surface& s, std::size_t t, const Pose<double>& X) {
  distance::Triangle<double> result;
  for (int k = 0; k < 3; ++k)
    result[k] = X * distance::internal::corner<double>(view(s), static_cast<std::int32_t>(t), k);
  return result;
}

// 0 where any two cross.
double distance_of_all_pairs(const Surface& A, const Surface& B, const Pose<double>& X_AB) {
  double least2 = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < A.triangles.size() / 3; ++a)
    for (std::size_t b = 0; b < B.triangles.size() / 3; ++b)
      least2 = std::min(
          least2, distance::closest_of_triangles<double>(triangle(A, a, {}), triangle(B, b, X_AB)).distance2);
  return std::sqrt(least2);
}

const Surface& ring() {
  static const Surface surface = preprocess::build_surface(test::torus(1, 0.3, 20, 10));
  return surface;
}
const Surface& die() {
  static const Surface surface = preprocess::build_surface(test::box(0.5, 0.7, 0.9));
  return surface;
}

// A die beside the sharp edge of a wedge is apart, in either order.
TEST(SurfaceQuery, SliversTellNoSide) {
  const Surface small = preprocess::build_surface(test::box(0.01, 0.014, 0.018));
  Random random(41);
  for (int turn = 0; turn < 20; ++turn) {
    const Mat3<double> R = exp_rotation<double>(
        random.uniform(0, 3) * Vec3<double>(random.normal(), random.normal(), random.normal()).normalized());
    const Surface wedge = preprocess::build_surface(test::wedge_with_sliver(R));
    for (int i = 0; i < 500; ++i) {
      const Vec3<double> p{random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), random.uniform(-0.1, 1.1)};
      if (std::max({-p.z(), p.z() - 1, std::abs(p.y()) - 0.2 * p.x()}) < 0.02) continue;
      const Pose<double> X{random_pose(random, 1).R, R * p};
      const double d = ask(wedge, small, X).witness.distance;
      EXPECT_GT(d, 0) << turn << " " << p.transpose();
      EXPECT_NEAR(ask(small, wedge, X.inverse()).witness.distance, d, 1e-14);
    }
  }
}

TEST(SurfaceQuery, ApartIsTheLeastOfAllPairsOfTriangles) {
  int apart = 0;
  for (int i = 0; i < test::runs(30); ++i) {
    Random random(1, i);
    const Pose<double> X = random_pose(random, random.uniform(0.5, 3));
    const Surface& B = i % 2 ? ring() : die();
    const double expected = distance_of_all_pairs(ring(), B, X);
    const witness::Witness<double> w = ask(ring(), B, X).witness;
    if (expected == 0) {
      EXPECT_LT(w.distance, 0) << i;
      continue;
    }
    ++apart;
    EXPECT_NEAR(w.distance, expected, 1e-13) << i;
    EXPECT_EQ(w.status, Status::kOk);
    EXPECT_LE(w.lower_bound, w.distance);
    EXPECT_LT(w.upper_bound - w.lower_bound, 1e-12);
    EXPECT_LT((w.p2 - w.p1 - w.distance * w.n).norm(), 1e-13) << i;
  }
  EXPECT_GT(apart, 10);
}

// The definition, by points of both surfaces; and the bounds.
TEST(SurfaceQuery, OverlappingIsTheDeepestPointOfEither) {
  int overlapping = 0;
  for (int i = 0; i < test::runs(20); ++i) {
    Random random(2, i);
    const Pose<double> X = random_pose(random, random.uniform(0, 1.2));
    const Surface& B = i % 2 ? ring() : die();
    const witness::Witness<double> w = ask(ring(), B, X).witness;
    if (w.distance >= 0) continue;
    ++overlapping;
    double deepest = 0;
    const auto sample = [&](const Surface& of, const Surface& within, const Pose<double>& X_WO) {
      for (std::size_t t = 0; t < of.triangles.size() / 3; ++t)
        for (int n = 0; n < 10; ++n) {
          double a = random.uniform(0, 1), b = random.uniform(0, 1);
          if (a + b > 1) a = 1 - a, b = 1 - b;
          const distance::Triangle<double> corners = triangle(of, t, X_WO);
          const Vec3<double> p = corners[0] + a * (corners[1] - corners[0]) + b * (corners[2] - corners[0]);
          deepest = std::max(deepest, -distance::signed_distance<double>(view(within), p).distance);
        }
    };
    sample(ring(), B, X.inverse());
    sample(B, ring(), X);
    EXPECT_GE(-w.lower_bound, deepest) << i;
    EXPECT_LT(w.distance, -0.7 * deepest) << i;
    EXPECT_LE(w.lower_bound, w.distance);
    EXPECT_LT(w.distance - w.lower_bound, 1e-6) << i;
    EXPECT_LT((w.p2 - w.p1 - w.distance * w.n).norm(), 1e-9) << i;
  }
  EXPECT_GT(overlapping, 10);
}

TEST(SurfaceQuery, SignWhereNoVertexIsInside) {
  // Two bars that cross: edges pass through faces.
  const Surface bar = preprocess::build_surface(test::box(4, 0.2, 0.2));
  Pose<double> X;
  X.R = exp_rotation<double>({0, 0, 1.1});
  X.p = {0.1, 0, 0.15};
  const witness::Witness<double> w = ask(bar, bar, X).witness;
  EXPECT_NEAR(w.distance, -0.05, 1e-8);
  X.p.z() = 0.25;
  EXPECT_NEAR(ask(bar, bar, X).witness.distance, 0.05, 1e-14);
  EXPECT_LT((ask(bar, bar, X).witness.n - Vec3<double>::UnitZ()).norm(), 1e-13);
}

TEST(SurfaceQuery, OneBodyWithinTheOther) {
  const Surface large = preprocess::build_surface(test::box(2, 2, 2));
  const Surface small = preprocess::build_surface(test::box(0.2, 0.2, 0.2));
  Pose<double> X;
  X.p = {0.3, 0, 0};
  const witness::Witness<double> w = ask(large, small, X).witness;
  EXPECT_NEAR(w.distance, -0.8, 1e-6);
  EXPECT_NEAR(ask(small, large, X.inverse()).witness.distance, w.distance, 1e-9);
  // In the ring's hole, and within its tube.
  const Surface bead = preprocess::build_surface(test::sphere(0.05, 2));
  EXPECT_GT(ask(ring(), bead, {}).witness.distance, 0.5);
  X.p = {1, 0, 0};
  EXPECT_LT(ask(ring(), bead, X).witness.distance, -0.2);
}

// Of two parts the farther one is inside.
TEST(SurfaceQuery, AnyPartWithinTheOtherCounts) {
  TriangleMesh two = test::box(0.2, 0.2, 0.2);
  for (Vec3<double>& v : two.vertices) v.x() += 1.11;
  const TriangleMesh other = test::box(0.1, 0.1, 0.1);
  for (const auto& t : other.triangles) two.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  two.vertices.insert(two.vertices.end(), other.vertices.begin(), other.vertices.end());
  const Surface parts = preprocess::build_surface(two), large = preprocess::build_surface(test::box(2, 2, 2));
  ASSERT_EQ(parts.parts.size(), 2u);
  EXPECT_NEAR(ask(large, parts, {}).witness.distance, -0.95, 1e-6);
  EXPECT_NEAR(ask(parts, large, {}).witness.distance, -0.95, 1e-6);
}

TEST(SurfaceQuery, ExchangeAndFramesDoNotMatter) {
  for (int i = 0; i < 40; ++i) {
    Random random(3, i);
    const Pose<double> X = random_pose(random, random.uniform(0.3, 3));
    const witness::Witness<double> w = ask(ring(), die(), X).witness;
    const witness::Witness<double> v = ask(die(), ring(), X.inverse()).witness;
    EXPECT_NEAR(w.distance, v.distance, w.distance > 0 ? 1e-13 : 1e-6) << i;
    if (w.distance <= 0) continue;
    EXPECT_LT((X * v.p1 - w.p2).norm(), 1e-9) << i;
    EXPECT_LT((X.R * v.n + w.n).norm(), 1e-9) << i;
    // Another frame of A.
    TriangleMesh turned = test::torus(1, 0.3, 20, 10);
    const Pose<double> Y = random_pose(random, 0.5);
    for (Vec3<double>& p : turned.vertices) p = Y * p;
    const witness::Witness<double> u = ask(preprocess::build_surface(turned), die(), Y * X).witness;
    EXPECT_NEAR(u.distance, w.distance, 1e-13) << i;
  }
}

TEST(SurfaceQuery, AnySizeAndAnyDistance) {
  Random random(4, 0);
  const Pose<double> X = random_pose(random, 1.9);
  const double expected = ask(ring(), die(), X).witness.distance;
  ASSERT_GT(expected, 0);
  for (const double scale : {1e-9, 1e-3, 1e3, 1e9}) {
    const Surface A = preprocess::build_surface(scaled(test::torus(1, 0.3, 20, 10), scale));
    const Surface B = preprocess::build_surface(scaled(test::box(0.5, 0.7, 0.9), scale));
    const witness::Witness<double> w = ask(A, B, {X.R, scale * X.p}).witness;
    EXPECT_NEAR(w.distance / scale, expected, 1e-12) << scale;
    EXPECT_LT(w.iterations, 500);
  }
  for (const double far : {1e3, 1e7, 1e12, 1e20, 1e150, 1e300}) {
    const witness::Witness<double> w = ask(ring(), die(), {X.R, {far, 0, 0}}).witness;
    EXPECT_EQ(w.status, Status::kOk) << far;
    EXPECT_NEAR(w.distance, far, 2) << far;
    EXPECT_LT((w.n - Vec3<double>::UnitX()).norm(), 2 / far + 1e-15);
    EXPECT_LT(w.iterations, 500);
  }
  Pose<double> none = X;
  none.p.x() = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ask(ring(), die(), none).witness.status, Status::kInvalidInput);
}

TEST(SurfaceQuery, CoincidentBodiesTouch) {
  const witness::Witness<double> w = ask(ring(), ring(), {}).witness;
  EXPECT_EQ(w.distance, 0);
  EXPECT_EQ(w.status, Status::kTouching);
  EXPECT_NEAR(w.n.norm(), 1, 1e-15);
  Pose<double> X;
  X.p.x() = 1e-7;
  EXPECT_NEAR(ask(ring(), ring(), X).witness.distance, -1e-7, 1e-8);
}

TEST(SurfaceQuery, WarmAnswersAreTheColdOnes) {
  const body::Geometry A{[] {
    asset::Asset a;
    a.surfaces.push_back(ring());
    return a;
  }()};
  const body::Geometry B{[] {
    asset::Asset a;
    a.surfaces.push_back(die());
    return a;
  }()};
  proximity::SurfaceSolver solver(A, B);
  Random random(5, 0);
  Pose<double> X = random_pose(random, 1.8);
  for (int i = 0; i < 200; ++i) {
    Vec6<double> xi;
    for (int k = 0; k < 6; ++k) xi[k] = 0.01 * random.normal();
    X = X * exp(xi);
    EXPECT_NEAR(solver(X).distance, ask(ring(), die(), X).witness.distance, 1e-6) << i;
  }
}

// Central differences of the query itself, where the features are the same on both sides.
TEST(SurfaceQuery, DerivativesAreThoseOfTheFeatures) {
  constexpr double kStep = 1e-5;
  int kinds[3][3] = {};
  for (int i = 0; i < test::runs(120); ++i) {
    Random random(6, i);
    const Pose<double> X = random_pose(random, random.uniform(1.0, 2.5));
    const SurfaceWitness found = ask(ring(), die(), X);
    const witness::Witness<double>& w = found.witness;
    if (w.distance < 0.01) continue;
    Mat6<double> hessian;
    const auto d = proximity::surface_derivative(view(ring()), view(die()), X, found, &hessian);
    if (d.status != Status::kOk) continue;
    Mat36<double> dp1, dp2, dn;
    Row6<double> dd;
    Mat6<double> dd2;
    bool same = true;
    for (int k = 0; k < 6; ++k) {
      SurfaceWitness at[2];
      Row6<double> slope[2];
      for (int side = 0; side < 2; ++side) {
        const Pose<double> Y = X * exp<double>((side ? kStep : -kStep) * Vec6<double>::Unit(k));
        at[side] = ask(ring(), die(), Y);
        slope[side] = proximity::surface_derivative(view(ring()), view(die()), Y, at[side]).dd_dxi_B;
        const auto zeros = [](const SurfaceWitness& s) {
          return std::pair{(s.weight_A.array() == 0).count(), (s.weight_B.array() == 0).count()};
        };
        same = same && zeros(at[side]) == zeros(found);
      }
      dp1.col(k) = (at[1].witness.p1 - at[0].witness.p1) / (2 * kStep);
      dp2.col(k) = (at[1].witness.p2 - at[0].witness.p2) / (2 * kStep);
      dn.col(k) = (at[1].witness.n - at[0].witness.n) / (2 * kStep);
      dd[k] = (at[1].witness.distance - at[0].witness.distance) / (2 * kStep);
      dd2.row(k) = (slope[1] - slope[0]) / (2 * kStep);
    }
    if (!same) continue;
    ++kinds[(found.weight_A.array() == 0).count()][(found.weight_B.array() == 0).count()];
    const double scale = 1 + 1 / w.distance;
    EXPECT_LT((d.dp1_A_dxi_B - dp1).cwiseAbs().maxCoeff(), 1e-6 * scale * scale) << i;
    EXPECT_LT((d.dp2_A_dxi_B - dp2).cwiseAbs().maxCoeff(), 1e-6 * scale * scale) << i;
    EXPECT_LT((d.dn_A_dxi_B - dn).cwiseAbs().maxCoeff(), 1e-6 * scale * scale) << i;
    EXPECT_LT((d.dd_dxi_B - dd).cwiseAbs().maxCoeff(), 1e-7 * scale) << i;
    EXPECT_LT((hessian - (dd2 + dd2.transpose()) / 2).cwiseAbs().maxCoeff(), 1e-6 * scale * scale) << i;
  }
  EXPECT_GT(kinds[2][2], 0);                // corner and corner
  EXPECT_GT(kinds[1][1], 0);                // edges
  EXPECT_GT(kinds[2][0] + kinds[0][2], 0);  // corner and face
  EXPECT_GT(kinds[2][1] + kinds[1][2], 0);  // corner and edge
}

}  // namespace
