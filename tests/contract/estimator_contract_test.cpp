// What every row of the table of derivative estimators must satisfy.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/derivative/estimator.h"
#include "runtime/derivative/finite_difference.h"
#include "runtime/witness/pair_query.h"
#include "tests/contract/contract.h"
#include "tests/contract/witness_equation.h"
#include "tests/runtime/derivative/ellipsoid_pair.h"
#include "tests/support/runs.h"

namespace abut::derivative {
void PrintTo(const EstimatorRow& row, std::ostream* out) { *out << row.name; }
}  // namespace abut::derivative

namespace {

using namespace abut;
using derivative::EstimatorRow;
using derivative::PairDerivative;
using test::Tally;  // differences straddle a kink of the polytope on a few poses

class EstimatorContract : public testing::TestWithParam<EstimatorRow> {
 protected:
  std::unique_ptr<derivative::Estimator> make() const { return derivative::make_estimator(GetParam().name); }
};

// Ordered pairs of hulls, then those with a primitive or two.
std::vector<test::NamedPair> all_pairs() {
  const auto hulls = test::contract_hulls(), primitives = test::contract_primitives();
  std::vector<test::NamedPair> pairs = test::hull_pairs(hulls);
  for (const auto& more : {test::mixed_pairs(hulls, primitives), test::primitive_pairs(primitives)})
    pairs.insert(pairs.end(), more.begin(), more.end());
  return pairs;
}

// Calls test(A, B, X_AB) over them and random poses from overlapping to well apart.
template <class Test>
void for_each_pair(int poses, Test&& test) {
  Random random(3);
  for (const auto& [A, B] : all_pairs()) {
    for (int k = 0; k < test::fewer_if_fast(poses); ++k) {
      const Pose<double> X_AB = test::random_pose(random, A.size + B.size, random.uniform(0.3, 1.1));
      SCOPED_TRACE(A.name + " and " + B.name + ", pose " + std::to_string(k));
      test(A, B, X_AB);
    }
  }
}

bool finite(const PairDerivative& r) {
  return derivative::detail::finite(r.derivative) && r.witness.p1.allFinite() && r.witness.p2.allFinite() &&
         r.witness.n.allFinite() && std::isfinite(r.witness.distance);
}

bool answered(Status status) {
  return status == Status::kOk || status == Status::kTouching || status == Status::kClamped;
}

// Bars every comparison below by the derivative's own size: entries are of the order of the lengths involved.
double gap(const PairDerivative& x, const PairDerivative& y, double length) {
  const auto &a = x.derivative, &b = y.derivative;
  return std::max({test::relative_gap(a.dp1_A_dxi_B, b.dp1_A_dxi_B, length),
                   test::relative_gap(a.dp2_A_dxi_B, b.dp2_A_dxi_B, length),
                   test::relative_gap(a.dn_A_dxi_B, b.dn_A_dxi_B, 1.0),
                   test::relative_gap(a.dd_dxi_B, b.dd_dxi_B, length)});
}

// The answer to (A, B, X_AB) rebuilt from the one to (B, A, X_BA): X_AB exp(xi) is the inverse of
// X_BA exp(eta) with eta = -Ad(X_AB) xi, and every vector is carried from B to A by the moving pose.
PairDerivative swapped_back(const PairDerivative& r, const Pose<double>& X_AB) {
  const Mat6<double> deta_dxi = -adjoint(X_AB);
  const auto point = [&](const Vec3<double>& p_B, const Mat36<double>& dp_B) {
    Mat36<double> rigid;
    rigid << -skew(p_B), Mat3<double>::Identity();
    return Mat36<double>(X_AB.R * (rigid + dp_B * deta_dxi));
  };
  PairDerivative s = r;
  s.witness.p1 = X_AB * r.witness.p2;
  s.witness.p2 = X_AB * r.witness.p1;
  s.witness.n = -(X_AB.R * r.witness.n);
  s.derivative.dp1_A_dxi_B = point(r.witness.p2, r.derivative.dp2_A_dxi_B);
  s.derivative.dp2_A_dxi_B = point(r.witness.p1, r.derivative.dp1_A_dxi_B);
  Mat36<double> turn;
  turn << -skew(r.witness.n), Mat3<double>::Zero();
  s.derivative.dn_A_dxi_B = -X_AB.R * (turn + r.derivative.dn_A_dxi_B * deta_dxi);
  s.derivative.dd_dxi_B = r.derivative.dd_dxi_B * deta_dxi;
  return s;
}

// Whether two answers agree that differ by the choice of axes, or of the first body, only. Where samples are
// drawn, other axes are other samples, and of the derivatives the distance's alone, which is exact, is the
// same.
bool same(const EstimatorRow& row, const PairDerivative& x, const PairDerivative& y, double length) {
  if (!row.sampled) return gap(x, y, length) < 1e-5;
  return test::relative_gap(x.derivative.dd_dxi_B, y.derivative.dd_dxi_B, length) < 1e-5;
}

TEST_P(EstimatorContract, AnswersWithFiniteNumbersAndKeepsTheWitnessEquation) {
  const auto estimator = make();
  for_each_pair(10, [&](const auto& A, const auto& B, const Pose<double>& X_AB) {
    const PairDerivative r = (*estimator)({&A.body, &B.body, X_AB});
    ASSERT_TRUE(answered(r.derivative.status)) << to_string(r.derivative.status);
    ASSERT_TRUE(finite(r));
    const auto& d = r.derivative;
    EXPECT_LT(test::broken_witness_equation(r, A.size + B.size), 1e-14);
    for (int k = 0; k < d.clamped_count; ++k) {
      EXPECT_NEAR(d.clamped_A[k].norm(), 1, 1e-12);
      EXPECT_NEAR(d.clamped_A[k].dot(r.witness.n), 0, 1e-12);
    }
  });
}

TEST_P(EstimatorContract, SwappingTheBodiesChangesNothing) {
  const auto estimator = make();
  Tally tally;
  for_each_pair(10, [&](const auto& A, const auto& B, const Pose<double>& X_AB) {
    const PairDerivative direct = (*estimator)({&A.body, &B.body, X_AB});
    const PairDerivative swapped = swapped_back((*estimator)({&B.body, &A.body, X_AB.inverse()}), X_AB);
    EXPECT_NEAR(direct.witness.distance, swapped.witness.distance, 1e-12);
    tally.add(A, B, same(GetParam(), swapped, direct, A.size + B.size));
  });
  EXPECT_GT(tally.share(), 0.97);
}

// Both bodies described in other frames: the answer changes frame and nothing else.
TEST_P(EstimatorContract, ChangeOfFrame) {
  const auto estimator = make();
  Random random(4);
  Tally tally;
  for_each_pair(5, [&](const auto& A, const auto& B, const Pose<double>& X_AB) {
    const auto [M, X_MA] = test::in_random_frame(A.body, random);
    const auto [N, X_NB] = test::in_random_frame(B.body, random);
    const PairDerivative direct = (*estimator)({&A.body, &B.body, X_AB});
    const PairDerivative other = (*estimator)({&M, &N, X_MA * X_AB * X_NB.inverse()});
    // X_MN exp(eta) = X_MA X_AB exp(xi) X_BN with eta = Ad(X_NB) xi
    const Mat6<double> Ad = adjoint(X_NB);
    PairDerivative back = other;
    back.derivative.dp1_A_dxi_B = X_MA.R.transpose() * other.derivative.dp1_A_dxi_B * Ad;
    back.derivative.dp2_A_dxi_B = X_MA.R.transpose() * other.derivative.dp2_A_dxi_B * Ad;
    back.derivative.dn_A_dxi_B = X_MA.R.transpose() * other.derivative.dn_A_dxi_B * Ad;
    back.derivative.dd_dxi_B = other.derivative.dd_dxi_B * Ad;
    EXPECT_NEAR(direct.witness.distance, other.witness.distance, 1e-12);
    tally.add(A, B, same(GetParam(), back, direct, A.size + B.size));
  });
  EXPECT_GT(tally.share(), 0.97);
}

// The gradient of the distance is the polytope's own in every row; points and normal where the row promises
// it.
TEST_P(EstimatorContract, MatchesDifferencesWhereItPromisesTo) {
  const auto estimator = make();
  const bool exact = GetParam().estimate_of == derivative::EstimateOf::kPolytope;
  Tally distance, points;
  for_each_pair(10, [&](const auto& A, const auto& B, const Pose<double>& X_AB) {
    const PairDerivative r = (*estimator)({&A.body, &B.body, X_AB});
    const double length = A.size + B.size, h = 1e-6;
    const auto query = [&](const Pose<double>& X) { return witness::separation({&A.body, &B.body, X}); };
    PairDerivative expected = r;
    expected.derivative = derivative::central_differences<double>(r.witness, X_AB, h, h * length, query);
    distance.add(A, B,
                 test::relative_gap(r.derivative.dd_dxi_B, expected.derivative.dd_dxi_B, length) < 1e-5);
    if (exact) points.add(A, B, gap(r, expected, length) < 1e-4);
  });
  EXPECT_GT(distance.share(), 0.97);
  if (exact) {
    EXPECT_GT(points.share(), 0.95);
  }
}

// On finely tessellated ellipsoids, rows that stand for the smooth shape come near its exact derivative.
TEST_P(EstimatorContract, ComesNearTheSmoothShapeWhereItPromisesTo) {
  const derivative::EstimateOf estimate_of = GetParam().estimate_of;
  if (estimate_of == derivative::EstimateOf::kPolytope) GTEST_SKIP() << "this row differentiates the facets";
  const auto& A = test::smooth_assets()[0];
  const auto& B = test::smooth_assets()[1];
  const body::Body a = test::body_of(A.asset), b = test::body_of(B.asset);
  const test::EllipsoidPair<double> smooth{A.semi_axes, B.semi_axes};
  const auto estimator = make();
  Random random(5);
  std::vector<double> errors;
  for (int i = 0; i < 60; ++i) {
    Pose<double> X_AB = test::random_pose(random, 0.3, 1);
    const auto apart = smooth.solve(X_AB, X_AB.p);
    X_AB.p += (random.uniform(-0.02, 0.05) - apart.distance) * apart.n;
    const PairDerivative r = (*estimator)({&a, &b, X_AB});
    PairDerivative expected = r;
    expected.witness = smooth.solve(X_AB, apart.n);
    expected.derivative = derivative::smooth_derivative<double>(witness::Ellipsoid<double>{A.semi_axes},
                                                                witness::Ellipsoid<double>{B.semi_axes}, X_AB,
                                                                expected.witness);
    errors.push_back(gap(r, expected, 0.1));
  }
  std::sort(errors.begin(), errors.end());
  std::printf("%s: error against the smooth shape, 2562 vertices: median %.1f %%, 90th percentile %.1f %%\n",
              std::string(GetParam().name).c_str(), 100 * errors[30], 100 * errors[54]);
  if (estimate_of != derivative::EstimateOf::kSmoothShape) return;
  EXPECT_LT(errors[30], 0.15);
  EXPECT_LT(errors[54], 0.25);
}

TEST_P(EstimatorContract, SameBitsForAnyNumberOfThreads) {
  const std::vector<test::NamedPair> bodies = all_pairs();
  Random random(6);
  std::vector<body::Pair> pairs;
  for (int i = 0; i < 400; ++i) {
    const auto& [A, B] = bodies[random.below(bodies.size())];
    pairs.push_back({&A.body, &B.body, test::random_pose(random, A.size + B.size, random.uniform(0.2, 1.2))});
  }
  std::vector<PairDerivative> reference(pairs.size()), results(pairs.size());
  derivative::BatchEstimator(GetParam().name, {}, 1)(pairs, reference);
  for (const int threads : {2, 3, 8, 16, 0}) {
    derivative::BatchEstimator(GetParam().name, {}, threads)(pairs, results);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto &x = reference[i].derivative, &y = results[i].derivative;
      ASSERT_EQ(std::memcmp(x.dp1_A_dxi_B.data(), y.dp1_A_dxi_B.data(), sizeof(double) * 18), 0) << i;
      ASSERT_EQ(std::memcmp(x.dp2_A_dxi_B.data(), y.dp2_A_dxi_B.data(), sizeof(double) * 18), 0) << i;
      ASSERT_EQ(std::memcmp(x.dn_A_dxi_B.data(), y.dn_A_dxi_B.data(), sizeof(double) * 18), 0) << i;
      ASSERT_EQ(std::memcmp(x.dd_dxi_B.data(), y.dd_dxi_B.data(), sizeof(double) * 6), 0) << i;
    }
  }
}

TEST_P(EstimatorContract, AllocatesNothingInTheSteadyState) {
  const auto estimator = make();
  std::vector<std::tuple<body::Body, body::Body, Pose<double>>> queries;
  for_each_pair(5, [&](const auto& A, const auto& B, const Pose<double>& X_AB) {
    queries.emplace_back(A.body, B.body, X_AB);
  });
  const auto ask_all = [&] {
    for (const auto& [a, b, X_AB] : queries) (*estimator)({&a, &b, X_AB});
  };
  ask_all();
  const std::size_t before = test::allocations();
  ask_all();
  EXPECT_EQ(test::allocations(), before);
}

TEST_P(EstimatorContract, FarApartAndCoincidentPosesAreAnswered) {
  const auto estimator = make();
  for (const auto& [A, B] : all_pairs()) {
    SCOPED_TRACE(A.name + " and " + B.name);
    const PairDerivative far = (*estimator)({&A.body, &B.body, {Mat3<double>::Identity(), {600, -640, 480}}});
    EXPECT_TRUE(answered(far.derivative.status));
    EXPECT_TRUE(finite(far));
    const bool over = A.body.geometry.half_space(), under = B.body.geometry.half_space();
    EXPECT_NEAR(far.witness.distance, over ? 480 : under ? -480 : 1000, 1);
    const PairDerivative same = (*estimator)({&A.body, &B.body, {}});
    EXPECT_NE(same.derivative.status, Status::kInvalidInput);
    EXPECT_TRUE(finite(same));
    EXPECT_LT(same.witness.distance, 0);
  }
}

TEST_P(EstimatorContract, BadInputIsRefused) {
  const auto estimator = make();
  const body::Body a = test::body_of(test::contract_assets()[0].asset), empty{body::Geometry(asset::Asset{})},
                   ground = test::body_of(body::HalfSpace<double>{});
  const Pose<double> good{Mat3<double>::Identity(), {0.3, 0, 0}};
  EXPECT_NO_THROW((*estimator)({&a, &a, good}));
  EXPECT_THROW((*estimator)({nullptr, &a, good}), InvalidInput);
  EXPECT_THROW((*estimator)({&empty, &a, good}), InvalidInput);
  EXPECT_THROW((*estimator)({&a, &empty, good}), InvalidInput);
  EXPECT_THROW((*estimator)({&empty, &ground, good}), InvalidInput);
  EXPECT_THROW((*estimator)({&ground, &ground, good}), InvalidInput);
  EXPECT_NO_THROW((*estimator)({&ground, &a, good}));
  body::Pair spinning{&a, &a, good};
  spinning.V_AB_B[1] = std::nan("");
  EXPECT_THROW((*estimator)(spinning), InvalidInput);
  for (int i = 0; i < 3; ++i) {
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      Pose<double> X_AB = good;
      X_AB.p[i] = bad;
      EXPECT_THROW((*estimator)({&a, &a, X_AB}), InvalidInput);
      X_AB = good;
      X_AB.R(i, 1) = bad;
      EXPECT_THROW((*estimator)({&a, &a, X_AB}), InvalidInput);
    }
  }
  Pose<double> scaled = good, mirrored = good;
  scaled.R *= 1.001;
  mirrored.R(0, 0) = -1;
  EXPECT_THROW((*estimator)({&a, &a, scaled}), InvalidInput);
  EXPECT_THROW((*estimator)({&a, &a, mirrored}), InvalidInput);

  derivative::BatchEstimator batch(GetParam().name, {}, 2);
  const std::vector<body::Pair> pairs = {{&a, &a, good}, {&a, &a, scaled}};
  std::vector<PairDerivative> results(2), few(1);
  EXPECT_THROW(batch(pairs, few), InvalidInput);
  results[0].witness.distance = 7;
  try {
    batch(pairs, results);
    ADD_FAILURE() << "the second pair has no rotation";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("pair 1"), std::string::npos) << error.what();
    EXPECT_EQ(results[0].witness.distance, 7) << "nothing is computed";
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EstimatorContract, testing::ValuesIn(derivative::estimators()),
                         test::row_name<EstimatorRow>);

}  // namespace
