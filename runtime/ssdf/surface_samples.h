#pragma once

#include "runtime/asset/asset.h"

namespace abut::ssdf {

// Samples of a cloud with quads that stand on the surface of a distance grid, where quads cut its corners and
// round what is narrower than they are: each is moved along the gradient of the distance, and a group's areas
// grow as the square of its samples does. One whose way would be longer than half a spacing, or that would
// come to a side that looks the other way, stays on its quad; and beside creases, which splines round, one
// that is nearer than a fifth of a node spacing.
asset::SampleBlocks samples_on_surface(const asset::PointsView& points, const asset::DistanceGridView& grid);

}  // namespace abut::ssdf
