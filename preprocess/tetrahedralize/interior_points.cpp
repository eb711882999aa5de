#include "preprocess/tetrahedralize/interior_points.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "preprocess/mesh/shells.h"
#include "preprocess/mesh/weld.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

// Fraction of the core's depth that counts as its boundary. A ball's stiffness has twice the remainder as its
// relative error.
constexpr double kAtCore = 0.999;

struct Candidate {
  Vector3d point;
  double spacing;  // m
};

// Points that keep their spacing: a point is inserted unless an earlier one is closer than the mean of their
// two spacings. Uses one hash grid for each octave of spacing, since spacing varies by orders of magnitude.
class SpacedSet {
 public:
  bool insert(const Candidate& c) {
    // Most candidates are rejected, and mostly by points of similar spacing: test these first.
    const int octave = static_cast<int>(std::floor(std::log2(c.spacing)));
    const auto own = grids_.find(octave);
    if (own != grids_.end() && conflicts(c, octave, own->second)) return false;
    for (const auto& [other, grid] : grids_)
      if (other != octave && conflicts(c, other, grid)) return false;
    grids_[octave][key(c.point, std::ldexp(2.0, octave))].push_back(static_cast<std::int32_t>(taken_.size()));
    taken_.push_back(c);
    return true;
  }
  const std::vector<Candidate>& taken() const { return taken_; }

 private:
  using Grid = std::unordered_map<std::uint64_t, std::vector<std::int32_t>>;

  static std::uint64_t pack(std::int64_t x, std::int64_t y, std::int64_t z) {
    constexpr std::uint64_t kMask = (1ULL << 21) - 1;
    return (static_cast<std::uint64_t>(x) & kMask) << 42 | (static_cast<std::uint64_t>(y) & kMask) << 21 |
           (static_cast<std::uint64_t>(z) & kMask);
  }
  static std::uint64_t key(const Vector3d& p, double cell) {
    return pack(std::llround(p.x() / cell), std::llround(p.y() / cell), std::llround(p.z() / cell));
  }

  bool conflicts(const Candidate& c, int octave, const Grid& grid) const {
    const double cell = std::ldexp(2.0, octave);  // the largest spacing in this grid
    const double reach = (c.spacing + cell) / 2;
    std::int64_t lo[3], hi[3];
    for (int k = 0; k < 3; ++k) {
      lo[k] = std::llround((c.point[k] - reach) / cell);
      hi[k] = std::llround((c.point[k] + reach) / cell);
    }
    const auto near = [&](std::int32_t i) {
      return (taken_[i].point - c.point).norm() < (taken_[i].spacing + c.spacing) / 2;
    };
    // A candidate of wide spacing may reach more cells of a fine grid than the grid has occupied.
    const auto cells = static_cast<double>(hi[0] - lo[0] + 1) * static_cast<double>(hi[1] - lo[1] + 1) *
                       static_cast<double>(hi[2] - lo[2] + 1);
    if (cells > static_cast<double>(grid.size())) {
      for (const auto& [cell_key, points] : grid)
        if (std::any_of(points.begin(), points.end(), near)) return true;
      return false;
    }
    for (std::int64_t x = lo[0]; x <= hi[0]; ++x)
      for (std::int64_t y = lo[1]; y <= hi[1]; ++y)
        for (std::int64_t z = lo[2]; z <= hi[2]; ++z) {
          const auto it = grid.find(pack(x, y, z));
          if (it != grid.end() && std::any_of(it->second.begin(), it->second.end(), near)) return true;
        }
    return false;
  }

  std::vector<Candidate> taken_;
  std::map<int, Grid> grids_;
};

class Sampler {
 public:
  Sampler(const TriangleMesh& surface, const LocalInradius& inradius, const InteriorParameters& parameters)
      : surface_(surface), inradius_(inradius), parameters_(parameters) {
    measure_surface();
  }

  std::vector<Vector3d> points() {
    for (std::size_t v = 0; v < surface_.vertices.size(); ++v)
      if (vertex_edge_[v] > 0)
        descend(surface_.vertices[v], -vertex_normal_[v].normalized(), vertex_edge_[v]);
    for (std::size_t i = 0; i < surface_.triangles.size(); ++i) {
      const Triangle& t = surface_.triangles[i];
      const Vector3d center =
          (surface_.vertices[t[0]] + surface_.vertices[t[1]] + surface_.vertices[t[2]]) / 3;
      if (triangle_normal_[i].norm() > 0) descend(center, -triangle_normal_[i], triangle_edge_[i]);
    }
    SpacedSet set;
    for (const auto& layer : layers_)
      for (const Candidate& candidate : layer) set.insert(candidate);
    insert_medial(set);
    std::vector<Vector3d> result;
    for (const Candidate& c : set.taken()) result.push_back(c.point);
    add_to_empty_parts(result);
    return result;
  }

 private:
  // Computes normals, and the mean edge length at each triangle and vertex.
  void measure_surface() {
    vertex_normal_.assign(surface_.vertices.size(), Vector3d::Zero());
    vertex_edge_.assign(surface_.vertices.size(), 0);
    std::vector<int> count(surface_.vertices.size(), 0);
    for (const Triangle& t : surface_.triangles) {
      const Vector3d p[3] = {surface_.vertices[t[0]], surface_.vertices[t[1]], surface_.vertices[t[2]]};
      const Vector3d normal = (p[1] - p[0]).cross(p[2] - p[0]);
      triangle_normal_.push_back(normal.norm() > 0 ? Vector3d(normal.normalized()) : Vector3d::Zero());
      triangle_edge_.push_back(((p[1] - p[0]).norm() + (p[2] - p[1]).norm() + (p[0] - p[2]).norm()) / 3);
      for (int k = 0; k < 3; ++k) {
        const Vector3d u = p[(k + 1) % 3] - p[k], v = p[(k + 2) % 3] - p[k];
        vertex_normal_[t[k]] += std::atan2(u.cross(v).norm(), u.dot(v)) * triangle_normal_.back();
        vertex_edge_[t[k]] += (u.norm() + v.norm()) / 2;
        ++count[t[k]];
      }
    }
    for (std::size_t v = 0; v < count.size(); ++v)
      if (count[v] > 0) vertex_edge_[v] /= count[v];
  }

  // Walks from a surface point inward to the core's boundary. Every step stays within the ball of the current
  // depth, so that the walk stays inside. Candidates on the way form the layers.
  void descend(const Vector3d& p, const Vector3d& inward, double edge) {
    double t = 1e-3 * edge;
    LocalInradius::Foot foot = inradius_.foot_within(p + t * inward, t);
    if (foot.distance < 1e-6 * edge) return;  // a sharp corner: there is no way inward
    double wanted = edge / 2;
    for (int round = 0; round < 4; ++round) {
      for (int step = 0; step < 24 && foot.distance < kAtCore * wanted; ++step) {
        const double ahead = t + std::min(0.9 * foot.distance, t * (wanted / foot.distance - 1));
        const LocalInradius::Foot next = inradius_.foot_within(p + ahead * inward, ahead);
        if (next.distance <= foot.distance) break;  // the middle of a thin wall
        foot = next;
        t = ahead;
      }
      if (foot.distance < kAtCore * wanted) break;
      wanted = std::max(wanted, (1 - parameters_.core_fraction) * inradius_.inradius(p + t * inward, foot));
      if (foot.distance >= kAtCore * wanted) break;
    }
    add_layers(p, p + t * inward, edge);
  }

  void add_layers(const Vector3d& p, const Vector3d& core, double edge) {
    const double gap = (core - p).norm();
    std::vector<double> depths{0};
    while (depths.back() < gap)
      depths.push_back(depths.back() + parameters_.first_layer * edge +
                       parameters_.layer_growth * std::sqrt(edge * depths.back()));
    const std::size_t last = depths.size() - 1;
    if (last > 1 && depths[last] - gap > gap - depths[last - 1]) depths.pop_back();
    const std::size_t count = depths.size() - 1;
    if (layers_.size() < count) layers_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {  // i = 0: the core's boundary, then from the surface inward
      const double fraction = depths[i == 0 ? count : i] / depths[count];
      // The core is smaller than the surface and its shape determines the stiffness: it gets more points.
      const double closer = i == 0 && count > 1 ? parameters_.core_spacing : 1;
      layers_[i].push_back({p + fraction * (core - p), closer * spacing(edge, fraction * gap)});
    }
  }

  double spacing(double edge, double depth) const {
    if (depth < edge / 2) return parameters_.thin_spacing * edge;
    return parameters_.spacing * edge + parameters_.spacing_growth * std::sqrt(edge * depth);
  }

  void insert_medial(SpacedSet& set) const {
    std::vector<Ball> balls = inradius_.balls();
    std::stable_sort(balls.begin(), balls.end(),
                     [](const Ball& a, const Ball& b) { return a.radius > b.radius; });
    for (const Ball& ball : balls) {
      const std::int32_t triangle = inradius_.foot_within(ball.center, ball.radius).triangle;
      set.insert({ball.center, spacing(triangle_edge_[triangle], ball.radius)});
    }
  }

  // Gives parts of a surface so close to others that all their candidates were rejected the centre of their
  // largest ball.
  void add_to_empty_parts(std::vector<Vector3d>& points) const {
    const Components parts = find_components(surface_);
    if (parts.count < 2) return;
    const std::vector<double> volumes = part_volumes(surface_, parts);  // negative for voids
    const auto part_at = [&](const Vector3d& p) { return parts.of_face[inradius_.foot(p).triangle]; };
    std::vector<char> has_point(parts.count, 0);
    for (const Vector3d& p : points) has_point[part_at(p)] = 1;
    std::vector<Ball> largest(parts.count, Ball{Vector3d::Zero(), 0});
    for (const Ball& ball : inradius_.balls()) {
      const std::int32_t part = part_at(ball.center);
      if (has_point[part] == 0 && volumes[part] > 0 && ball.radius > largest[part].radius)
        largest[part] = ball;
    }
    for (const Ball& ball : largest)
      if (ball.radius > 0) points.push_back(ball.center);
  }

  const TriangleMesh& surface_;
  const LocalInradius& inradius_;
  const InteriorParameters& parameters_;
  std::vector<Vector3d> vertex_normal_, triangle_normal_;
  std::vector<double> vertex_edge_, triangle_edge_;
  std::vector<std::vector<Candidate>> layers_;
};

}  // namespace

std::vector<Vector3d> interior_points(const TriangleMesh& surface, const LocalInradius& inradius,
                                      const InteriorParameters& parameters) {
  return Sampler(surface, inradius, parameters).points();
}

}  // namespace abut::preprocess
