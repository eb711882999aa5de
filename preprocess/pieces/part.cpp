#include "preprocess/pieces/part.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/math/tangent_basis.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

// Splits polygon k of `all` by the plane [Sutherland1974]; `on` collects the points where edges cross it.
void split(const Polygons& all, std::size_t k, const Plane& plane, Polygons& behind, Polygons& before,
           std::vector<Vector3d>* on) {
  const auto first = static_cast<std::size_t>(all.ends[k]), last = static_cast<std::size_t>(all.ends[k + 1]);
  for (std::size_t i = first; i < last; ++i) {
    const Vector3d &p = all.points[i], &q = all.points[i + 1 == last ? first : i + 1];
    const double a = plane.height(p), b = plane.height(q);
    if (a <= 0) behind.points.push_back(p);
    if (a >= 0) before.points.push_back(p);
    if (a == 0 && on != nullptr) on->push_back(p);
    if ((a < 0) == (b < 0) || a == 0 || b == 0) continue;
    // Interpolates from the same end in either direction of the edge, so that both its polygons get the same
    // point.
    const bool forwards = a < 0;
    const Vector3d crossing =
        forwards ? Vector3d(p + a / (a - b) * (q - p)) : Vector3d(q + b / (b - a) * (p - q));
    behind.points.push_back(crossing);
    before.points.push_back(crossing);
    if (on != nullptr) on->push_back(crossing);
  }
  behind.close();
  before.close();
}

// Adds the face that the plane cuts out of a convex cell; its points are ordered around their centre.
void add_face(std::vector<Vector3d> points, const Plane& plane, Polygons& cell) {
  if (points.size() < 3) return;
  Vector3d middle = Vector3d::Zero();
  for (const Vector3d& p : points) middle += p / static_cast<double>(points.size());
  const Eigen::Matrix<double, 3, 2> T = tangent_basis(plane.n);
  const auto angle = [&](const Vector3d& p) {
    return std::atan2(T.col(1).dot(p - middle), T.col(0).dot(p - middle));
  };
  std::sort(points.begin(), points.end(),
            [&](const Vector3d& p, const Vector3d& q) { return angle(p) < angle(q); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  cell.points.insert(cell.points.end(), points.begin(), points.end());
  cell.close();
}

}  // namespace

Part whole(const TriangleMesh& mesh) {
  Part part;
  Vector3d low = Vector3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const Triangle& t : mesh.triangles) {
    for (const std::int32_t v : t) {
      const Vector3d& p = mesh.vertices[v];
      part.surface.points.push_back(p);
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    part.surface.close();
  }
  const Vector3d margin = Vector3d::Constant(0.01 * (high - low).norm());
  low -= margin;
  high += margin;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {low[axis], high[axis]}) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      for (const auto& [x, y] :
           {std::pair{low[u], low[v]}, {high[u], low[v]}, {high[u], high[v]}, {low[u], high[v]}}) {
        Vector3d p;
        p[axis] = side;
        p[u] = x;
        p[v] = y;
        part.cell.points.push_back(p);
      }
      part.cell.close();
    }
  }
  return part;
}

std::pair<Part, Part> cut(const Part& part, const Plane& plane,
                          const std::function<bool(const Vector3d&)>& inside) {
  std::pair<Part, Part> result;
  auto& [behind, before] = result;
  for (std::size_t k = 0; k < part.surface.size(); ++k)
    split(part.surface, k, plane, behind.surface, before.surface, nullptr);
  std::vector<Vector3d> on;
  for (std::size_t k = 0; k < part.cell.size(); ++k)
    split(part.cell, k, plane, behind.cell, before.cell, &on);
  const auto less = [](const Vector3d& p, const Vector3d& q) {
    return std::lexicographical_compare(p.data(), p.data() + 3, q.data(), q.data() + 3);
  };
  std::sort(on.begin(), on.end(), less);
  on.erase(std::unique(on.begin(), on.end()), on.end());
  for (const Vector3d& p : part.corners) {
    if (plane.height(p) <= 0) behind.corners.push_back(p);
    if (plane.height(p) >= 0) before.corners.push_back(p);
  }
  for (const Vector3d& p : on) {
    if (!inside(p)) continue;
    behind.corners.push_back(p);
    before.corners.push_back(p);
  }
  add_face(on, plane, behind.cell);
  add_face(on, plane, before.cell);
  return result;
}

Polytope hull_of(const Part& part) {
  std::vector<Vector3d> points = part.surface.points;
  points.insert(points.end(), part.corners.begin(), part.corners.end());
  return make_polytope(points);
}

}  // namespace abut::preprocess
