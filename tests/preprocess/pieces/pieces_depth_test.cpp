#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "preprocess/mesh/close.h"
#include "runtime/core/random.h"
#include "runtime/proximity/distance_model.h"
#include "runtime/witness/pieces_query.h"
#include "tests/support/pieces_geometry.h"
#include "tests/support/runs.h"
#include "tests/support/shapes.h"

// Depths of unions of convex pieces and their bounds beside brute force: all pairs of pieces, all normals
// that a face of their difference can have, and many directions to be taken apart along.
namespace abut::witness {
namespace {

using preprocess::PieceParameters;
using preprocess::TriangleMesh;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Polytope {
  std::vector<Vec3<double>> vertices, normals, edges;

  explicit Polytope(const asset::ConvexView& piece) {
    for (std::int32_t v = 0; v < piece.vertex_count; ++v)
      vertices.emplace_back(piece.x[v], piece.y[v], piece.z[v]);
    std::set<std::pair<std::int32_t, std::int32_t>> pairs;
    for (std::int32_t t = 0; t < piece.triangle_count; ++t) {
      const std::int32_t* const c = piece.triangles + std::ptrdiff_t(3) * t;
      normals.push_back(
          (vertices[c[1]] - vertices[c[0]]).cross(vertices[c[2]] - vertices[c[0]]).normalized());
      for (int k = 0; k < 3; ++k) pairs.insert(std::minmax(c[k], c[(k + 1) % 3]));
    }
    for (const auto& [a, b] : pairs) edges.push_back((vertices[b] - vertices[a]).normalized());
  }

  double highest(const Vec3<double>& n) const {
    double result = -kInfinity;
    for (const Vec3<double>& v : vertices) result = std::max(result, n.dot(v));
    return result;
  }
};

// The difference of two pieces as half-spaces n . x <= h; it holds 0 where the pieces overlap.
struct Difference {
  std::vector<Vec3<double>> n;
  std::vector<double> h;  // m

  Difference(const Polytope& A, const Polytope& B, const Pose<double>& X_AB) {
    const Mat3<double> R = X_AB.R;
    const auto add = [&](const Vec3<double>& normal) {
      n.push_back(normal);
      h.push_back(A.highest(normal) + B.highest(-(R.transpose() * normal)) - normal.dot(X_AB.p));
    };
    for (const Vec3<double>& normal : A.normals) add(normal);
    for (const Vec3<double>& normal : B.normals) add(-(R * normal));
    for (const Vec3<double>& a : A.edges)
      for (const Vec3<double>& b : B.edges) {
        const Vec3<double> across = a.cross(R * b);
        if (across.norm() < 1e-9) continue;
        add(across.normalized());
        add(-across.normalized());
      }
  }

  double depth() const { return *std::min_element(h.begin(), h.end()); }

  // The shifts of B by t d, t from first to second (m), at which the pieces overlap; empty: first > second.
  std::pair<double, double> overlapping(const Vec3<double>& d) const {
    double first = -kInfinity, second = kInfinity;
    for (std::size_t i = 0; i < n.size(); ++i) {
      const double along = n[i].dot(d);
      if (along > 0) second = std::min(second, h[i] / along);
      if (along < 0) first = std::max(first, h[i] / along);
      if (along == 0 && h[i] < 0) return {1, 0};
    }
    return {first, second};
  }
};

// How far B moves along d until the unions are apart, m.
double way_out(const std::vector<Difference>& pairs, const Vec3<double>& d) {
  std::vector<std::pair<double, double>> spans;
  for (const Difference& pair : pairs) {
    const auto span = pair.overlapping(d);
    if (span.first <= span.second && span.second > 0) spans.push_back(span);
  }
  std::sort(spans.begin(), spans.end());
  double reached = 0;
  for (const auto& [first, second] : spans) {
    if (first > reached) break;
    reached = std::max(reached, second);
  }
  return reached;
}

// A ring, and in the full tier a few coarse pieces of scanned objects.
std::vector<body::Geometry> objects() {
  PieceParameters coarse{.kind = PieceParameters::Kind::kCount, .count = 8, .error = 8e-3, .vertices = 12};
  std::vector<body::Geometry> result{test::pieces_geometry(test::torus(0.05, 0.015, 16, 8), coarse)};
  for (const char* const name : {"011_banana", "025_mug", "051_large_clamp"})
    if (const auto mesh = test::full_tier() ? test::welded_ycb(name) : std::nullopt) {
      preprocess::Report report;
      result.push_back(test::pieces_geometry(preprocess::close_surface(*mesh, {}, report).surface, coarse));
    }
  return result;
}

Vec3<double> center(const body::Geometry& object) { return Vec3<double>::Map(object.mass().center_of_mass); }

Vec3<double> random_direction(Random& random) {
  return Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
}

// The row of the table of distances has the same bounds behind `separation`, one by one and in batches.
void expect_bounds_of_the_table(const body::Geometry& A, const body::Geometry& B, const Pose<double>& X_AB,
                                const proximity::DepthBounds& expected) {
  static const auto model = proximity::make_distance_model("pieces");
  static proximity::BatchDistanceModel batch("pieces", {}, {}, 1);
  const body::Body body_A{A, {}}, body_B{B, {}};
  const body::Pair pair{&body_A, &body_B, X_AB};
  proximity::Separation found;
  batch.separations({&pair, 1}, {&found, 1});
  for (const proximity::Separation& s : {model->separation(pair), found}) {
    EXPECT_NEAR(s.depth.lower, expected.lower, 1e-12);
    EXPECT_NEAR(s.depth.upper, expected.upper, 1e-12);
    EXPECT_LE(s.depth.lower, -s.distance);
    EXPECT_LE(s.depth.lower, s.depth.upper);
  }
}

// The unions of A and B at one pose.
void expect_depths(const body::Geometry& A, const body::Geometry& B, const Pose<double>& X_AB, Random& random,
                   PiecesSolver& solver, int& overlapping) {
  std::vector<Polytope> of_A, of_B;
  const asset::PiecesView &a = A.pieces(), &b = B.pieces();
  for (std::int32_t i = 0; i < a.piece_count; ++i) of_A.emplace_back(a.convex[i]);
  for (std::int32_t i = 0; i < b.piece_count; ++i) of_B.emplace_back(b.convex[i]);
  std::vector<Difference> pairs;
  double deepest = -kInfinity;
  for (const Polytope& p : of_A)
    for (const Polytope& q : of_B) deepest = std::max(deepest, pairs.emplace_back(p, q, X_AB).depth());
  const PiecesWitness w = solver(X_AB);
  ASSERT_EQ(w.witness.status, Status::kOk);
  if (std::abs(deepest) > 1e-12) {
    EXPECT_EQ(w.witness.distance<0, deepest> 0) << deepest;
  }
  if (deepest <= 1e-12) return;
  ++overlapping;
  EXPECT_NEAR(-w.witness.distance, deepest, 1e-12);
  double shortest = way_out(pairs, separation(A.convex(), B.convex(), X_AB).n);
  EXPECT_LE(shortest, w.most_depth + 1e-12);
  for (int i = 0; i < 200; ++i) shortest = std::min(shortest, way_out(pairs, random_direction(random)));
  EXPECT_LE(w.least_depth, shortest + 1e-12);
  EXPECT_GE(w.least_depth, deepest - 1e-12);
  expect_bounds_of_the_table(A, B, X_AB, {w.least_depth, w.most_depth});
}

TEST(PiecesDepth, BoundsHoldBesideBruteForce) {
  const std::vector<body::Geometry> things = objects();
  const int tries = test::runs(10);
  int overlapping = 0;
  for (const body::Geometry& A : things)
    for (const body::Geometry& B : things) {
      SCOPED_TRACE(A.name() + " and " + B.name());
      Random random(6, 0);
      PiecesSolver solver(A, B);
      for (int i = 0; i < tries; ++i) {
        Pose<double> X_AB{exp_rotation<double>(3 * random_direction(random)), Vec3<double>::Zero()};
        X_AB.p = center(A) - X_AB.R * center(B) + random.uniform(0, 0.08) * random_direction(random);
        expect_depths(A, B, X_AB, random, solver, overlapping);
      }
    }
  EXPECT_GE(overlapping, test::runs(5, 200)) << "poses at which they overlap";
}

}  // namespace
}  // namespace abut::witness
