#pragma once

#include <array>
#include <vector>

#include "preprocess/mesh/box_tree.h"
#include "preprocess/remesh/quad_mesh.h"
#include "preprocess/remesh/reference_surface.h"

namespace abut::preprocess {

struct Tangles {
  std::size_t crossings = 0;  // pairs of triangles that intersect
  std::size_t flips = 0;      // quads turned against the surface that they stand for
  bool none() const { return crossings == 0 && flips == 0; }
};

// What is wrong with a manifold quad mesh as an embedded surface. Of a mesh like the last one but for where
// some vertices are, only what is near those is looked at again.
class TangleFinder {
 public:
  // Keeps a reference to the surface that the quads stand for.
  explicit TangleFinder(const ReferenceSurface& surface) : surface_(surface) {}

  void find(const QuadMesh& mesh);

  // Of the mesh last looked at: pairs of crossing triangles of triangulate(), ascending; whether each quad is
  // turned over.
  const std::vector<std::array<std::int32_t, 2>>& crossings() const { return crossings_; }
  const std::vector<char>& flipped() const { return flipped_; }
  Tangles tangles() const;
  const ReferenceSurface& surface() const { return surface_; }

 private:
  void find_crossings(const std::vector<char>& changed);

  const ReferenceSurface& surface_;
  QuadMesh mesh_;
  TriangleMesh triangles_;
  BoxTree tree_;  // of the triangles
  std::vector<std::array<std::int32_t, 2>> crossings_;
  std::vector<char> flipped_;
};

// Repairs a quad mesh locally where it crosses itself or is turned over: quads of two sheets that cross are
// pushed apart along the surface's normals, folded ones are smoothed, round after round, and the best state
// is kept. Vertices leave the surface by as little as that takes. Returns what is left.
Tangles untangle(QuadMesh& mesh, TangleFinder& finder, int rounds);

}  // namespace abut::preprocess
