#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "preprocess/mesh/mesh.h"

// Closed meshes with known properties, and real ones.
namespace abut::test {

using preprocess::Triangle;
using preprocess::TriangleMesh;

// Box of the given edge lengths about the origin.
inline TriangleMesh box(double lx, double ly, double lz) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.emplace_back((i & 1 ? lx : -lx) / 2, (i & 2 ? ly : -ly) / 2, (i & 4 ? lz : -lz) / 2);
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

// A chair of six boxes as designers put it together, each whole, face exactly on face: 1.1 m across.
inline TriangleMesh chair_of_boxes() {
  TriangleMesh chair;
  const auto add = [&](const Eigen::Vector3d& low, const Eigen::Vector3d& high) {
    const TriangleMesh part = box(2, 2, 2);  // about the origin
    const auto first = static_cast<std::int32_t>(chair.vertices.size());
    for (const Eigen::Vector3d& v : part.vertices)
      chair.vertices.emplace_back((v.array() < 0).select(low, high));
    for (const Triangle& t : part.triangles)
      chair.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  };
  add({-0.2, -0.2, 0.43}, {0.2, 0.2, 0.47});
  add({-0.2, 0.16, 0.47}, {0.2, 0.2, 0.95});
  for (const auto& [left, right] : {std::pair{-0.2, -0.16}, {0.16, 0.2}})
    for (const auto& [front, back] : {std::pair{-0.2, -0.16}, {0.16, 0.2}})
      add({left, front, 0}, {right, back, 0.43});
  return chair;
}

// A wedge along z, sharp at the edge from corner 0 to corner 1, on which corner 6 is, turned by R: but for
// rounding, the triangle of the three has no area and its normal no direction.
inline TriangleMesh wedge_with_sliver(const Eigen::Matrix3d& R) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {0, 0, 1}, {1, 0.2, 0}, {1, 0.2, 1}, {1, -0.2, 0}, {1, -0.2, 1}, {0, 0, 0.3}};
  for (Eigen::Vector3d& v : mesh.vertices) v = R * v;
  mesh.triangles = {{0, 4, 5}, {0, 5, 1}, {2, 0, 6}, {2, 6, 3}, {3, 6, 1},
                    {0, 1, 6}, {4, 2, 3}, {4, 3, 5}, {0, 2, 4}, {1, 5, 3}};
  return mesh;
}

// Torus about z: radius R of the circle of centres, r of the tube; n x m quads, each two triangles.
inline TriangleMesh torus(double R, double r, int n, int m) {
  TriangleMesh mesh;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      const double a = 2 * std::numbers::pi * i / n, b = 2 * std::numbers::pi * j / m;
      mesh.vertices.emplace_back((R + r * std::cos(b)) * std::cos(a), (R + r * std::cos(b)) * std::sin(a),
                                 r * std::sin(b));
      const int i1 = (i + 1) % n, j1 = (j + 1) % m;
      mesh.triangles.push_back({i * m + j, i1 * m + j, i1 * m + j1});
      mesh.triangles.push_back({i * m + j, i1 * m + j1, i * m + j1});
    }
  }
  return mesh;
}

// Every triangle in four, with new vertices in the middle of its edges, `times` over.
inline TriangleMesh subdivided(TriangleMesh mesh, int times) {
  for (; times > 0; --times) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middles;
    const auto middle = [&](std::int32_t a, std::int32_t b) {
      const auto [place, added] =
          middles.try_emplace(std::minmax(a, b), static_cast<std::int32_t>(mesh.vertices.size()));
      if (added) mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]) / 2);
      return place->second;
    };
    std::vector<Triangle> fine;
    for (const auto& [a, b, c] : mesh.triangles) {
      const std::int32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const Triangle& t : {Triangle{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}})
        fine.push_back(t);
    }
    mesh.triangles = std::move(fine);
  }
  return mesh;
}

// Sphere about the origin from an octahedron, each triangle divided into four `levels` times.
inline TriangleMesh sphere(double radius, int levels) {
  TriangleMesh mesh;
  mesh.vertices = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int level = 0; level < levels; ++level) {
    mesh = subdivided(std::move(mesh), 1);
    for (Eigen::Vector3d& v : mesh.vertices) v.normalize();
  }
  for (Eigen::Vector3d& v : mesh.vertices) v *= radius;
  return mesh;
}

// google_16k mesh of a YCB object with vertices at the same position joined and collapsed triangles dropped;
// nothing where the reference data is absent. Not every object is closed after this.
inline std::optional<TriangleMesh> welded_ycb(const std::string& object) {
  std::ifstream file(std::filesystem::path(ABUT_SHARED_DIR) / "data/ycb" / object /
                     "google_16k/textured.obj");
  if (!file) return std::nullopt;
  TriangleMesh mesh;
  std::vector<std::int32_t> welded;
  std::map<std::array<double, 3>, std::int32_t> places;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "v") {
      std::array<double, 3> p{};
      words >> p[0] >> p[1] >> p[2];
      const auto [place, added] = places.try_emplace(p, static_cast<std::int32_t>(mesh.vertices.size()));
      if (added) mesh.vertices.emplace_back(p[0], p[1], p[2]);
      welded.push_back(place->second);
    } else if (kind == "f") {
      Triangle t{};
      for (std::int32_t& v : t) {
        std::string corner;
        words >> corner;
        v = welded[std::stoi(corner) - 1];
      }
      if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh.triangles.push_back(t);
    }
  }
  return mesh;
}

}  // namespace abut::test
