#pragma once

#include "datasets/household/surface.h"

namespace abut::datasets::household {

// The cuboid [0, size], divided into `cells` along each axis, with two triangles per cell; vertices on its
// edges are shared.
Surface box(const Eigen::Vector3d& size, const std::array<int, 3>& cells);

}  // namespace abut::datasets::household
