#pragma once

#include <vector>

#include "preprocess/mesh/mesh.h"

// Handles and tunnels of a closed manifold mesh: where its genus comes from, and how to be rid of the part
// that is noise.
namespace abut::preprocess {

// A simple closed path over the edges of a mesh along which cutting does not separate it.
struct Loop {
  std::vector<std::int32_t> vertices;  // in order, each once
  double length = 0;                   // m
};

// Loops shorter than `longest` (m), rising in length, that may be cut together: they have no vertex or
// neighbour in common, and are independent in homology, so that cutting them all leaves each part in one
// piece.
//
// Every edge carries a vector of bits such that a cycle separates exactly if its edges' vectors add up to
// zero (mod 2) [Erickson and Whittlesey 2005: tree-cotree; Busaryev et al. 2012: annotations]; the shortest
// loop with another sum through each vertex that has such an edge comes from Dijkstra's algorithm, stopped at
// half the longest length.
std::vector<Loop> find_tunnels(const TriangleMesh& mesh, double longest);

// Whether cutting along the loop removes noise: the loop spans a hole (its disk lies outside the solid), or
// else the handle that it goes round is itself small: its two sides meet again within `reach` (m) of the
// loop's centre.
bool is_noise(const TriangleMesh& mesh, const Loop& loop, double reach);

// Number of handles of a closed manifold mesh, all parts together.
long genus(const TriangleMesh& mesh);

}  // namespace abut::preprocess
