#include "preprocess/remesh/orientation_field.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "preprocess/remesh/hierarchy.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

constexpr int kSweeps = 3;             // per level
constexpr double kStart = 1e-6;        // weight of a direction in its own mean
constexpr double kLargestWeight = 10;  // of a link: centroids of slivers nearly coincide

HierarchyLevel face_level(const CreasedSurface& s) {
  HierarchyLevel level;
  const HalfedgeMesh& mesh = s.mesh;
  for (std::int32_t f = 0; f < mesh.face_slots(); ++f) {
    const auto [a, b, c] = mesh.triangle(f);
    const Vec3 n = s.double_area(f);
    const double length = n.norm();
    level.points.push_back((s.at(a) + s.at(b) + s.at(c)) / 3);
    level.normals.push_back(s.normals[f]);
    level.areas.push_back(length / 2);
  }
  set_links(level, [&](std::int32_t f, std::vector<HierarchyLevel::Link>& row) {
    for (std::int32_t h = 3 * f; h < 3 * f + 3; ++h) {
      const std::int32_t g = mesh.twin(h) / 3;
      const double apart = (level.points[f] - level.points[g]).norm();
      row.push_back(
          {g, static_cast<float>(std::min(kLargestWeight, s.edge(h).norm() / std::max(apart, 1e-300)))});
    }
  });
  return level;
}

void smooth(const HierarchyLevel& level, std::vector<Vec3>& directions, int threads) {
  for (int k = 0; k < kSweeps; ++k) {
    sweep(level, threads, [&](std::int32_t i) {
      // The length of `sum` is approximately the sum of the weights, so that links need no square root. The
      // start value only decides which of the first neighbour's directions is used.
      const Vec3& n = level.normals[i];
      Vec3 sum = kStart * directions[i];
      for (std::int32_t l = level.offsets[i]; l < level.offsets[i + 1]; ++l) {
        const auto [j, weight] = level.links[l];
        const auto [a, b] = align(sum, n, directions[j], level.normals[j]);
        sum = a + static_cast<double>(weight) * b;
        sum -= n * n.dot(sum);
      }
      directions[i] = in_plane(sum, level.normals[i]);
    });
  }
}

}  // namespace

std::vector<Vec3> orientation_field(const CreasedSurface& surface, int threads) {
  const std::vector<HierarchyLevel> levels = make_hierarchy(face_level(surface));
  std::vector<Vec3> directions, coarser;
  for (std::size_t l = levels.size(); l-- > 0;) {
    const HierarchyLevel& level = levels[l];
    directions.clear();
    for (std::int32_t i = 0; i < level.size(); ++i) {
      const Vec3 start = coarser.empty() ? Vec3(Vec3::UnitX()) : coarser[level.parents[i]];
      directions.push_back(in_plane(start, level.normals[i]));
    }
    smooth(level, directions, threads);
    coarser = directions;
  }
  for (std::int32_t f = 0; f < surface.mesh.face_slots(); ++f)
    directions[f] = in_plane(directions[f], surface.double_area(f).normalized());
  return directions;
}

}  // namespace abut::preprocess
