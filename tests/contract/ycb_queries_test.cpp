// Derivative estimators on the reference queries: real hulls, deep and shallow, near and far.
#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "runtime/derivative/estimator.h"
#include "runtime/derivative/finite_difference.h"
#include "runtime/witness/separation.h"
#include "tests/contract/contract.h"
#include "tests/contract/witness_equation.h"
#include "tests/support/reference_queries.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;

struct Queries {
  std::map<std::string, body::Body> bodies;
  std::vector<body::Pair> pairs;
};

// Empty without the reference queries, the objects, or the preprocess library.
Queries read_queries(const std::string& file) {
  Queries result;
  for (const test::ReferenceQuery& row : test::read_reference_queries(file)) {
    for (const std::string& name : {row.object_A, row.object_B}) {
      if (result.bodies.contains(name)) continue;
      std::vector<test::NamedAsset> found = test::real_assets({name});
      if (found.empty()) return {};
      result.bodies.emplace(name, body::Body{body::Geometry(std::move(found.front().asset))});
    }
    result.pairs.push_back({&result.bodies.at(row.object_A), &result.bodies.at(row.object_B), row.X_AB});
  }
  return result;
}

class YcbQueries : public testing::TestWithParam<const char*> {};

TEST_P(YcbQueries, EveryDerivativeIsFiniteAndTheDistanceGradientExact) {
  const Queries queries = read_queries(GetParam());
  if (queries.pairs.empty()) GTEST_SKIP() << "no reference queries or objects, or no preprocess library";
  derivative::BatchEstimator batch;
  std::vector<derivative::PairDerivative> results(queries.pairs.size());
  batch(queries.pairs, results);
  const auto start = std::chrono::steady_clock::now();
  batch(queries.pairs, results);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  int clamped = 0, checked = 0, exact = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& [witness, d] = results[i];
    ASSERT_TRUE(derivative::detail::finite(d)) << "row " << i;
    ASSERT_TRUE(d.status == Status::kOk || d.status == Status::kTouching || d.status == Status::kClamped)
        << "row " << i << ": " << to_string(d.status);
    clamped += d.status == Status::kClamped;
    if (i % 10 != 0) continue;
    const body::Pair& pair = queries.pairs[i];
    const auto query = [&](const Pose<double>& X) {
      return witness::separation<double>(pair.A->geometry.convex(), pair.B->geometry.convex(), X);
    };
    const auto difference = derivative::central_differences<double>(witness, pair.X_AB, 1e-7, 1e-8, query);
    ++checked;
    exact += (difference.dd_dxi_B - d.dd_dxi_B).cwiseAbs().maxCoeff() < 1e-6;
  }
  std::printf(
      "%s: %zu rows, %.2f %% clamped, %.1f us per row on all threads; distance gradient equals differences "
      "on %d of %d rows\n",
      GetParam(), results.size(), 100.0 * clamped / results.size(), 1e6 * seconds / results.size(), exact,
      checked);
  EXPECT_LT(clamped, 0.01 * results.size());
  EXPECT_GT(exact, 0.99 * checked);
}

// p2 - p1 = d n, n'n = 1 and dd = n'(motion of B's point with n held) hold to rounding in every estimator's
// answer, clamped or not. finite_difference has differences of d for dd.
TEST_P(YcbQueries, EveryEstimatorKeepsTheWitnessEquationAlsoWhereClamped) {
  const Queries queries = read_queries(GetParam());
  if (queries.pairs.empty()) GTEST_SKIP() << "no reference queries or objects, or no preprocess library";
  for (const derivative::EstimatorRow& row : derivative::estimators()) {
    // A bound on the turn of the normal that clamps many answers.
    for (const double relative : {derivative::Clamp{}.relative, 0.5}) {
      const std::vector<SettingInfo> known = row.settings();
      const bool clamps = std::any_of(known.begin(), known.end(),
                                      [](const SettingInfo& s) { return s.name == "clamp_relative"; });
      const auto estimator = derivative::make_estimator(
          row.name, clamps ? SettingValues{{"clamp_relative", relative}} : SettingValues{});
      double worst = 0;
      int clamped = 0;
      for (std::size_t i = 0; i < queries.pairs.size(); i += 20) {
        const body::Pair& pair = queries.pairs[i];
        const derivative::PairDerivative r = (*estimator)(pair);
        worst = test::worst_of(worst, test::broken_witness_equation(r, 0.1));
        clamped += r.derivative.clamped_count > 0;
        if (row.name == "finite_difference") continue;
        const Vec3<double> arm = r.witness.p2 - pair.X_AB.p;
        Row6<double> dd;
        dd << (arm.cross(r.witness.n).transpose() * pair.X_AB.R), r.witness.n.transpose() * pair.X_AB.R;
        EXPECT_LT((r.derivative.dd_dxi_B - dd).cwiseAbs().maxCoeff(), 1e-14) << row.name << ", row " << i;
      }
      std::printf(
          "%s, clamped below %g of the curvature: %d of %zu answers clamped, witness equation to %.1e\n",
          std::string(row.name).c_str(), relative, clamped, (queries.pairs.size() + 19) / 20, worst);
      EXPECT_LT(worst, 1e-14) << row.name;
    }
  }
}

// Random pairs in random poses, from deep to apart: every entry finite, bounded by the clamp, whatever the
// status. 5,000 pairs here, 100,000 in the full tier.
TEST(YcbRandomQueries, NoEntryIsInfiniteOrNaN) {
  const Queries reference = read_queries("ycb_hulls_collide.csv");
  if (reference.pairs.empty()) GTEST_SKIP() << "no reference queries or objects, or no preprocess library";
  std::vector<const body::Body*> bodies;
  for (const auto& [name, body] : reference.bodies) bodies.push_back(&body);
  Random random(1);
  std::vector<body::Pair> pairs(static_cast<std::size_t>(test::runs(5000)));
  for (body::Pair& pair : pairs) {
    pair.A = bodies[random.below(bodies.size())];
    pair.B = bodies[random.below(bodies.size())];
    pair.X_AB.R = test::random_rotation(random);
    for (int k = 0; k < 3; ++k) pair.X_AB.p[k] = 0.08 * random.normal();
  }
  std::vector<derivative::PairDerivative> results(pairs.size());
  for (const char* name : {"gumbel", "gaussian", "analytic"}) {
    derivative::BatchEstimator batch(name);
    batch(pairs, results);
    std::size_t clamped = 0, clamped_apart = 0, overlapping = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto& [witness, d] = results[i];
      ASSERT_TRUE(derivative::detail::finite(d)) << name << ", pair " << i;
      ASSERT_TRUE(d.status == Status::kOk || d.status == Status::kTouching || d.status == Status::kClamped)
          << name << ", pair " << i << ": " << to_string(d.status);
      EXPECT_EQ(d.status == Status::kClamped, d.clamped_count > 0);
      clamped += d.clamped_count > 0;
      clamped_apart += d.clamped_count > 0 && witness.distance > 0;
      overlapping += witness.distance < 0;
    }
    std::printf(
        "%s: %zu random pairs, %.0f %% overlapping; of these %.2f %% clamped, of the others %.2f %%\n", name,
        results.size(), 100.0 * double(overlapping) / double(results.size()),
        100.0 * double(clamped - clamped_apart) / double(overlapping),
        100.0 * double(clamped_apart) / double(results.size() - overlapping));
    EXPECT_LT(double(clamped - clamped_apart), 0.025 * double(overlapping)) << name;
    EXPECT_LT(double(clamped_apart), 0.0005 * double(results.size() - overlapping)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, YcbQueries,
                         testing::Values("ycb_hulls_collide.csv", "ycb_hulls_separate.csv"));

}  // namespace
