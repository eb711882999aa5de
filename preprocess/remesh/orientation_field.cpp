#include "preprocess/remesh/orientation_field.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "preprocess/remesh/hierarchy.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

constexpr int kSweeps = 10;            // per level
constexpr double kLargestWeight = 10;  // of a link: slivers have centroids that nearly meet

struct Field {
  std::vector<Vec3> q;      // zero: unknown
  std::vector<char> fixed;  // along a crease
};

Level face_level(const CreasedSurface& s) {
  Level level;
  const HalfedgeMesh& mesh = s.mesh;
  for (std::int32_t f = 0; f < mesh.face_slots(); ++f) {
    const auto [a, b, c] = mesh.triangle(f);
    const Vec3 n = s.double_area(f);
    const double length = n.norm();
    level.points.push_back((s.at(a) + s.at(b) + s.at(c)) / 3);
    level.normals.push_back(length > 0 ? Vec3(n / length) : s.edge(3 * f).unitOrthogonal());
    level.areas.push_back(length / 2);
  }
  std::vector<Link> links;
  for (std::int32_t h = 0; h < mesh.halfedge_slots(); ++h) {
    const std::int32_t f = h / 3, g = mesh.twin(h) / 3;
    const double apart = (level.points[f] - level.points[g]).norm();
    links.push_back({f, g, std::min(kLargestWeight, s.edge(h).norm() / std::max(apart, 1e-300))});
  }
  set_links(level, std::move(links));
  return level;
}

Field crease_field(const CreasedSurface& s) {
  Field field;
  field.q.assign(static_cast<std::size_t>(s.mesh.face_slots()), Vec3::Zero());
  field.fixed.assign(field.q.size(), 0);
  for (std::int32_t h = 0; h < s.mesh.halfedge_slots(); ++h) {
    const Vec3 e = s.edge(h);
    if (!s.crease[h] || !(e.norm() > 0) || field.fixed[h / 3]) continue;
    field.q[h / 3] = e.normalized();
    field.fixed[h / 3] = 1;
  }
  return field;
}

Vec3 in_plane(const Vec3& q, const Vec3& n) {
  const Vec3 flat = q - n * n.dot(q);
  const double length = flat.norm();
  return length > 1e-6 ? Vec3(flat / length) : n.unitOrthogonal();
}

// A coarse node is fixed if one of its fine ones is: to the mean of their directions.
Field restrict_field(const Level& fine, const Field& field, const Level& coarse) {
  Field out;
  out.q.assign(coarse.points.size(), Vec3::Zero());
  out.fixed.assign(coarse.points.size(), 0);
  std::vector<double> sums(coarse.points.size(), 0);
  for (std::int32_t i = 0; i < fine.size(); ++i) {
    if (!field.fixed[i]) continue;
    const std::int32_t p = fine.parents[i];
    const double weight = std::max(fine.areas[i], 1e-300);
    if (out.fixed[p]) {
      const auto [a, b] = align(out.q[p], coarse.normals[p], field.q[i], fine.normals[i]);
      out.q[p] = in_plane(a * sums[p] + b * weight, coarse.normals[p]);
    } else {
      out.q[p] = in_plane(field.q[i], coarse.normals[p]);
      out.fixed[p] = 1;
    }
    sums[p] += weight;
  }
  return out;
}

void smooth(const Level& level, Field& field, int threads) {
  for (int k = 0; k < kSweeps; ++k) {
    sweep(level, threads, [&](std::int32_t i) {
      if (field.fixed[i]) return;
      Vec3 sum = field.q[i];
      double weights = 0;
      for (std::int32_t l = level.offsets[i]; l < level.offsets[i + 1]; ++l) {
        const std::int32_t j = level.links[l];
        const auto [a, b] = align(sum, level.normals[i], field.q[j], level.normals[j]);
        const Vec3 next = a * weights + b * level.weights[l];
        weights += level.weights[l];
        sum = in_plane(next, level.normals[i]);
      }
      field.q[i] = sum;
    });
  }
}

}  // namespace

Aligned align(const Vec3& q_a, const Vec3& n_a, const Vec3& q_b, const Vec3& n_b) {
  const Vec3 A[2] = {q_a, n_a.cross(q_a)}, B[2] = {q_b, n_b.cross(q_b)};
  double best = -1;
  int best_a = 0, best_b = 0;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const double dot = std::abs(A[i].dot(B[j]));
      if (dot > best + 1e-12) best = dot, best_a = i, best_b = j;
    }
  }
  const double sign = A[best_a].dot(B[best_b]) < 0 ? -1 : 1;
  return {A[best_a], sign * B[best_b]};
}

std::vector<Vec3> orientation_field(const CreasedSurface& surface, int threads) {
  const std::vector<Level> levels = make_hierarchy(face_level(surface));
  std::vector<Field> fields{crease_field(surface)};
  for (std::size_t l = 1; l < levels.size(); ++l)
    fields.push_back(restrict_field(levels[l - 1], fields[l - 1], levels[l]));
  for (std::size_t l = levels.size(); l-- > 0;) {
    const Level& level = levels[l];
    for (std::int32_t i = 0; i < level.size(); ++i) {
      if (fields[l].fixed[i]) continue;
      const Vec3 start = level.parents.empty() ? Vec3(Vec3::UnitX()) : fields[l + 1].q[level.parents[i]];
      fields[l].q[i] = in_plane(start, level.normals[i]);
    }
    smooth(level, fields[l], threads);
  }
  return fields.front().q;
}

}  // namespace abut::preprocess
