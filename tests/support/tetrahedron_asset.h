#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "runtime/asset/asset.h"

namespace abut::test {

// A tree of one leaf with a box, min and max.
inline bvh::Tree one_leaf(std::int32_t count, const std::array<float, 6>& box) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  bvh::Tree tree;
  for (int k = 0; k < 6; ++k) {
    const float unused = k < 3 ? kInfinity : -kInfinity;
    tree.bounds.insert(tree.bounds.end(), {box[static_cast<std::size_t>(k)], unused, unused, unused});
  }
  tree.children = {0, 0, 0, 0};
  tree.counts = {count, -1, -1, -1};
  return tree;
}

// A tetrahedron: the smallest asset with every part. It loads; its field, point and grid are no
// tetrahedron's.
inline asset::Asset tetrahedron_asset() {
  asset::Asset asset;
  asset.name = "tetrahedron";
  auto& s = asset.surfaces.emplace_back();
  s.vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.0 / 3};
  s.triangles = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  s.neighbours = {3, 2, 1, 0, 2, 3, 0, 3, 1, 0, 1, 2};
  s.vertex_normals.assign(12, std::sqrt(1.0 / 3));
  s.tree = one_leaf(4, {0, 0, 0, 1, 1, 0.34F});
  auto& c = asset.convex.emplace_back();
  c.vertices = {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1.0 / 3};
  c.triangles = s.triangles;
  c.adjacency_offsets = {0, 3, 6, 9, 12};
  c.adjacency = {1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2};
  c.support_lookup.assign(6 * 2 * 2, 3);
  for (int cell = 0; cell <= 6 * 2 * 2; ++cell) c.candidate_offsets.push_back(2 * cell);
  for (int cell = 0; cell < 6 * 2 * 2; ++cell) c.candidates.insert(c.candidates.end(), {3, cell % 3});
  auto& v = asset.volumes.emplace_back();
  v.vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.0 / 3};
  v.tetrahedra = {0, 1, 2, 3};
  v.neighbours = {-1, -1, -1, -1};
  v.extent = {0, 0, 0, 0};
  v.gradients = {1, 2, 1.0 / 3};
  v.face_planes.assign(16, 1.0 / 7);
  v.extent_ranges = {0, 1};
  v.tree = one_leaf(1, {0, 0, 0, 1, 1, 0.34F});
  v.tree_extent_ranges.assign(8, 0.25F);
  auto& p = asset.points.emplace_back();
  p.positions = {0, 1, 2};
  p.normals = {0, 0.6, 0.8};
  p.areas = {1.0 / 3};
  p.thickness = {0.1};
  p.quads = {0, 1, 2, 3};
  p.vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.0 / 3};
  p.spacing = {0.25, 0.125, 0.2, 0.3};
  p.tree = one_leaf(1, {0, 1, 2, 0, 1, 2});
  auto& g = asset.grids.emplace_back();
  g.lattice = {-0.5, -0.25, -1.0 / 3, 0.125, 0.25};
  g.places = {3, 1, 1};
  g.index = {1, 0, -1};
  for (int i = 0; i < 2 * asset::kBrickSize; ++i) g.coefficients.push_back(0.01F * static_cast<float>(i));
  asset::add_rows(g);
  asset.mass = {1.0 / 18, 2, {0.25, 0.25, 1.0 / 12}, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  asset.provenance = {"mesh ünïcode.obj",
                      "xxh3-128:0",
                      {{"scale", "1"}},
                      {{"abut", "0.1.0"}},
                      {"1 hole filled (4 boundary edges)", ""},
                      {{"read", 0.5}, {"clean", 0.25}, {"hull", 1.5}},
                      {{"hausdorff_percent", 0.1}}};
  return asset;
}

}  // namespace abut::test
