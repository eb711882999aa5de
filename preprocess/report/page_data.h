#pragma once

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/body/body.h"
#include "runtime/core/base64.h"

// Data for the scripts of the pages. Lengths in m, arrays as base64 of little-endian numbers.
namespace abut::preprocess {

template <class T>
std::string packed(const std::vector<T>& numbers) {
  return base64(std::as_bytes(std::span(numbers)));
}

// In single precision, which the pages use for drawing.
std::string packed_floats(const double* numbers, std::size_t count);

// {vertices, index, wide, count}: polygons or tetrahedra with `corners` corners each; indices have 16 bits if
// they fit, else 32 (wide).
nlohmann::json mesh_data(const std::vector<float>& vertices, const std::int32_t* index, std::int32_t count,
                         int corners);
nlohmann::json surface_data(const asset::SurfaceView& surface);
nlohmann::json vector_data(const Eigen::Vector3d& v);

// The layers of an asset: its surface, its hull, and whatever other parts it has.
nlohmann::json object_data(const asset::Asset& asset);

// Data of B pressed onto A along A's z axis, in their given orientations: poses from first touch to a depth
// of a tenth of the smaller one's least extent, at most 5 mm, with force, contact surface and witness points
// of the hulls, and the derivatives of force and points with respect to the depth. Null if one has no volume
// or they do not meet.
nlohmann::json pair_data(const body::Body& A, const body::Body& B);

}  // namespace abut::preprocess
