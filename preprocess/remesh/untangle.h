#pragma once

#include "preprocess/remesh/quad_mesh.h"
#include "preprocess/remesh/reference_surface.h"

namespace abut::preprocess {

struct Tangles {
  std::size_t crossings = 0;  // pairs of triangles that intersect
  std::size_t flips = 0;      // quads turned against the surface that they stand for
  bool none() const { return crossings == 0 && flips == 0; }
};

// Counts what is wrong with a manifold quad mesh as an embedded surface.
Tangles find_tangles(const QuadMesh& mesh, const ReferenceSurface& surface);

// Repairs a quad mesh locally where it crosses itself or is turned over: quads of two sheets that cross are
// pushed apart along the surface's normals, folded ones are smoothed, round after round, and the best state
// is kept. Vertices leave the surface by as little as that takes. Returns what is left.
Tangles untangle(QuadMesh& mesh, const ReferenceSurface& surface, int rounds);

}  // namespace abut::preprocess
