#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/core/random.h"
#include "runtime/witness/direction_cell.h"
#include "tests/support/point_clouds.h"
#include "tests/support/random_values.h"
#include "tests/support/star_volume.h"

// Convex hulls made by code, for tests that must run without data and without the preprocess library.
namespace abut::test {

using Triangles = std::vector<std::array<std::int32_t, 3>>;

// Convex piece of vertices in convex position with their hull's triangles, counter-clockwise seen from
// outside.
inline asset::ConvexPiece make_piece(const std::vector<Vec3<double>>& vertices, const Triangles& triangles,
                                     int lookup_resolution = 8) {
  asset::ConvexPiece piece;
  for (int axis = 0; axis < 3; ++axis) {
    for (const auto& v : vertices) piece.vertices.push_back(v[axis]);
  }
  std::vector<std::vector<std::int32_t>> rows(vertices.size());
  for (const auto& t : triangles) {
    for (int k = 0; k < 3; ++k) {
      piece.triangles.push_back(t[k]);
      rows[t[k]].push_back(
          t[(k + 1) % 3]);  // closed surface: the opposite half edge comes from the neighbour
    }
  }
  piece.adjacency_offsets.push_back(0);
  for (auto& row : rows) {
    std::sort(row.begin(), row.end());
    piece.adjacency.insert(piece.adjacency.end(), row.begin(), row.end());
    piece.adjacency_offsets.push_back(static_cast<std::int32_t>(piece.adjacency.size()));
  }
  for (std::int32_t cell = 0; cell < 6 * lookup_resolution * lookup_resolution; ++cell) {
    const Vec3<double> direction = witness::cell_direction<double>(cell, lookup_resolution);
    std::int32_t best = 0;
    for (std::size_t v = 1; v < vertices.size(); ++v) {
      if (vertices[v].dot(direction) > vertices[best].dot(direction)) best = static_cast<std::int32_t>(v);
    }
    piece.support_lookup.push_back(best);
  }
  return piece;
}

// Icosahedron subdivided `level` times (10 4^level + 2 vertices) onto the unit sphere, turned by R, then
// scaled to the ellipsoid with the given semi-axes (m). Turning moves the tessellation under a fixed shape.
inline asset::ConvexPiece tessellated_ellipsoid(int level, const Vec3<double>& semi_axes,
                                                const Mat3<double>& R = Mat3<double>::Identity()) {
  const double g = (1 + std::sqrt(5.0)) / 2;
  std::vector<Vec3<double>> vertices = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                                        {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                                        {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
  for (auto& v : vertices) v.normalize();
  Triangles triangles = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                         {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                         {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  for (int l = 0; l < level; ++l) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middles;
    const auto middle = [&](std::int32_t a, std::int32_t b) {
      const auto [found, added] =
          middles.try_emplace(std::minmax(a, b), static_cast<std::int32_t>(vertices.size()));
      if (added) vertices.push_back((vertices[a] + vertices[b]).normalized());
      return found->second;
    };
    Triangles finer;
    for (const auto& [a, b, c] : triangles) {
      const std::int32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
    }
    triangles = std::move(finer);
  }
  for (auto& v : vertices) v = semi_axes.cwiseProduct(R * v);
  return make_piece(vertices, triangles);
}

// Axis-aligned box with the given half sizes (m), centred on the origin.
inline asset::ConvexPiece box_hull(const Vec3<double>& half) {
  std::vector<Vec3<double>> vertices;
  for (int i = 0; i < 8; ++i) {
    vertices.emplace_back((i & 1) ? half.x() : -half.x(), (i & 2) ? half.y() : -half.y(),
                          (i & 4) ? half.z() : -half.z());
  }
  return make_piece(vertices, {{0, 2, 1},
                               {1, 2, 3},
                               {4, 5, 6},
                               {5, 7, 6},
                               {0, 1, 4},
                               {1, 5, 4},
                               {2, 6, 3},
                               {3, 6, 7},
                               {0, 4, 2},
                               {2, 4, 6},
                               {1, 3, 5},
                               {3, 7, 5}});
}

// Oriented points of a hull: the centres of its triangles, or of their parts where there are few, each of
// which is a quad with two corners in one place. They do not depend on the frame.
inline asset::OrientedPoints hull_points(const asset::ConvexView& hull) {
  constexpr int kPoints = 250;
  const int parts = std::max(1, static_cast<int>(std::sqrt(kPoints / hull.triangle_count)));
  std::vector<Vec3<double>> positions, normals;
  std::vector<double> areas;
  std::vector<Corners> quads;
  for (int t = 0; t < hull.triangle_count; ++t) {
    const auto corner = [&](int k) {
      const std::int32_t v = hull.triangles[3 * t + k];
      return Vec3<double>(hull.x[v], hull.y[v], hull.z[v]);
    };
    const Vec3<double> a = corner(0), u = (corner(1) - a) / parts, v = (corner(2) - a) / parts,
                       n = u.cross(v);
    if (!(n.norm() > 0)) continue;
    for (int i = 0; i < parts; ++i)
      for (int j = 0; j < 2 * (parts - i) - 1; ++j) {  // rows of parts, pointing up and down in turn
        const Vec3<double> p = a + i * u + (j / 2) * v;
        quads.push_back(j % 2 == 0 ? Corners{p, p + u, p + v, p + v}
                                   : Corners{p + u, p + u + v, p + v, p + v});
        positions.push_back((quads.back()[0] + quads.back()[1] + quads.back()[2]) / 3);
        normals.push_back(n.normalized());
        areas.push_back(n.norm() / 2);
      }
  }
  return make_points(positions, normals, areas, quads);
}

// Asset of a convex body: its hull, its inside in tetrahedra, and oriented points.
inline asset::Asset convex_asset(asset::ConvexPiece piece) {
  asset::Asset result;
  result.name = "made in code";
  result.convex.push_back(std::move(piece));
  result.volumes.push_back(star_volume(asset::view(result.convex.back())));
  result.points.push_back(hull_points(asset::view(result.convex.back())));
  return result;
}

}  // namespace abut::test
