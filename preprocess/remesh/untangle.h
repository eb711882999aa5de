#pragma once

#include <array>
#include <vector>

#include "preprocess/mesh/box_tree.h"
#include "preprocess/remesh/quad_mesh.h"
#include "preprocess/remesh/reference_surface.h"

namespace abut::preprocess {

struct Tangles {
  std::size_t crossings = 0;  // pairs of triangles that intersect; of quads by the strict rule
  std::size_t flips = 0;      // quads turned against the surface that they stand for
  bool none() const { return crossings == 0 && flips == 0; }
};

// What counts as a tangle.
// kOwnWall: triangles that cross, of quads cut along the diagonal that folds them less; quads turned against
// the surface at their foot point, which may lie past a slightly nearer wall that faces away
// (normal_error()). kStrict: quads of which a triangle crosses another's, whichever diagonals they are cut
// along; quads whose normal is opposite to that of the surface's point nearest to their centre, whatever wall
// it is on. Whoever reads the quads, with a rule of his own for either, finds no more than these.
enum class TangleRule { kOwnWall, kStrict };

// What is wrong with a manifold quad mesh as an embedded surface. Of a mesh like the last one but for where
// some vertices are, only what is near those is looked at again.
class TangleFinder {
 public:
  // Keeps a reference to the surface that the quads stand for.
  explicit TangleFinder(const ReferenceSurface& surface, TangleRule rule = TangleRule::kOwnWall)
      : surface_(surface), rule_(rule) {}

  void find(const QuadMesh& mesh);

  // Of the mesh last looked at: pairs of quads that cross, ascending (a quad with itself where its two
  // triangles do); whether each quad is turned over.
  std::vector<std::array<std::int32_t, 2>> crossing_quads() const;
  const std::vector<char>& flipped() const { return flipped_; }
  Tangles tangles() const;
  const ReferenceSurface& surface() const { return surface_; }

 private:
  TriangleMesh triangles_of(const QuadMesh& mesh) const;
  bool is_flipped(const QuadMesh& mesh, const Quad& quad) const;
  void find_crossings(const std::vector<char>& changed);
  std::int32_t per_quad() const { return rule_ == TangleRule::kStrict ? 4 : 2; }  // triangles

  const ReferenceSurface& surface_;
  TangleRule rule_;
  QuadMesh mesh_;
  TriangleMesh triangles_;  // those of a quad one after the other, the two of one diagonal together
  BoxTree tree_;            // of the triangles
  std::vector<std::array<std::int32_t, 2>> crossings_;  // pairs of triangles, ascending
  std::vector<char> flipped_;
};

// Repairs a quad mesh locally where it crosses itself or is turned over: quads of two sheets that cross are
// pushed apart along the surface's normals, folded ones are smoothed, round after round, and the best state
// is kept. Vertices leave the surface by as little as that takes. Returns what is left.
Tangles untangle(QuadMesh& mesh, TangleFinder& finder, int rounds);

}  // namespace abut::preprocess
