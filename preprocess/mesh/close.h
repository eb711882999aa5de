#pragma once

#include <optional>
#include <vector>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

struct CloseParameters {
  // Keeps every part. If false, only the part of the largest area is kept, with those that intersect it or
  // lie within max_hausdorff of it, directly or through other parts. Specks (below kNoise of parts.h) are
  // dropped in both cases.
  bool all_components = false;
  // Gates, checked after every step that changes the geometry: how far it may move the surface (as a fraction
  // of the input's bounding-box diagonal), and how much it may change volume and area (relative to their
  // values before the step).
  double max_hausdorff = 0.005;
  double max_volume_change = 0.05;
  double max_area_change = 0.05;
  // Largest deviation of the last resort, the wrap, from the input, in either direction, over the diagonal.
  static constexpr double kMaxWrap = 0.02;
  static constexpr double kHausdorffTolerance = 1e-4;  // of measured distances, over the diagonal
  static constexpr double kFlat = 1e-6;  // thickness over diagonal below which an object is flat
  // A sound surface has two faces at an edge. Edges with up to this many are taken apart, at a cost that
  // grows with the square of the number; more are refused.
  static constexpr std::size_t kMaxFacesAtAnEdge = 256;
  // Least diagonal of an object, m; below it volumes and moments lose their significant digits.
  static constexpr double kLeastDiagonal = 1e-9;
  // Holes up to this extent (over the diagonal) are filled, and larger ones if their rim is flat and a flat
  // lid intersects nothing. If other holes are left, the surface is wrapped.
  double max_hole = 0.25;
  // Handles and tunnels around which a loop shorter than this (over the diagonal) exists are closed; 0 closes
  // none. If unset, the limit is what the mesh resolves, five mean edges, clamped to [0.03, 0.08] of the
  // diagonal.
  std::optional<double> max_tunnel;
};

struct ClosedSurface {
  TriangleMesh surface;  // closed, manifold, oriented outward, free of self-intersection, of positive volume
  // Vertices of the kept part of the input, without flaps and specks, m. Repair never moves their convex
  // hull.
  std::vector<Eigen::Vector3d> hull_points;
};

// Turns a triangle soup into the boundary of a solid by the mildest repair that succeeds. It merges vertices
// at identical positions, drops collapsed faces, joins open edges (across gaps of up to max_hausdorff where
// otherwise most of the area, or much area in loose faces, would be dropped), selects the parts that make up
// the object, cancels coincident faces, drops patches that hang on edges of two other faces, orients, fills
// holes, and removes self-intersections and tiny tunnels. A step that fails its gate is undone. Several parts
// are closed one by one, and those that overlap are united. The last resort is an alpha wrap [Portaneri et
// al. 2022], coarse at first; it always raises a warning, a stronger one where it turns an open surface into
// a thin shell.
//
// Every repair adds a line to report.warnings. Measures: welded_vertices, hausdorff_to_input_percent (of the
// diagonal, symmetric, certified to 0.01; measured to the input with its holes filled and without walls of
// coincident faces within the solid, plus the width of the gaps that were joined; if parts overlap, only from
// the surface to the input), lids_to_input_percent (how far the lids of filled holes reach from the input),
// flat_lids and largest_flat_lid_m, closed_opening_m (width of the widest hole, if it is as wide as a
// bottle's mouth and no lid is flat), area_change_percent, genus, surface_triangles, components_dropped,
// dropped_area_percent, dropped_volume_percent (of the closed parts), cavities, wrapped (1 if the last resort
// was taken) and those of wrap_surface. Vertices merged at identical positions are only a measure, without a
// warning: read_mesh knows which of them are seams and warns of the others.
//
// "The diagonal" is object_size where a few outlying vertices or faces stretch the bounding box.
//
// Throws InvalidInput if no solid can be made of the soup: it is flat, has no volume, is smaller than
// kLeastDiagonal, has one vertex far from all others whose faces are open, wrongly oriented or intersect
// others, has more than half of its area in parts that would be dropped, has an edge with more than
// kMaxFacesAtAnEdge faces, or is beyond repair.
ClosedSurface close_surface(const TriangleMesh& soup, const CloseParameters& parameters, Report& report);

}  // namespace abut::preprocess
