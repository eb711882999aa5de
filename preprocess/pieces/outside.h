#pragma once

#include <Eigen/Core>
#include <vector>

#include "preprocess/mesh/ball.h"
#include "preprocess/pieces/polytope.h"
#include "runtime/asset/asset.h"

// How far convex bodies reach outside a closed surface. Internal to pieces and spheres.
namespace abut::preprocess {

// Bounds of how far the union of bodies reaches outside, m: every point of it is within `most` of the solid,
// and its point `at` (m) is `least` away from the solid.
struct OutwardError {
  double least = 0, most = 0;
  Eigen::Vector3d at = Eigen::Vector3d::Zero();
};

// By branch and bound: a box whose centre has the signed distance d contains no point farther outside than d
// plus half its diagonal. Ends when `most` is below `enough` (m) or 3 % above `least`, or after kMaxDivisions
// boxes; the result holds the bounds reached. Deterministic: the same on any number of threads. Body:
// Polytope or Ball.
template <class Body>
OutwardError outward_error(const asset::SurfaceView& surface, const std::vector<Body>& bodies, double enough);

}  // namespace abut::preprocess
