#pragma once

#include <array>
#include <vector>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// Adjacency of a closed manifold mesh.
struct Topology {
  struct Edge {
    std::int32_t vertex[2];
    std::int32_t face[2];
  };
  std::vector<Edge> edges;
  std::vector<std::array<std::int32_t, 3>> face_edges;
  std::vector<std::int32_t> first;     // start of each vertex's edges in `incident`, and the end
  std::vector<std::int32_t> incident;  // edges around each vertex

  std::size_t vertices() const { return first.size() - 1; }
  std::int32_t other_vertex(std::int32_t e, std::int32_t v) const {
    return edges[e].vertex[0] == v ? edges[e].vertex[1] : edges[e].vertex[0];
  }
  std::int32_t other_face(std::int32_t e, std::int32_t f) const {
    return edges[e].face[0] == f ? edges[e].face[1] : edges[e].face[0];
  }
};

Topology topology_of(const TriangleMesh& mesh);

}  // namespace abut::preprocess
