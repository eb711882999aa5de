#pragma once

#include <Eigen/Core>
#include <span>

#include "preprocess/mesh/mesh.h"
#include "runtime/asset/asset.h"

// From a clean mesh to the arrays that the runtime uses.
namespace abut::preprocess {

// Convex hull of points (m): its vertices are the extreme input points, bit for bit, in an order that keeps
// neighbours close in memory; equal sets of points give equal hulls. Predicates are exact. Throws
// InvalidInput if a point is not finite or all lie in one plane.
asset::ConvexPiece build_convex_piece(std::span<const Eigen::Vector3d> points);

// Whether a vertex of a hull with a lookup supports some direction of a cell of it
// (witness/direction_cell.h): none of its neighbours is better there by more than `slack` (m; negative: it is
// better than all). The cell is widened by 1e-6 of its face, so that with a positive slack rounding hides no
// vertex from a query in any scalar type.
bool supports_in_cell(const asset::ConvexView& hull, std::int32_t vertex, std::int32_t cell, double slack);

// Only the hull, as triangles over some of the points: like build_convex_piece, but corners of its triangles
// need not be extreme points, and there are no triangles if all points lie in one plane. Points must be
// finite.
TriangleMesh convex_hull(std::span<const Eigen::Vector3d> points);

// Builds the runtime's surface: triangles in the leaf order of their tree, vertices renumbered by first use
// (unused ones dropped), neighbours, and angle-weighted pseudonormals [Baerentzen2005]. The pseudonormals sum
// over all triangles around a position, so that they are also correct where several sheets of the surface
// touch in a vertex. Throws InvalidInput, naming the triangle or edge, if the mesh is empty, not finite, or
// not a closed, consistently oriented surface with two triangles at every edge.
asset::Surface build_surface(const TriangleMesh& mesh);

// Volume, area, centre of mass and inertia of the solid within a closed, outward-oriented mesh, by exact
// polynomial integrals over the tetrahedra that the triangles span with a point near the solid [Tonon2004].
// Throws InvalidInput if an index is out of range, a vertex is not finite or the volume is not positive.
asset::MassProperties mass_properties(const TriangleMesh& mesh);

}  // namespace abut::preprocess
