#pragma once

#include <Eigen/Core>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "preprocess/pieces/polytope.h"
#include "runtime/asset/asset.h"

// How much of a solid convex polytopes leave out. Internal to the pieces.
namespace abut::preprocess {

// Every point of the solid is within `most` of the union of polytopes, some point is `least` away from it, m.
struct InwardError {
  double least = 0, most = 0;
  std::vector<Eigen::Vector3d> far;  // points of the solid farther away than `enough`, some of them
};

// By branch and bound over convex parts of the solid: the distance to a polytope is convex, so that no point
// of a part is farther from it than the farthest corner of the part's hull. Ends when `most` is below
// `enough` (m) or 3 % above `least`, or after kMaxParts parts, and then says how far it came.
InwardError inward_error(const TriangleMesh& mesh, const asset::SurfaceView& surface,
                         const std::vector<Polytope>& polytopes, double enough);

}  // namespace abut::preprocess
