#pragma once

#include <memory>
#include <span>

#include "runtime/contact/model.h"
#include "runtime/core/settings.h"
#include "runtime/ssdf/kernel.h"

// Contact of soft signed distances by a potential: conservative, and upright at edges, where the force of
// soft_minimum.h pushes to the side. With Phi_A, Phi_B the bodies' soft signed distances (m), a_f the areas
// that samples x_f of a body's surface stand for (m^2), and k the pressure per depth (Pa/m),
//   U = k/2 (sum over f of A: a_f P(Phi_B(x_f))  +  sum over f of B: a_f P(Phi_A(x_f))),
//   P = s^2 / 2,  s = eps3 ln(1 + exp(-Phi / eps3)).
// The force on a sample is k/2 a_f s sigma(-Phi / eps3) grad Phi, the opposite on the other body at the same
// place. With a half-space, which has no samples, the other's count twice.
namespace abut::contact {

struct SoftPotentialConfig {
  double stiffness = 1e8;        // k, Pa/m: 10 kPa at a depth of 0.1 mm
  double eps1 = 0.5;             // rounding of each body's surface, spacing^2
  double eps3 = 0.1;             // distance at which the force sets in, finer spacing of the two
  double stiction_speed = 1e-3;  // slip at which friction is 0.7 mu N, m/s
  ssdf::KernelKind kernel = ssdf::KernelKind::kWall;
  double tolerance = 1e-12;  // of the soft distances
};

// What each setting is called, its unit, range and meaning; and the defaults with the settings that were
// given, which throws InvalidInput for an unknown one and for one out of range.
std::span<const Setting<SoftPotentialConfig>> soft_potential_settings();
SoftPotentialConfig soft_potential_config(const SettingValues& values);

// The model of the table. Needs oriented points, or primitives, but no two half-spaces. An asset's samples
// are the midpoints of 2 x 2 parts of its quads, a primitive's those of body::sample_surface. Friction by the
// materials, regularised, at each sample. Energy: U. Samples at which the other's distance is 40 eps3 and
// more are left out: their share is below 1e-17 of that of one at the surface. Throws InvalidInput for
// settings out of range.
std::unique_ptr<Model> make_soft_potential_model(const SoftPotentialConfig& config = {});

}  // namespace abut::contact
