#pragma once

#include <vector>

#include "runtime/contact/equal_pressure.h"
#include "runtime/contact/model.h"

// Pressure-field contact [Elandt2019]: both bodies carry a pressure, modulus times extent; they meet where
// the pressures are equal, and press on each other there with that pressure.
namespace abut::contact {

struct PressureFieldConfig {
  double modulus_A = 1e7;  // Pa, > 0: the pressure in the core
  double modulus_B = 1e7;  // Pa, > 0
};

// Wrench: f on B = -integral of p n over the contact surface, n the unit normal into A, along grad(pA - pB).
// It has the potential U = integral over A and B of min(pA, pB) [Elandt2019, Eq. 1], and does not depend on
// the twists. Bodies whose cores overlap have no surface between them where both pressures are the core's.
// Throws InvalidInput for settings out of range.
std::unique_ptr<Model> make_pressure_field_model(const PressureFieldConfig& config = {});

// What the contact surface adds up to, in B's frame.
template <class S>
struct SurfaceSums {
  S area = 0;                          // m^2
  Vec6<S> F_BBo_B = Vec6<S>::Zero();   // N m, N
  Mat6<S> dF_dxi_B = Mat6<S>::Zero();  // (6, 6), as PairWrench
  std::int64_t polygons = 0;
};

// Keeps the tetrahedra of A's last leaf in B's frame. One per thread.
template <class S>
struct PressureFieldWorkspace {
  std::vector<PlacedTetrahedron<S>> placed;
};

// The kernel: sums over all pairs of tetrahedra. Volumes must not be empty. Instantiated for double and long
// double.
//
// The Jacobian needs no derivative of any polygon. In B's frame component k of the wrench is the flux through
// the contact surface of the fixed field q_k = -pB e_k (torque: -pB e_k x x). By the transport theorem a flux
// changes by the integral of div q_k times the surface's normal speed, and by integrals along its rim and
// along the creases between polygons; the rim has pB = 0, and at a crease the terms of its two sides cancel.
// With s_A = (x x grad pA; grad pA), and s_B alike, that leaves
//   dF/dxi = integral of s_B s_A' / |grad pA - grad pB| dA.
template <class S>
SurfaceSums<S> contact_surface(const asset::VolumeView& A, const asset::VolumeView& B, const Pose<S>& X_AB,
                               const PressureFieldConfig& config, Want want,
                               PressureFieldWorkspace<S>& workspace);

}  // namespace abut::contact
