#pragma once

#include <vector>

#include "runtime/body/primitive.h"

namespace abut::test {

// One of each that has a surface.
inline std::vector<body::Primitive> solid_primitives() {
  return {body::Sphere<double>{0.03},
          body::Ellipsoid<double>{{0.05, 0.02, 0.03}},
          body::Box<double>{{0.02, 0.05, 0.03}},
          body::Capsule<double>{0.03, 0.02},
          body::Cylinder<double>{0.04, 0.03},
          body::Cone<double>{0.05, 0.02}};
}

}  // namespace abut::test
