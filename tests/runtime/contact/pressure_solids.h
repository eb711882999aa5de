#pragma once

#include <utility>

#include "preprocess/index/index.h"
#include "runtime/core/random.h"
#include "tests/runtime/contact/pressure_pair.h"
#include "tests/support/hulls.h"
#include "tests/support/pressure_field_data.h"

// Bodies of pressure-field contact whose forces are closed forms, or nearly so.
namespace abut::test {

inline constexpr double kHalf = 0.05;  // of the cubes' sides, m

// A body of one tetrahedron per triangle of its hull, with its surface.
inline body::Geometry solid(const asset::ConvexPiece& hull) {
  asset::Asset asset;
  asset.volumes.push_back(star_volume(asset::view(hull)));
  asset.surfaces.push_back(preprocess::build_surface(boundary(asset.volumes.front())));
  return body::Geometry(std::move(asset));
}

inline const body::Geometry& cube() {
  static const body::Geometry geometry = solid(box_hull({kHalf, kHalf, kHalf}));
  return geometry;
}

inline const body::Geometry& potato() {
  static const body::Geometry geometry = [] {
    Random random(5);
    return solid(tessellated_ellipsoid(2, {0.06, 0.05, 0.04}, random_rotation(random)));
  }();
  return geometry;
}

inline body::Geometry half_space(double thickness = body::HalfSpace<double>{}.thickness) {
  return body::Geometry(body::HalfSpace<double>{thickness});
}

// The pose of a half-space z <= 0 that reaches `depth` into the cube from below.
inline Pose<double> from_below(double depth) { return {Mat3<double>::Identity(), {0, 0, depth - kHalf}}; }

// At depth d a level cut of the cube has the pressure modulus / half * min(d, distance to the sides).
inline double frustum_force(double modulus, double d) {
  const double top = kHalf - d;
  return modulus / kHalf * d / 3 * 4 * (kHalf * kHalf + top * top + kHalf * top);
}

// Friction and dissipation of both bodies.
inline contact::PressureFieldConfig rough() {
  contact::PressureFieldConfig config = moduli(1e6, 4e6);
  config.A.dissipation = 0.2;
  config.B.dissipation = 0.5;
  config.A.friction = 0.5;
  config.B.friction = 0.8;
  config.stiction_speed = 0.05;
  return config;
}

}  // namespace abut::test
