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

// One point cloud per target, the finest first. A warning says where walls are thinner than a level resolves
// (spacing over kWallSpacing), and where quads cross each other. Measures per level, as
// points<level>_<name>: those of the quads' quality and of the soft signed distance's check, fields (1 where
// the field-aligned route made them), subdivisions, unresolved_percent (of the area, in thin walls), seconds.
// Throws InvalidInput where a target is out of range.
std::vector<asset::OrientedPoints> make_point_levels(const TriangleMesh& closed,
                                                     const PointParameters& parameters, Report& report);

}  // namespace abut::preprocess
