// The broad phase against a comparison of all with all, on bodies of which none, a few or all move.
#include "runtime/dynamics/collide/broad_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <utility>

#include "runtime/core/error.h"

namespace abut::dynamics {
namespace {

using Pairs = std::set<std::pair<std::int32_t, std::int32_t>>;

Bounds box_at(const Vec3<double>& center, double half) {
  return {center - Vec3<double>::Constant(half), center + Vec3<double>::Constant(half)};
}

Pairs all_that_meet(const std::vector<Bounds>& bounds, std::size_t fixed) {
  Pairs pairs;
  for (std::size_t A = 0; A < bounds.size(); ++A)
    for (std::size_t B = std::max(A + 1, fixed); B < bounds.size(); ++B)
      if (bounds[A].meets(bounds[B]))
        pairs.insert({static_cast<std::int32_t>(A), static_cast<std::int32_t>(B)});
  return pairs;
}

// Asks that every pair that meets is listed, each once and in order, and none whose boxes are apart by more
// than the room of both.
void expect_complete(std::span<const BodyPair> found, const std::vector<Bounds>& bounds, std::size_t fixed,
                     int step) {
  Pairs listed;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const auto [A, B] = found[k];
    ASSERT_LT(A, B);
    ASSERT_GE(B, static_cast<std::int32_t>(fixed));
    const bool ascends = k == 0 || std::pair(found[k - 1].A, found[k - 1].B) < std::pair(A, B);
    ASSERT_TRUE(ascends) << "step " << step << ", pair " << k;
    Bounds a = bounds[static_cast<std::size_t>(A)], b = bounds[static_cast<std::size_t>(B)];
    a.grow(0.11 * (a.high - a.low).maxCoeff());
    b.grow(0.11 * (b.high - b.low).maxCoeff());
    ASSERT_TRUE(a.meets(b)) << "step " << step << ": " << A << " and " << B << " are far apart";
    listed.insert({A, B});
  }
  for (const auto& pair : all_that_meet(bounds, fixed))
    ASSERT_TRUE(listed.contains(pair)) << "step " << step << ": " << pair.first << " and " << pair.second;
}

// `moving` of 300 bodies of 2 to 40 cm, in a cube of 1 m, beside a plane and a fixed box, wander for 60
// steps.
void expect_complete_while_moving(std::size_t moving) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(-0.5, 0.5), size(0.01, 0.05);
  const auto somewhere = [&] { return Vec3<double>(place(random), place(random), place(random)); };
  std::vector<Bounds> bounds{{Vec3<double>::Constant(-kInfinity), {kInfinity, kInfinity, -0.4}},
                             box_at({0, 0, 0}, 0.2)};
  const std::size_t fixed = bounds.size();
  for (int i = 0; i < 300; ++i) bounds.push_back(box_at(somewhere(), i % 50 == 0 ? 0.2 : size(random)));
  BroadPhase broad;
  for (int step = 0; step < 60; ++step) {
    ASSERT_NO_FATAL_FAILURE(expect_complete(broad.update(bounds, fixed), bounds, fixed, step));
    for (std::size_t k = 0; k < moving; ++k) {
      Bounds& body = bounds[fixed + (7 * k) % 300];
      const Vec3<double> by = 0.02 * somewhere();
      body = {body.low + by, body.high + by};
    }
  }
}

TEST(BroadPhase, ListsEveryPairThatMeetsWhereAFewBodiesMove) { expect_complete_while_moving(7); }

TEST(BroadPhase, ListsEveryPairThatMeetsWhereManyBodiesMove) { expect_complete_while_moving(300); }

TEST(BroadPhase, IsMadeAnewForMoreBodiesOrMovedFixedShapes) {
  std::vector<Bounds> bounds{box_at({0, 0, 0}, 1), box_at({1.5, 0, 0}, 1), box_at({9, 0, 0}, 1)};
  BroadPhase broad;
  EXPECT_EQ(broad.update(bounds, 1).size(), 1U);
  bounds[0] = box_at({9, 0, 0}, 1);
  expect_complete(broad.update(bounds, 1), bounds, 1, 1);
  bounds.push_back(box_at({1, 0, 0}, 1));
  expect_complete(broad.update(bounds, 1), bounds, 1, 2);
}

TEST(BroadPhase, BodiesInOnePlaceAreRefusedAndPilesAreNot) {
  BroadPhase broad;
  const Bounds unit = {Vec3<double>::Zero(), Vec3<double>::Ones()};
  std::vector<Bounds> bounds(1449, unit);  // 1,049,076 pairs
  for (int again = 0; again < 2; ++again) EXPECT_THROW(broad.update(bounds, 0), abut::InvalidInput);
  bounds.resize(1448);  // 1,047,628, below 2^20
  EXPECT_EQ(broad.update(bounds, 0).size(), 1047628U);
  bounds.clear();
  for (int i = 0; i < 9000; ++i) {  // 124 others each, 1.1 million pairs
    const Vec3<double> p = 2 * Vec3<double>(i / 125, 0, 0);
    bounds.push_back({p, p.array() + 1});
  }
  EXPECT_EQ(broad.update(bounds, 0).size(), 72U * 125 * 124 / 2);
}

}  // namespace
}  // namespace abut::dynamics
