#pragma once

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/body/body.h"
#include "runtime/core/base64.h"

// What the scripts of the pages are given. Lengths in m, arrays as base64 of little-endian numbers.
namespace abut::preprocess {

template <class T>
std::string packed(const std::vector<T>& numbers) {
  return base64(std::as_bytes(std::span(numbers)));
}

// In single precision, as the pages draw.
std::string packed_floats(const double* numbers, std::size_t count);

// {vertices, index, wide, count}: polygons or tetrahedra of `corners` corners; indices of 16 bits where they
// fit, else 32 (wide).
nlohmann::json mesh_data(const std::vector<float>& vertices, const std::int32_t* index, std::int32_t count,
                         int corners);
nlohmann::json surface_data(const asset::SurfaceView& surface);
nlohmann::json vector_data(const Eigen::Vector3d& v);

// The layers of an asset with a surface and a hull, and those of its other parts that it has.
nlohmann::json object_data(const asset::Asset& asset);

// B pressed onto A along A's z, both turned as they are: poses from first touch to a tenth of the smaller
// one's least extent, at most 5 mm, with force, contact surface and witness points of the hulls, and how
// force and points change with the depth. Null where one has no volume or they do not meet.
nlohmann::json pair_data(const body::Body& A, const body::Body& B);

}  // namespace abut::preprocess
