#pragma once

#include <functional>
#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "runtime/asset/asset.h"

// Bodies of the figures of [Elandt2019].
namespace abut::elandt2019 {

// A layer [-half_x, half_x] x [-half_y, half_y] below z = 0 whose extent depends on the depth alone and is
// linear between `depths` (ascending from 0): `extents` there. Its sides are no surface of zero pressure.
asset::Asset layer(double half_x, double half_y, const std::vector<double>& depths,
                   const std::vector<double>& extents);

// A closed surface as a rigid body.
asset::Asset rigid(const preprocess::TriangleMesh& mesh);

// A block whose underside is z(x), x in [-half_x, half_x] in so many strips, and whose top is flat at `top`.
preprocess::TriangleMesh block(double half_x, double half_y, double top, int strips,
                               const std::function<double(double)>& underside);

// A ball of one tetrahedron per triangle of an icosahedron cut `level` times, the extent linear in depth.
asset::Asset ball(double radius, int level);
preprocess::TriangleMesh sphere(double radius, int level);

// # commit, flags: the first line of every CSV.
std::string csv_header(const std::string& columns);

}  // namespace abut::elandt2019
