#pragma once

#include <Eigen/Core>
#include <vector>

#include "preprocess/mesh/ball.h"
#include "preprocess/pieces/polytope.h"
#include "runtime/asset/asset.h"

// How far convex bodies reach out of a closed surface. Internal to pieces and spheres.
namespace abut::preprocess {

// How far the union of bodies reaches outside, m: every point of it is within `most` of the solid, `at` (m)
// is a point of it `least` away from the solid.
struct OutwardError {
  double least = 0, most = 0;
  Eigen::Vector3d at = Eigen::Vector3d::Zero();
};

// By branch and bound: a box whose middle is at the signed distance d holds nothing farther than d and half
// its diagonal. Ends when `most` is below `enough` (m) or 3 % above `least`, or after kMaxDivisions boxes,
// and then says how far it came. The same on any number of threads. Body: Polytope or Ball.
template <class Body>
OutwardError outward_error(const asset::SurfaceView& surface, const std::vector<Body>& bodies, double enough);

}  // namespace abut::preprocess
