#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "runtime/asset/asset.h"
#include "runtime/math/pose.h"

// Tetrahedra made by code, for tests that must run without the preprocess library.
namespace abut::test {

namespace detail {

// A tree over equal shares of [first, first + count), four at each node, whatever their order: for a few
// thousand tetrahedra.
inline std::int32_t add_node(asset::Volume& volume, std::int32_t first, std::int32_t count) {
  constexpr std::int32_t kLeaf = 4;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  bvh::Tree& tree = volume.tree;
  const auto node = static_cast<std::int32_t>(tree.counts.size() / bvh::kWidth);
  tree.children.resize(tree.children.size() + bvh::kWidth, 0);
  tree.counts.resize(tree.counts.size() + bvh::kWidth, -1);
  tree.bounds.resize(tree.bounds.size() + 6 * bvh::kWidth);
  volume.tree_extent_ranges.resize(volume.tree_extent_ranges.size() + 2 * bvh::kWidth);
  for (std::int32_t c = 0; c < bvh::kWidth; ++c) {
    const std::int32_t begin = first + count * c / bvh::kWidth, end = first + count * (c + 1) / bvh::kWidth;
    float* range = &volume.tree_extent_ranges[2 * bvh::kWidth * node + c];
    range[0] = kInfinity, range[bvh::kWidth] = -kInfinity;
    for (int k = 0; k < 3; ++k) {
      tree.bounds[(6 * node + k) * bvh::kWidth + c] = kInfinity;
      tree.bounds[(6 * node + 3 + k) * bvh::kWidth + c] = -kInfinity;
    }
    for (std::int32_t i = 4 * begin; i < 4 * end; ++i) {
      const std::int32_t v = volume.tetrahedra[i];
      for (int k = 0; k < 3; ++k) {
        const auto x = static_cast<float>(volume.vertices[3 * v + k]);
        float& low = tree.bounds[(6 * node + k) * bvh::kWidth + c];
        float& high = tree.bounds[(6 * node + 3 + k) * bvh::kWidth + c];
        low = std::min(low, std::nextafter(x, -kInfinity));
        high = std::max(high, std::nextafter(x, kInfinity));
      }
      const auto extent = static_cast<float>(volume.extent[v]);  // 0 or 1: exact
      range[0] = std::min(range[0], extent);
      range[bvh::kWidth] = std::max(range[bvh::kWidth], extent);
    }
    if (begin == end) continue;
    const std::int32_t slot = node * bvh::kWidth + c;
    if (end - begin <= kLeaf) {
      tree.counts[slot] = end - begin;
      tree.children[slot] = begin;
    } else {
      const std::int32_t child = add_node(volume, begin, end - begin);
      tree.counts[slot] = 0;
      tree.children[slot] = child;
    }
  }
  return node;
}

}  // namespace detail

// A convex body cut into one tetrahedron per triangle of its hull, with the fourth corner at the vertices'
// mean, where the extent is 1.
inline asset::Volume star_volume(const asset::ConvexView& hull) {
  asset::Volume volume;
  Vec3<double> center = Vec3<double>::Zero();
  for (std::int32_t v = 0; v < hull.vertex_count; ++v) {
    const Vec3<double> p(hull.x[v], hull.y[v], hull.z[v]);
    volume.vertices.insert(volume.vertices.end(), p.data(), p.data() + 3);
    center += p / hull.vertex_count;
  }
  volume.vertices.insert(volume.vertices.end(), center.data(), center.data() + 3);
  volume.extent.assign(static_cast<std::size_t>(hull.vertex_count), 0.0);
  volume.extent.push_back(1);
  const auto corner = [&](std::int32_t v) { return Vec3<double>::Map(&volume.vertices[3 * v]); };
  for (std::int32_t t = 0; t < hull.triangle_count; ++t) {
    const std::int32_t* face = hull.triangles + 3 * t;
    const std::int32_t tet[4] = {face[0], face[2], face[1], hull.vertex_count};
    volume.tetrahedra.insert(volume.tetrahedra.end(), tet, tet + 4);
    volume.extent_ranges.insert(volume.extent_ranges.end(), {0.0, 1.0});
    for (int k = 0; k < 4; ++k) {
      const Vec3<double> a = corner(tet[(k + 1) % 4]), b = corner(tet[(k + 2) % 4]),
                         c = corner(tet[(k + 3) % 4]);
      Vec3<double> n = (b - a).cross(c - a).normalized();
      if (n.dot(corner(tet[k]) - a) < 0) n = -n;
      volume.face_planes.insert(volume.face_planes.end(), {n.x(), n.y(), n.z(), -n.dot(a)});
      if (k < 3) continue;  // the hull's face: the extent rises from it to the centre
      const Vec3<double> gradient = n / n.dot(center - a);
      volume.gradients.insert(volume.gradients.end(), gradient.data(), gradient.data() + 3);
    }
  }
  // Across the face opposite a corner of the hull lies the tetrahedron on the other side of an edge.
  volume.neighbours.assign(volume.tetrahedra.size(), -1);
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> corner_across;
  for (std::int32_t i = 0; i < 4 * hull.triangle_count; ++i) {
    if (i % 4 == 3) continue;
    const std::int32_t* tet = &volume.tetrahedra[i - i % 4];
    const auto edge = std::minmax(tet[(i % 4 + 1) % 3], tet[(i % 4 + 2) % 3]);
    const auto [twin, first] = corner_across.emplace(edge, i);
    if (first) continue;
    volume.neighbours[i] = twin->second / 4;
    volume.neighbours[twin->second] = i / 4;
  }
  detail::add_node(volume, 0, hull.triangle_count);
  return volume;
}

}  // namespace abut::test
