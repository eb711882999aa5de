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

// The gradient in a tetrahedron of the function that is linear there, by its values at all vertices, per m.
// Right to the last bit in thin tetrahedra, too, so that like bodies on one level have like fields; zero
// where the four values are one.
Eigen::Vector3d gradient_in(std::span<const Eigen::Vector3d> vertices, const Tetrahedron& t,
                            std::span<const double> values);

// The arrays of a volume, tetrahedra in the leaf order of a tree. `tetrahedra`: of positive volume. `extent`:
// per vertex, in [0, 1]; `gradients`: of it, per tetrahedron, 1/m.
Volume build_volume(std::span<const Eigen::Vector3d> vertices, std::span<const Tetrahedron> tetrahedra,
                    const std::vector<double>& extent, std::span<const Eigen::Vector3d> gradients);

}  // namespace abut::asset
