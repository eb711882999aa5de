#pragma once

#include <optional>
#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"

// The steps of close_surface that lean on CGAL's Polygon Mesh Processing, each a function from mesh to mesh.
// "Manifold" below refers to indices alone: every edge has one face or two oppositely directed ones, every
// vertex one fan; two vertices may share a position.
namespace abut::preprocess {

// Orients the faces of a soup consistently, part by part, as most of each part's faces are, and splits
// vertices until the mesh is manifold.
struct OrientedSoup {
  TriangleMesh mesh;
  std::size_t turned = 0;  // faces that were turned around
};
OrientedSoup orient_soup(const TriangleMesh& soup);

// Fills the holes of a manifold mesh whose extent is at most `largest_extent`, m.
struct FilledHoles {
  TriangleMesh mesh;
  std::size_t filled = 0;
  std::size_t edges = 0;  // along the filled holes' rims
  std::size_t left = 0;   // holes that are too large, or could not be filled
};
FilledHoles fill_holes(const TriangleMesh& mesh, double largest_extent);

// Triangles of a flat lid over a rim of the mesh, oriented as the rim runs; empty where there are none, or
// the rim crosses itself.
std::vector<Triangle> triangulate_rim(const TriangleMesh& mesh, const std::vector<std::int32_t>& rim);

// Removes self-intersections of a manifold mesh by local smoothing and hole filling, keeping its genus if
// asked to. Empty if some are left.
std::optional<TriangleMesh> remove_self_intersections(const TriangleMesh& mesh, bool keep_genus);

// The union of the solids that the parts of a closed mesh bound, each free of self-intersection; those that
// face inward are cavities, taken out of the larger ones. Empty if that fails.
std::optional<TriangleMesh> unite_parts(const TriangleMesh& mesh);

// Pairs of faces of a manifold mesh that intersect other than in what they share by index (exact predicates),
// each ascending, in ascending order; degenerate faces count.
std::vector<std::array<std::int32_t, 2>> find_self_intersections(const TriangleMesh& mesh);

// Number of pairs of faces that intersect other than in what they share by index (exact predicates);
// degenerate faces count.
std::size_t count_self_intersections(const TriangleMesh& mesh);

// Wraps a soup from outside [Portaneri et al. 2022]: balls of radius `alpha` cannot enter, the surface stays
// `offset` away.
TriangleMesh wrap(const TriangleMesh& soup, double alpha, double offset);

// What keeps the mesh from being the boundary of a solid, in a few words; empty if nothing does: closed,
// manifold, oriented outward, positions unique, free of self-intersection, of positive volume.
std::string find_fault(const TriangleMesh& mesh);

}  // namespace abut::preprocess
