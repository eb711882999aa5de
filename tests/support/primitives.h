#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/asset/asset.h"
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

// Of triangle t.
inline std::array<Vec3<double>, 3> corners(const asset::SurfaceView& surface, std::int32_t t) {
  std::array<Vec3<double>, 3> p;
  for (std::size_t k = 0; k < 3; ++k)
    p[k] = Vec3<double>::Map(surface.vertices + 3 * surface.triangles[3 * static_cast<std::size_t>(t) + k]);
  return p;
}

// Signed volume of the tetrahedron that triangle p and the origin span.
inline double volume_under(const std::array<Vec3<double>, 3>& p) { return p[0].dot(p[1].cross(p[2])) / 6; }

}  // namespace abut::test
