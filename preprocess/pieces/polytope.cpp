#include "preprocess/pieces/polytope.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "preprocess/index/index.h"
#include "runtime/distance/triangle_point.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

Polytope from_mesh(TriangleMesh mesh) {
  Polytope result;
  result.vertices = std::move(mesh.vertices);
  result.triangles = std::move(mesh.triangles);
  result.low = Vector3d::Constant(std::numeric_limits<double>::infinity());
  result.high = -result.low;
  for (const Vector3d& v : result.vertices) {
    result.low = result.low.cwiseMin(v);
    result.high = result.high.cwiseMax(v);
  }
  for (const Triangle& t : result.triangles) {
    const Vector3d &a = result.vertices[t[0]], &b = result.vertices[t[1]], &c = result.vertices[t[2]];
    const Vector3d normal = (b - a).cross(c - a);
    const double length = normal.norm();
    if (!(length > 1e-12 * (b - a).norm() * (c - a).norm())) continue;  // a sliver has no plane of its own
    const Vector3d n = normal / length;
    result.planes.push_back({n, std::max({n.dot(a), n.dot(b), n.dot(c)})});
  }
  return result;
}

// The first four vertices: both ends along the longest axis of the box, the point farthest from the line
// between them, and the one farthest from the plane of the three.
std::vector<std::size_t> first_corners(const std::vector<Vector3d>& points, const Vector3d& extent) {
  int axis = 0;
  extent.maxCoeff(&axis);
  const auto best = [&](auto&& value) {
    std::size_t result = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
      if (value(points[i]) > value(points[result])) result = i;
    return result;
  };
  const std::size_t a = best([&](const Vector3d& p) { return p[axis]; });
  const std::size_t b = best([&](const Vector3d& p) { return -p[axis]; });
  const Vector3d line = points[b] - points[a];
  const std::size_t c = best([&](const Vector3d& p) { return (p - points[a]).cross(line).squaredNorm(); });
  const Vector3d normal = line.cross(points[c] - points[a]);
  const std::size_t d = best([&](const Vector3d& p) { return std::abs((p - points[a]).dot(normal)); });
  return {a, b, c, d};
}

}  // namespace

double Polytope::height(const Vector3d& x) const {
  double result = -std::numeric_limits<double>::infinity();
  for (const Plane& plane : planes) result = std::max(result, plane.height(x));
  return result;
}

Vector3d Polytope::nearest(const Vector3d& x) const {
  if (height(x) <= 0) return x;
  abut::distance::TrianglePoint<double> best;
  for (const Triangle& t : triangles) {
    const auto on =
        abut::distance::closest_on_triangle<double>(vertices[t[0]], vertices[t[1]], vertices[t[2]], x);
    if (on.distance2 < best.distance2) best = on;
  }
  return best.closest;
}

double Polytope::distance(const Vector3d& x) const { return (nearest(x) - x).norm(); }

double Polytope::volume() const {
  double six = 0;
  for (const Triangle& t : triangles)
    six += (vertices[t[0]] - low).dot((vertices[t[1]] - low).cross(vertices[t[2]] - low));
  return six / 6;
}

Polytope make_polytope(std::span<const Vector3d> points) { return from_mesh(convex_hull(points)); }

Polytope reduce(const Polytope& polytope, int max_vertices, double tolerance) {
  const std::vector<Vector3d>& all = polytope.vertices;
  std::vector<Vector3d> kept;
  std::vector<char> taken(all.size(), 0);
  const auto take = [&](std::size_t i) {
    taken[i] = 1;
    kept.push_back(all[i]);
  };
  for (const std::size_t i : first_corners(all, polytope.high - polytope.low)) take(i);
  Polytope result = make_polytope(kept);
  if (result.flat()) result = polytope;  // flat up to rounding
  // Distances only decrease as the polytope grows: a point that is still on top after its distance is updated
  // is the farthest one.
  std::vector<std::pair<double, std::size_t>> waiting;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (taken[i] == 0) waiting.emplace_back(std::numeric_limits<double>::infinity(), i);
  std::make_heap(waiting.begin(), waiting.end());
  while (!waiting.empty() && static_cast<int>(kept.size()) < max_vertices) {
    std::pop_heap(waiting.begin(), waiting.end());
    auto& [away, i] = waiting.back();
    // The height is not enough: next to a sharp edge it is far below the distance.
    const double now = result.distance(all[i]);
    if (now < away && now > tolerance) {
      away = now;
      std::push_heap(waiting.begin(), waiting.end());
      continue;
    }
    const std::size_t next = i;
    waiting.pop_back();
    if (now <= tolerance) continue;
    take(next);
    result = make_polytope(kept);
    kept = result.vertices;
  }
  return result;
}

}  // namespace abut::preprocess
