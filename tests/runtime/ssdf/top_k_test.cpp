#include "runtime/ssdf/top_k.h"

#include <gtest/gtest.h>

#include <numeric>

#include "runtime/core/random.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using namespace abut::ssdf;

std::vector<double> random_scores(int count) {
  Random random(5);
  std::vector<double> z;
  for (int i = 0; i < count; ++i) z.push_back(random.uniform());
  return z;
}

TEST(TopK, ThePlanSelectsEightOfAll) {
  const std::vector<double> z = random_scores(60);
  TopK<double> top;
  soft_top_k<double>(z, {}, top);
  ASSERT_EQ(top.status, Status::kOk);
  ASSERT_EQ(top.plan.size(), 8 * z.size());
  for (int k = 0; k < 8; ++k) {
    double sum = 0;
    for (std::size_t v = 0; v < z.size(); ++v) sum += top.plan[k * z.size() + v];
    EXPECT_NEAR(sum, 1, 1e-8);
  }
  for (std::size_t v = 0; v < z.size(); ++v) {
    double sum = 0;
    for (int k = 0; k < 8; ++k) sum += top.plan[k * z.size() + v];
    EXPECT_LE(sum, 1 + 1e-8);
    EXPECT_GE(sum, 0);
  }
}

// As the temperature falls row k tends to the k-th largest score alone.
TEST(TopK, TheColdLimitIsTheHardChoice) {
  std::vector<double> z(20);
  std::vector<std::size_t> order(z.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t v = 0; v < z.size(); ++v) z[v] = static_cast<double>((7 * v) % z.size()) / 19;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return z[a] > z[b]; });
  TopKConfig config;
  config.count = 5;
  double last = 1;
  for (const double temperature : {1e-2, 3e-3, 1e-3, 3e-4}) {
    config.temperature = temperature;
    TopK<double> top;
    soft_top_k<double>(z, config, top);
    ASSERT_EQ(top.status, Status::kOk) << temperature;
    double worst = 0;
    for (std::size_t k = 0; k < 5; ++k)
      for (std::size_t v = 0; v < z.size(); ++v)
        worst = test::worst_of(worst, std::abs(top.plan[k * z.size() + v] - (v == order[k] ? 1 : 0)));
    EXPECT_LT(worst, last);
    last = worst;
  }
  EXPECT_LT(last, 1e-6);
}

TEST(TopK, DerivativesAreThoseOfThePlan) {
  using S = long double;
  std::vector<S> z, dz;
  for (const double score : random_scores(30)) z.push_back(score);
  Random random(6);
  for (std::size_t v = 0; v < z.size(); ++v) dz.push_back(random.normal());
  TopKConfig config;
  config.temperature = 0.05;
  config.tolerance = 1e-16;
  TopK<S> at, ahead, behind;
  soft_top_k<S>(z, config, at);
  std::vector<S> slope(at.plan.size()), up = z, down = z;
  soft_top_k_derivative<S>(z, config, at, dz, slope);
  const S h = 1e-5L;
  for (std::size_t v = 0; v < z.size(); ++v) up[v] += h * dz[v], down[v] -= h * dz[v];
  soft_top_k<S>(up, config, ahead);
  soft_top_k<S>(down, config, behind);
  for (std::size_t i = 0; i < slope.size(); ++i)
    EXPECT_NEAR(double(slope[i]), double((ahead.plan[i] - behind.plan[i]) / (2 * h)), 1e-6);
}

// Scores of 0 without a column of their own are the same as with one.
TEST(TopK, ZerosMayBeCounted) {
  std::vector<double> few = random_scores(30), all = few;
  all.resize(500, 0.0);
  TopK<double> counted, full;
  soft_top_k<double>(few, {}, counted, 470.0);
  soft_top_k<double>(all, {}, full);
  ASSERT_EQ(counted.status, Status::kOk);
  ASSERT_EQ(full.status, Status::kOk);
  for (std::size_t k = 0; k < 8; ++k)
    for (std::size_t v = 0; v < few.size(); ++v)
      EXPECT_NEAR(counted.plan[k * few.size() + v], full.plan[k * all.size() + v], 1e-9);
}

TEST(TopK, BadInputGivesNoPlan) {
  std::vector<double> z = random_scores(20);
  TopK<double> top;
  z[4] = std::nan("");
  soft_top_k<double>(z, {}, top);
  EXPECT_EQ(top.status, Status::kInvalidInput);
  EXPECT_TRUE(std::isnan(top.plan[0]));
  z.resize(4);
  soft_top_k<double>(z, {}, top);
  EXPECT_EQ(top.status, Status::kInvalidInput);
}

}  // namespace
