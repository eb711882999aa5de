#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// A reader of plain OBJ files and counts of a mesh's topology, for tests of the household set: simple and on
// their own, so that they share no mistake with the code under test.
namespace abut::datasets::test {

struct Mesh {
  std::vector<Eigen::Vector3d> vertices;
  std::vector<std::array<int, 3>> triangles;
  std::string material;
};

inline Mesh read_obj(const std::filesystem::path& file) {
  Mesh mesh;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "v") {
      Eigen::Vector3d p;
      words >> p.x() >> p.y() >> p.z();
      mesh.vertices.push_back(p);
    } else if (key == "f") {
      std::array<int, 3> t{};
      words >> t[0] >> t[1] >> t[2];
      for (int& v : t) --v;
      mesh.triangles.push_back(t);
    } else if (key == "mtllib") {
      words >> mesh.material;
    }
  }
  return mesh;
}

// The mesh with vertices of equal position made one.
inline Mesh weld(const Mesh& mesh) {
  std::map<std::array<double, 3>, int> index;
  Mesh welded;
  std::vector<int> to;
  for (const Eigen::Vector3d& p : mesh.vertices) {
    const auto [entry, is_new] =
        index.try_emplace({p.x(), p.y(), p.z()}, static_cast<int>(welded.vertices.size()));
    if (is_new) welded.vertices.push_back(p);
    to.push_back(entry->second);
  }
  for (const auto& t : mesh.triangles) welded.triangles.push_back({to[t[0]], to[t[1]], to[t[2]]});
  return welded;
}

inline double volume(const Mesh& mesh) {
  double sum = 0;
  for (const auto& t : mesh.triangles)
    sum += mesh.vertices[t[0]].dot(mesh.vertices[t[1]].cross(mesh.vertices[t[2]])) / 6;
  return sum;
}

struct Counts {
  int boundary_edges = 0;   // of one face
  int crowded_edges = 0;    // of more than two
  int misoriented = 0;      // run twice in one direction
  int collapsed_faces = 0;  // fewer than three different corners
  int twin_faces = 0;       // pairs on the same three vertices
  int components = 0;
  int pinched_vertices = 0;  // whose faces form more than one fan
  int unused_vertices = 0;
  int euler = 0;  // vertices in use - edges + faces
};

inline int find_root(std::vector<int>& parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

inline Counts count(const Mesh& mesh) {
  Counts counts;
  std::map<std::pair<int, int>, int> directed, edges;
  std::set<std::array<int, 3>> faces;
  std::vector<int> parent(mesh.vertices.size());
  std::iota(parent.begin(), parent.end(), 0);
  std::vector<std::vector<std::array<int, 2>>> links(mesh.vertices.size());
  for (const auto& t : mesh.triangles) {
    std::array<int, 3> sorted = t;
    std::sort(sorted.begin(), sorted.end());
    if (sorted[0] == sorted[1] || sorted[1] == sorted[2]) {
      ++counts.collapsed_faces;
      continue;
    }
    if (!faces.insert(sorted).second) ++counts.twin_faces;
    for (int i = 0; i < 3; ++i) {
      const int a = t[i], b = t[(i + 1) % 3];
      if (++directed[{a, b}] > 1) ++counts.misoriented;
      ++edges[std::minmax(a, b)];
      parent[find_root(parent, a)] = find_root(parent, b);
      links[a].push_back({b, t[(i + 2) % 3]});
    }
  }
  for (const auto& [edge, n] : edges) {
    counts.boundary_edges += n == 1 ? 1 : 0;
    counts.crowded_edges += n > 2 ? 1 : 0;
  }
  int used = 0;
  for (int v = 0; v < static_cast<int>(links.size()); ++v) {
    if (links[v].empty()) {
      ++counts.unused_vertices;
      continue;
    }
    ++used;
    counts.components += find_root(parent, v) == v ? 1 : 0;
    // The link of a manifold vertex is connected.
    std::map<int, int> index;
    for (const auto& link : links[v])
      for (const int w : link) index.try_emplace(w, static_cast<int>(index.size()));
    std::vector<int> fan(index.size());
    std::iota(fan.begin(), fan.end(), 0);
    for (const auto& link : links[v]) fan[find_root(fan, index[link[0]])] = find_root(fan, index[link[1]]);
    int fans = 0;
    for (int i = 0; i < static_cast<int>(fan.size()); ++i) fans += fan[i] == i ? 1 : 0;
    counts.pinched_vertices += fans > 1 ? 1 : 0;
  }
  counts.euler = used - static_cast<int>(edges.size()) + static_cast<int>(mesh.triangles.size()) -
                 counts.collapsed_faces;
  return counts;
}

// The smallest angle of the surface's triangles, degrees.
inline std::vector<double> smallest_angles(const Mesh& mesh) {
  std::vector<double> angles;
  for (const auto& t : mesh.triangles) {
    double least = 180;
    for (int i = 0; i < 3; ++i) {
      const Eigen::Vector3d u = (mesh.vertices[t[(i + 1) % 3]] - mesh.vertices[t[i]]).normalized();
      const Eigen::Vector3d v = (mesh.vertices[t[(i + 2) % 3]] - mesh.vertices[t[i]]).normalized();
      least = std::min(least, std::atan2(u.cross(v).norm(), u.dot(v)) * 180 / 3.141592653589793);
    }
    angles.push_back(least);
  }
  std::sort(angles.begin(), angles.end());
  return angles;
}

}  // namespace abut::datasets::test
