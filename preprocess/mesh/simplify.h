#pragma once

#include <string>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

struct SimplifyParameters {
  std::int64_t target_triangles = 2000;  // at least 4
  // Largest distance between result and input, in both directions, in percent of the bounding box's diagonal.
  double max_hausdorff_percent = 1.5;
};

struct SimplifyResult {
  TriangleMesh surface;          // closed, oriented, of the input's genus, free of self-intersection
  bool reached = false;          // whether it has at most `target_triangles` triangles
  std::string limit;             // what prevented further simplification; empty if reached
  double hausdorff_percent = 0;  // to the input, symmetric, of the diagonal, certified to 0.05
};

// Simplifies a closed surface to at most `target_triangles` by edge collapses in the order of their quadric
// error [Garland and Heckbert 1997]. Each collapse, and each flip and vertex move that evens out the
// triangles at the end, must keep the surface manifold and of the same genus, its triangles well shaped and
// unfolded, every changed triangle free of intersections with all others (exact predicates), and the distance
// to the input within the gate. What fails is postponed until its surroundings have changed. If the target is
// out of reach the result is the coarsest surface that satisfies this, and a warning reports the number of
// triangles reached and the limiting check. A target beyond the input's size returns the input.
//
// Measures: simplified_triangles, simplified_hausdorff_percent.
// `closed` must be free of self-intersection. Throws InvalidInput if it is not closed and manifold, if the
// target is below 4 or if the gate is not positive.
SimplifyResult simplify(const TriangleMesh& closed, const SimplifyParameters& parameters, Report& report);

}  // namespace abut::preprocess
