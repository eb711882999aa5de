#pragma once

#include <vector>

#include "preprocess/remesh/remesh.h"
#include "runtime/asset/asset.h"

// Parameters of an asset's oriented point clouds, at one or several levels of detail.
namespace abut::preprocess {

struct PointParameters {
  std::vector<QuadTarget> levels = {{QuadTarget::Kind::kQuads, 2000}};
  RemeshParameters remesh;  // its `target` is ignored
};

// Makes one point cloud for each target, the finest first. A warning reports walls that are too thin for a
// level (thinner than spacing / kWallSpacing), and quads that intersect each other. Measures of each level,
// as points<level>_<name>: those of the quads' quality and of the check of the soft signed distance, fields
// (1 if the field-aligned route made them), subdivisions, unresolved_percent (of the area, in thin walls),
// seconds. Throws InvalidInput if a target is out of range.
std::vector<asset::OrientedPoints> make_point_levels(const TriangleMesh& closed,
                                                     const PointParameters& parameters, Report& report);

}  // namespace abut::preprocess
