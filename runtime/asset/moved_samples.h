#pragma once

#include <functional>

#include "runtime/asset/asset.h"

namespace abut::asset {

// Makes the samples of a cloud with quads like make_sample_blocks(points), but lets `move` change the
// kGroupNumbers of each group before the group's balls are computed; `bent`: whether the surface bends at a
// corner of the quad.
SampleBlocks make_sample_blocks(const PointsView& points,
                                const std::function<void(double* numbers, bool bent)>& move);

}  // namespace abut::asset
