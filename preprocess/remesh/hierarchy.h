#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "runtime/core/parallel.h"

namespace abut::preprocess {

// One resolution level of a surface: nodes with tangent planes, joined by weighted links. Fields are smoothed
// node by node; nodes of the same colour are not linked to each other and may be processed in parallel.
struct HierarchyLevel {
  std::vector<Eigen::Vector3d> points, normals;  // (nodes), m and unit
  std::vector<double> areas;                     // (nodes), m^2
  std::vector<std::int32_t> offsets;             // (nodes + 1): start of each node's links
  struct Link {
    std::int32_t node;  // at the other end
    float weight;
  };
  std::vector<Link> links;
  std::vector<std::vector<std::int32_t>> colours;
  std::vector<std::int32_t> parents;  // node of the next coarser level; empty at the coarsest

  std::int32_t size() const { return static_cast<std::int32_t>(points.size()); }
};

// Sorts a node's links by the linked node, sums the weights of links to the same node, and appends them to
// the level's links.
void append_row(HierarchyLevel& level, std::vector<HierarchyLevel::Link>& row);

// Colours the nodes greedily so that linked nodes have different colours.
void colour(HierarchyLevel& level);

// Sets the links of a level whose nodes are given, and colours it. `gather(i, row)` appends the links of node
// i in a fixed order; each link must be appended at both its nodes.
template <class Gather>
void set_links(HierarchyLevel& level, Gather&& gather) {
  std::vector<HierarchyLevel::Link> row;
  level.offsets.assign(1, 0);
  level.links.clear();
  for (std::int32_t i = 0; i < level.size(); ++i) {
    row.clear();
    gather(i, row);
    append_row(level, row);
  }
  colour(level);
}

// The levels from `finest` to one that cannot be coarsened further. Each level merges pairs of neighbours,
// those with similar normals and areas first [Jakob et al. 2015, section 4].
std::vector<HierarchyLevel> make_hierarchy(HierarchyLevel finest);

// Calls body(i) for each node, colour by colour, in parallel within a colour.
template <class Body>
void sweep(const HierarchyLevel& level, int threads, Body&& body) {
  constexpr std::int64_t kChunk = 512;
  for (const std::vector<std::int32_t>& nodes : level.colours) {
    const auto count = static_cast<std::int64_t>(nodes.size());
    // For few nodes, waking threads costs more than it saves.
    parallel_for(
        count, count < 4 * kChunk ? 1 : threads, [&](std::int64_t k, int) { body(nodes[k]); }, kChunk);
  }
}

}  // namespace abut::preprocess
