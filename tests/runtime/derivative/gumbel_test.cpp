#include "runtime/derivative/gumbel.h"

#include <gtest/gtest.h>

#include <queue>

#include "runtime/derivative/smooth.h"
#include "runtime/witness/separation.h"
#include "tests/runtime/derivative/ellipsoid_pair.h"
#include "tests/support/hulls.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using derivative::Curvature;
using derivative::GumbelConfig;
using derivative::RingWorkspace;

// Distances in edges from a set of vertices, by a plain breadth-first search.
std::vector<int> edge_distances(const asset::ConvexView& hull, std::span<const std::int32_t> seeds) {
  std::vector<int> distance(hull.vertex_count, -1);
  std::queue<std::int32_t> queue;
  for (const std::int32_t s : seeds) {
    distance[s] = 0;
    queue.push(s);
  }
  while (!queue.empty()) {
    const std::int32_t v = queue.front();
    queue.pop();
    for (std::int32_t k = hull.adjacency_offsets[v]; k < hull.adjacency_offsets[v + 1]; ++k) {
      if (distance[hull.adjacency[k]] >= 0) continue;
      distance[hull.adjacency[k]] = distance[v] + 1;
      queue.push(hull.adjacency[k]);
    }
  }
  return distance;
}

TEST(Rings, AreTheVerticesWithinTheGivenNumberOfEdges) {
  const asset::ConvexPiece piece = test::tessellated_ellipsoid(3, {1, 0.8, 0.6});
  const asset::ConvexView hull = asset::view(piece);
  RingWorkspace<double> workspace;
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    std::vector<std::int32_t> seeds;
    for (std::size_t k = 0; k <= random.below(3); ++k) {
      seeds.push_back(static_cast<std::int32_t>(random.below(hull.vertex_count)));
    }
    if (i % 7 == 0) seeds.push_back(seeds.front());  // a vertex may carry two corners of a witness simplex
    const int rings = 1 + static_cast<int>(random.below(5));
    const auto found = workspace.walk.gather(hull, seeds, rings);
    const std::vector<int> distance = edge_distances(hull, seeds);
    const auto expected = std::count_if(distance.begin(), distance.end(), [&](int d) { return d <= rings; });
    ASSERT_EQ(static_cast<std::ptrdiff_t>(found.size()), expected);
    std::vector<bool> seen(hull.vertex_count, false);
    for (const std::int32_t v : found) {
      EXPECT_LE(distance[v], rings);
      EXPECT_FALSE(seen[v]) << "twice";
      seen[v] = true;
    }
  }
}

std::int32_t top_vertex(const asset::ConvexView& hull, const Vec3<double>& n) {
  return witness::support<double>(hull, n).index;
}

// The estimate is the Hessian of the soft maximum t log sum exp(<v_i, n> / t), so on the tangent plane it
// must match differences of that function's gradient sum a_i v_i.
TEST(GumbelCurvature, IsTheHessianOfTheSoftMaximum) {
  const asset::ConvexPiece piece = test::tessellated_ellipsoid(2, {1, 0.8, 0.6});
  const asset::ConvexView hull = asset::view(piece);
  RingWorkspace<long double> workspace;
  const Vec3<long double> n = Vec3<long double>(0.3L, -0.5L, 0.8L).normalized();
  const std::int32_t seed[1] = {top_vertex(hull, n.cast<double>())};
  GumbelConfig config;
  const Mat3<long double> H =
      derivative::gumbel_curvature<long double>(hull, seed, n, config, 1.0L, workspace).H;

  const auto vertices = workspace.walk.gather(hull, seed, config.rings);
  long double top = -10, mean = 0;
  for (const std::int32_t v : vertices) {
    const long double z = witness::core_vertex<long double>(hull, v).dot(n);
    top = std::max(top, z);
    mean += z / static_cast<long double>(vertices.size());
  }
  const long double t = config.eps * (top - mean);
  const auto soft_point = [&](const Vec3<long double>& direction) {
    Vec3<long double> sum = Vec3<long double>::Zero();
    long double weight = 0;
    for (const std::int32_t v : vertices) {
      const Vec3<long double> p = witness::core_vertex<long double>(hull, v);
      const long double a = std::exp((p.dot(direction) - top) / t);
      sum += a * p;
      weight += a;
    }
    return Vec3<long double>(sum / weight);
  };
  const Mat3<long double> P = Mat3<long double>::Identity() - n * n.transpose();
  Mat3<long double> expected;
  for (int k = 0; k < 3; ++k) {
    const Vec3<long double> step = 1e-6L * Vec3<long double>::Unit(k);
    expected.col(k) = (soft_point(n + step) - soft_point(n - step)) / 2e-6L;
  }
  EXPECT_LT(static_cast<double>((H - P * expected * P).norm()), 1e-8);
  EXPECT_LT(static_cast<double>((H * n).norm()), 1e-15);
  EXPECT_LT(static_cast<double>((H - H.transpose()).norm()), 1e-15);
}

TEST(GumbelCurvature, ScalesWithTheObject) {
  const asset::ConvexPiece small = test::tessellated_ellipsoid(2, {1e-3, 0.8e-3, 0.6e-3});
  const asset::ConvexPiece large = test::tessellated_ellipsoid(2, {1e3, 0.8e3, 0.6e3});
  RingWorkspace<double> workspace;
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    const Vec3<double> n = Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
    const asset::ConvexView s = asset::view(small), l = asset::view(large);
    const std::int32_t seed[1] = {top_vertex(s, n)};
    const Mat3<double> H_s = derivative::gumbel_curvature<double>(s, seed, n, {}, 1e-3, workspace).H;
    const Mat3<double> H_l = derivative::gumbel_curvature<double>(l, seed, n, {}, 1e3, workspace).H;
    EXPECT_LT((H_l - 1e6 * H_s).norm(), 1e-9 * H_l.norm());
  }
}

// All vertices of the neighbourhood in one plane: flat, that is, very large and finite.
TEST(GumbelCurvature, FlatNeighbourhoodIsFinite) {
  asset::ConvexPiece piece = test::tessellated_ellipsoid(2, {1, 1, 1});
  const std::size_t count = piece.vertices.size() / 3;
  for (std::size_t i = 0; i < count; ++i) piece.vertices[2 * count + i] = 0;
  RingWorkspace<double> workspace;
  const std::int32_t seed[1] = {5};
  const auto H = derivative::gumbel_curvature<double>(asset::view(piece), seed, Vec3<double>::UnitZ(), {},
                                                      1.0, workspace)
                     .H;
  EXPECT_TRUE(H.allFinite());
  EXPECT_GT(H(0, 0), 1e6);
}

// Median and 95th percentile of the relative error of H against the smooth ellipsoid.
std::pair<double, double> curvature_error(int level, const Vec3<double>& axes, const GumbelConfig& config) {
  RingWorkspace<double> workspace;
  std::vector<double> errors;
  Random random(3);
  for (int turn = 0; turn < 4; ++turn) {
    const asset::ConvexPiece piece = test::tessellated_ellipsoid(level, axes, test::random_rotation(random));
    const asset::ConvexView hull = asset::view(piece);
    for (int i = 0; i < 50; ++i) {
      const Vec3<double> n = Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
      const std::int32_t seed[1] = {top_vertex(hull, n)};
      const auto H = derivative::gumbel_curvature<double>(hull, seed, n, config, 1.0, workspace).H;
      const auto expected = derivative::curvature(witness::Core<double>(witness::Ellipsoid<double>{axes}), n,
                                                  Vec3<double>(Vec3<double>::Zero()))
                                .H;
      errors.push_back((H - expected).norm() / expected.norm());
    }
  }
  std::sort(errors.begin(), errors.end());
  return {errors[errors.size() / 2], errors[errors.size() * 95 / 100]};
}

// The figures quoted at recommended_eps(): they must not rot.
TEST(GumbelCurvature, ErrorsOfTheRecommendedTemperatures) {
  std::printf("relative error of H, median / 95th percentile, semi-axes 1 : 0.7 : 0.4\nvertices");
  for (const int rings : {1, 2, 3, 5}) std::printf("      nl = %d    ", rings);
  for (const int level : {1, 2, 3, 4}) {
    std::printf("\n%8d", 10 * (1 << (2 * level)) + 2);
    for (const int rings : {1, 2, 3, 5}) {
      const auto [median, high] =
          curvature_error(level, {1, 0.7, 0.4}, {rings, derivative::recommended_eps(rings)});
      std::printf("  %5.1f / %5.1f %%", 100 * median, 100 * high);
      if (level < 3) continue;
      EXPECT_LT(median, rings == 1 ? 0.12 : 0.06) << rings;
      EXPECT_LT(high, rings == 1 ? 0.22 : 0.10) << rings;
    }
  }
  std::printf("\n");
}

// With the resolution and the depth rising together, so that the reach falls slowly while the number of
// vertices in it grows, the witness derivatives of tessellated ellipsoids converge to the smooth ones.
TEST(GumbelDerivative, ConvergesToTheSmoothDerivative) {
  const Vec3<double> axes_A(0.10, 0.08, 0.06), axes_B(0.07, 0.09, 0.12);
  const test::EllipsoidPair<double> smooth{axes_A, axes_B};
  double last = 1;
  std::printf("witness derivatives, relative error, median / 95th percentile\n");
  for (const auto& [level, rings] : {std::pair(1, 2), std::pair(2, 3), std::pair(3, 4), std::pair(4, 6)}) {
    Random random(4);
    std::vector<double> errors;
    RingWorkspace<double> workspace;
    for (int turn = 0; turn < 5; ++turn) {
      const asset::ConvexPiece A = test::tessellated_ellipsoid(level, axes_A, test::random_rotation(random));
      const asset::ConvexPiece B = test::tessellated_ellipsoid(level, axes_B, test::random_rotation(random));
      const asset::ConvexView a = asset::view(A), b = asset::view(B);
      for (int i = 0; i < 30; ++i) {
        Pose<double> X_AB{test::random_rotation(random), {random.normal(), random.normal(), random.normal()}};
        X_AB.p *= 0.3 / X_AB.p.norm();
        auto exact = smooth.solve(X_AB, X_AB.p);
        X_AB.p += (random.uniform(-0.01, 0.05) - exact.distance) * exact.n;
        exact = smooth.solve(X_AB, exact.n);
        const auto expected = derivative::smooth_derivative<double>(
            witness::Ellipsoid<double>{axes_A}, witness::Ellipsoid<double>{axes_B}, X_AB, exact);
        const auto found = derivative::gumbel_derivative<double>(
            a, b, X_AB, witness::separation<double>(a, b, X_AB), {rings, 0.25}, {}, workspace);
        Eigen::Matrix<double, 9, 6> x, y;
        x << found.dp1_A_dxi_B, found.dp2_A_dxi_B, 0.1 * found.dn_A_dxi_B;
        y << expected.dp1_A_dxi_B, expected.dp2_A_dxi_B, 0.1 * expected.dn_A_dxi_B;
        errors.push_back((x - y).norm() / y.norm());
      }
    }
    std::sort(errors.begin(), errors.end());
    const double median = errors[errors.size() / 2];
    std::printf("  %5d vertices, nl = %d: %5.2f / %5.2f %%\n", 10 * (1 << (2 * level)) + 2, rings,
                100 * median, 100 * errors[errors.size() * 95 / 100]);
    EXPECT_LT(median, 0.8 * last);
    last = median;
  }
  EXPECT_LT(last, 0.02);
}

// A sweep from 1 cm apart to 1 cm deep along a fixed line: nothing happens at touching. Elsewhere the
// estimate may step where the witness simplex changes (rings) and, deep inside, where the nearest face of the
// Minkowski difference does (the polytope's own normal jumps there): by some percent at this resolution.
TEST(GumbelDerivative, ContinuousThroughTouching) {
  const Vec3<double> axes_A(0.10, 0.08, 0.06), axes_B(0.07, 0.09, 0.12);
  const asset::ConvexPiece A = test::tessellated_ellipsoid(3, axes_A),
                           B = test::tessellated_ellipsoid(3, axes_B);
  const asset::ConvexView a = asset::view(A), b = asset::view(B);
  const test::EllipsoidPair<double> smooth{axes_A, axes_B};
  RingWorkspace<double> workspace;
  Random random(5);
  double apart = 0, touching = 0, inside = 0;
  for (int i = 0; i < 20; ++i) {
    Pose<double> X_AB{test::random_rotation(random), {random.normal(), random.normal(), random.normal()}};
    X_AB.p *= 0.3 / X_AB.p.norm();
    const Vec3<double> along = smooth.solve(X_AB, X_AB.p).n;
    for (int k = 0; k < 5; ++k) X_AB.p -= witness::separation<double>(a, b, X_AB).distance * along;
    const auto at = [&](double offset) {
      const Pose<double> X{X_AB.R, X_AB.p + offset * along};
      const auto w = witness::separation<double>(a, b, X);
      const auto d = derivative::gumbel_derivative<double>(a, b, X, w, {}, {}, workspace);
      EXPECT_TRUE(d.status == Status::kOk || d.status == Status::kTouching) << to_string(d.status);
      return d.dp1_A_dxi_B;
    };
    const auto step = [](const Mat36<double>& x, const Mat36<double>& y) {
      return (x - y).norm() / y.norm();
    };
    touching = std::max(touching, step(at(1e-8), at(-1e-8)));
    for (int k = 0; k < 200; ++k) {
      apart = test::worst_of(apart, step(at(5e-5 * k + 1e-8), at(5e-5 * (k + 1) + 1e-8)));
      inside = std::max(inside, step(at(-5e-5 * k - 1e-8), at(-5e-5 * (k + 1) - 1e-8)));
    }
  }
  std::printf("largest relative step of dp1/dxi across touching %.1e; over 0.05 mm apart %.1e, inside %.1e\n",
              touching, apart, inside);
  EXPECT_LT(touching, 1e-5);
  EXPECT_LT(apart, 0.05);
  EXPECT_LT(inside, 0.2);
}

}  // namespace
