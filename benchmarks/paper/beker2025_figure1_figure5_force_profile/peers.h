#pragma once

#include <memory>

#include "runtime/math/pose.h"

// The contact force between a fixed and a free ball, both at rest, as other simulators have it.
namespace abut::beker2025 {

struct Balls {
  double fixed_radius, free_radius;  // m
  double mass;                       // of the free one, kg
};

// Closed forms of the force on the free ball at `depth` > 0 (m) along the line of centres, N.
//
// MuJoCo at its default parameters: with the impedance d(depth) the force (a_ref - a_0) / (A + R) is
// m K d^2 depth, since A = 1/m, R = (1 - d) / d / m and a_ref = K d depth.
double mujoco_force(const Balls& balls, double depth);
// Bullet at its default parameters without split impulse: the impulse takes away 0.2 of the depth in one step
// of 1/60 s.
double bullet_force(const Balls& balls, double depth);

// The programs themselves, where this machine has them.
class Peer {
 public:
  virtual ~Peer() = default;
  // Force on the free ball with its centre at p (m), N.
  virtual Vec3<double> force(const Vec3<double>& p) = 0;
};
std::unique_ptr<Peer> make_mujoco(const Balls& balls);  // null: not there
std::unique_ptr<Peer> make_bullet(const Balls& balls);  // null: not there

}  // namespace abut::beker2025
