#pragma once

#include "preprocess/remesh/quad_mesh.h"
#include "preprocess/remesh/reference_surface.h"

namespace abut::preprocess {

struct RelaxParameters {
  int rounds = 20;
  int away = 4;       // of so many rounds, one ends on the surface, the last among them
  double edge = 0;    // length of the edges of the squares that quads are drawn to, m; 0: each keeps its size
  double step = 0.8;  // share of the way that a vertex goes in a round
  double flatness = 1.4;  // weight of the planes beside that of the shape
  double hold = 4;        // the same at vertices whose edges follow a crease
  int threads = 0;        // 0: all
};

// Moves the vertices of a quad mesh so that its quads become squares of one size on the surface, each within
// one smooth part of it. In a round every quad asks its corners to the square that fits it best [Bouaziz et
// al. 2012], and to the plane that touches the surface at its centre's foot point; a vertex goes to the
// weighted least-squares solution, and from there, in some rounds, to the closest point
// of the surface that faces the way one of its quads does. Where the quads around a vertex lie on both sides
// of a crease their planes meet in it: vertices find creases and corners and stay on them without being told
// where these are [cf. Kobbelt et al. 2001, quadric minimisation at features], and quads that straddle a
// crease leave it.
//
// A vertex whose way would turn a quad over, or for which no such point is near, stays where it is. The same
// bits on any number of threads.
// Vertices that `pinned` marks (one per vertex; empty: none) stay where they are.
void relax(QuadMesh& mesh, const ReferenceSurface& surface, const RelaxParameters& parameters,
           const std::vector<char>& pinned = {});

}  // namespace abut::preprocess
