#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/core/random.h"
#include "runtime/witness/direction_cell.h"
#include "runtime/witness/witness.h"
#include "tests/support/random_values.h"

// Small polytopes for tests, built without a convex hull: every vertex is joined to every other, which
// contains the hull's edges whatever they are; points inside the hull do no harm.
namespace abut::test {

using Points = std::vector<Vec3<double>>;

inline void set_lookup(asset::ConvexPiece& piece, const Points& points, std::int32_t k) {
  for (std::int32_t cell = 0; cell < 6 * k * k; ++cell) {
    const Vec3<double> n = witness::cell_direction<double>(cell, k);
    const auto best = std::max_element(points.begin(), points.end(),
                                       [&](const auto& a, const auto& b) { return n.dot(a) < n.dot(b); });
    piece.support_lookup.push_back(static_cast<std::int32_t>(best - points.begin()));
  }
}

inline asset::ConvexPiece make_hull(const Points& points) {
  asset::ConvexPiece piece;
  for (int axis = 0; axis < 3; ++axis) {
    for (const Vec3<double>& p : points) piece.vertices.push_back(p[axis]);
  }
  piece.adjacency_offsets.push_back(0);
  const std::int32_t n = static_cast<std::int32_t>(points.size());
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t j = 0; j < n; ++j) {
      if (j != i) piece.adjacency.push_back(j);
    }
    piece.adjacency_offsets.push_back(static_cast<std::int32_t>(piece.adjacency.size()));
  }
  if (n > 0) set_lookup(piece, points, 2);
  return piece;
}

inline Points box_points(const Vec3<double>& half) {
  Points points;
  for (int k = 0; k < 8; ++k) {
    points.emplace_back(k & 1 ? half.x() : -half.x(), k & 2 ? half.y() : -half.y(),
                        k & 4 ? half.z() : -half.z());
  }
  return points;
}

// Ellipsoid tessellated by `rings` circles of 2 * rings points and two poles, with its true edges.
inline asset::ConvexPiece round_hull(const Vec3<double>& semi_axes, int rings) {
  Points points;
  const int m = 2 * rings;
  const double pi = 3.14159265358979323846;
  for (int i = 1; i <= rings; ++i) {
    for (int j = 0; j < m; ++j) {
      const double t = pi * i / (rings + 1), u = 2 * pi * j / m;
      points.emplace_back(std::sin(t) * std::cos(u), std::sin(t) * std::sin(u), std::cos(t));
    }
  }
  points.emplace_back(0, 0, 1);
  points.emplace_back(0, 0, -1);
  for (Vec3<double>& p : points) p = p.cwiseProduct(semi_axes);
  std::vector<std::vector<std::int32_t>> rows(points.size());
  const auto connect = [&](int a, int b) {
    rows[static_cast<std::size_t>(a)].push_back(b);
    rows[static_cast<std::size_t>(b)].push_back(a);
  };
  for (int i = 0; i < rings; ++i) {
    for (int j = 0; j < m; ++j) {
      const int at = i * m + j, right = i * m + (j + 1) % m;
      connect(at, right);
      if (i + 1 < rings) {
        connect(at, at + m);
        connect(at, right + m);  // either diagonal may be the hull's edge of this planar cell: give both
        connect(right, at + m);
      }
    }
  }
  for (int j = 0; j < m; ++j) {
    connect(j, rings * m);
    connect((rings - 1) * m + j, rings * m + 1);
  }
  asset::ConvexPiece piece;
  for (int axis = 0; axis < 3; ++axis) {
    for (const Vec3<double>& p : points) piece.vertices.push_back(p[axis]);
  }
  piece.adjacency_offsets.push_back(0);
  for (const auto& row : rows) {
    piece.adjacency.insert(piece.adjacency.end(), row.begin(), row.end());
    piece.adjacency_offsets.push_back(static_cast<std::int32_t>(piece.adjacency.size()));
  }
  set_lookup(piece, points, 8);
  return piece;
}

using LVec = Vec3<long double>;

// Independent checks in extended precision, by looking at every vertex.
struct Oracle {
  std::vector<LVec> a, b;  // vertices of A and of B, both in frame A

  Oracle(const Points& A, const Points& B, const Pose<double>& X_AB) {
    for (const auto& p : A) a.push_back(p.cast<long double>());
    for (const auto& p : B) b.push_back(X_AB.cast<long double>() * p.cast<long double>());
  }

  // g(n) for n of any length: a lower bound on the signed distance.
  long double g(const LVec& n) const {
    long double low = INFINITY, high = -INFINITY;
    for (const LVec& p : b) low = std::min(low, n.dot(p));
    for (const LVec& p : a) high = std::max(high, n.dot(p));
    return (low - high) / n.norm();
  }

  // Largest g over the normals of all facets that the Minkowski difference can have: three vertices of one
  // body, or an edge of each. If the bodies overlap this is the signed distance; otherwise it is at most
  // that.
  long double best_facet() const {
    long double best = -INFINITY;
    const auto try_normal = [&](const LVec& n, long double scale) {
      if (n.norm() > 1e-9L * scale) best = std::max({best, g(n), g(-n)});
    };
    std::vector<LVec> edges_a, edges_b;
    for (const auto* body : {&a, &b}) {
      auto& edges = body == &a ? edges_a : edges_b;
      for (std::size_t i = 0; i < body->size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          const LVec e = (*body)[i] - (*body)[j];
          edges.push_back(e);
          for (std::size_t k = 0; k < j; ++k) {
            const LVec f = (*body)[i] - (*body)[k];
            try_normal(e.cross(f), e.norm() * f.norm());
          }
        }
      }
    }
    for (const LVec& e : edges_a) {
      for (const LVec& f : edges_b) try_normal(e.cross(f), e.norm() * f.norm());
    }
    return best;
  }
};

// Whether the query found an answer.
inline bool good(const witness::Witness<double>& w) {
  return w.status == Status::kOk || w.status == Status::kTouching;
}

}  // namespace abut::test
