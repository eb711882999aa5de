#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::asset {

// Vertex indices; seen from corner 3, corners 0, 1, 2 run counter-clockwise.
using Tetrahedron = std::array<std::int32_t, 4>;

// The corners of the face opposite corner k, counter-clockwise seen from corner k.
inline constexpr int kFaces[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};

// Returns the gradient, per m, of the function that is linear in a tetrahedron, given its values at all
// vertices. Accurate to the last bit even in thin tetrahedra (computed in extended precision), so that
// identical bodies at the same height have identical fields; zero where the four values are equal.
Eigen::Vector3d gradient_in(std::span<const Eigen::Vector3d> vertices, const Tetrahedron& t,
                            std::span<const double> values);

// Assembles the arrays of a volume, with tetrahedra in the leaf order of a tree. `tetrahedra` must have
// positive volume. `extent`: per vertex, in [0, 1]; `gradients`: of the extent, per tetrahedron, 1/m.
Volume build_volume(std::span<const Eigen::Vector3d> vertices, std::span<const Tetrahedron> tetrahedra,
                    const std::vector<double>& extent, std::span<const Eigen::Vector3d> gradients);

}  // namespace abut::asset
