#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::asset {

// Indices of vertices; corner 3 sees 0, 1, 2 run counter-clockwise.
using Tetrahedron = std::array<std::int32_t, 4>;

// The corners of the face opposite corner k, counter-clockwise seen from k.
inline constexpr int kFaces[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};

// The arrays of a volume, tetrahedra in the leaf order of a tree. `tetrahedra`: of positive volume. `extent`:
// per vertex, in [0, 1]; `gradients`: of it, per tetrahedron, 1/m.
Volume build_volume(std::span<const Eigen::Vector3d> vertices, std::span<const Tetrahedron> tetrahedra,
                    const std::vector<double>& extent, std::span<const Eigen::Vector3d> gradients);

}  // namespace abut::asset
