#pragma once

#include <string>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

struct SimplifyParameters {
  std::int64_t target_triangles = 2000;  // at least 4
  // How far the result may be from the input, in both directions, of the bounding box's diagonal.
  double max_hausdorff_percent = 1.5;
};

struct SimplifyResult {
  TriangleMesh surface;          // closed, oriented, of the input's genus, free of self-intersection
  bool reached = false;          // whether it has at most the target's number of triangles
  std::string limit;             // what stopped it short of the target; empty if reached
  double hausdorff_percent = 0;  // to the input, symmetric, of the diagonal, certified to 0.05
};

// Simplifies a closed surface to at most `target_triangles` by edge collapses in the order of their quadric
// error [Garland and Heckbert 1997]. Each collapse, and each flip and move of the vertices that evens out the
// triangles in the end, must keep the surface manifold and of the same genus, its triangles in shape and
// unfolded, every changed triangle free of every other (exact predicates), and the distance to the input
// within the gate; what fails is put off until its surroundings have changed. If the target is out of reach
// the result is the coarsest surface that holds, and a warning says how far it came and what stood in the
// way. A target beyond the input's size returns the input.
//
// Measures: simplified_triangles, simplified_hausdorff_percent.
// `closed` must be free of self-intersection. Throws InvalidInput if it is not closed and manifold, or if the
// target is below 4 or the gate not positive.
SimplifyResult simplify(const TriangleMesh& closed, const SimplifyParameters& parameters, Report& report);

}  // namespace abut::preprocess
