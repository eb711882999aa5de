#pragma once

#include "preprocess/remesh/quad_mesh.h"
#include "preprocess/remesh/reference_surface.h"
#include "runtime/asset/asset.h"

namespace abut::preprocess {

// The oriented point cloud of a quad mesh [Beker2025, III-B1]: a point at the mean of each quad's corners,
// with the quad's normal and area and the thickness of the wall below it (the object's diagonal where a ray
// into the solid finds no way out). Throws NoQuads naming the quad where one has no area.
asset::OrientedPoints make_points(const QuadMesh& mesh, const ReferenceSurface& surface);

// The quad mesh of a point cloud.
QuadMesh quads_of(const asset::PointsView& points);

}  // namespace abut::preprocess
