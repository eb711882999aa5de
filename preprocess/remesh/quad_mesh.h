#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

using Quad = std::array<std::int32_t, 4>;

// A surface of quads over indexed vertices.
struct QuadMesh {
  std::vector<Eigen::Vector3d> vertices;  // m
  std::vector<Quad> quads;                // counter-clockwise seen from outside
};

// Keys of an edge from a to b for edge tables: one for each direction, and one for both.
inline std::uint64_t directed(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32 | static_cast<std::uint32_t>(b);
}
inline std::uint64_t undirected(std::int32_t a, std::int32_t b) {
  return directed(std::min(a, b), std::max(a, b));
}

// Half the cross product of a quad's diagonals: its vector area, m^2; the normal is its direction.
Eigen::Vector3d vector_area(const QuadMesh& mesh, const Quad& quad);

// Mean of a quad's corners, m.
Eigen::Vector3d centre(const QuadMesh& mesh, const Quad& quad);

// Cuts each quad along the diagonal that folds it less (the shorter one if it is flat): triangles 2 i and 2 i
// + 1 are quad i. If a diagonal would coincide with an edge or another diagonal, the other one is used.
TriangleMesh triangulate(const QuadMesh& mesh);

// Names what keeps the quads from being a closed, oriented manifold of quads, in a few words: an edge without
// its opposite, a vertex with two fans, a repeated corner, a doublet (two quads that share two consecutive
// edges, so that their common vertex has no other quad). Empty if nothing does.
std::string find_topological_fault(const QuadMesh& mesh);

// Number of quads around each vertex.
std::vector<std::int32_t> valences(const QuadMesh& mesh);

}  // namespace abut::preprocess
