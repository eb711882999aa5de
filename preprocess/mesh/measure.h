#pragma once

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// Distances between two surfaces, in both directions, m.
struct Hausdorff {
  double from_A = 0;  // largest distance from a point of A to B
  double from_B = 0;  // largest distance from a point of B to A
  double symmetric() const { return from_A > from_B ? from_A : from_B; }
};

// Hausdorff distances of two triangle meshes, each at least the true value and at most `tolerance` (m) above
// it. The result does not depend on a sampling density: the triangle with the largest upper bound is divided
// into four until its bound is within the tolerance of a distance that is attained. The bound of a (part of
// a) triangle T with centroid c is the largest distance of T's vertices from the one triangle of the other
// mesh that is closest to c, since the distance to a convex set is a convex function; or c's distance plus
// T's radius, if that is smaller. Faces that both meshes share cost nothing. After 200,000 refinements the
// current bound is returned: still above the true value, but by more than the tolerance.
Hausdorff hausdorff(const TriangleMesh& A, const TriangleMesh& B, double tolerance);

}  // namespace abut::preprocess
