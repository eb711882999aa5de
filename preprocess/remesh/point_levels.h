#pragma once

#include <vector>

#include "preprocess/remesh/remesh.h"
#include "runtime/asset/asset.h"

// The oriented point clouds of an asset, at one or several levels of detail.
namespace abut::preprocess {

struct PointParameters {
  std::vector<QuadTarget> levels = {{QuadTarget::Kind::kQuads, 2000}};
  RemeshParameters remesh;  // its target is not read
};

// One point cloud per target, the finest first. Measures per level, as points<level>_<name>: those of
// measures_of(). Throws InvalidInput where a target is out of range.
std::vector<asset::OrientedPoints> make_point_levels(const TriangleMesh& closed,
                                                     const PointParameters& parameters, Report& report);

}  // namespace abut::preprocess
