#include "runtime/witness/pair_query.h"

#include <gtest/gtest.h>

#include <cstring>

#include "runtime/core/error.h"
#include "tests/runtime/witness/polytopes.h"
#include "tests/support/allocations.h"
#include "tests/support/bodies.h"

namespace {

using namespace abut;
using namespace abut::test;
using witness::BatchSeparation;
using witness::Witness;

class PairQuery : public testing::Test {
 protected:
  PairQuery() {
    for (const asset::ConvexPiece& piece :
         {round_hull({0.1, 0.06, 0.05}, 9), round_hull({0.05, 0.08, 0.04}, 7),
          make_hull(box_points({0.05, 0.03, 0.07}))}) {
      asset::Asset asset;
      asset.convex = {piece};
      bodies_.push_back({body::Geometry(std::move(asset))});
    }
    for (const body::Primitive& primitive : std::initializer_list<body::Primitive>{
             body::Box<double>{{0.06, 0.04, 0.03}}, body::Sphere<double>{0.05},
             body::Capsule<double>{0.06, 0.03}, body::Cylinder<double>{0.05, 0.04},
             body::Cone<double>{0.05, 0.04}, body::Ellipsoid<double>{{0.06, 0.05, 0.03}}})
      bodies_.push_back(body_of(primitive));
    Random random(41);
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t count = i % 2 == 0 ? 3 : bodies_.size();  // of hulls, of all bodies
      pairs_.push_back({&bodies_[random.below(count)],
                        &bodies_[random.below(count)],
                        {random_rotation<double>(random), 0.08 * random_vector(random)}});
      if (i % 10 == 1) pairs_.back().A = &ground_;
      if (i % 10 == 3) pairs_.back().B = &ground_;
    }
  }

  std::vector<body::Body> bodies_;
  const body::Body ground_ = body_of(body::HalfSpace<double>{});
  std::vector<body::Pair> pairs_;
};

bool same_bits(const Witness<double>& a, const Witness<double>& b) {
  const auto same = [](const auto& x, const auto& y) { return std::memcmp(&x, &y, sizeof x) == 0; };
  return same(a.p1, b.p1) && same(a.p2, b.p2) && same(a.n, b.n) && same(a.distance, b.distance) &&
         same(a.lower_bound, b.lower_bound) && same(a.upper_bound, b.upper_bound) &&
         a.iterations == b.iterations && a.status == b.status && a.simplex_size == b.simplex_size &&
         same(a.vertex_A, b.vertex_A) && same(a.vertex_B, b.vertex_B) && same(a.weight, b.weight);
}

TEST_F(PairQuery, SameBitsOnAnyNumberOfThreads) {
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

// The answer is that of the shapes themselves, and its mirror image with the bodies exchanged.
TEST_F(PairQuery, PrimitivesAndHullsInEitherPlace) {
  const auto& box = std::get<body::Box<double>>(*bodies_[3].geometry.primitive());
  const auto& cone = std::get<body::Cone<double>>(*bodies_[7].geometry.primitive());
  const asset::ConvexView& hull = bodies_[0].geometry.convex();
  Random random(43);
  for (int i = 0; i < 50; ++i) {
    const Pose<double> X_AB{random_rotation<double>(random), 0.1 * random_vector(random)};
    EXPECT_EQ(witness::separation({&bodies_[3], &bodies_[0], X_AB}).distance,
              witness::separation(box, hull, X_AB).distance);
    EXPECT_EQ(witness::separation({&bodies_[0], &bodies_[7], X_AB}).distance,
              witness::separation(hull, cone, X_AB).distance);
    EXPECT_EQ(witness::separation({&bodies_[3], &bodies_[7], X_AB}).distance,
              witness::separation(box, cone, X_AB).distance);
  }
  for (const body::Pair& pair : pairs_) {
    const Witness<double> w = witness::separation(pair),
                          swapped = witness::separation({pair.B, pair.A, pair.X_AB.inverse()});
    EXPECT_NEAR(w.distance, swapped.distance, 1e-12);
  }
}

// A solver that goes from pose to pose answers as cold queries do.
TEST_F(PairQuery, SolversAgreeWithColdQueries) {
  Random random(44);
  for (std::size_t i = 0; i < pairs_.size(); i += 25) {
    body::Pair pair = pairs_[i + (i / 25) % 10];
    witness::PairSolver solver(pair.A->geometry, pair.B->geometry);
    for (int step = 0; step < 20; ++step) {
      if (step == 10) solver.forget();
      const Witness<double> warm = solver(pair.X_AB), cold = witness::separation(pair);
      EXPECT_NEAR(warm.distance, cold.distance, 1e-12) << i;
      Vec6<double> xi;
      for (int k = 0; k < 6; ++k) xi[k] = 1e-3 * random.uniform(-1, 1);
      pair.X_AB = pair.X_AB * exp<double>(xi);
    }
    pair.X_AB.p.x() = std::nan("");
    EXPECT_EQ(solver(pair.X_AB).status, Status::kInvalidInput);
  }
  const body::Geometry empty{asset::Asset{}};
  EXPECT_THROW(witness::PairSolver(empty, ground_.geometry), InvalidInput);
  EXPECT_THROW(witness::PairSolver(ground_.geometry, ground_.geometry), InvalidInput);
}

// A thread's memory grows at the pairs that it takes: which they are is left to the threads.
TEST_F(PairQuery, StopsAllocating) {
  BatchSeparation batch(2);
  std::vector<Witness<double>> results(pairs_.size());
  std::size_t allocated = 1;
  for (int call = 0; call < 100 && allocated > 0; ++call) {
    const std::size_t before = allocations();
    for (int again = 0; again < 3; ++again) batch(pairs_, results);
    allocated = allocations() - before;
  }
  EXPECT_EQ(allocated, 0U);
}

// Where the squares of a shape's sizes overflow there is no answer, not one without points.
TEST_F(PairQuery, ShapesBeyondNumbersAreInvalidOrHavePoints) {
  const body::Body ball{body::Geometry(body::Sphere<double>{0.1}), {}},
      cone{body::Geometry(body::Cone<double>{1e300, 1}), {}};
  for (const body::Pair& pair : {body::Pair{&ball, &cone, {}}, body::Pair{&cone, &ball, {}}}) {
    const Witness<double> w = witness::separation(pair);
    EXPECT_TRUE(w.status == Status::kInvalidInput || (w.p1.allFinite() && w.p2.allFinite()));
  }
}

TEST_F(PairQuery, BadInputIsRefusedByName) {
  BatchSeparation batch;
  std::vector<Witness<double>> results(pairs_.size());
  EXPECT_THROW(batch(pairs_, std::span(results).first(3)), InvalidInput);
  const body::Body empty{body::Geometry(asset::Asset{})};
  const auto refused = [&](const body::Pair& bad) {
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
  body::Pair pair = pairs_[0];
  pair.X_AB.p.z() = std::nan("");
  refused(pair);
  pair = pairs_[0];
  pair.X_AB.R *= 1.01;
  refused(pair);
  pair.X_AB.R = -Mat3<double>::Identity();
  refused(pair);
  pair = pairs_[0];
  pair.V_AB_B[2] = std::nan("");
  refused(pair);
  refused({&bodies_[0], &empty, {}});
  refused({&empty, &bodies_[0], {}});
  refused({&bodies_[3], &empty, {}});
  refused({&bodies_[0], nullptr, {}});
  refused({&ground_, &ground_, {}});
}

}  // namespace
