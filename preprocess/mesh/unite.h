#pragma once

#include <vector>

#include "preprocess/mesh/close.h"

namespace abut::preprocess {

// A solid made of several parts of a welded soup, each closed on its own, those that overlap united.
struct UnitedParts {
  TriangleMesh surface;      // as ClosedSurface has it
  TriangleMesh reference;    // what it stands for: the parts with their holes filled
  bool overlapping = false;  // parts of the reference lie inside others, where the surface has nothing
  TriangleMesh kept;         // the parts that went in, as they came
  std::vector<Eigen::Vector3d> hull_points;  // as ClosedSurface has them
};

// Closes every part of the mesh on its own; parts of which one lies in another and faces against it bound
// cavities. Parts that do not close without a wrap are dropped, with a warning; before that, where the
// largest is among them or all components are to be kept, all parts are wrapped together. Throws InvalidInput
// where the largest does not close and even the wrap outlines no solid.
UnitedParts close_and_unite(const TriangleMesh& mesh, const CloseParameters& parameters, Report& report);

}  // namespace abut::preprocess
