#pragma once

#include "runtime/asset/asset.h"

namespace abut::ssdf {

// Samples of a cloud with quads, moved onto the surface of a distance grid; quads cut the corners of the
// surface and round what is narrower than they are. Each sample moves along the gradient of the distance, and
// the areas of a group grow in proportion to the area that its samples span. A sample stays on its quad if it
// would move by more than half a spacing or to a side that faces the other way, and next to creases, which
// splines round, if it would move by less than a fifth of a node spacing.
asset::SampleBlocks samples_on_surface(const asset::PointsView& points, const asset::DistanceGridView& grid);

}  // namespace abut::ssdf
