#include "runtime/witness/pieces_query.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "preprocess/index/index.h"
#include "preprocess/mesh/weld.h"
#include "runtime/core/random.h"
#include "runtime/proximity/distance_model.h"
#include "tests/contract/witness_equation.h"
#include "tests/support/allocations.h"
#include "tests/support/pieces_geometry.h"
#include "tests/support/shapes.h"

// Witness points of unions of convex pieces beside all pairs of them.
namespace abut::witness {
namespace {

using preprocess::PieceParameters;

body::Geometry geometry_of(const preprocess::TriangleMesh& mesh, double error) {
  return test::pieces_geometry(mesh, {.kind = PieceParameters::Kind::kAuto, .error = error});
}

const body::Geometry& ring() {
  static const body::Geometry geometry = geometry_of(test::torus(0.05, 0.015, 20, 10), 4e-3);
  return geometry;
}

Pose<double> random_pose(Random& random, double reach) {
  Pose<double> X;
  X.R = rotation_from_quaternion<double>(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                                         random.uniform(-1, 1));
  for (int k = 0; k < 3; ++k) X.p[k] = random.uniform(-reach, reach);
  return X;
}

double least_of_all(const body::Geometry& A, const body::Geometry& B, const Pose<double>& X) {
  double least = std::numeric_limits<double>::infinity();
  for (int a = 0; a < A.pieces().piece_count; ++a)
    for (int b = 0; b < B.pieces().piece_count; ++b)
      least = std::min(least, separation(A.pieces().convex[a], B.pieces().convex[b], X).distance);
  return least;
}

TEST(PiecesQuery, IsTheLeastOfAllPairsWarmAndCold) {
  Random random(1, 0);
  PiecesSolver solver(ring(), ring());
  std::int64_t searched = 0;
  constexpr int kPoses = 300;
  for (int i = 0; i < kPoses; ++i) {
    Pose<double> X = random_pose(random, 0.12);
    for (int step = 0; step < 3; ++step, X.p.x() += 1e-3) {
      const PiecesWitness w = solver(X);
      ASSERT_EQ(w.witness.status, Status::kOk);
      const double least = least_of_all(ring(), ring(), X);
      EXPECT_NEAR(w.witness.distance, least, 1e-12);
      EXPECT_LE(w.witness.lower_bound, least + 1e-12);
      EXPECT_LE((w.witness.p2 - w.witness.p1 - w.witness.distance * w.witness.n).norm(), 1e-12);
      if (w.witness.distance < 0) {
        EXPECT_LE(w.least_depth, w.most_depth + 1e-12);
        Pose<double> away = X;  // as far as that along any direction the hulls, and so the unions, are apart
        away.p += (w.most_depth + 1e-9) * separation(ring().convex(), ring().convex(), X).n;
        EXPECT_GE(least_of_all(ring(), ring(), away), 0);
      }
      searched += w.searched;
    }
  }
  const int all = ring().pieces().piece_count * ring().pieces().piece_count;
  EXPECT_LT(static_cast<double>(searched) / (3 * kPoses), 0.1 * all);
}

// There the pieces' depths differ by little of the depth.
TEST(PiecesQuery, DeepInsideWhatIsAMillionTimesAsLarge) {
  const body::Geometry ground = geometry_of(test::box(3e4, 4e4, 5e4), 1.0);
  PiecesSolver solver(ring(), ground), swapped(ground, ring());
  Random random(2, 0);
  for (int i = 0; i < 20; ++i) {
    const Pose<double> X = random_pose(random, 1e4);
    const double least = least_of_all(ring(), ground, X);
    EXPECT_NEAR(solver(X).witness.distance, least, 1e-10);
    EXPECT_NEAR(swapped(X.inverse()).witness.distance, least, 1e-10);
  }
}

TEST(PiecesQuery, ABallPassesThroughTheHoleOfARing) {
  const body::Geometry ball(body::Sphere<double>{0.02});
  PiecesSolver solver(ring(), ball), swapped(ball, ring());
  const PiecesWitness w = solver({});
  EXPECT_GT(w.witness.distance, 0.035 - 0.02 - 4e-3);
  EXPECT_EQ(w.piece_B, -1);
  EXPECT_NEAR(swapped({}).witness.distance, w.witness.distance, 1e-12);
  Pose<double> inside;
  inside.p.x() = 0.05;
  EXPECT_LT(solver(inside).witness.distance, -0.02);
}

TEST(PiecesQuery, AHalfSpaceIsAnyPair) {
  const body::Geometry ground(body::HalfSpace<double>{});
  Pose<double> X;
  X.p.z() = -0.1;  // the ground's plane in the ring's frame
  EXPECT_NEAR(PiecesSolver(ring(), ground)(X).witness.distance, 0.1 - 0.015, 4e-3);
}

TEST(PiecesQuery, FarAwayHugeAndNoPosesAreAnswered) {
  PiecesSolver solver(ring(), ring());
  for (const double far : {1e3, 1e7, 1e15, 1e100, 1e300}) {
    Pose<double> X;
    X.p.y() = far;
    const PiecesWitness w = solver(X);
    if (w.witness.status == Status::kOk) {
      EXPECT_NEAR(w.witness.distance, far - 0.13, 0.01 + 1e-9 * far);
    }
  }
  Pose<double> none;
  none.p.x() = std::nan("");
  EXPECT_EQ(solver(none).witness.status, Status::kInvalidInput);
  EXPECT_TRUE(solver.within(none, 0).empty());
  EXPECT_EQ(solver({}).witness.status, Status::kOk);  // coincident
}

TEST(PiecesQuery, PairsWithinAMarginAreAllOfThem) {
  Random random(2, 0);
  PiecesSolver solver(ring(), ring());
  for (int i = 0; i < 50; ++i) {
    const Pose<double> X = random_pose(random, 0.12);
    const double margin = 5e-3, least = least_of_all(ring(), ring(), X);
    std::size_t expected = 0;
    for (int a = 0; a < ring().pieces().piece_count; ++a)
      for (int b = 0; b < ring().pieces().piece_count; ++b)
        expected +=
            separation(ring().pieces().convex[a], ring().pieces().convex[b], X).distance <= least + margin;
    EXPECT_EQ(solver.within(X, margin).size(), expected);
  }
}

// Of a geometry that stands for one piece, too: queries by pieces ask the union.
TEST(PiecesQuery, DepthsAreThoseOfTheWholeAsset) {
  Random random(9, 0);
  PiecesSolver solver(ring(), ring()), of_one(ring().piece(1), ring().piece(0));
  for (int i = 0; i < 100; ++i) {
    const Pose<double> X = random_pose(random, 0.08);
    const PiecesWitness w = solver(X), one = of_one(X);
    EXPECT_EQ(one.witness.distance, w.witness.distance);
    EXPECT_EQ(one.most_depth, w.most_depth);
  }
}

// A search far away leaves bounds that rounding has swallowed.
TEST(PiecesQuery, BackFromFarAwayIsTheLeastOfAllPairs) {
  Random random(8, 0);
  PiecesSolver solver(ring(), ring());
  for (const double far : {1e3, 1e7, 1e15, 1e100, 1e300}) {
    for (int i = 0; i < 30; ++i) {
      const Pose<double> near = random_pose(random, 0.08);
      Pose<double> away = near;
      away.p[i % 3] += far;
      solver(away);
      EXPECT_NEAR(solver(near).witness.distance, least_of_all(ring(), ring(), near), 1e-13) << far;
      solver(away);
      EXPECT_EQ(solver.within(near, 1e-3).size(), PiecesSolver(ring(), ring()).within(near, 1e-3).size())
          << far;
    }
  }
}

// Of pieces and of a primitive: the pairs that a look at each finds, and the same bits whatever was asked
// before.
TEST(PiecesQuery, PairsUpToADistanceAreAllOfThem) {
  Random random(6, 0);
  const body::Geometry rod{body::Cylinder<double>{0.01, 0.2}};
  for (const body::Geometry* other : {&ring(), &rod}) {
    const std::int32_t others = std::max(1, other->pieces().piece_count);
    PiecesSolver solver(ring(), *other);
    for (int i = 0; i < 50; ++i) {
      const Pose<double> X = random_pose(random, 0.12);
      for (const double most : {-2e-3, 0.0, 5e-3}) {
        std::vector<std::tuple<std::int32_t, std::int32_t, double>> expected, found, cold;
        for (std::int32_t a = 0; a < ring().pieces().piece_count; ++a)
          for (std::int32_t b = 0; b < others; ++b) {
            const body::Body A{ring().piece(a)}, B{other == &rod ? rod : other->piece(b)};
            const double distance = separation({&A, &B, X}).distance;
            if (distance <= most) expected.emplace_back(a, other == &rod ? -1 : b, distance);
          }
        const auto add = [](std::span<const PiecesWitness> pairs, auto& to) {
          for (const PiecesWitness& w : pairs) to.emplace_back(w.piece_A, w.piece_B, w.witness.distance);
        };
        add(solver.up_to(X, most), found);
        PiecesSolver fresh(ring(), *other);
        add(fresh.up_to(X, most), cold);
        EXPECT_EQ(found, cold);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t k = 0; k < found.size(); ++k) {
          EXPECT_EQ(std::get<0>(found[k]), std::get<0>(expected[k]));
          EXPECT_EQ(std::get<1>(found[k]), std::get<1>(expected[k]));
          EXPECT_NEAR(std::get<2>(found[k]), std::get<2>(expected[k]), 1e-13);
        }
        solver(X);  // warm
      }
    }
  }
  Pose<double> none;
  none.p.x() = std::nan("");
  EXPECT_TRUE(PiecesSolver(ring(), rod).up_to(none, 1).empty());
}

// Apart and overlapping, also after answers of another kind.
TEST(PiecesQuery, WhatIsForgottenChangesNoBit) {
  Random random(7, 0);
  PiecesSolver solver(ring(), ring());
  for (int i = 0; i < 100; ++i) {
    const Pose<double> X = random_pose(random, 0.12);
    solver(random_pose(random, 0.12));
    solver.within(X, 1e-3);
    solver.forget();
    const PiecesWitness w = solver(X), cold = PiecesSolver(ring(), ring())(X);
    EXPECT_EQ(w.piece_A, cold.piece_A);
    EXPECT_EQ(w.piece_B, cold.piece_B);
    EXPECT_EQ(w.witness.distance, cold.witness.distance);
    EXPECT_EQ(w.witness.lower_bound, cold.witness.lower_bound);
    EXPECT_EQ(w.witness.p1, cold.witness.p1);
    EXPECT_EQ(w.witness.p2, cold.witness.p2);
    EXPECT_EQ(w.most_depth, cold.most_depth);
  }
}

// Steps of all lengths, along which bounds of an earlier search are used as long as they hold.
TEST(PiecesQuery, IsTheLeastOfAllPairsAlongAPath) {
  Random random(3, 0);
  PiecesSolver solver(ring(), ring());
  for (int path = 0; path < 10; ++path) {
    Pose<double> X = random_pose(random, 0.08);
    for (int i = 0; i < 30; ++i) {
      Vec6<double> step;
      const double size = std::pow(10.0, random.uniform(-9, -1.5));
      for (int k = 0; k < 6; ++k) step[k] = (k < 3 ? 10 : 1) * size * random.normal();
      X = X * exp(step);
      const double least = least_of_all(ring(), ring(), X);
      const PiecesWitness w = solver(X);
      EXPECT_NEAR(w.witness.distance, least, 1e-13) << path << ", " << i;
      EXPECT_LE(w.witness.lower_bound, least + 1e-15);
      EXPECT_EQ(w.witness.status, Status::kOk);
      if (i % 3 != 0) continue;
      EXPECT_EQ(solver.within(X, 2e-3).size(), PiecesSolver(ring(), ring()).within(X, 2e-3).size()) << i;
    }
  }
}

// A half-space moves without end under a body that stands, also seen from it.
TEST(PiecesQuery, FollowsAHalfSpaceAlongAPath) {
  Random random(4, 0);
  const body::Geometry ground{body::HalfSpace<double>{}};
  PiecesSolver solver(ring(), ground), swapped(ground, ring());
  Pose<double> X{Mat3<double>::Identity(), {0, 0, -0.05}};
  for (int i = 0; i < 100; ++i) {
    Vec6<double> step;
    for (int k = 0; k < 6; ++k) step[k] = (k < 3 ? 1e-2 : 1e-4) * random.normal();
    X = X * exp(step);
    const double cold = PiecesSolver(ring(), ground)(X).witness.distance;
    EXPECT_NEAR(solver(X).witness.distance, cold, 1e-14) << i;
    EXPECT_NEAR(swapped(X.inverse()).witness.distance, cold, 1e-14) << i;
  }
}

// Pieces side by side with tops in one plane, 3 cm high.
body::Geometry tiles(const std::vector<Vec3<double>>& middles, const Vec3<double>& sizes) {
  std::vector<preprocess::TriangleMesh> boxes;
  for (const Vec3<double>& middle : middles) {
    boxes.push_back(test::box(sizes.x(), sizes.y(), sizes.z()));
    for (Vec3<double>& v : boxes.back().vertices) v += middle;
  }
  return test::union_geometry(boxes);
}

TEST(PiecesQuery, PairsThatAreEquallyNearAreAllWithinNoMargin) {
  std::vector<Vec3<double>> middles;
  for (int i = 0; i < 9; ++i) middles.emplace_back(0.1 * (i % 3 - 1), 0.1 * (i / 3 - 1), 0);
  const body::Geometry floor = tiles(middles, {0.1, 0.1, 0.03}), plate = tiles({{0, 0, 0}}, {0.2, 0.2, 0.01}),
                       box(body::Box<double>{{0.1, 0.1, 0.005}});
  Random random(5, 0);
  for (int i = 0; i < 50; ++i) {
    const Pose<double> X{exp_rotation<double>({0, 0, random.uniform(-3, 3)}),
                         {0, 0, i == 0 ? 0.05 : random.uniform(0.015, 0.1)}};
    for (const body::Geometry* above : {&plate, &box}) {
      EXPECT_EQ(PiecesSolver(floor, *above).within(X, 0).size(), 9u) << i;
      EXPECT_EQ(PiecesSolver(*above, floor).within(X.inverse(), 0).size(), 9u) << i;
    }
  }
}

// The row of the table of distances: the same distance, by every estimator, with its derivative by the pose.
TEST(PiecesQuery, TheTableHasThemWithDerivatives) {
  const body::Body A{ring()}, B{ring()};
  const proximity::DistanceModelRow& row = proximity::find_distance_model("pieces");
  for (const std::string_view method : row.methods) {
    const auto model = proximity::make_distance_model("pieces", method);
    Random random(3, 0);
    for (int i = 0; i < 20; ++i) {
      const Pose<double> X = random_pose(random, 0.15);
      const auto [witness, derivative] = model->derivative({&A, &B, X});
      EXPECT_NEAR(witness.distance, PiecesSolver(ring(), ring())(X).witness.distance, 1e-15);
      ASSERT_NE(derivative.status, Status::kInvalidInput) << method;
      if (witness.distance < 1e-3) continue;
      constexpr double kStep = 1e-7;
      for (int k = 0; k < 6; ++k) {
        const Vec6<double> xi = kStep * Vec6<double>::Unit(k);
        const double ahead = model->separation({&A, &B, X * exp<double>(xi)}).distance,
                     behind = model->separation({&A, &B, X * exp<double>(Vec6<double>(-xi))}).distance;
        EXPECT_NEAR(derivative.dd_dxi_B[k], (ahead - behind) / (2 * kStep), 1e-4) << method << ' ' << i;
      }
    }
  }
  const body::Body plain{body::Geometry(body::Sphere<double>{0.02})};
  EXPECT_LT(proximity::make_distance_model("pieces")->separation({&A, &plain, {}}).distance, 0.035);
}

// Unions moved along their axes, where several depths are as great: points, normal and derivative are of one.
TEST(PiecesQuery, DerivativesAreOfTheNormalThatIsTold) {
  preprocess::TriangleMesh stairs = test::box(0.1, 0.1, 0.1), step = test::box(0.1, 0.1, 0.05);
  for (Eigen::Vector3d& v : step.vertices) v += Eigen::Vector3d(0.1, 0, -0.025);
  preprocess::append_mesh(stairs, step);
  const body::Body A{geometry_of(stairs, 1e-4)};
  ASSERT_GT(A.geometry.pieces().piece_count, 1);
  for (const std::string_view method : {"gumbel", "analytic", "finite_difference"}) {
    const auto model = proximity::make_distance_model("pieces", method);
    for (int i = 0; i < 125; ++i) {
      const Pose<double> X{Mat3<double>::Identity(),
                           0.02 * Vec3<double>(i % 5 - 2, i / 5 % 5 - 2, i / 25 - 2)};
      const derivative::PairDerivative found = model->derivative({&A, &A, X});
      if (method != "finite_difference") {
        EXPECT_LT(test::broken_witness_equation(found, 0.2), 1e-9) << method << ' ' << i;
      }
      EXPECT_LT((found.derivative.dd_dxi_B.tail<3>().transpose() - found.witness.n).norm(), 1e-6)
          << method << ' ' << i;
      const witness::Witness<double> alone = model->separation({&A, &A, X});
      EXPECT_EQ(alone.n, found.witness.n);
      EXPECT_EQ(alone.p1, found.witness.p1);
    }
  }
}

// Where the warm-started search or the cold one does not end, the other's answer is taken whole.
TEST(PiecesQuery, PointsNormalAndDistanceAreOfOneSearch) {
  const body::Body cube{geometry_of(test::box(1, 1, 1), 1e-4)};
  const auto model = proximity::make_distance_model("pieces");
  for (const double size : {1e-8, 1e-6, 1e-4}) {
    const body::Body small{geometry_of(test::box(size, 0.7 * size, 0.5 * size), 0.1 * size)};
    for (int i = 0; i < 1000; ++i) {
      Random random(7, i);
      Pose<double> X = random_pose(random, 0.5);
      if (i % 4 == 0) X.p.setZero();
      if (i % 4 == 1) X.p[i % 3] = 0.5 + size * random.uniform(-2, 2);
      if (i % 4 == 2) X.p = Vec3<double>::Constant(0.5) + size * X.p;
      for (const bool swapped : {false, true}) {
        const body::Pair pair =
            swapped ? body::Pair{&small, &cube, X.inverse()} : body::Pair{&cube, &small, X};
        const Witness<double> w = model->separation(pair);
        EXPECT_LE((w.p2 - w.p1 - w.distance * w.n).norm(), 1e-11) << size << ' ' << i << ' ' << swapped;
        EXPECT_TRUE(w.lower_bound <= w.distance && w.distance <= w.upper_bound);
      }
    }
  }
}

TEST(PiecesQuery, DerivativesAllocateNothingInTheSteadyState) {
  const body::Body A{ring()}, B{ring()};
  for (const std::string_view method : proximity::find_distance_model("pieces").methods) {
    const auto model = proximity::make_distance_model("pieces", method);
    const auto ask_all = [&] {
      Random random(5, 0);
      for (int i = 0; i < 20; ++i) (void)model->derivative({&A, &B, random_pose(random, 0.15)});
    };
    ask_all();
    const std::size_t before = test::allocations();
    ask_all();
    EXPECT_EQ(test::allocations(), before) << method;
  }
}

TEST(PiecesQuery, WithoutPiecesSaysWhatToDo) {
  asset::Asset asset;
  asset.name = "plain";
  asset.convex.push_back(preprocess::build_convex_piece(test::box(0.1, 0.1, 0.1).vertices));
  const body::Geometry plain(std::move(asset));
  try {
    PiecesSolver solver(plain, ring());
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("--pieces auto"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace abut::witness
