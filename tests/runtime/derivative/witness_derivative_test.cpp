#include "runtime/derivative/witness_derivative.h"

#include <gtest/gtest.h>

#include "runtime/core/random.h"
#include "runtime/derivative/finite_difference.h"
#include "tests/runtime/derivative/cast_witness.h"
#include "tests/runtime/derivative/ellipsoid_pair.h"
#include "tests/support/hulls.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using derivative::Clamp;
using derivative::Curvature;
using derivative::WitnessDerivative;
using test::EllipsoidPair;
using witness::Witness;
using Long = long double;

struct Case {
  EllipsoidPair<Long> pair;
  Pose<Long> X_AB;
  Witness<Long> witness;
};

// A random pair of ellipsoids, B shifted along the normal until the signed distance is `distance`: that
// leaves the normal and the curvatures where they are.
Case random_case(Random& random, Long distance) {
  Case c;
  for (int i = 0; i < 3; ++i) {
    c.pair.a[i] = random.uniform(0.2, 1.0);
    c.pair.b[i] = random.uniform(0.2, 1.0);
  }
  c.X_AB.R = test::random_rotation(random).cast<Long>();
  // Far off in double precision; here the rotation is orthogonalised in extended precision.
  c.X_AB.R = Eigen::Quaternion<Long>(c.X_AB.R).normalized().toRotationMatrix();
  c.X_AB.p = Vec3<Long>(random.normal(), random.normal(), random.normal()).normalized() * 3;
  c.witness = c.pair.solve(c.X_AB, c.X_AB.p);
  c.X_AB.p += (distance - c.witness.distance) * c.witness.n;
  c.witness = c.pair.solve(c.X_AB, c.witness.n);
  return c;
}

// Smallest eigenvalue of d I + H_D over |d| + trace H_D: how far the pair is from a jump of its normal.
Long conditioning(const Case& c) {
  const auto T = derivative::tangent_basis(c.witness.n);
  const Eigen::Matrix<Long, 2, 2> K = c.pair.tangent_matrix(c.X_AB, c.witness, T);
  Eigen::Matrix<Long, 2, 1> values;
  derivative::eigenvectors<Long>(K, values);
  return values.minCoeff() / (std::abs(c.witness.distance) + K.trace() - 2 * c.witness.distance);
}

// weight x + (1 - weight) y
WitnessDerivative<Long> blend(const WitnessDerivative<Long>& x, const WitnessDerivative<Long>& y,
                              Long weight) {
  WitnessDerivative<Long> result = x;
  result.dp1_A_dxi_B += (weight - 1) * (x.dp1_A_dxi_B - y.dp1_A_dxi_B);
  result.dp2_A_dxi_B += (weight - 1) * (x.dp2_A_dxi_B - y.dp2_A_dxi_B);
  result.dn_A_dxi_B += (weight - 1) * (x.dn_A_dxi_B - y.dn_A_dxi_B);
  result.dd_dxi_B += (weight - 1) * (x.dd_dxi_B - y.dd_dxi_B);
  return result;
}

// Central differences of order 6 in extended precision, by Richardson's rule.
WitnessDerivative<Long> reference(const Case& c) {
  const auto query = [&](const Pose<Long>& X) { return c.pair.solve(X, c.witness.n); };
  const auto at_step = [&](Long h) {
    return derivative::central_differences<Long>(c.witness, c.X_AB, h, h, query);
  };
  const auto h1 = at_step(1e-4L), h2 = at_step(2e-4L), h4 = at_step(4e-4L);
  return blend(blend(h1, h2, 4 / 3.0L), blend(h2, h4, 4 / 3.0L), 16 / 15.0L);
}

template <class S>
WitnessDerivative<S> analytic(const Case& c) {
  return derivative::smooth_derivative<S>(witness::Ellipsoid<S>{c.pair.a.cast<S>()},
                                          witness::Ellipsoid<S>{c.pair.b.cast<S>()}, c.X_AB.cast<S>(),
                                          test::cast_witness<S>(c.witness));
}

// Largest absolute difference of all entries.
template <class S, class T>
double difference(const WitnessDerivative<S>& x, const WitnessDerivative<T>& y) {
  const auto gap = [](const auto& u, const auto& v) {
    return static_cast<double>((u.template cast<Long>() - v.template cast<Long>()).cwiseAbs().maxCoeff());
  };
  return std::max({gap(x.dp1_A_dxi_B, y.dp1_A_dxi_B), gap(x.dp2_A_dxi_B, y.dp2_A_dxi_B),
                   gap(x.dn_A_dxi_B, y.dn_A_dxi_B), gap(x.dd_dxi_B, y.dd_dxi_B)});
}

TEST(WitnessDerivative, EllipsoidsMatchExtendedPrecisionDifferences) {
  for (const double distance : {0.11, 0.0, -0.07, -0.25}) {
    Random random(7, static_cast<std::uint64_t>(1000 + 100 * distance));
    int tried = 0;
    double worst = 0;
    for (int found = 0; found < 20;) {
      const Case c = random_case(random, distance);
      ASSERT_LT(++tried, 200);
      if (conditioning(c) < 0.1L) continue;  // deep inside, not every stationary pose is a maximum
      ++found;
      ASSERT_NEAR(static_cast<double>(c.witness.distance), distance, 1e-15);
      const WitnessDerivative<Long> expected = reference(c);
      const WitnessDerivative<double> found_double = analytic<double>(c);
      EXPECT_EQ(found_double.status, Status::kOk);
      worst = test::worst_of(worst, difference(found_double, expected));
    }
    EXPECT_LT(worst, 1e-9) << "at signed distance " << distance;
    std::printf("d = %+.2f m: largest error of 20 pairs %.1e (of %d drawn)\n", distance, worst, tried);
  }
}

TEST(WitnessDerivative, RandomSweepOfEllipsoids) {
  Random random(8);
  int used = 0;
  double worst = 0, worst_long = 0;
  for (int i = 0; i < abut::test::runs(400); ++i) {
    const Case c = random_case(random, random.uniform(-0.3, 0.5));
    if (conditioning(c) < 0.05L) continue;
    ++used;
    const WitnessDerivative<Long> expected = reference(c);
    worst = test::worst_of(worst, difference(analytic<double>(c), expected));
    worst_long = test::worst_of(worst_long, difference(analytic<Long>(c), expected));
  }
  std::printf("sweep of %d pairs: largest error double %.1e, long double %.1e\n", used, worst, worst_long);
  EXPECT_GT(used, 250);
  EXPECT_LT(worst, 1e-9);
  EXPECT_LT(worst_long, 1e-9);
}

// Capsules about the z axis of their frames, side on side, or side on a sphere (half length 0): the lines'
// closest points in closed form, apart or overlapping by less than the radii.
struct RoundPair {
  Long radius_A, radius_B;
  bool sphere;  // B

  Witness<Long> solve(const Pose<Long>& X_AB) const {
    const Vec3<Long> u = Vec3<Long>::UnitZ(), v = X_AB.R.col(2);
    Vec3<Long> at_A, at_B = X_AB.p;
    if (!sphere) {  // w = p + t v - s u orthogonal to both
      const Long c = u.dot(v), t = (c * u.dot(X_AB.p) - v.dot(X_AB.p)) / (1 - c * c);
      at_B += t * v;
    }
    at_A = u * u.dot(at_B);
    Witness<Long> w{};
    const Long length = (at_B - at_A).norm();
    w.n = (at_B - at_A) / length;
    w.p1 = at_A + radius_A * w.n;
    w.p2 = at_B - radius_B * w.n;
    w.distance = length - radius_A - radius_B;
    return w;
  }

  template <class S>
  WitnessDerivative<S> analytic(const Pose<Long>& X_AB, const Witness<Long>& w) const {
    const auto round = [](const Vec3<Long>& n, Long radius, bool flat) {
      Curvature<S> H;
      const Vec3<S> a = Vec3<S>::UnitZ(), normal = n.cast<S>();
      H.H = static_cast<S>(radius) * (Mat3<S>::Identity() - normal * normal.transpose());
      if (!flat) return H;
      H.flat_count = 1;
      H.flat[0] = a;
      return H;
    };
    const Vec3<Long> m = -(X_AB.R.transpose() * w.n);
    return derivative::differentiate<S>(test::cast_witness<S>(w), X_AB.cast<S>(), round(w.n, radius_A, true),
                                        round(m, radius_B, !sphere), S(1));
  }
};

// The flat direction is a constraint: as a zero (H = r P alone) the derivative is wrong by half.
TEST(WitnessDerivative, CapsulesMatchExtendedPrecisionDifferences) {
  Random random(11);
  double worst = 0, without = 0;
  for (int i = 0; i < abut::test::runs(600); ++i) {
    const RoundPair pair{random.uniform(0.1, 0.4), random.uniform(0.1, 0.4), i % 2 == 0};
    Pose<Long> X_AB{test::random_rotation(random).cast<Long>(), {}};
    X_AB.R = Eigen::Quaternion<Long>(X_AB.R).normalized().toRotationMatrix();
    if (std::abs(X_AB.R(2, 2)) > 0.95L) continue;  // near parallel the points slide without bound
    X_AB.p = Vec3<Long>(random.normal(), random.normal(), random.normal()).normalized();
    Witness<Long> w = pair.solve(X_AB);
    X_AB.p += (Long(random.uniform(-0.15, 0.5)) - w.distance) * w.n;
    w = pair.solve(X_AB);
    const auto query = [&](const Pose<Long>& X) { return pair.solve(X); };
    const auto h1 = derivative::central_differences<Long>(w, X_AB, 1e-5L, 1e-5L, query);
    const auto h2 = derivative::central_differences<Long>(w, X_AB, 2e-5L, 2e-5L, query);
    const auto expected = blend(h1, h2, 4 / 3.0L);
    const auto found = pair.analytic<double>(X_AB, w);
    EXPECT_EQ(found.status, Status::kOk);
    EXPECT_EQ(found.clamped_count, 0);
    worst = test::worst_of(worst, difference(found, expected));
    if (pair.sphere) {
      Curvature<double> A, B;
      const Vec3<double> n = w.n.cast<double>(), m = -(X_AB.R.transpose() * w.n).cast<double>();
      A.H = static_cast<double>(pair.radius_A) * (Mat3<double>::Identity() - n * n.transpose());
      B.H = static_cast<double>(pair.radius_B) * (Mat3<double>::Identity() - m * m.transpose());
      without =
          std::max(without, difference(derivative::differentiate<double>(test::cast_witness<double>(w),
                                                                         X_AB.cast<double>(), A, B, 1.0),
                                       expected));
    }
  }
  std::printf("capsules: largest error %.1e; with the flat direction left out %.2f\n", worst, without);
  EXPECT_LT(worst, 1e-9);
  EXPECT_GT(without, 0.1);
}

// Through d = 0 nothing happens: the derivative moves as little as the pose, by at most kSlope times its
// step, across touching by ever smaller ones.
TEST(WitnessDerivative, ContinuousThroughTouching) {
  constexpr double kSlope = 50;  // 1/m; 14 is the largest
  Random random(9);
  double steepest = 0;
  for (int i = 0; i < 20; ++i) {
    const Case touching = random_case(random, 0);
    const auto at = [&](double distance) {
      Case c = touching;
      c.X_AB.p += Long(distance) * touching.witness.n;
      c.witness = c.pair.at(c.X_AB, touching.witness.n);
      const WitnessDerivative<double> d = analytic<double>(c);
      EXPECT_NE(d.status, Status::kInvalidInput);
      return d;
    };
    const auto expect_near = [&](double from, double to) {
      const double change = difference(at(from), at(to));
      EXPECT_LT(change, kSlope * (to - from) + 1e-12) << from << " to " << to;
      if (to - from > 1e-8) steepest = std::max(steepest, change / (to - from));
    };
    for (int k = -100; k < 100; ++k) expect_near(1e-4 * k, 1e-4 * (k + 1));  // 1 cm deep to 1 cm apart
    for (const double distance : {1e-5, 1e-6, 1e-7, 1e-9, 1e-11}) {
      expect_near(-distance, distance);
      expect_near(-distance, 0);
      expect_near(0, distance);
    }
  }
  std::printf("the derivative changes by at most %.0f for every metre\n", steepest);
}

Witness<double> head_on(double distance) {
  Witness<double> w{};
  w.n = {0, 0, 1};
  w.p1 = {0, 0, 1};
  w.p2 = {0, 0, 1 + distance};
  w.distance = distance;
  return w;
}

TEST(WitnessDerivative, ClampsOnlyTheSingularDirectionAndNamesIt) {
  // d I + H = diag(-0.1 + 0.1, -0.1 + 0.5): flat along x only.
  Curvature<double> A;
  A.H.diagonal() << 0.1, 0.5, 0;
  const Pose<double> X_AB{Mat3<double>::Identity(), {0, 0, 1.9}};
  const auto d = derivative::differentiate<double>(head_on(-0.1), X_AB, A, {}, 1.0);
  EXPECT_EQ(d.status, Status::kClamped);
  ASSERT_EQ(d.clamped_count, 1);
  EXPECT_NEAR(std::abs(d.clamped_A[0].x()), 1, 1e-15);
  EXPECT_TRUE(derivative::detail::finite(d));
  // across it the answer is the unclamped one: dn_y = dp2_y / 0.4
  EXPECT_NEAR(d.dn_A_dxi_B(1, 4), 1 / 0.4, 1e-12);
  EXPECT_NEAR(d.dn_A_dxi_B(0, 3), 1 / (1e-3 * 0.7 + 1e-9), 1e-6);
  // a clamped derivative of a query that did not end well is still no answer
  Witness<double> unsure = head_on(-0.1);
  unsure.status = Status::kNotConverged;
  const auto doubtful = derivative::differentiate<double>(unsure, X_AB, A, {}, 1.0);
  EXPECT_EQ(doubtful.clamped_count, 1);
  EXPECT_EQ(doubtful.status, Status::kNotConverged);
}

// A ridge: as good as flat along x, sharp across it. The flat direction must not clamp the other.
TEST(WitnessDerivative, FlatDirectionLeavesTheOtherAlone) {
  Curvature<double> A;
  A.H.diagonal() << 1e8, 1e-3, 0;
  const Pose<double> X_AB{Mat3<double>::Identity(), {0, 0, 2}};
  const auto d = derivative::differentiate<double>(head_on(1e-3), X_AB, A, {}, 0.1);
  EXPECT_EQ(d.status, Status::kOk);
  EXPECT_NEAR(d.dn_A_dxi_B(1, 4), 1 / 2e-3, 1e-6);
  EXPECT_NEAR(d.dn_A_dxi_B(0, 3), 0, 1e-7);
}

// Two faces slide along both directions, a face and an edge along the edge.
TEST(WitnessDerivative, NamesEveryDirectionInWhichFlatsSlide) {
  const Pose<double> X_AB{Mat3<double>::Identity(), {0, 0, 2}};
  Curvature<double> face, edge;
  face.flat_count = 2, face.flat = {Vec3<double>::UnitX(), Vec3<double>::UnitY()};
  edge.flat_count = 1, edge.flat[0] = Vec3<double>(0.6, 0.8, 0);
  const auto of_faces = derivative::differentiate<double>(head_on(0.5), X_AB, face, face, 1.0);
  EXPECT_EQ(of_faces.status, Status::kClamped);
  ASSERT_EQ(of_faces.clamped_count, 2);
  EXPECT_NEAR(of_faces.clamped_A[0].dot(of_faces.clamped_A[1]), 0, 1e-15);
  for (const auto& d : {derivative::differentiate<double>(head_on(0.5), X_AB, face, edge, 1.0),
                        derivative::differentiate<double>(head_on(0.5), X_AB, edge, edge, 1.0)}) {
    EXPECT_EQ(d.status, Status::kClamped);
    ASSERT_EQ(d.clamped_count, 1);
    EXPECT_NEAR(std::abs(d.clamped_A[0].dot(edge.flat[0])), 1, 1e-15);
  }
}

TEST(WitnessDerivative, FiniteWhereEverythingVanishes) {
  // Two vertices that touch: no distance, no curvature.
  const Pose<double> X_AB{Mat3<double>::Identity(), {0, 0, 2}};
  const auto d = derivative::differentiate<double>(head_on(0), X_AB, {}, {}, 0.1);
  EXPECT_EQ(d.status, Status::kClamped);
  EXPECT_EQ(d.clamped_count, 2);
  EXPECT_NEAR(d.clamped_A[0].dot(d.clamped_A[1]), 0, 1e-15);
  EXPECT_TRUE(derivative::detail::finite(d));
}

TEST(WitnessDerivative, NaNInNaNOut) {
  const Pose<double> X_AB{Mat3<double>::Identity(), {0, 0, 2}};
  Curvature<double> H;
  H.H.diagonal() << 1, 1, 0;
  for (int which = 0; which < 6; ++which) {
    Witness<double> w = head_on(0.5);
    Pose<double> X = X_AB;
    Curvature<double> A = H, B = H;
    const double nan = std::nan("");
    if (which == 0) w.p2.x() = nan;
    if (which == 1) w.n.y() = nan;
    if (which == 2) w.distance = nan;
    if (which == 3) X.R(0, 1) = nan;
    if (which == 4) A.H(1, 0) = nan;
    if (which == 5) w.status = Status::kInvalidInput;
    const auto d = derivative::differentiate<double>(w, X, A, B, 1.0);
    EXPECT_EQ(d.status, Status::kInvalidInput) << which;
    EXPECT_TRUE(d.dp1_A_dxi_B.array().isNaN().all() && d.dp2_A_dxi_B.array().isNaN().all());
    EXPECT_TRUE(d.dn_A_dxi_B.array().isNaN().all() && d.dd_dxi_B.array().isNaN().all());
  }
}

TEST(TangentBasis, IsOrthonormalAndRightHanded) {
  Random random(10);
  for (int i = 0; i < 1000; ++i) {
    Vec3<double> n(random.normal(), random.normal(), i % 2 ? random.normal() : -1e9);
    n.normalize();
    const auto T = derivative::tangent_basis(n);
    Mat3<double> basis;
    basis << T, n;
    EXPECT_LT((basis.transpose() * basis - Mat3<double>::Identity()).norm(), 1e-14);
    EXPECT_GT(basis.determinant(), 0);
  }
}

}  // namespace
