#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "preprocess/remesh/polygon_mesh.h"

// What can be counted of a polygon mesh without looking at where its vertices are.
namespace abut::test {

struct PolygonCounts {
  bool closed_manifold = true;  // every directed edge once, its opposite once, every vertex one fan
  long genus = 0;               // of one connected part
  std::size_t faces = 0, quads = 0;
  std::map<int, std::size_t> valences;  // how many vertices have how many edges

  std::size_t irregular() const {
    std::size_t count = 0;
    for (const auto& [valence, vertices] : valences) count += valence != 4 ? vertices : 0;
    return count;
  }
};

inline PolygonCounts count(const preprocess::PolygonMesh& mesh) {
  PolygonCounts out;
  // The vertex after b in the face that has the edge a -> b, and the one before a.
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> before;
  std::map<std::int32_t, int> valence;
  std::map<std::int32_t, std::int32_t> some_neighbour;
  for (std::int32_t f = 0; f < mesh.face_count(); ++f) {
    const std::int32_t begin = mesh.offsets[f], n = mesh.offsets[f + 1] - begin;
    ++out.faces;
    out.quads += n == 4;
    for (std::int32_t i = 0; i < n; ++i) {
      const auto corner = [&](std::int32_t k) { return mesh.corners[begin + (k + n) % n]; };
      ++valence[corner(i)];
      some_neighbour[corner(i)] = corner(i + 1);
      if (!before.try_emplace({corner(i), corner(i + 1)}, corner(i - 1)).second) out.closed_manifold = false;
    }
  }
  for (const auto& [edge, previous] : before)
    if (!before.contains({edge.second, edge.first})) out.closed_manifold = false;
  if (!out.closed_manifold) return out;
  for (const auto& [v, edges] : valence) {
    ++out.valences[edges];
    int met = 0;
    std::int32_t w = some_neighbour[v];
    do {
      w = before.at({v, w});
      ++met;
    } while (w != some_neighbour[v] && met <= edges);
    if (met != edges) out.closed_manifold = false;
  }
  const long euler =
      static_cast<long>(valence.size()) - static_cast<long>(before.size() / 2) + static_cast<long>(out.faces);
  out.genus = 1 - euler / 2;
  return out;
}

}  // namespace abut::test
