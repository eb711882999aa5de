#include "runtime/witness/batch.h"

#include <gtest/gtest.h>

#include <cstring>

#include "runtime/core/error.h"
#include "tests/runtime/witness/polytopes.h"
#include "tests/support/allocations.h"

namespace {

using namespace abut;
using namespace abut::test;
using witness::BatchSeparation;
using witness::Witness;

class Batch : public testing::Test {
 protected:
  Batch() {
    pieces_ = {round_hull({0.1, 0.06, 0.05}, 9), round_hull({0.05, 0.08, 0.04}, 7),
               make_hull(box_points({0.05, 0.03, 0.07}))};
    for (const auto& piece : pieces_) views_.emplace_back().convex = asset::view(piece);
    Random random(41);
    for (int i = 0; i < 500; ++i) {
      pairs_.push_back({&views_[random.below(3)],
                        &views_[random.below(3)],
                        {random_rotation<double>(random), 0.08 * random_vector(random)}});
    }
  }

  std::vector<asset::ConvexPiece> pieces_;
  std::vector<asset::AssetView> views_;
  std::vector<asset::PosedPair> pairs_;
};

bool same_bits(const Witness<double>& a, const Witness<double>& b) {
  const auto same = [](const auto& x, const auto& y) { return std::memcmp(&x, &y, sizeof x) == 0; };
  return same(a.p1, b.p1) && same(a.p2, b.p2) && same(a.n, b.n) && same(a.distance, b.distance) &&
         same(a.lower_bound, b.lower_bound) && same(a.upper_bound, b.upper_bound) &&
         a.iterations == b.iterations && a.status == b.status && a.simplex_size == b.simplex_size &&
         same(a.vertex_A, b.vertex_A) && same(a.vertex_B, b.vertex_B) && same(a.weight, b.weight);
}

TEST_F(Batch, SameBitsOnAnyNumberOfThreads) {
  std::vector<Witness<double>> one(pairs_.size());
  for (std::size_t i = 0; i < pairs_.size(); ++i) one[i] = witness::separation(pairs_[i]);
  for (const int threads : {1, 2, 3, 8, 16}) {
    BatchSeparation batch(threads);
    std::vector<Witness<double>> many(pairs_.size());
    for (int call = 0; call < 2; ++call) {
      batch(pairs_, many);
      for (std::size_t i = 0; i < pairs_.size(); ++i) EXPECT_TRUE(same_bits(one[i], many[i])) << i;
    }
  }
}

TEST_F(Batch, AllocatesNothingAfterTheFirstCall) {
  BatchSeparation batch(2);
  std::vector<Witness<double>> results(pairs_.size());
  batch(pairs_, results);
  const std::size_t before = allocations();
  batch(pairs_, results);
  EXPECT_EQ(allocations(), before);
}

TEST_F(Batch, BadInputIsRefusedByName) {
  BatchSeparation batch;
  std::vector<Witness<double>> results(pairs_.size());
  EXPECT_THROW(batch(pairs_, std::span(results).first(3)), InvalidInput);
  const asset::AssetView empty;
  const auto refused = [&](const asset::PosedPair& bad) {
    EXPECT_THROW(witness::separation(bad), InvalidInput);
    auto pairs = pairs_;
    pairs[7] = bad;
    try {
      batch(pairs, results);
      ADD_FAILURE() << "accepted";
    } catch (const InvalidInput& error) {
      EXPECT_NE(std::string(error.what()).find("pair 7"), std::string::npos) << error.what();
    }
  };
  asset::PosedPair pair = pairs_[0];
  pair.X_AB.p.z() = std::nan("");
  refused(pair);
  pair = pairs_[0];
  pair.X_AB.R *= 1.01;
  refused(pair);
  pair.X_AB.R = -Mat3<double>::Identity();
  refused(pair);
  refused({&views_[0], &empty, {}});
  refused({&empty, &views_[0], {}});
  refused({&views_[0], nullptr, {}});
}

}  // namespace
