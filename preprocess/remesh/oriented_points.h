#pragma once

#include "preprocess/remesh/quad_mesh.h"
#include "preprocess/remesh/reference_surface.h"
#include "runtime/asset/asset.h"

namespace abut::preprocess {

// The oriented point cloud of a quad mesh [Beker2025, III-B1]: for each quad a point at the mean of its
// corners, with the quad's normal and area and the thickness of the wall below it (the object's diagonal if a
// ray into the solid finds no exit). Throws NoQuads, naming the quad, if one has no area.
asset::OrientedPoints make_points(const QuadMesh& mesh, const ReferenceSurface& surface);

// The quad mesh that an asset's point cloud stores.
QuadMesh quads_of(const asset::PointsView& points);

}  // namespace abut::preprocess
