#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "preprocess/index/index.h"
#include "runtime/bvh/build.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

void check_mesh(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) throw InvalidInput("surface: no triangles");
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    if (!mesh.vertices[v].allFinite())
      throw InvalidInput("surface: vertex " + std::to_string(v) + " is not finite");
  const auto size = static_cast<std::int32_t>(mesh.vertices.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& triangle = mesh.triangles[t];
    for (int k = 0; k < 3; ++k) {
      if (triangle[k] < 0 || triangle[k] >= size)
        throw InvalidInput("surface: triangle " + std::to_string(t) + " has vertex " +
                           std::to_string(triangle[k]) + " out of range");
      if (triangle[k] == triangle[(k + 1) % 3])
        throw InvalidInput("surface: triangle " + std::to_string(t) +
                           " has a vertex twice; clean the mesh first");
    }
  }
}

// The same triangles in leaf order, over vertices in the order of their first use.
TriangleMesh reorder(const TriangleMesh& mesh, const std::vector<std::int32_t>& order) {
  TriangleMesh result;
  result.triangles.reserve(order.size());
  std::vector<std::int32_t> place(mesh.vertices.size(), -1);
  for (const std::int32_t t : order) {
    Triangle triangle = mesh.triangles[t];
    for (std::int32_t& v : triangle) {
      if (place[v] < 0) {
        place[v] = static_cast<std::int32_t>(result.vertices.size());
        result.vertices.push_back(mesh.vertices[v]);
      }
      v = place[v];
    }
    result.triangles.push_back(triangle);
  }
  return result;
}

struct HalfEdge {
  std::int32_t target;
  std::int32_t triangle;
  bool operator<(const HalfEdge& other) const { return target < other.target; }
};

[[noreturn]] void refuse_edge(const TriangleMesh& mesh, std::int32_t a, std::int32_t b, const char* fault) {
  const auto text = [&](std::int32_t v) {
    const Eigen::Vector3d& p = mesh.vertices[v];
    return "(" + std::to_string(p.x()) + ", " + std::to_string(p.y()) + ", " + std::to_string(p.z()) + ")";
  };
  throw InvalidInput("surface: the edge " + text(a) + " - " + text(b) + " " + fault +
                     "; close the mesh first");
}

// Entry (triangle, k): the triangle across the edge from corner k to corner k + 1.
std::vector<std::int32_t> find_neighbours(const TriangleMesh& mesh) {
  // Half-edges in rows by their first vertex, each row sorted by the second.
  std::vector<std::int32_t> offsets(mesh.vertices.size() + 1, 0);
  for (const Triangle& triangle : mesh.triangles)
    for (const std::int32_t v : triangle) ++offsets[v + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<HalfEdge> edges(3 * mesh.triangles.size());
  std::vector<std::int32_t> fill(offsets.begin(), offsets.end() - 1);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& triangle = mesh.triangles[t];
    for (int k = 0; k < 3; ++k)
      edges[fill[triangle[k]]++] = {triangle[(k + 1) % 3], static_cast<std::int32_t>(t)};
  }
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    std::sort(edges.begin() + offsets[v], edges.begin() + offsets[v + 1]);
  const auto find = [&](std::int32_t a, std::int32_t b) {
    return std::equal_range(edges.begin() + offsets[a], edges.begin() + offsets[a + 1], HalfEdge{b, 0});
  };
  std::vector<std::int32_t> neighbours(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const std::int32_t a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      const auto same = find(a, b), other = find(b, a);
      if (other.second == other.first) refuse_edge(mesh, a, b, "has a triangle on one side only");
      if (other.second - other.first > 1 || same.second - same.first > 1)
        refuse_edge(mesh, a, b, "has more than two triangles or two of opposite orientation");
      neighbours[3 * t + k] = other.first->triangle;
    }
  }
  return neighbours;
}

// For every vertex, the first vertex at the same position.
std::vector<std::int32_t> find_positions(const TriangleMesh& mesh) {
  const auto key = [&](std::int32_t v) {
    const Eigen::Vector3d& p = mesh.vertices[v];
    return std::array{p.x(), p.y(), p.z()};
  };
  std::vector<std::int32_t> sorted(mesh.vertices.size()), first(mesh.vertices.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::sort(sorted.begin(), sorted.end(), [&](std::int32_t a, std::int32_t b) {
    return std::pair{key(a), a} < std::pair{key(b), b};
  });
  for (std::size_t i = 0; i < sorted.size(); ++i)
    first[sorted[i]] = i > 0 && key(sorted[i]) == key(sorted[i - 1]) ? first[sorted[i - 1]] : sorted[i];
  return first;
}

// Normalised sum over the triangles around a vertex of their unit normals weighted by their angles there
// [Baerentzen2005]. A degenerate triangle has no normal and does not count.
std::vector<double> pseudonormals(const TriangleMesh& mesh) {
  const std::vector<std::int32_t> position = find_positions(mesh);
  std::vector<Eigen::Vector3d> sums(mesh.vertices.size(), Eigen::Vector3d::Zero());
  for (const Triangle& triangle : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d& a = mesh.vertices[triangle[k]];
      const Eigen::Vector3d u = mesh.vertices[triangle[(k + 1) % 3]] - a;
      const Eigen::Vector3d v = mesh.vertices[triangle[(k + 2) % 3]] - a;
      const Eigen::Vector3d cross = u.cross(v);
      const double length = cross.norm();
      if (length > 0) sums[position[triangle[k]]] += cross / length * std::atan2(length, u.dot(v));
    }
  }
  std::vector<double> normals(3 * mesh.vertices.size());
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    Eigen::Vector3d::Map(&normals[3 * v]) = sums[position[v]].normalized();
  return normals;
}

}  // namespace

asset::Surface build_surface(const TriangleMesh& mesh) {
  check_mesh(mesh);
  std::vector<bvh::Box> boxes;
  boxes.reserve(mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) {
    const Eigen::Vector3d &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    boxes.push_back({a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)});
  }
  bvh::BuiltTree built = bvh::build_tree(boxes);
  const TriangleMesh sorted = reorder(mesh, built.order);
  asset::Surface surface;
  surface.neighbours = find_neighbours(sorted);
  surface.vertex_normals = pseudonormals(sorted);
  surface.tree = std::move(built.tree);
  for (const Eigen::Vector3d& v : sorted.vertices)
    surface.vertices.insert(surface.vertices.end(), v.begin(), v.end());
  for (const Triangle& t : sorted.triangles)
    surface.triangles.insert(surface.triangles.end(), t.begin(), t.end());
  asset::add_search(surface);
  return surface;
}

}  // namespace abut::preprocess
