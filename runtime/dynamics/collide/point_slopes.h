#pragma once

#include "runtime/math/pose.h"

namespace abut::dynamics {

// Derivatives of a contact point by the poses of the shapes that touch there.
struct PointSlopes {
  using Matrix = Eigen::Matrix<double, 7, 6>;  // (p; n; gap) by (w; v)

  // Of (position; normal; gap), in world axes, by a motion (w; v) of B about `pivot_W`, rad and m, with A
  // fixed. Derivatives by a motion of A follow from these, because point and normal move along where A and B
  // move together.
  Matrix by_B = Matrix::Zero();
  Vec3<double> pivot_W = Vec3<double>::Zero();  // in the world, m
  // Whether the point moves smoothly within kPointKink of this pose. Otherwise the slopes are means of those
  // nearby, or one-sided where the point exists only on one side.
  bool smooth = true;
};

// Rotation of B, rad, and translation, relative to the size of the smaller shape, within which a change of
// features counts as a kink.
inline constexpr double kPointKink = 2e-6;

}  // namespace abut::dynamics
