#pragma once

#include "datasets/household/surface.h"

namespace abut::datasets::household {

// The cuboid [0, size] cut into cells per axis, two triangles a cell; vertices on its edges are shared.
Surface box(const Eigen::Vector3d& size, const std::array<int, 3>& cells);

}  // namespace abut::datasets::household
