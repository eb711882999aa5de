#pragma once

#include <vector>

#include "preprocess/remesh/remesh.h"
#include "runtime/asset/asset.h"

// Parameters of an asset's oriented point clouds, at one or several levels of detail.
namespace abut::preprocess {

struct PointParameters {
  std::vector<QuadTarget> levels = {{QuadTarget::Kind::kDefault}};
  RemeshParameters remesh;  // its `target` is ignored
};

// Makes one point cloud for each target, the finest first. For QuadTarget::Kind::kDefault it makes
// kDefaultQuads quads and, where these are too far apart for the walls and soft distances have the wrong sign
// at more than ssdf::kWrongSignPercent of places beside the surface, or do not find half of it, as many as
// for kAuto; it keeps those if they are better. A warning reports walls that are too thin for a
// level (thinner than spacing / kWallSpacing), and quads that intersect each other. Measures of each level,
// as points<level>_<name>: those of the quads' quality and of the check of the soft signed distance, fields
// (1 if the field-aligned route made them), subdivisions, unresolved_percent (of the area, in thin walls),
// seconds; and where kDefault became as fine as kAuto, default_sign_wrong_percent: of kDefaultQuads quads.
// Throws InvalidInput if a target is out of range.
std::vector<asset::OrientedPoints> make_point_levels(const TriangleMesh& closed,
                                                     const PointParameters& parameters, Report& report);

}  // namespace abut::preprocess
