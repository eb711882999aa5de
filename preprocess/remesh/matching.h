#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace abut::preprocess {

// A graph in which every node has up to three neighbours: the triangles of a surface and the edges between
// them.
struct CubicGraph {
  std::vector<std::array<std::int32_t, 3>> neighbours;  // -1: none
  std::vector<std::array<double, 3>> weights;           // of the edges, the same from both ends
};

// A matching of as many nodes as possible: the mate of each node, -1 where it has none. The faces of a closed
// triangle surface can all be matched (Petersen's theorem, as long as no edge of the dual graph is a bridge).
//
// Starts from `mates` (all -1 or a matching), takes the heaviest edges one after the other, then lengthens
// along alternating paths [Edmonds 1965], each the one with the fewest edges: first along edges of positive
// weight alone, then along all. Deterministic.
std::vector<std::int32_t> match(const CubicGraph& graph, std::vector<std::int32_t> mates);

}  // namespace abut::preprocess
