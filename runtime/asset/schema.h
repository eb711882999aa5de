#pragma once

#include <string_view>
#include <vector>

#include "runtime/asset/asset.h"

// The only definition of the asset file, shared by writer, reader and verifier.
//
//   byte 0     header of 512 bytes: magic, schema version, size, XXH3-128 digest of the whole (container.h)
//
//   byte 512   an HDF5 file (its tools find it there):
//
//     /surface/<level>/   vertices, triangles, neighbours, vertex_normals, tree/{bounds, children, counts}
//
//     /convex/<piece>/    vertices, triangles, adjacency_offsets, adjacency, support_lookup,
//                         candidate_offsets, candidates
//
//     /volume/<level>/    vertices, tetrahedra, neighbours, extent, gradients, face_planes, extent_ranges,
//                         tree/{bounds, children, counts, extent_ranges}
//
//     /points/<level>/    positions, normals, areas, thickness, quads, vertices, spacing,
//                         tree/{bounds, children, counts}
//
//     /grid/<level>/      lattice, places, index, coefficients; absent where there is no grid
//
//     /pieces/0/          errors, adjacency_offsets, adjacency, tree/{bounds, children, counts}; absent where
//                         /convex has only the hull
//
//     /spheres/0/         centers, radii, error; absent where there are no spheres
//
//     /mass/              attributes volume, area, center_of_mass, inertia
//
//     /provenance/        source_file, source_digest, parameters/, versions/, warnings, measures/,
//                         stage_seconds/
//
// The file contains nothing else: a reader refuses an object it does not know. Every array has the attributes
// `unit`, which a reader checks, and `description`. The first dimension of an array is free; the others are
// fixed by its row below.
namespace abut::asset {

// Incremented with every change of the file's content, except a new part that may be absent. A reader refuses
// all versions but its own and says whether the file is newer or older.
inline constexpr int kSchemaVersion = 2;

// The attribute `unit` of the group mass.
inline constexpr const char* kMassUnit =
    "volume m^3, area m^2, center_of_mass m, inertia m^5 (density 1 kg/m^3), row-major";

// Extents of an array. kFree: any length; if two extents are free they are equal.
inline constexpr int kFree = -1;
using Shape = std::vector<int>;

// Calls visit(name, vector, shape, unit, description) for every array of a part, in file order.
template <class TreeType, class Visit>
void visit_tree(TreeType& tree, Visit&& visit) {
  visit("tree/bounds", tree.bounds, {kFree, 6, bvh::kWidth}, "m",
        "boxes of the four children: rows min x, y, z, max x, y, z");
  visit("tree/children", tree.children, {kFree, bvh::kWidth}, "1",
        "inner child: its node; leaf: first primitive");
  visit("tree/counts", tree.counts, {kFree, bvh::kWidth}, "1",
        "0 inner child, > 0 primitives of a leaf, -1 none");
}

template <class SurfaceType, class Visit>
void visit_surface(SurfaceType& s, Visit&& visit) {
  visit("vertices", s.vertices, {kFree, 3}, "m", "positions in the object's frame");
  visit("triangles", s.triangles, {kFree, 3}, "1", "vertex indices, counter-clockwise seen from outside");
  visit("neighbours", s.neighbours, {kFree, 3}, "1", "triangle across the edge from corner k to k + 1");
  visit("vertex_normals", s.vertex_normals, {kFree, 3}, "1", "unit, outward, angle-weighted");
  visit_tree(s.tree, visit);
}

template <class PieceType, class Visit>
void visit_convex(PieceType& c, Visit&& visit) {
  visit("vertices", c.vertices, {3, kFree}, "m", "positions in the object's frame: all x, all y, all z");
  visit("triangles", c.triangles, {kFree, 3}, "1", "vertex indices, counter-clockwise seen from outside");
  visit("adjacency_offsets", c.adjacency_offsets, {kFree}, "1",
        "row starts of adjacency, one more than vertices");
  visit("adjacency", c.adjacency, {kFree}, "1", "vertices joined by an edge, ascending in each row");
  visit("support_lookup", c.support_lookup, {6, kFree, kFree}, "1",
        "support vertex at the centre of a direction cell");
  visit("candidate_offsets", c.candidate_offsets, {kFree}, "1",
        "row starts of candidates, one more than cells");
  visit("candidates", c.candidates, {kFree}, "1",
        "vertices that support a direction of the cell, the centre's first");
}

template <class VolumeType, class Visit>
void visit_volume(VolumeType& v, Visit&& visit) {
  visit("vertices", v.vertices, {kFree, 3}, "m", "positions in the object's frame");
  visit("tetrahedra", v.tetrahedra, {kFree, 4}, "1",
        "vertex indices: corner 3 sees 0, 1, 2 counter-clockwise");
  visit("neighbours", v.neighbours, {kFree, 4}, "1",
        "tetrahedron across the face opposite corner k, -1 the surface");
  visit("extent", v.extent, {kFree}, "1", "penetration extent: 0 on the surface, 1 in the core");
  visit("gradients", v.gradients, {kFree, 3}, "1/m", "of the extent in the tetrahedron");
  visit("face_planes", v.face_planes, {kFree, 4, 4}, "1, 1, 1, m",
        "unit n and d of the face opposite corner k: n . x + d >= 0 inside");
  visit("extent_ranges", v.extent_ranges, {kFree, 2}, "1", "least and greatest extent in the tetrahedron");
  visit_tree(v.tree, visit);
  visit("tree/extent_ranges", v.tree_extent_ranges, {kFree, 2, bvh::kWidth}, "1",
        "least and greatest extent below each of the four children");
}

template <class PointsType, class Visit>
void visit_points(PointsType& p, Visit&& visit) {
  visit("positions", p.positions, {3, kFree}, "m",
        "quads' centres in the object's frame: all x, all y, all z");
  visit("normals", p.normals, {3, kFree}, "1", "unit, outward: all x, all y, all z");
  visit("areas", p.areas, {kFree}, "m^2", "of the quads");
  visit("thickness", p.thickness, {kFree}, "m", "of the wall, straight through the solid from the point");
  visit("quads", p.quads, {kFree, 4}, "1", "vertex indices, counter-clockwise seen from outside");
  visit("vertices", p.vertices, {kFree, 3}, "m", "positions in the object's frame");
  visit("spacing", p.spacing, {kFree}, "m", "square root of the mean area; least, mean, greatest edge");
  visit_tree(p.tree, visit);
}

template <class GridType, class Visit>
void visit_grid(GridType& g, Visit&& visit) {
  visit("lattice", g.lattice, {5}, "m", "node (0, 0, 0) in the object's frame: x, y, z; spacing; reach");
  visit("places", g.places, {3}, "1", "for bricks, along x, y and z");
  visit("index", g.index, {kFree}, "1", "brick at each place, x fastest; -1 none");
  visit("coefficients", g.coefficients, {kFree, kBrickNodes, kBrickNodes, kBrickNodes}, "m",
        "of cubic B-splines at the nodes of each brick, x fastest");
}

template <class PiecesType, class Visit>
void visit_pieces(PiecesType& p, Visit&& visit) {
  visit("errors", p.errors, {2}, "m",
        "of the union: how far outside the surface, how far what it leaves out");
  visit("adjacency_offsets", p.adjacency_offsets, {kFree}, "1",
        "row starts of adjacency, one more than pieces");
  visit("adjacency", p.adjacency, {kFree}, "1", "pieces that touch or overlap, ascending in each row");
  visit_tree(p.tree, visit);
}

template <class SphereSetType, class Visit>
void visit_spheres(SphereSetType& s, Visit&& visit) {
  visit("centers", s.centers, {kFree, 3}, "m", "positions in the object's frame");
  visit("radii", s.radii, {kFree}, "m", "of the spheres");
  visit("error", s.error, {1}, "m", "of the union: how far outside the surface");
}

// Whether the file contains the group of a part of which the asset has none.
enum class Presence { kAlways, kOptional };

// Calls visit(group, levels or pieces, presence, visit_arrays) for every part, in file order.
template <class AssetType, class Visit>
void visit_parts(AssetType& asset, Visit&& visit) {
  using enum Presence;
  visit("surface", asset.surfaces, kAlways, [](auto& part, auto&& each) { visit_surface(part, each); });
  visit("convex", asset.convex, kAlways, [](auto& part, auto&& each) { visit_convex(part, each); });
  visit("volume", asset.volumes, kAlways, [](auto& part, auto&& each) { visit_volume(part, each); });
  visit("points", asset.points, kAlways, [](auto& part, auto&& each) { visit_points(part, each); });
  visit("grid", asset.grids, kOptional, [](auto& part, auto&& each) { visit_grid(part, each); });
  visit("pieces", asset.pieces, kOptional, [](auto& part, auto&& each) { visit_pieces(part, each); });
  visit("spheres", asset.spheres, kOptional, [](auto& part, auto&& each) { visit_spheres(part, each); });
}

// Returns the extents of an array of `size` entries; a free extent is negative where `size` does not fit the
// shape.
Shape resolve(std::size_t size, const Shape& shape);

// Throws BadAsset, naming the object and the array, if anything could make a query leave its arrays or never
// end: inconsistent sizes, an empty part, an index out of range, a tree that has cycles, is too deep or does
// not hold each primitive exactly once, a grid that does not hold each brick exactly once, a number that is
// not finite or would overflow in products (1e15 m, 1e15/m), a tetrahedron without volume, or pressure on the
// surface. Writer and reader both call it. Whether the numbers are those of the geometry (normals, gradients,
// planes, boxes, the hull, mass, spacing) is checked by `abut-preprocess verify`: a forged asset can give
// wrong answers, but no crash and no query that does not end.
void check(const Asset& asset, std::string_view file);

}  // namespace abut::asset
