#pragma once

#include "runtime/math/pose.h"

namespace abut::dynamics {

// How a contact point moves with the shapes that touch there.
struct PointSlopes {
  using Matrix = Eigen::Matrix<double, 7, 6>;  // (p; n; gap) by (w; v)

  // Of (p; n; gap), world axes, by a motion (w; v) of B about `pivot_W`, rad and m, with A held. Of motions
  // that A and B share it follows from these: the point and the normal go along.
  Matrix by_B = Matrix::Zero();
  Vec3<double> pivot_W = Vec3<double>::Zero();  // in the world, m
  // Whether it moves smoothly within kPointKink of here; else the slopes are means of those nearby, or those
  // of the side on which there is such a point.
  bool smooth = true;
};

// Turn of B, rad, and shift, over the size of the smaller shape, within which a change of features counts as
// a kink.
inline constexpr double kPointKink = 2e-6;

}  // namespace abut::dynamics
