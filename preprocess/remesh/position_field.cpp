#include "preprocess/remesh/position_field.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "preprocess/remesh/hierarchy.h"
#include "preprocess/remesh/orientation_field.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

constexpr int kSweeps = 3;            // per level
constexpr double kLargestTurn = 0.7;  // cosine of the largest turn of a crease at a vertex

struct Field {
  std::vector<Vec3> q;       // axis of the lattice; along the crease if held to a line
  std::vector<Vec3> o;       // lattice point, m
  std::vector<Vec3> anchor;  // position of the node, m; of a held one, on the crease
  std::vector<double> size;  // spacing of the lattice, m
  std::vector<Hold> hold;
};

HierarchyLevel vertex_level(const CreasedSurface& s) {
  HierarchyLevel level;
  const HalfedgeMesh& mesh = s.mesh;
  level.points = s.positions;
  level.normals.assign(s.positions.size(), Vec3::Zero());
  level.areas.assign(s.positions.size(), 0);
  for (std::int32_t f = 0; f < mesh.face_slots(); ++f) {
    const Vec3 n = s.double_area(f);
    for (const std::int32_t v : mesh.triangle(f)) {
      level.normals[v] += n;
      level.areas[v] += n.norm() / 6;
    }
  }
  for (Vec3& n : level.normals) n = n.norm() > 0 ? Vec3(n.normalized()) : Vec3(Vec3::UnitZ());
  set_links(level, [&](std::int32_t v, std::vector<HierarchyLevel::Link>& row) {
    const std::int32_t start = mesh.leaving(v);
    std::int32_t h = start;
    while (h >= 0) {
      row.push_back({mesh.target(h), 1});
      h = mesh.around(h);
      if (h == start) break;
    }
  });
  return level;
}

// Direction of the crease through v, from its neighbour on one side to that on the other.
Vec3 crease_direction(const CreasedSurface& s, std::int32_t v) {
  Vec3 direction = Vec3::Zero();
  double sign = 1;
  const std::int32_t start = s.mesh.leaving(v);
  std::int32_t h = start;
  do {
    if (s.crease[h]) {
      direction += sign * s.edge(h).normalized();
      sign = -1;
    }
    h = s.mesh.around(h);
  } while (h != start);
  return direction.norm() > 0 ? Vec3(direction.normalized()) : Vec3(Vec3::UnitX());
}

Field vertex_field(const CreasedSurface& s, const HierarchyLevel& level, const std::vector<Vec3>& directions,
                   const std::vector<Hold>& holds) {
  Field field{{}, s.positions, s.positions, s.sizes, holds};
  for (std::int32_t v = 0; v < level.size(); ++v) {
    if (s.mesh.leaving(v) < 0) {
      field.q.push_back(Vec3::UnitX());
    } else if (holds[v] == Hold::kLine) {
      field.q.push_back(crease_direction(s, v));
    } else {
      field.q.push_back(in_plane(directions[s.mesh.leaving(v) / 3], level.normals[v]));
    }
  }
  return field;
}

// A coarse node takes the hold of its most strongly held fine node.
Field restrict_field(const HierarchyLevel& fine, const Field& field, const HierarchyLevel& coarse) {
  Field out;
  const std::size_t n = coarse.points.size();
  out.q.assign(n, Vec3::Zero());
  out.anchor = coarse.points;
  out.size.assign(n, 0);
  out.hold.assign(n, Hold::kFree);
  std::vector<double> sums(n, 0);
  for (std::int32_t i = 0; i < fine.size(); ++i) {
    const std::int32_t p = fine.parents[i];
    const double w = std::max(fine.areas[i], 1e-300);
    const bool first = sums[p] == 0;
    out.size[p] = (out.size[p] * sums[p] + w * field.size[i]) / (sums[p] + w);
    if (first || field.hold[i] > out.hold[p]) {
      out.q[p] = in_plane(field.q[i], coarse.normals[p]);
      out.hold[p] = field.hold[i];
      out.anchor[p] = field.hold[i] == Hold::kFree ? coarse.points[p] : field.anchor[i];
    } else if (field.hold[i] == out.hold[p] && out.hold[p] == Hold::kFree) {
      const auto [a, b] = align(out.q[p], coarse.normals[p], field.q[i], fine.normals[i]);
      out.q[p] = in_plane(a * sums[p] + b * w, coarse.normals[p]);
    }
    sums[p] += w;
  }
  out.o = out.anchor;
  return out;
}

// The unit axes of a square lattice, its spacing, m, and the inverse of that.
struct Axes {
  Vec3 q, t;  // unit
  double size = 0, inverse = 0;
};

// The axes of the lattice between nodes i and j: the average of both. At a crease, whose normal belongs to
// neither side, those of the node off the crease.
Axes axes_between(const HierarchyLevel& level, const Field& field, std::int32_t i, std::int32_t j) {
  const double size = (field.size[i] + field.size[j]) / 2;
  const bool held_i = field.hold[i] != Hold::kFree, held_j = field.hold[j] != Hold::kFree;
  if (held_i != held_j) {
    const std::int32_t k = held_i ? j : i;
    return {field.q[k], level.normals[k].cross(field.q[k]), size, 1 / size};
  }
  const Vec3 n = (level.normals[i] + level.normals[j]).normalized();
  const auto [a, b] = align(field.q[i], level.normals[i], field.q[j], level.normals[j]);
  const Vec3 q = in_plane(a + b, n);
  return {q, n.cross(q), size, 1 / size};
}

// Rounds x to the nearest integer, ties to even, without a library call: the sum has no bits for a fraction.
double rounded(double x) {
  constexpr double kNoFraction = 6755399441055744.0;  // 1.5 * 2^52
  return (x + kNoFraction) - kNoFraction;
}

// o shifted by lattice vectors to be nearest to `wanted`.
Vec3 nearest(const Vec3& o, const Axes& axes, const Vec3& wanted) {
  const Vec3 d = axes.inverse * (wanted - o);
  return o + axes.size * (rounded(d.dot(axes.q)) * axes.q + rounded(d.dot(axes.t)) * axes.t);
}

Vec3 settle(const HierarchyLevel& level, const Field& field, std::int32_t i, const Vec3& o) {
  const Vec3 &p = field.anchor[i], &n = level.normals[i], &q = field.q[i];
  const double size = field.size[i];
  if (field.hold[i] == Hold::kLine) {
    const double along = q.dot(o - p);
    return p + q * (along - size * rounded(along / size));
  }
  return nearest(o - n * n.dot(o - p), {q, n.cross(q), size, 1 / size}, p);
}

void smooth(const HierarchyLevel& level, Field& field, int threads) {
  std::vector<Axes> axes(level.links.size());
  parallel_for(
      level.size(), threads,
      [&](std::int64_t i, int) {
        for (std::int32_t l = level.offsets[i]; l < level.offsets[i + 1]; ++l)
          axes[l] = axes_between(level, field, static_cast<std::int32_t>(i), level.links[l].node);
      },
      512);
  for (int k = 0; k < kSweeps; ++k) {
    sweep(level, threads, [&](std::int32_t i) {
      if (field.hold[i] == Hold::kPoint || level.offsets[i] == level.offsets[i + 1]) return;
      Vec3 sum = field.o[i];
      double weights = 0;
      for (std::int32_t l = level.offsets[i]; l < level.offsets[i + 1]; ++l) {
        const std::int32_t j = level.links[l].node;
        const auto w = static_cast<double>(level.links[l].weight);
        sum += w / (weights + w) * (nearest(field.o[j], axes[l], sum) - sum);
        weights += w;
      }
      field.o[i] = settle(level, field, i, sum);
    });
  }
}

}  // namespace

std::vector<Hold> crease_holds(const CreasedSurface& s) {
  std::vector<Hold> holds(s.positions.size(), Hold::kFree);
  for (std::int32_t v = 0; v < s.mesh.vertex_slots(); ++v) {
    const std::int32_t start = s.mesh.leaving(v);
    if (start < 0) continue;
    int creases = 0;
    Vec3 sum = Vec3::Zero();
    std::int32_t h = start;
    do {
      if (s.crease[h]) {
        ++creases;
        sum += s.edge(h).normalized();
      }
      h = s.mesh.around(h);
    } while (h != start);
    // The sum of two unit vectors at an angle of pi - turn has the length 2 sin(turn / 2).
    const bool straight = creases == 1 || (creases == 2 && 1 - sum.squaredNorm() / 2 > kLargestTurn);
    if (creases > 0) holds[v] = straight ? Hold::kLine : Hold::kPoint;
  }
  return holds;
}

std::vector<Vec3> position_field(const CreasedSurface& surface, const std::vector<Vec3>& directions,
                                 const std::vector<Hold>& holds, int threads) {
  const std::vector<HierarchyLevel> levels = make_hierarchy(vertex_level(surface));
  std::vector<Field> fields{vertex_field(surface, levels.front(), directions, holds)};
  for (std::size_t l = 1; l < levels.size(); ++l)
    fields.push_back(restrict_field(levels[l - 1], fields[l - 1], levels[l]));
  for (std::size_t l = levels.size(); l-- > 0;) {
    const HierarchyLevel& level = levels[l];
    Field& field = fields[l];
    for (std::int32_t i = 0; i < level.size() && !level.parents.empty(); ++i) {
      if (field.hold[i] != Hold::kPoint)
        field.o[i] = settle(level, field, i, fields[l + 1].o[level.parents[i]]);
    }
    smooth(level, field, threads);
  }
  return fields.front().o;
}

}  // namespace abut::preprocess
