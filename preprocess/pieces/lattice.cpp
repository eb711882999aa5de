#include "preprocess/pieces/lattice.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/parallel.h"
#include "runtime/distance/surface_distance.h"

namespace abut::preprocess {

using Eigen::Vector3d;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

OutsideLattice::OutsideLattice(const asset::SurfaceView& surface, double spacing) {
  const Eigen::Map<const Eigen::Matrix3Xd> vertices(surface.vertices, 3, surface.vertex_count);
  const Vector3d low = vertices.rowwise().minCoeff(), size = vertices.rowwise().maxCoeff() - low;
  spacing_ = std::max({spacing, size.maxCoeff() / 1000, std::cbrt(size.prod() / kMaxNodes)});
  origin_ = low - Vector3d::Constant(spacing_);
  for (int axis = 0; axis < 3; ++axis) count_[axis] = static_cast<int>(std::ceil(size[axis] / spacing_)) + 3;
  distance_.resize(index(0, 0, count_[2]));
  parallel_for(
      std::int64_t{count_[1]} * count_[2], 0,
      [&](std::int64_t row, int) {
        float* const values = distance_.data() + row * count_[0];
        const std::int64_t y = row % count_[1], z = row / count_[1];
        const Vector3d start =
            origin_ + spacing_ * Vector3d(0, static_cast<double>(y), static_cast<double>(z));
        double reach = kInfinity;
        for (int x = 0; x < count_[0];) {
          const double d =
              distance::signed_distance<double>(surface, start + x * spacing_ * Vector3d::UnitX(), reach)
                  .distance;
          values[x] = static_cast<float>(d);
          // Deep inside, the distance is certain to be negative for this many nodes.
          const int deep = d < 0 ? static_cast<int>(-d / spacing_) - 1 : 0;
          for (int k = 1; k <= deep && x + k < count_[0]; ++k)
            values[x + k] = static_cast<float>(d + k * spacing_);
          x += 1 + std::max(deep, 0);
          reach = std::abs(d) + 1.001 * spacing_ * (1 + std::max(deep, 0));
        }
      },
      16);
}

struct OutsideLattice::Scan {
  Overreach result;

  void take(double d, const Vector3d& at) {
    if (!(d > result.worst)) return;
    result.worst = d;
    result.at = at;
  }
};

namespace {

// The interval [first, last] in which a line along an axis is inside a polytope; empty if first > last.
std::pair<double, double> inside_of(const Polytope& polytope, const Vector3d& p, int axis) {
  double first = -kInfinity, last = kInfinity;
  for (const Plane& plane : polytope.planes) {
    const double along = plane.n[axis], rest = plane.d - plane.n.dot(p) + along * p[axis];
    if (along > 1e-12)
      last = std::min(last, rest / along);
    else if (along < -1e-12)
      first = std::max(first, rest / along);
    else if (rest < 0)
      return {1, 0};
  }
  return {first, last};
}

}  // namespace

// Samples the end of a lattice line inside the polytope, at coordinate x along the axis; `node` is on the
// line.
void OutsideLattice::take_end(Vector3d node, int axis, double x, Scan& scan) const {
  const Vector3d q = (node - origin_) / spacing_;
  int at[3];
  for (int k = 0; k < 3; ++k) at[k] = std::clamp(static_cast<int>(std::lround(q[k])), 0, count_[k] - 1);
  const double along = (x - origin_[axis]) / spacing_;
  const int below = std::clamp(static_cast<int>(along), 0, count_[axis] - 2);
  at[axis] = below;
  const float a = distance_[index(at[0], at[1], at[2])];
  ++at[axis];
  const float b = distance_[index(at[0], at[1], at[2])];
  node[axis] = x;
  scan.take(a + (along - below) * (b - a), node);
}

void OutsideLattice::scan_ends(const Polytope& polytope, int axis, Scan& scan) const {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  const auto range = [&](int k) {
    return std::pair{std::max(0, static_cast<int>(std::ceil((polytope.low[k] - origin_[k]) / spacing_))),
                     std::min(count_[k] - 1, static_cast<int>((polytope.high[k] - origin_[k]) / spacing_))};
  };
  const auto [u0, u1] = range(u);
  const auto [v0, v1] = range(v);
  for (int j = v0; j <= v1; ++j) {
    for (int i = u0; i <= u1; ++i) {
      Vector3d p = origin_;
      p[u] += i * spacing_;
      p[v] += j * spacing_;
      const auto [first, last] = inside_of(polytope, p, axis);
      if (!(first <= last)) continue;
      take_end(p, axis, first, scan);
      take_end(p, axis, last, scan);
      if (axis != 0) continue;
      const int x0 = std::max(0, static_cast<int>(std::ceil((first - origin_[0]) / spacing_)));
      const int x1 = std::min(count_[0] - 1, static_cast<int>((last - origin_[0]) / spacing_));
      const float* const row = distance_.data() + index(0, i, j);
      float most = 0;
      for (int x = x0; x <= x1; ++x) most = std::max(most, row[x]);
      if (!(most > scan.result.worst)) continue;
      p[0] = origin_[0] + spacing_ * static_cast<double>(std::find(row + x0, row + x1, most) - row);
      scan.take(most, p);
    }
  }
}

// Trilinear interpolation between the eight nodes around a point.
double OutsideLattice::between(const Vector3d& p) const {
  const Vector3d q = (p - origin_) / spacing_;
  int at[3];
  double part[3];
  for (int k = 0; k < 3; ++k) {
    at[k] = std::clamp(static_cast<int>(q[k]), 0, count_[k] - 2);
    part[k] = q[k] - at[k];
  }
  double result = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    int node[3];
    for (int k = 0; k < 3; ++k) {
      const int up = corner >> k & 1;
      node[k] = at[k] + up;
      weight *= up != 0 ? part[k] : 1 - part[k];
    }
    result += weight * distance_[index(node[0], node[1], node[2])];
  }
  return result;
}

Vector3d OutsideLattice::uphill(const Vector3d& p) const {
  Vector3d result;
  for (int axis = 0; axis < 3; ++axis) {
    const Vector3d step = spacing_ / 2 * Vector3d::Unit(axis);
    result[axis] = between(p + step) - between(p - step);
  }
  return result.norm() > 0 ? result.normalized() : Vector3d::UnitX();
}

std::vector<LevelPoint> OutsideLattice::level(double height) const {
  std::vector<LevelPoint> result;
  const auto wanted = static_cast<float>(height);
  const std::size_t stride[3] = {1, static_cast<std::size_t>(count_[0]),
                                 static_cast<std::size_t>(count_[0]) * count_[1]};
  int at[3];
  for (at[2] = 0; at[2] < count_[2]; ++at[2]) {
    for (at[1] = 0; at[1] < count_[1]; ++at[1]) {
      for (at[0] = 0; at[0] < count_[0]; ++at[0]) {
        const std::size_t node = index(at[0], at[1], at[2]);
        for (int axis = 0; axis < 3; ++axis) {
          if (at[axis] + 1 == count_[axis]) continue;
          const float a = distance_[node], b = distance_[node + stride[axis]];
          if ((a < wanted) == (b < wanted)) continue;
          Vector3d p = origin_ + spacing_ * Vector3d(at[0], at[1], at[2]);
          p[axis] += spacing_ * (wanted - a) / (b - a);
          result.push_back({p, uphill(p)});
          break;
        }
      }
    }
  }
  return result;
}

Overreach OutsideLattice::overreach(const Polytope& polytope) const {
  Scan scan;
  for (int axis = 0; axis < 3; ++axis) scan_ends(polytope, axis, scan);
  // Lattice lines miss small faces.
  for (const Triangle& t : polytope.triangles) {
    const Vector3d &a = polytope.vertices[t[0]], &b = polytope.vertices[t[1]], &c = polytope.vertices[t[2]];
    for (const Vector3d& p :
         {Vector3d((a + b + c) / 3), Vector3d((a + b) / 2), Vector3d((b + c) / 2), Vector3d((c + a) / 2)})
      scan.take(between(p), p);
  }
  return scan.result;
}

}  // namespace abut::preprocess
