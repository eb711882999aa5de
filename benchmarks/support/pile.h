#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "runtime/cli/asset_folder.h"
#include "runtime/core/random.h"
#include "runtime/dynamics/step/simulation.h"

// A pile of non-convex bodies that is poured into a bin.
namespace abut::benchmark_support {

using namespace abut::dynamics;

inline constexpr double kThick = 0.012;                     // half thickness of jacks and rings, m
inline constexpr double kPitch = 0.17, kObjectPitch = 0.3;  // m between bodies at first; with assets
inline constexpr double kDensity = 400;                     // of the assets, kg/m^3

inline Shape box(const Vec3<double>& half, const Pose<double>& X_BS) {
  return {body::Geometry(body::Box<double>{half}), X_BS};
}

// Three crossed bars, or a ring of eight: not convex, either of them. Moments are those of the reference
// scenes' bodies of the same make.
inline Body make_body(int k) {
  Body body;
  body.name = "b" + std::to_string(k);
  body.mass = 0.2;
  if (k % 2 == 0) {
    for (int axis = 0; axis < 3; ++axis) {
      Vec3<double> half = Vec3<double>::Constant(kThick);
      half[axis] = 0.07;
      body.shapes.push_back(box(half, {}));
    }
    body.inertia.setConstant(0.00023);
  } else {
    const double radius = 0.06;
    for (int i = 0; i < 8; ++i) {
      const double angle = std::numbers::pi / 4 * i;
      body.shapes.push_back(box(
          {kThick, radius * std::tan(std::numbers::pi / 8), kThick},
          {exp_rotation<double>({0, 0, angle}), {radius * std::cos(angle), radius * std::sin(angle), 0}}));
    }
    body.inertia = {0.000395, 0.000395, 0.000771};
  }
  return body;
}

using Objects = std::vector<body::Geometry>;

// Bodies along each side of a square bin whose width grows with the square root of their number.
inline int bin_side(int bodies) {
  return std::max(3, static_cast<int>(std::lround(std::sqrt(bodies / 10.0))));
}

// Bodies in layers of side x side above a bin that holds a layer.
inline Scene pile(int bodies, int side, const Objects& objects = {}) {
  Scene scene;
  scene.gravity = {0, 0, -9.81};
  const double pitch = objects.empty() ? kPitch : kObjectPitch, wall = side * pitch / 2 + 0.05;
  const double half_height = std::max(3.0, bodies / (side * side) * pitch);  // of the walls, m
  scene.fixed.push_back({body::Geometry(body::HalfSpace<double>{}), {}});
  for (int k = 0; k < 4; ++k) {
    const Mat3<double> R = exp_rotation<double>({0, 0, std::numbers::pi / 2 * k});
    scene.fixed.push_back(
        box({0.05, wall + 0.1, half_height}, {R, R * Vec3<double>(wall + 0.05, 0, half_height)}));
  }
  Random random(1);
  for (int k = 0; k < bodies; ++k) {
    const int layer = k / (side * side), place = k % (side * side);
    const Vec3<double> p_W{(place % side - (side - 1) / 2.0) * pitch,
                           (place / side - (side - 1) / 2.0) * pitch, 0.15 + layer * pitch};
    const Eigen::Quaterniond q =
        Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
    if (!objects.empty() && k % 3 == 2) {
      const body::Geometry& object = objects[static_cast<std::size_t>(k / 3) % objects.size()];
      Body body = object_body("b" + std::to_string(k), object, kDensity, {q.toRotationMatrix(), {}});
      body.p_WB = p_W;
      scene.bodies.push_back(body);
      continue;
    }
    Body body = make_body(k);
    body.p_WB = p_W;
    body.q_WB = {q.w(), q.x(), q.y(), q.z()};
    scene.bodies.push_back(body);
  }
  scene.set_material({.friction = 0.5});
  return scene;
}

}  // namespace abut::benchmark_support
