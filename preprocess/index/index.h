#pragma once

#include <Eigen/Core>
#include <span>

#include "preprocess/mesh/mesh.h"
#include "runtime/asset/asset.h"

// From a clean mesh to the arrays that the runtime works on.
namespace abut::preprocess {

// Convex hull of points (m): vertices are input points bit for bit, the extreme ones only, in an order that
// keeps neighbours close in memory; the same set of points gives the same hull. Predicates are exact. Throws
// InvalidInput where a point is not finite or all lie in one plane.
asset::ConvexPiece build_convex_piece(std::span<const Eigen::Vector3d> points);

// The hull alone, as triangles over some of the points: as build_convex_piece, but corners of its triangles
// need not be extreme points; no triangles where all points lie in one plane. Points are finite.
TriangleMesh convex_hull(std::span<const Eigen::Vector3d> points);

// Triangles in the leaf order of their tree, vertices renumbered by first use (unused ones dropped),
// neighbours, and angle-weighted pseudonormals [Baerentzen2005] that sum over all triangles around a
// position, so that they are right also where several sheets of the surface touch in a vertex. Throws
// InvalidInput naming the triangle or edge where the mesh is empty, not finite, or not a closed, consistently
// oriented surface with two triangles at every edge.
asset::Surface build_surface(const TriangleMesh& mesh);

// Volume, area, centre of mass and inertia of the solid within a closed, outward-oriented mesh, by exact
// integrals of polynomials over the tetrahedra that the triangles span with a point near the solid
// [Tonon2004]. Throws InvalidInput where an index is out of range, a vertex is not finite or the volume is
// not positive.
asset::MassProperties mass_properties(const TriangleMesh& mesh);

}  // namespace abut::preprocess
