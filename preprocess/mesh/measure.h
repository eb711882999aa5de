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
// it. No sampling density enters: a triangle is subdivided until its farthest point is known to the
// tolerance. The bound on a (sub)triangle T with centroid c is max_T d(., t) for the one triangle t of the
// other mesh closest to c, which T's vertices attain since the distance to a convex set is convex; or d(c)
// plus T's radius, if that is smaller. Faces that both meshes have cost nothing. After 4 million
// closest-point queries the bound is returned as it stands (above the true value still, by more than the
// tolerance).
Hausdorff hausdorff(const TriangleMesh& A, const TriangleMesh& B, double tolerance);

}  // namespace abut::preprocess
