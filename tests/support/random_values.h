#pragma once

#include "runtime/core/random.h"
#include "runtime/math/pose.h"

// Random rotations and vectors.
namespace abut::test {

// Uniformly random rotation.
template <class S = double>
Mat3<S> random_rotation(Random& random) {
  const double w = random.normal(), x = random.normal(), y = random.normal(), z = random.normal();
  return rotation_from_quaternion<S>(static_cast<S>(w), static_cast<S>(x), static_cast<S>(y),
                                     static_cast<S>(z));
}

// Standard normal coordinates.
inline Vec3<double> random_vector(Random& random) {
  const double x = random.normal(), y = random.normal(), z = random.normal();
  return {x, y, z};
}

}  // namespace abut::test
