#pragma once

#include <optional>
#include <vector>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

struct CloseParameters {
  // Keep every part; otherwise the part of the largest area and those that overlap it or lie within
  // max_hausdorff of it, directly or by way of others. Specks (kNoise of parts.h) are dropped in both cases.
  bool all_components = false;
  // Gates, checked after every step that changes the geometry: how far it may move the surface (of the
  // input's bounding-box diagonal), and change its volume and area (of their values before the step).
  double max_hausdorff = 0.005;
  double max_volume_change = 0.05;
  double max_area_change = 0.05;
  // How far, of the diagonal, the last resort may leave the input, in either direction.
  static constexpr double kMaxWrap = 0.02;
  static constexpr double kHausdorffTolerance = 1e-4;  // of the distances measured, of the diagonal
  static constexpr double kFlat = 1e-6;  // thickness over diagonal below which an object is flat
  // Two in a surface; what has more is taken apart, by work that grows with their square.
  static constexpr std::size_t kMostFacesAtAnEdge = 256;
  // Least diagonal of an object, m: below it volumes and moments lose their digits.
  static constexpr double kLeastDiagonal = 1e-9;
  // Holes up to this extent (of the diagonal) are filled, and larger ones whose rims are flat where a flat
  // lid crosses nothing; beyond it the surface is wrapped.
  double max_hole = 0.25;
  // Handles and tunnels with a loop shorter than this (of the diagonal) around them are closed; 0: none.
  // Unset: those below what the mesh resolves, five mean edges, but at least 0.03 and at most 0.08 of the
  // diagonal.
  std::optional<double> max_tunnel;
};

struct ClosedSurface {
  TriangleMesh surface;  // closed, manifold, oriented outward, free of self-intersection, of positive volume
  // Input vertices of what was kept, without flaps and specks, m: repair never moves the hull of these.
  std::vector<Eigen::Vector3d> hull_points;
};

// Makes the boundary of a solid out of a triangle soup by the mildest repair that does: merges vertices at
// identical positions, drops collapsed faces, joins open edges (across gaps of up to max_hausdorff where
// most of the area, or much in loose faces, hangs together only so), chooses the parts that make up the
// object, cancels coincident faces, drops what hangs on edges of two others, orients, fills holes, removes
// self-intersections and tiny tunnels; a step that fails its gate is undone. Several parts are closed one by
// one, and those that overlap united. The last resort is an alpha wrap [Portaneri et al. 2022], coarse at
// first, and says so, louder where it makes a thin shell of an open surface.
//
// Every mending is a line in report.warnings. Measures: welded_vertices, hausdorff_to_input_percent (of the
// diagonal, symmetric, certified to 0.01, to the input with its holes filled and without walls of coincident
// faces within the solid, gaps that were joined added; of parts that overlap from the surface to the input
// alone), lids_to_input_percent (how far the lids of filled holes reach from the input), flat_lids and
// largest_flat_lid_m, closed_opening_m (the widest hole, where it is as wide as a bottle's mouth and no lid
// is flat), area_change_percent, genus, surface_triangles, components_dropped, dropped_area_percent,
// dropped_volume_percent (of the closed parts), cavities, wrapped (1 if the last resort was taken) and those
// of wrap_surface. Merging vertices at one position is a measure only: read_mesh knows which of them are
// seams and warns of the others.
//
// "Of the diagonal" is of object_size where little of the input stretches its bounding box.
//
// Throws InvalidInput if no solid can be made of the soup: it is flat, without volume, smaller than
// kLeastDiagonal, one vertex far from all others whose
// faces are open, turned or cross others, mostly parts that would be dropped, or beyond repair.
ClosedSurface close_surface(const TriangleMesh& soup, const CloseParameters& parameters, Report& report);

}  // namespace abut::preprocess
