// Derivative estimators on the reference queries: real hulls, deep and shallow, near and far.
#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "runtime/derivative/estimator.h"
#include "runtime/derivative/finite_difference.h"
#include "runtime/witness/separation.h"
#include "tests/contract/contract.h"
#include "tests/support/reference_queries.h"

namespace {

using namespace abut;

struct Queries {
  std::map<std::string, test::NamedAsset> assets;
  std::map<std::string, asset::AssetView> views;
  std::vector<asset::PosedPair> pairs;
};

// Empty without the reference queries, the objects, or the preprocess library.
Queries read_queries(const std::string& file) {
  Queries result;
  for (const test::ReferenceQuery& row : test::read_reference_queries(file)) {
    for (const std::string& name : {row.object_A, row.object_B}) {
      if (result.views.contains(name)) continue;
      std::vector<test::NamedAsset> found = test::real_assets({name});
      if (found.empty()) return {};
      const test::NamedAsset& kept = result.assets.emplace(name, std::move(found.front())).first->second;
      result.views.emplace(name, asset::view(kept.asset));
    }
    result.pairs.push_back({&result.views.at(row.object_A), &result.views.at(row.object_B), row.X_AB});
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
    const asset::PosedPair& pair = queries.pairs[i];
    const auto query = [&](const Pose<double>& X) {
      return witness::separation<double>(pair.A->convex, pair.B->convex, X);
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

INSTANTIATE_TEST_SUITE_P(Files, YcbQueries,
                         testing::Values("ycb_hulls_collide.csv", "ycb_hulls_separate.csv"));

}  // namespace
