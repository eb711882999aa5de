#pragma once

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// How far apart two surfaces are, in both directions, m.
struct Hausdorff {
  double from_A = 0;  // largest distance from a point of A to B
  double from_B = 0;  // largest distance from a point of B to A
  double symmetric() const { return from_A > from_B ? from_A : from_B; }
};

// Hausdorff distances of two triangle meshes, each at least the true value and at most `tolerance` (m) above
// it. No sampling density enters: the triangle whose bound is largest is quartered until the bound is within
// the tolerance of a distance found. The bound of a (part of a) triangle T with centroid c is the largest
// distance of T's vertices from the one triangle of the other mesh closest to c, since the distance to a
// convex set is convex; or c's distance plus T's radius, if that is smaller. Faces that both meshes have cost
// nothing. After 200,000 refinements the bound is returned as it stands: above the true value still, by more
// than the tolerance.
Hausdorff hausdorff(const TriangleMesh& A, const TriangleMesh& B, double tolerance);

}  // namespace abut::preprocess
