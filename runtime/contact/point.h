#pragma once

#include "runtime/contact/model.h"
#include "runtime/core/settings.h"
#include "runtime/derivative/gumbel.h"

// Contact of two convex bodies at their witness points: one contact with one frictionless spring.
namespace abut::contact {

// Settings of the model `point`.
struct PointConfig {
  double stiffness = 1e4;           // k, N/m, > 0: carries a load of 10 N at 1 mm
  derivative::GumbelConfig gumbel;  // curvature, for the Jacobian
  derivative::Clamp clamp;          // keeps the Jacobian finite in singular directions
};

// Name, unit, range and meaning of each setting.
std::span<const Setting<PointConfig>> point_settings();
// Returns the defaults with the given values applied. Throws InvalidInput for an unknown setting or one out
// of range.
PointConfig point_config(const SettingValues& values);

// Makes the model. Constraints: the witness pair. Wrench: a spring along the witness normal while the bodies
// overlap,
//   U = k d^2 / 2 for d < 0,   f on B = -k d n at the witness point on B.
// It is the exact gradient of U, so it does no work on closed paths. No damping, no friction. Smoothness: the
// force is continuous through touching and wherever the normal is; deep inside, the normal of least
// penetration may switch, and the force then jumps by at most 2 k |d|, so the row promises no continuity. The
// Jacobian takes the turning of the normal from the Gumbel estimate: that of the smooth bodies that the hulls
// approximate; for primitives it is exact. Throws InvalidInput for settings out of range.
std::unique_ptr<Model> make_point_model(const PointConfig& config = {});

}  // namespace abut::contact
