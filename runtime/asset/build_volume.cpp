#include "runtime/asset/build_volume.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/bvh/build.h"

namespace abut::asset {

namespace {

void append(std::vector<double>& to, const Eigen::Vector3d& v) {
  to.insert(to.end(), v.data(), v.data() + 3);
}

// Finds the tetrahedron across each face of every tetrahedron; -1: none.
std::vector<std::int32_t> find_neighbours(std::span<const Tetrahedron> tets) {
  struct Side {
    std::array<std::int32_t, 3> key;
    std::size_t place;
  };
  std::vector<Side> sides;
  sides.reserve(4 * tets.size());
  for (std::size_t t = 0; t < tets.size(); ++t)
    for (std::size_t k = 0; k < 4; ++k) {
      Side side{{tets[t][kFaces[k][0]], tets[t][kFaces[k][1]], tets[t][kFaces[k][2]]}, 4 * t + k};
      std::sort(side.key.begin(), side.key.end());
      sides.push_back(side);
    }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) { return a.key < b.key; });
  std::vector<std::int32_t> result(sides.size(), -1);
  for (std::size_t i = 0; i + 1 < sides.size(); ++i)
    if (sides[i].key == sides[i + 1].key) {
      result[sides[i].place] = static_cast<std::int32_t>(sides[i + 1].place / 4);
      result[sides[i + 1].place] = static_cast<std::int32_t>(sides[i].place / 4);
    }
  return result;
}

void append_planes(std::span<const Eigen::Vector3d> vertices, const Tetrahedron& t,
                   std::vector<double>& planes) {
  for (const auto& f : kFaces) {
    const Eigen::Vector3d& a = vertices[t[f[0]]];
    const Eigen::Vector3d n = (vertices[t[f[1]]] - a).cross(vertices[t[f[2]]] - a).normalized();
    append(planes, n);
    planes.push_back(-n.dot(a));
  }
}

float rounded(double x, float towards) {
  const auto f = static_cast<float>(x);
  const bool inward = towards < 0 ? f > x : f < x;
  return inward ? std::nextafter(f, towards) : f;
}

// Computes the range of extents below every child of every node, from the last node to the first, since
// children come after their parents.
std::vector<float> tree_ranges(const bvh::Tree& tree, const std::vector<double>& ranges) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::size_t nodes = tree.counts.size() / bvh::kWidth;
  std::vector<float> result(2 * tree.counts.size());
  for (std::size_t node = nodes; node-- > 0;)
    for (std::size_t child = 0; child < bvh::kWidth; ++child) {
      float lo = kInfinity, hi = -kInfinity;
      const std::size_t slot = node * bvh::kWidth + child;
      const auto first = static_cast<std::size_t>(tree.children[slot]);
      for (std::size_t i = first;
           tree.counts[slot] > 0 && i < first + static_cast<std::size_t>(tree.counts[slot]); ++i) {
        lo = std::min(lo, rounded(ranges[2 * i], -1));
        hi = std::max(hi, rounded(ranges[2 * i + 1], 2));
      }
      for (std::size_t k = 0; tree.counts[slot] == 0 && k < bvh::kWidth; ++k) {
        lo = std::min(lo, result[8 * first + k]);
        hi = std::max(hi, result[8 * first + bvh::kWidth + k]);
      }
      result[8 * node + child] = lo;
      result[8 * node + bvh::kWidth + child] = hi;
    }
  return result;
}

}  // namespace

Eigen::Vector3d gradient_in(std::span<const Eigen::Vector3d> vertices, const Tetrahedron& t,
                            std::span<const double> values) {
  using Extended = Eigen::Matrix<long double, 3, 1>;
  const auto at = [&](int k) -> Extended { return vertices[t[k]].cast<long double>(); };
  Extended sum = Extended::Zero();
  for (int k = 1; k < 4; ++k) {
    const int* const f = kFaces[k];
    const long double rise = static_cast<long double>(values[t[k]]) - values[t[0]];
    sum += rise * (at(f[1]) - at(f[0])).cross(at(f[2]) - at(f[0]));
  }
  const long double six_volumes = (at(1) - at(0)).cross(at(2) - at(0)).dot(at(3) - at(0));
  return (sum / six_volumes).cast<double>();
}

Volume build_volume(std::span<const Eigen::Vector3d> vertices, std::span<const Tetrahedron> tetrahedra,
                    const std::vector<double>& extent, std::span<const Eigen::Vector3d> gradients) {
  std::vector<bvh::Box> boxes;
  for (const Tetrahedron& t : tetrahedra) {
    bvh::Box box{vertices[t[0]], vertices[t[0]]};
    for (const std::int32_t v : t) {
      box.lo = box.lo.cwiseMin(vertices[v]);
      box.hi = box.hi.cwiseMax(vertices[v]);
    }
    boxes.push_back(box);
  }
  bvh::BuiltTree built = bvh::build_tree(boxes);
  Volume volume;
  std::vector<Tetrahedron> ordered;
  for (const std::int32_t i : built.order) {
    const Tetrahedron& t = tetrahedra[i];
    ordered.push_back(t);
    volume.tetrahedra.insert(volume.tetrahedra.end(), t.begin(), t.end());
    append(volume.gradients, gradients[i]);
    append_planes(vertices, t, volume.face_planes);
    const auto [lo, hi] = std::minmax({extent[t[0]], extent[t[1]], extent[t[2]], extent[t[3]]});
    volume.extent_ranges.insert(volume.extent_ranges.end(), {lo, hi});
  }
  for (const auto& vertex : vertices) append(volume.vertices, vertex);
  volume.neighbours = find_neighbours(ordered);
  volume.extent = extent;
  volume.tree = std::move(built.tree);
  volume.tree_extent_ranges = tree_ranges(volume.tree, volume.extent_ranges);
  return volume;
}

}  // namespace abut::asset
