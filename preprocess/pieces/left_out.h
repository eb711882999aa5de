#pragma once

#include <Eigen/Core>
#include <vector>

#include "preprocess/mesh/ball.h"
#include "preprocess/mesh/mesh.h"
#include "preprocess/pieces/part.h"
#include "preprocess/pieces/polytope.h"
#include "runtime/asset/asset.h"

// How much of a solid convex bodies leave out. Internal to pieces and spheres.
namespace abut::preprocess {

// Every point of the solid is within `most` of the union of bodies, some point is `least` away from it, m.
struct InwardError {
  double least = 0, most = 0;
  std::vector<Eigen::Vector3d> far;  // points of the solid farther away than `enough`, some of them
};

// By branch and bound over convex parts of the solid: the distance to a body is convex, so that no point
// of a part is farther from it than the farthest corner of the part's hull. Ends when `most` is below
// `enough` (m) or 3 % above `least`, or after kMaxDivisions parts, and then says how far it came.
// Body: Polytope or Ball.
template <class Body>
InwardError inward_error(const TriangleMesh& mesh, const asset::SurfaceView& surface,
                         const std::vector<Body>& bodies, double enough);

// The same of a solid that is these parts together: sooner, where each is in one of the bodies.
InwardError inward_error(std::vector<Part> parts, const asset::SurfaceView& surface,
                         const std::vector<Polytope>& bodies, double enough);

}  // namespace abut::preprocess
