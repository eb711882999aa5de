#pragma once

#include <Eigen/Core>
#include <vector>

#include "preprocess/mesh/ball.h"
#include "preprocess/mesh/mesh.h"
#include "preprocess/pieces/part.h"
#include "preprocess/pieces/polytope.h"
#include "runtime/asset/asset.h"

// How much of a solid a union of convex bodies leaves out. Internal to pieces and spheres.
namespace abut::preprocess {

// Bounds of the largest distance of a point of the solid from the union of bodies, m: every point is within
// `most`, and some point is `least` away.
struct InwardError {
  double least = 0, most = 0;
  std::vector<Eigen::Vector3d> far;  // some of the points of the solid that are farther away than `enough`
};

// By branch and bound over convex parts of the solid: the distance to a convex body is a convex function, so
// that no point of a part is farther from it than the farthest corner of the part's hull. Ends when `most` is
// below `enough` (m) or 3 % above `least`, or after kMaxDivisions parts; the result holds the bounds reached.
// Body: Polytope or Ball.
template <class Body>
InwardError inward_error(const TriangleMesh& mesh, const asset::SurfaceView& surface,
                         const std::vector<Body>& bodies, double enough);

// The same for a solid that is the union of these parts; faster if each lies in one of the bodies.
InwardError inward_error(std::vector<Part> parts, const asset::SurfaceView& surface,
                         const std::vector<Polytope>& bodies, double enough);

}  // namespace abut::preprocess
