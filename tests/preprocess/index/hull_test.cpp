#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "preprocess/index/index.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "runtime/witness/direction_cell.h"
#include "runtime/witness/support.h"
#include "tests/support/shapes.h"

namespace {

using abut::Random;
using abut::Vec3;
using abut::asset::ConvexPiece;
using abut::preprocess::build_convex_piece;
using Points = std::vector<Eigen::Vector3d>;
using LongVector = Vec3<long double>;

std::size_t size(const ConvexPiece& piece) { return piece.vertices.size() / 3; }

Vec3<double> vertex(const ConvexPiece& piece, std::int32_t v) {
  const std::size_t n = size(piece);
  return {piece.vertices[v], piece.vertices[n + v], piece.vertices[2 * n + v]};
}

void check_connectivity(const ConvexPiece& piece) {
  const auto n = static_cast<std::int32_t>(size(piece));
  ASSERT_EQ(piece.adjacency_offsets.size(), size(piece) + 1);
  std::set<std::pair<std::int32_t, std::int32_t>> edges;
  for (std::size_t t = 0; t < piece.triangles.size(); t += 3)
    for (int k = 0; k < 3; ++k)
      EXPECT_TRUE(edges.emplace(piece.triangles[t + k], piece.triangles[t + (k + 1) % 3]).second);
  EXPECT_EQ(edges.size(), piece.adjacency.size());
  for (std::int32_t v = 0; v < n; ++v) {
    for (std::int32_t i = piece.adjacency_offsets[v]; i < piece.adjacency_offsets[v + 1]; ++i) {
      EXPECT_TRUE(edges.contains({v, piece.adjacency[i]}) && edges.contains({piece.adjacency[i], v}));
      if (i > piece.adjacency_offsets[v]) {
        EXPECT_LT(piece.adjacency[i - 1], piece.adjacency[i]);
      }
    }
  }
  // Euler: V - E + F = 2
  EXPECT_EQ(n - static_cast<int>(edges.size() / 2) + static_cast<int>(piece.triangles.size() / 3), 2);
}

// The best candidate of a direction's cell is the best of all vertices: at random, and on the cells' borders
// and corners, where rounding decides which cell it is.
template <class S>
void check_candidates(const ConvexPiece& piece) {
  const abut::asset::ConvexView hull = abut::asset::view(piece);
  const std::int32_t k = hull.lookup_resolution;
  double diameter = 0;
  for (const double x : piece.vertices) diameter = std::max(diameter, 2 * std::abs(x));
  Random random(17);
  for (int i = 0; i < 3000; ++i) {
    Vec3<double> n(random.normal(), random.normal(), random.normal());
    if (i % 2) {
      const auto grid = [&] { return 2.0 * static_cast<double>(random.below(k + 1)) / k - 1; };
      n[i / 2 % 3] = random.below(2) ? 1 : -1;
      n[(i / 2 + 1) % 3] = grid();
      if (i % 4 == 1) n[(i / 2 + 2) % 3] = grid();
    }
    const Vec3<S> direction = n.cast<S>();
    const auto found = abut::witness::support<S>(hull, direction);
    double best = -1e300;
    for (std::size_t v = 0; v < size(piece); ++v)
      best =
          std::max(best, direction.template cast<double>().dot(vertex(piece, static_cast<std::int32_t>(v))));
    EXPECT_NEAR(direction.template cast<double>().dot(vertex(piece, found.index)), best,
                8 * std::numeric_limits<S>::epsilon() * diameter * n.norm());
  }
}

// Vertices are input points bit for bit; no input point is beyond a face (all pairs, extended precision); the
// lookup holds the argmax of every cell.
void check(const Points& points) {
  const ConvexPiece piece = build_convex_piece(points);
  check_connectivity(piece);
  std::set<std::array<double, 3>> input;
  double diameter = 0;
  for (const auto& p : points) {
    input.insert({p.x(), p.y(), p.z()});
    diameter = std::max(diameter, (p - points[0]).norm());
  }
  for (std::size_t v = 0; v < size(piece); ++v) {
    const Vec3<double> p = vertex(piece, static_cast<std::int32_t>(v));
    EXPECT_TRUE(input.contains({p.x(), p.y(), p.z()}));
  }
  for (std::size_t t = 0; t < piece.triangles.size(); t += 3) {
    const LongVector a = vertex(piece, piece.triangles[t]).cast<long double>();
    const LongVector b = vertex(piece, piece.triangles[t + 1]).cast<long double>();
    const LongVector c = vertex(piece, piece.triangles[t + 2]).cast<long double>();
    const LongVector normal = (b - a).cross(c - a);
    long double highest = 0;
    for (const auto& p : points) highest = std::max(highest, normal.dot(p.cast<long double>() - a));
    EXPECT_LE(highest, 1e-18L * diameter * diameter * diameter);
  }
  check_candidates<double>(piece);
  check_candidates<float>(piece);
  const auto k = static_cast<std::int32_t>(std::lround(std::sqrt(piece.support_lookup.size() / 6)));
  ASSERT_EQ(piece.support_lookup.size(), 6u * k * k);
  for (std::int32_t cell = 0; cell < 6 * k * k; ++cell) {
    const Vec3<double> d = abut::witness::cell_direction<double>(cell, k);
    double best = -1e300;
    for (const auto& p : points) best = std::max(best, d.dot(p));
    EXPECT_NEAR(d.dot(vertex(piece, piece.support_lookup[cell])), best, 4e-16 * (diameter + std::abs(best)));
  }
}

Points random_points(int count, std::uint64_t seed) {
  Points points;
  for (int i = 0; i < count; ++i) {
    Random random(seed, i);
    points.emplace_back(random.normal(), random.normal(), random.normal());
  }
  return points;
}

TEST(ConvexHull, RandomPoints) {
  for (const int count : {4, 5, 10, 100, 3000}) check(random_points(count, count));
  Points on_sphere = random_points(1500, 99);
  for (auto& p : on_sphere) p.normalize();
  check(on_sphere);
}

TEST(ConvexHull, RealMeshes) {
  for (const char* object : {"002_master_chef_can", "025_mug", "035_power_drill", "051_large_clamp"}) {
    const auto mesh = abut::test::welded_ycb(object);
    if (!mesh) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    check(mesh->vertices);
  }
}

// Of a box filled with a grid of points, the corners alone remain.
TEST(ConvexHull, KeepsCornersOnly) {
  Points grid;
  for (int x = 0; x < 7; ++x)
    for (int y = 0; y < 7; ++y)
      for (int z = 0; z < 7; ++z) grid.emplace_back(0.1 * x, 0.1 * y, 0.1 * z);
  const ConvexPiece piece = build_convex_piece(grid);
  EXPECT_EQ(size(piece), 8u);
  EXPECT_EQ(piece.triangles.size(), 36u);
  check(grid);
}

TEST(ConvexHull, DependsOnTheSetOfPointsAlone) {
  Points points = random_points(500, 5);
  const ConvexPiece first = build_convex_piece(points);
  std::reverse(points.begin(), points.end());
  points.push_back(points[7]);
  const ConvexPiece second = build_convex_piece(points);
  EXPECT_EQ(first.vertices, second.vertices);
  EXPECT_EQ(first.triangles, second.triangles);
  EXPECT_EQ(first.support_lookup, second.support_lookup);
}

TEST(ConvexHull, RefusesFlatInput) {
  const Points none, one(9, {1, 2, 3}), line = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {5, 5, 5}};
  Points plane = random_points(200, 3);
  for (auto& p : plane) p.z() = 0.25;
  const Points square = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  Points broken = random_points(20, 3);
  broken[4].y() = std::nan("");
  for (const Points& points : {none, one, line, plane, square, broken})
    EXPECT_THROW(build_convex_piece(points), abut::InvalidInput);
}

}  // namespace
