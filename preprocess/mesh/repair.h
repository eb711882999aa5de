#pragma once

#include <optional>
#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"

// The steps of close_surface that use CGAL's Polygon Mesh Processing, each a function from mesh to mesh.
// "Manifold" below refers to indices only: every edge has one face or two oppositely directed ones, every
// vertex a single fan; two vertices may have the same position.
namespace abut::preprocess {

// Orients the faces of a soup consistently, each part by the majority of its faces, and splits vertices until
// the mesh is manifold.
struct OrientedSoup {
  TriangleMesh mesh;
  std::size_t turned = 0;  // number of reversed faces
};
OrientedSoup orient_soup(const TriangleMesh& soup);

// Fills the holes of a manifold mesh whose extent is at most `largest_extent`, m.
struct FilledHoles {
  TriangleMesh mesh;
  std::size_t filled = 0;
  std::size_t edges = 0;  // number of rim edges of the filled holes
  std::size_t left = 0;   // holes that are too large or could not be filled
};
FilledHoles fill_holes(const TriangleMesh& mesh, double largest_extent);

// Triangles of a flat lid over a rim of the mesh, oriented as the rim runs; empty if there is no
// triangulation or the rim intersects itself.
std::vector<Triangle> triangulate_rim(const TriangleMesh& mesh, const std::vector<std::int32_t>& rim);

// Removes self-intersections of a manifold mesh by local smoothing and hole filling, on request without
// changing its genus. Empty if some remain.
std::optional<TriangleMesh> remove_self_intersections(const TriangleMesh& mesh, bool keep_genus);

// The union of the solids that the parts of a closed mesh bound; each part must be free of self-intersection.
// Parts that face inward are cavities, each subtracted from the smallest larger solid that contains it. Empty
// if that fails.
std::optional<TriangleMesh> unite_parts(const TriangleMesh& mesh);

// Pairs of faces of a manifold mesh that intersect other than in vertices and edges that they share by index
// (exact predicates), each pair ascending, in ascending order; degenerate faces count.
std::vector<std::array<std::int32_t, 2>> find_self_intersections(const TriangleMesh& mesh);

// Number of the pairs that find_self_intersections returns.
std::size_t count_self_intersections(const TriangleMesh& mesh);

// Wraps a soup from outside [Portaneri et al. 2022]: balls of radius `alpha` cannot enter, and the surface
// keeps a distance of `offset`, both in m.
TriangleMesh wrap(const TriangleMesh& soup, double alpha, double offset);

// Names what keeps the mesh from being the boundary of a solid, in a few words; empty if it is one: closed,
// manifold, oriented outward, with unique positions, free of self-intersection, of positive volume.
std::string find_fault(const TriangleMesh& mesh);

}  // namespace abut::preprocess
