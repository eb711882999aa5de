#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace abut::preprocess {

// A graph in which every node has up to three neighbours, such as the dual graph of a triangle surface.
struct CubicGraph {
  std::vector<std::array<std::int32_t, 3>> neighbours;  // -1: none
  std::vector<std::array<double, 3>> weights;           // of the edges, equal at both ends
};

// A matching of maximum cardinality: the mate of each node, -1 if it has none. All faces of a closed triangle
// surface can be matched (Petersen's theorem, provided that no edge of the dual graph is a bridge).
//
// Starts from `mates` (all -1, or a matching), adds the heaviest edges one by one, then extends the matching
// along shortest augmenting paths [Edmonds 1965]: first only along edges of positive weight, then along all.
// Deterministic.
std::vector<std::int32_t> match(const CubicGraph& graph, std::vector<std::int32_t> mates);

}  // namespace abut::preprocess
