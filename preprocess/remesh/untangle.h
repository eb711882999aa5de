#pragma once

#include <array>
#include <vector>

#include "preprocess/mesh/box_tree.h"
#include "preprocess/remesh/quad_mesh.h"
#include "preprocess/remesh/reference_surface.h"

namespace abut::preprocess {

struct Tangles {
  std::size_t crossings = 0;  // pairs of triangles that intersect; by the strict rule pairs of quads
  std::size_t flips = 0;      // quads oriented against the surface that they approximate
  bool none() const { return crossings == 0 && flips == 0; }
};

// What counts as a tangle.
// kOwnWall: triangles that intersect, with quads cut along the diagonal that folds them less; and quads
// oriented against the surface at their foot point, which may lie beyond a slightly closer wall that faces
// away (see normal_error()). kStrict: quads of which a triangle intersects one of another quad, for any
// choice of diagonals; and quads whose normal is opposite to that of the surface point nearest to their
// centre, on whichever wall. Under any other rule for either a reader of the quads finds no more tangles than
// these.
enum class TangleRule { kOwnWall, kStrict };

// Finds what is wrong with a manifold quad mesh as an embedded surface. If a mesh differs from the previous
// one only in the positions of some vertices, only their neighbourhood is examined again.
class TangleFinder {
 public:
  // Keeps a reference to the surface that the quads approximate.
  explicit TangleFinder(const ReferenceSurface& surface, TangleRule rule = TangleRule::kOwnWall)
      : surface_(surface), rule_(rule) {}

  void find(const QuadMesh& mesh);

  // Results for the mesh examined last: pairs of quads that intersect, ascending (a quad paired with itself
  // if its two triangles intersect); and whether each quad is flipped.
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
  TriangleMesh triangles_;  // those of a quad consecutively, the two of one diagonal together
  BoxTree tree_;            // boxes of the triangles
  std::vector<std::array<std::int32_t, 2>> crossings_;  // pairs of triangles, ascending
  std::vector<char> flipped_;
};

// Repairs a quad mesh locally where it intersects itself or is flipped: quads of two sheets that intersect
// are pushed along the surface's normals, folded ones are smoothed, round after round, and the best state is
// kept. Vertices leave the surface only as far as this requires. Returns the remaining tangles.
Tangles untangle(QuadMesh& mesh, TangleFinder& finder, int rounds);

}  // namespace abut::preprocess
