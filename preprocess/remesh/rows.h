#pragma once

#include <span>
#include <vector>

#include "preprocess/remesh/quad_mesh.h"

namespace abut::preprocess {

// Rows of integers of varying length, stored contiguously.
struct Rows {
  std::vector<std::int32_t> offsets;  // (rows + 1)
  std::vector<std::int32_t> entries;
  std::span<const std::int32_t> operator[](std::size_t row) const {
    return {entries.data() + offsets[row], entries.data() + offsets[row + 1]};
  }
};

// The quad corners (numbered 4 quad + k) at each vertex, ascending.
inline Rows corners_by_vertex(const QuadMesh& mesh) {
  Rows rows;
  rows.offsets.assign(mesh.vertices.size() + 1, 0);
  for (const Quad& q : mesh.quads)
    for (const std::int32_t v : q) ++rows.offsets[v + 1];
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) rows.offsets[v + 1] += rows.offsets[v];
  rows.entries.resize(4 * mesh.quads.size());
  std::vector<std::int32_t> at(rows.offsets.begin(), rows.offsets.end() - 1);
  for (std::size_t f = 0; f < mesh.quads.size(); ++f)
    for (int k = 0; k < 4; ++k) rows.entries[at[mesh.quads[f][k]]++] = static_cast<std::int32_t>(4 * f) + k;
  return rows;
}

}  // namespace abut::preprocess
