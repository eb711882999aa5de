#include "preprocess/remesh/to_quads.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>
#include <unordered_set>

#include "preprocess/remesh/matching.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

double angle(const Vec3& a, const Vec3& at, const Vec3& b) {
  const Vec3 u = a - at, v = b - at;
  return std::atan2(u.cross(v).norm(), u.dot(v));
}

// Squareness of a quad: 1 for a flat rectangle, 0 or less if it is folded or has a straight or collapsed
// corner.
double squareness(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 normal = (c - a).cross(d - b).normalized();
  const std::array<const Vec3*, 4> p = {&a, &b, &c, &d};
  double worst = 1;
  for (int k = 0; k < 4; ++k) {
    const Vec3 &before = *p[(k + 3) % 4], &at = *p[k], &after = *p[(k + 1) % 4];
    const Vec3 turn = (after - at).cross(before - at);
    const double off = std::abs(angle(before, at, after) - std::numbers::pi / 2) / (std::numbers::pi / 2);
    const double flat = turn.normalized().dot(normal);
    worst = std::min(worst, flat > 0 ? (1 - off) * flat : flat);
  }
  return worst;
}

// The triangles into which the polygons are cut, each with its partner in an original quad (or -1).
struct Cut {
  std::vector<Triangle> triangles;
  std::vector<std::int32_t> mates;
};

class Cutter {
 public:
  explicit Cutter(const PolygonMesh& mesh) : mesh_(mesh) {
    for (std::size_t f = 0; f + 1 < mesh.offsets.size(); ++f)
      for (std::int32_t i = mesh.offsets[f]; i < mesh.offsets[f + 1]; ++i)
        taken_.insert(
            undirected(mesh.corners[i], mesh.corners[i + 1 < mesh.offsets[f + 1] ? i + 1 : mesh.offsets[f]]));
  }

  Cut run() {
    for (std::size_t f = 0; f + 1 < mesh_.offsets.size(); ++f) {
      const std::int32_t* corners = mesh_.corners.data() + mesh_.offsets[f];
      const std::int32_t count = mesh_.offsets[f + 1] - mesh_.offsets[f];
      if (count < 3) throw InvalidInput(fmt::format("polygon {} has {} corners", f, count));
      std::vector<std::int32_t> polygon(corners, corners + count);
      if (count == 4) {
        const auto first = static_cast<std::int32_t>(cut_.triangles.size());
        cut_quad(polygon);
        cut_.mates.push_back(first + 1);
        cut_.mates.push_back(first);
      } else {
        clip(polygon);
      }
    }
    return std::move(cut_);
  }

 private:
  const Vec3& at(std::int32_t v) const { return mesh_.vertices[v]; }

  // Two polygons that share two corners not joined by an edge must not both be cut between these corners.
  bool taken(std::int32_t a, std::int32_t b) const { return taken_.contains(undirected(a, b)); }

  void cut_quad(const std::vector<std::int32_t>& q) {
    const bool shorter = (at(q[2]) - at(q[0])).squaredNorm() <= (at(q[3]) - at(q[1])).squaredNorm();
    const bool first = taken(q[0], q[2]) ? false : taken(q[1], q[3]) || shorter;
    taken_.insert(first ? undirected(q[0], q[2]) : undirected(q[1], q[3]));
    if (first) {
      cut_.triangles.push_back({q[0], q[1], q[2]});
      cut_.triangles.push_back({q[0], q[2], q[3]});
    } else {
      cut_.triangles.push_back({q[0], q[1], q[3]});
      cut_.triangles.push_back({q[1], q[2], q[3]});
    }
  }

  // Clips the squarest quads off a polygon until at most a triangle is left; the two triangles of a quad are
  // partners.
  void clip(std::vector<std::int32_t> p) {
    while (p.size() >= 4) {
      const std::size_t n = p.size();
      std::size_t best = 0;
      double best_score = -2 - kTaken;
      for (std::size_t k = 0; k < n; ++k) {
        double score = squareness(at(p[k]), at(p[(k + 1) % n]), at(p[(k + 2) % n]), at(p[(k + 3) % n]));
        if (n > 4 && taken(p[k], p[(k + 3) % n])) score -= kTaken;
        if (score <= best_score) continue;
        best_score = score;
        best = k;
      }
      std::rotate(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(best), p.end());
      const auto first = static_cast<std::int32_t>(cut_.triangles.size());
      cut_quad({p[0], p[1], p[2], p[3]});
      taken_.insert(undirected(p[0], p[3]));
      cut_.mates.push_back(first + 1);
      cut_.mates.push_back(first);
      p.erase(p.begin() + 1, p.begin() + 3);
    }
    if (p.size() < 3) return;
    cut_.triangles.push_back({p[0], p[1], p[2]});
    cut_.mates.push_back(-1);
  }

  static constexpr double kTaken = 4;  // exceeds the range of squareness

  const PolygonMesh& mesh_;
  std::unordered_set<std::uint64_t> taken_;
  Cut cut_;
};

// The corner of t that is not on the edge from a to b.
std::int32_t apex(const Triangle& t, std::int32_t a, std::int32_t b) {
  return t[0] != a && t[0] != b ? t[0] : t[1] != a && t[1] != b ? t[1] : t[2];
}

CubicGraph dual_graph(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles) {
  std::unordered_map<std::uint64_t, std::int32_t> edges;
  edges.reserve(6 * triangles.size());
  for (std::size_t f = 0; f < triangles.size(); ++f)
    for (int k = 0; k < 3; ++k)
      if (!edges.emplace(directed(triangles[f][k], triangles[f][(k + 1) % 3]), static_cast<std::int32_t>(f))
               .second)
        throw InvalidInput(fmt::format("the edge from vertex {} to {} has two faces on one side",
                                       triangles[f][k], triangles[f][(k + 1) % 3]));
  CubicGraph graph;
  graph.neighbours.resize(triangles.size());
  graph.weights.resize(triangles.size());
  for (std::size_t f = 0; f < triangles.size(); ++f) {
    for (int k = 0; k < 3; ++k) {
      const std::int32_t a = triangles[f][k], b = triangles[f][(k + 1) % 3];
      const auto other = edges.find(directed(b, a));
      if (other == edges.end())
        throw InvalidInput(fmt::format("the edge from vertex {} to {} has a face on one side only", a, b));
      const std::int32_t c = apex(triangles[f], a, b), d = apex(triangles[other->second], a, b);
      graph.neighbours[f][k] = c == d ? -1 : other->second;
      graph.weights[f][k] = c == d ? 0 : squareness(vertices[a], vertices[d], vertices[b], vertices[c]);
    }
  }
  return graph;
}

Quad unite(const Triangle& s, const Triangle& t) {
  for (int k = 0; k < 3; ++k) {
    const bool shared_first = std::find(t.begin(), t.end(), s[k]) != t.end();
    const bool shared_second = std::find(t.begin(), t.end(), s[(k + 1) % 3]) != t.end();
    if (shared_first && shared_second)
      return {s[k], apex(t, s[k], s[(k + 1) % 3]), s[(k + 1) % 3], s[(k + 2) % 3]};
  }
  return {};
}

QuadMesh from_triangles(const std::vector<Vec3>& vertices, const Cut& cut) {
  const std::vector<std::int32_t> mates = match(dual_graph(vertices, cut.triangles), cut.mates);
  QuadMesh result;
  result.vertices = vertices;
  for (std::size_t f = 0; f < cut.triangles.size(); ++f) {
    if (mates[f] < 0)
      throw InvalidInput(fmt::format("triangle {} of {} finds no partner: the surface is no closed manifold",
                                     f, cut.triangles.size()));
    if (static_cast<std::size_t>(mates[f]) > f)
      result.quads.push_back(unite(cut.triangles[f], cut.triangles[mates[f]]));
  }
  return result;
}

}  // namespace

QuadMesh to_quads(const PolygonMesh& mesh) { return from_triangles(mesh.vertices, Cutter(mesh).run()); }

QuadMesh to_quads(const TriangleMesh& mesh) {
  return from_triangles(mesh.vertices,
                        {mesh.triangles, std::vector<std::int32_t>(mesh.triangles.size(), -1)});
}

QuadMesh subdivide(const PolygonMesh& mesh) {
  QuadMesh result;
  result.vertices = mesh.vertices;
  std::unordered_map<std::uint64_t, std::int32_t> middles;
  const auto middle = [&](std::int32_t a, std::int32_t b) {
    const auto [place, added] =
        middles.try_emplace(undirected(a, b), static_cast<std::int32_t>(result.vertices.size()));
    if (added) result.vertices.emplace_back((mesh.vertices[a] + mesh.vertices[b]) / 2);
    return place->second;
  };
  for (std::size_t f = 0; f + 1 < mesh.offsets.size(); ++f) {
    const std::int32_t* corners = mesh.corners.data() + mesh.offsets[f];
    const std::int32_t count = mesh.offsets[f + 1] - mesh.offsets[f];
    Vec3 sum = Vec3::Zero();
    for (std::int32_t k = 0; k < count; ++k) sum += mesh.vertices[corners[k]];
    const auto centre = static_cast<std::int32_t>(result.vertices.size());
    result.vertices.emplace_back(sum / count);
    for (std::int32_t k = 0; k < count; ++k)
      result.quads.push_back({corners[k], middle(corners[k], corners[(k + 1) % count]), centre,
                              middle(corners[(k + count - 1) % count], corners[k])});
  }
  return result;
}

PolygonMesh polygons_of(const QuadMesh& mesh) {
  PolygonMesh result;
  result.vertices = mesh.vertices;
  for (const Quad& q : mesh.quads) {
    result.corners.insert(result.corners.end(), q.begin(), q.end());
    result.offsets.push_back(static_cast<std::int32_t>(result.corners.size()));
  }
  return result;
}

}  // namespace abut::preprocess
