#pragma once

#include <Eigen/Dense>
#include <cmath>

// Transformations as scene files state them, in numbers of a few digits.
namespace abut::preprocess {

// Whether a matrix of homogeneous coordinates maps points to points: its last row is 0 0 0 1.
inline bool is_affine(const Eigen::Matrix4d& X) {
  constexpr double kRounding = 1e-6;
  return (X.row(3) - Eigen::RowVector4d(0, 0, 0, 1)).cwiseAbs().maxCoeff() <= kRounding;
}

// Whether a linear map flattens space: its columns, each scaled to length 1, span a volume that is nothing
// but the rounding of numbers of six digits.
inline bool is_singular(const Eigen::Matrix3d& map) {
  constexpr double kFlat = 1e-6;
  Eigen::Matrix3d directions = map;
  for (int k = 0; k < 3; ++k) directions.col(k).stableNormalize();
  return !(std::abs(directions.determinant()) > kFlat);
}

// Whether an axis or a quaternion of this length is one of length 1 in numbers of three digits.
inline bool is_unit(double length) { return std::abs(length - 1) <= 1e-3; }

}  // namespace abut::preprocess
