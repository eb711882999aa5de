#include "benchmarks/paper/montaut2022/pose_problems.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "runtime/witness/separation.h"
#include "runtime/witness/support.h"

namespace abut::benchmarks {

namespace {

Pose<double> random_pose(Random& random, double size) {
  Pose<double> X_AB;
  const double w = random.normal(), x = random.normal(), y = random.normal(), z = random.normal();
  X_AB.R = rotation_from_quaternion(w, x, y, z);
  const double px = random.normal(), py = random.normal(), pz = random.normal();
  X_AB.p = Vec3<double>(px, py, pz).normalized() * (random.uniform(1.0, 2.4) * size);
  return X_AB;
}

Vec3<double> random_surface_point(const asset::ConvexView& hull, Random& random) {
  std::vector<double> areas;
  double total = 0;
  const auto corner = [&](std::int32_t t, int k) {
    return witness::core_vertex<double>(hull, hull.triangles[3 * t + k]);
  };
  for (std::int32_t t = 0; t < hull.triangle_count; ++t) {
    const Vec3<double> a = corner(t, 0);
    total += (corner(t, 1) - a).cross(corner(t, 2) - a).norm();
    areas.push_back(total);
  }
  const double at = random.uniform() * total;
  const auto t = static_cast<std::int32_t>(std::upper_bound(areas.begin(), areas.end(), at) - areas.begin());
  double u = random.uniform(), v = random.uniform();
  if (u + v > 1) u = 1 - u, v = 1 - v;
  const std::int32_t face = std::min(t, hull.triangle_count - 1);
  return corner(face, 0) + u * (corner(face, 1) - corner(face, 0)) + v * (corner(face, 2) - corner(face, 0));
}

double distance_to_nearest_edge(const asset::ConvexView& hull, const Vec3<double>& p) {
  double least = std::numeric_limits<double>::infinity();
  for (std::int32_t v = 0; v < hull.vertex_count; ++v) {
    const Vec3<double> a = witness::core_vertex<double>(hull, v);
    for (std::int32_t k = hull.adjacency_offsets[v]; k < hull.adjacency_offsets[v + 1]; ++k) {
      const Vec3<double> edge = witness::core_vertex<double>(hull, hull.adjacency[k]) - a;
      const double along = std::clamp((p - a).dot(edge) / edge.squaredNorm(), 0.0, 1.0);
      least = std::min(least, (p - a - along * edge).norm());
    }
  }
  return least;
}

}  // namespace

Problem draw_problem(const body::Body& A, const body::Body& B, Law law, std::uint64_t seed,
                     std::uint64_t index) {
  const asset::ConvexView &hull_A = A.geometry.convex(), &hull_B = B.geometry.convex();
  const double size = derivative::contact_pose_size(A, B);
  Random random(seed, index);
  Problem problem{A, B, {}, {}, {}};
  if (law == Law::kVertices) {
    problem.target_A =
        witness::core_vertex<double>(hull_A, static_cast<std::int32_t>(random.below(hull_A.vertex_count)));
    problem.target_B =
        witness::core_vertex<double>(hull_B, static_cast<std::int32_t>(random.below(hull_B.vertex_count)));
  } else if (law == Law::kUniform) {
    problem.target_A = random_surface_point(hull_A, random);
    problem.target_B = random_surface_point(hull_B, random);
  } else {
    Pose<double> X_AB = random_pose(random, size);
    for (int k = 0; k < 10; ++k) {
      const auto w = witness::separation<double>(hull_A, hull_B, X_AB);
      X_AB.p -= w.distance * w.n;
    }
    const auto w = witness::separation<double>(hull_A, hull_B, X_AB);
    problem.target_A = w.p1;
    problem.target_B = X_AB.R.transpose() * (w.p2 - X_AB.p);
  }
  problem.start = random_pose(random, size);
  return problem;
}

double cost_floor_away_from_flat_contact(const Problem& problem) {
  const double least = std::min(distance_to_nearest_edge(problem.A.geometry.convex(), problem.target_A),
                                distance_to_nearest_edge(problem.B.geometry.convex(), problem.target_B));
  return least * least / 2;
}

}  // namespace abut::benchmarks
