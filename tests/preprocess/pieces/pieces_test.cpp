#include "preprocess/pieces/pieces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "preprocess/index/index.h"
#include "preprocess/mesh/close.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/witness/separation.h"
#include "tests/support/hulls.h"
#include "tests/support/refusal.h"
#include "tests/support/shapes.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;
using Kind = PieceParameters::Kind;

struct Made {
  asset::Surface surface;
  ConvexPieces result;
  Report report;

  double measure(const char* name) const { return report.measures.at(name); }

  // Of the union at a point, m, by GJK.
  double distance(const Vector3d& p) const {
    double least = 1;
    for (const asset::ConvexPiece& piece : result.convex) {
      Pose<double> X;
      X.p = p;
      least =
          std::min(least, witness::separation(asset::view(piece), witness::Sphere<double>{0}, X).distance);
    }
    return least;
  }
};

Made make(const TriangleMesh& mesh, const PieceParameters& parameters) {
  Made made{build_surface(mesh), {}, {}};
  made.result =
      make_pieces(mesh, asset::view(made.surface), parameters, made.report, [](const std::string&) {});
  return made;
}

// Random points of the box about the solid: those inside are within the inward error of the union, those in
// the union within the outward error of the solid.
void expect_errors_hold(const Made& made) {
  const asset::SurfaceView surface = asset::view(made.surface);
  const Eigen::Map<const Eigen::Matrix3Xd> vertices(surface.vertices, 3, surface.vertex_count);
  const Vector3d low = vertices.rowwise().minCoeff(), high = vertices.rowwise().maxCoeff();
  Random random(3, 0);
  for (int i = 0; i < 3000; ++i) {
    Vector3d p;
    for (int axis = 0; axis < 3; ++axis) p[axis] = random.uniform(low[axis], high[axis]);
    const auto solid = distance::signed_distance<double>(surface, p);
    const double pieces = made.distance(p);
    if (solid.distance <= 0) {
      EXPECT_LE(pieces, made.measure("pieces_inward_m") + 1e-9) << p.transpose();
    }
    if (pieces <= 0) {
      EXPECT_LE(solid.distance, made.measure("pieces_outward_m") + 1e-9) << p.transpose();
    }
    EXPECT_LE(made.distance(solid.closest), made.measure("pieces_inward_m") + 1e-9);
  }
}

TEST(Pieces, ABoxIsOnePieceAndExact) {
  const Made made = make(test::box(0.1, 0.08, 0.06), {.kind = Kind::kAuto});
  ASSERT_EQ(made.result.convex.size(), 1U);
  EXPECT_EQ(made.result.convex[0].vertices.size(), 24U);
  EXPECT_LE(made.measure("pieces_inward_m"), 1e-12);
  EXPECT_LE(made.measure("pieces_outward_m"), 1e-7);
  EXPECT_TRUE(made.report.warnings.empty());
}

TEST(Pieces, WhatIsDesignedFromFewPlanesIsExact) {
  Report closing;
  const TriangleMesh chair = close_surface(test::chair_of_boxes(), {}, closing).surface;
  const Made made = make(chair, {.kind = Kind::kAuto});
  EXPECT_EQ(made.result.convex.size(), 6U);
  EXPECT_LE(made.measure("pieces_inward_m"), 1e-12);
  EXPECT_LE(made.measure("pieces_outward_m"), 1e-6);
  const asset::Pieces& pieces = made.result.pieces;
  for (std::size_t i = 0; i < 6; ++i)  // the seat touches all others
    EXPECT_GT(pieces.adjacency_offsets[i + 1], pieces.adjacency_offsets[i]) << i;
  expect_errors_hold(made);
}

// Boxes whose faces touch but for rounding are grown a little to be united.
TEST(Pieces, AChairOfBoxesInAnyFrameIsOfFewPieces) {
  Random random(5, 0);
  for (int turn = 0; turn < 4; ++turn) {
    const Eigen::Matrix3d R = test::random_rotation(random);
    TriangleMesh boxes = test::chair_of_boxes();
    for (Vector3d& vertex : boxes.vertices) vertex = R * vertex;
    Report closing;
    const Made made = make(close_surface(boxes, {}, closing).surface, {.kind = Kind::kAuto});
    EXPECT_LE(made.result.convex.size(), 10U) << turn;
    EXPECT_LE(made.measure("pieces_inward_m"), 5e-5) << turn;
    EXPECT_LE(made.measure("pieces_outward_m"), 5e-5) << turn;
    expect_errors_hold(made);
  }
}

// Cubes face to face, of edges of 4 cm, turned by R.
TriangleMesh cubes(const std::vector<std::array<int, 3>>& cells, const Eigen::Matrix3d& R) {
  TriangleMesh mesh;
  std::map<std::array<int, 3>, std::int32_t> corners;
  const auto corner = [&](const std::array<int, 3>& at) {
    const auto [found, added] = corners.try_emplace(at, static_cast<std::int32_t>(corners.size()));
    if (added) mesh.vertices.push_back(R * (0.04 * Vector3d(at[0], at[1], at[2])));
    return found->second;
  };
  for (const std::array<int, 3>& cell : cells)
    for (int axis = 0; axis < 3; ++axis)
      for (const int side : {0, 1}) {
        std::array<int, 3> beside = cell, at = cell;
        beside[axis] += 2 * side - 1;
        if (std::find(cells.begin(), cells.end(), beside) != cells.end()) continue;
        at[axis] += side;
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        std::array<std::int32_t, 4> quad;
        for (const int k : {0, 1, 2, 3}) {
          std::array<int, 3> p = at;
          p[u] += k == 1 || k == 2;
          p[v] += k >= 2;
          quad[side == 1 ? k : 3 - k] = corner(p);
        }
        mesh.triangles.push_back({quad[0], quad[1], quad[2]});
        mesh.triangles.push_back({quad[0], quad[2], quad[3]});
      }
  return mesh;
}

// Corners of parts lie where faces of others end.
TEST(Pieces, WhatIsDesignedOfCubesIsExactInAnyFrame) {
  const std::vector<std::array<int, 3>> cells = {{1, 2, 1}, {2, 1, 1}, {1, 0, 1}, {1, 1, 0},
                                                 {1, 2, 2}, {2, 2, 1}, {1, 1, 1}, {0, 1, 1}};
  Random random(6, 0);
  for (int turn = 0; turn < 8; ++turn) {
    const Made made = make(cubes(cells, test::random_rotation(random)), {.kind = Kind::kAuto});
    EXPECT_LE(made.measure("pieces_inward_m"), 1e-12);
    EXPECT_LE(made.measure("pieces_outward_m"), 1e-7);
    expect_errors_hold(made);
  }
}

// What is its own hull reaches nowhere out, whatever the error that is wished for.
TEST(Pieces, ThinAndSmallBoxesAreExact) {
  const Made plate = make(test::box(0.2, 0.2, 0.02), {.kind = Kind::kAuto});
  EXPECT_LE(plate.measure("pieces_outward_m"), 1e-7);
  EXPECT_LE(plate.measure("pieces_inward_m"), 1e-12);
  const Made cube = make(test::box(0.05, 0.05, 0.05), {.kind = Kind::kAuto, .error = 1e-5});
  EXPECT_EQ(cube.result.convex.size(), 1U);
  EXPECT_LE(cube.measure("pieces_outward_m"), 1e-7);
  EXPECT_TRUE(cube.report.warnings.empty());
}

TEST(Pieces, ATorusKeepsItsHoleWithinTheErrors) {
  const Made made = make(test::torus(0.05, 0.015, 20, 10), {.kind = Kind::kAuto, .error = 2e-3});
  EXPECT_LE(made.measure("pieces_outward_m"), 2e-3);
  EXPECT_LE(made.measure("pieces_inward_m"), 2e-3);
  EXPECT_GT(made.result.convex.size(), 4U);
  EXPECT_GE(made.distance({0, 0, 0}),
            distance::signed_distance<double>(asset::view(made.surface), Vector3d(0, 0, 0)).distance -
                made.measure("pieces_outward_m"));
  expect_errors_hold(made);
  for (const asset::ConvexPiece& piece : made.result.convex) EXPECT_LE(piece.vertices.size(), 3U * 64);
}

TEST(Pieces, ABudgetTooSmallGivesTheBestAndSaysHowFarItIsOff) {
  const Made made = make(test::torus(0.05, 0.015, 20, 10),
                         {.kind = Kind::kCount, .count = 3, .error = 1e-3, .vertices = 8});
  EXPECT_LE(made.result.convex.size(), 3U);
  for (const asset::ConvexPiece& piece : made.result.convex) EXPECT_LE(piece.vertices.size(), 3U * 8);
  EXPECT_GT(made.measure("pieces_outward_m"), 1e-3);
  ASSERT_EQ(made.report.warnings.size(), 1U);
  const std::string& warning = made.report.warnings[0];
  EXPECT_NE(warning.find("more than the 0.001 m wished for; --pieces allows more of them"),
            std::string::npos);
  expect_errors_hold(made);
}

// Of a body without symmetry: which of two halves that are mirror images comes first is left open.
TEST(Pieces, AreTheSameEveryTime) {
  TriangleMesh mesh = test::torus(0.05, 0.015, 20, 10);
  Random random(5, 0);
  for (Vector3d& v : mesh.vertices)
    for (int k = 0; k < 3; ++k) v[k] += random.uniform(-2e-4, 2e-4);
  const PieceParameters parameters{.kind = Kind::kAuto, .error = 4e-3};
  const Made a = make(mesh, parameters), b = make(mesh, parameters);
  ASSERT_EQ(a.result.convex.size(), b.result.convex.size());
  for (std::size_t i = 0; i < a.result.convex.size(); ++i)
    EXPECT_EQ(a.result.convex[i].vertices, b.result.convex[i].vertices);
  EXPECT_EQ(a.result.pieces.adjacency, b.result.pieces.adjacency);
}

// A plate a thousandth as thick as wide, and one at a scale of kilometres.
TEST(Pieces, OfThinAndLargeBodiesHold) {
  const Made plate = make(test::box(0.1, 0.1, 1e-4), {.kind = Kind::kAuto});
  EXPECT_EQ(plate.result.convex.size(), 1U);
  EXPECT_LE(plate.measure("pieces_inward_m"), 1e-3);
  const Made large = make(test::torus(5e3, 1.5e3, 20, 10), {.kind = Kind::kAuto, .error = 400});
  EXPECT_LE(large.measure("pieces_outward_m"), 400);
  expect_errors_hold(large);
}

// Of a torus of 14 m the lattice has a spacing of 64 mm.
TEST(Pieces, ErrorsThatTheLatticeCannotHoldAreNotTried) {
  const TriangleMesh mesh = test::torus(5, 2, 48, 24);
  const asset::Surface surface = build_surface(mesh);
  Report report;
  std::string tried;
  const auto stop = [&](const std::string& text) {
    tried = text;
    if (text.find("error ") != text.npos) throw InvalidInput("enough");
  };
  EXPECT_THROW(make_pieces(mesh, asset::view(surface), {.kind = Kind::kAuto}, report, stop), InvalidInput);
  EXPECT_TRUE(tried.ends_with("error 0.0093 m")) << tried;
}

TEST(Pieces, WordsThatAreNoNumberAreRefused) {
  PieceParameters parameters;
  for (const char* text : {"", "0", "-3", "many", "3.5", "1025", "99999999999"})
    EXPECT_THROW(set_pieces(text, parameters), InvalidInput) << text;
  set_pieces("32", parameters);
  EXPECT_EQ(parameters.count, 32);
  EXPECT_EQ(parameters.text(), "32");
}

}  // namespace
}  // namespace abut::preprocess
