#pragma once

#include <vector>

#include "preprocess/mesh/close.h"

namespace abut::preprocess {

// A solid made of several parts of a welded soup, each closed separately and united where they overlap.
struct UnitedParts {
  TriangleMesh surface;      // see ClosedSurface::surface
  TriangleMesh reference;    // the surface to compare it with: the parts with their holes filled
  bool overlapping = false;  // parts of the reference overlap; the surface has no faces inside
  TriangleMesh kept;         // the input of the parts that were used, unchanged
  std::vector<Eigen::Vector3d> hull_points;  // see ClosedSurface::hull_points
};

// Closes every part of the mesh separately. A part that lies in another and has the opposite orientation
// bounds a cavity. Parts that do not close without a wrap are dropped, with a warning; but if the largest is
// among them or all components are to be kept, all parts are first wrapped together. Throws InvalidInput if
// the largest part does not close and even the wrap outlines no solid.
UnitedParts close_and_unite(const TriangleMesh& mesh, const CloseParameters& parameters, Report& report);

}  // namespace abut::preprocess
