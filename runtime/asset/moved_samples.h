#pragma once

#include <functional>

#include "runtime/asset/asset.h"

namespace abut::asset {

// Samples of a cloud with quads, as make_sample_blocks has them, each group's kGroupNumbers changed by `move`
// before the balls about them are made; bent: whether the surface bends at a corner of its quad.
SampleBlocks make_sample_blocks(const PointsView& points,
                                const std::function<void(double* numbers, bool bent)>& move);

}  // namespace abut::asset
