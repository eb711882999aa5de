#pragma once

#include <vector>

#include "preprocess/mesh/mesh.h"

// Handles and tunnels of a closed manifold mesh: finds the loops behind its genus and which of them are
// noise.
namespace abut::preprocess {

// A simple closed path over edges of a mesh such that cutting along it does not separate the mesh.
struct Loop {
  std::vector<std::int32_t> vertices;  // in order, each once
  double length = 0;                   // m
};

// Finds loops shorter than `longest` (m), in ascending length, that can be cut together: they share no vertex
// or neighbour, and are independent in homology, so that cutting all of them leaves each part connected.
//
// Every edge carries a vector of bits such that a cycle separates if and only if its edges' vectors add up to
// zero (mod 2) [Erickson and Whittlesey 2005: tree-cotree; Busaryev et al. 2012: annotations]. The shortest
// loop with a nonzero sum through each vertex that has such an edge comes from Dijkstra's algorithm, stopped
// at half of `longest`.
std::vector<Loop> find_tunnels(const TriangleMesh& mesh, double longest);

// Whether cutting along the loop removes noise: either the loop spans a hole (its disk lies outside the
// solid), or the handle that it encircles is itself small: its two sides meet again within `reach` (m) of the
// loop's centre.
bool is_noise(const TriangleMesh& mesh, const Loop& loop, double reach);

// Genus of a closed manifold mesh: the number of handles, summed over all parts.
long genus(const TriangleMesh& mesh);

}  // namespace abut::preprocess
