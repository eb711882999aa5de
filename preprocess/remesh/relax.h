#pragma once

#include "preprocess/remesh/quad_mesh.h"
#include "preprocess/remesh/reference_surface.h"

namespace abut::preprocess {

struct RelaxParameters {
  int rounds = 20;
  int away = 4;           // one in this many rounds ends on the surface, and so does the last round
  double edge = 0;        // edge length of the squares that quads are fitted to, m; 0: each keeps its size
  double step = 0.8;      // fraction of its displacement that a vertex moves in a round
  double flatness = 1.4;  // weight of the tangent planes relative to the shape
  double hold = 4;        // the same weight at vertices whose edges follow a crease
  int threads = 0;        // 0: all processors
};

// Moves the vertices of a quad mesh so that its quads become squares of one size on the surface, each within
// one smooth part of it. In a round every quad attracts its corners to the square that fits it best [Bouaziz
// et al. 2012], and to the surface's tangent plane at the foot point of its centre. A vertex moves towards
// the weighted least-squares solution, and from there, in some rounds, to the closest point of the surface
// that faces the way one of its quads does. Where the quads around a vertex lie on both sides of a crease
// their planes intersect in it: vertices find creases and corners and stay on them without explicit crease
// data [cf. Kobbelt et al. 2001, quadric minimisation at features], and quads that straddle a crease leave
// it.
//
// A vertex stays where it is if its move would flip a quad, or if there is no such point nearby. The result
// is bit-identical on any number of threads. Vertices that `pinned` marks (one flag for each vertex; empty:
// none) do not move.
void relax(QuadMesh& mesh, const ReferenceSurface& surface, const RelaxParameters& parameters,
           const std::vector<char>& pinned = {});

}  // namespace abut::preprocess
