#pragma once

#include "runtime/contact/pressure_field.h"

namespace abut::contact {

// Potential of pressure-field contact, J: U = integral over A and B of min(pA, pB) [Elandt2019, Eq. 1]. Exact
// up to rounding: the overlap of every two tetrahedra is cut along their plane of equal pressure, and the
// pieces, on each of which the lower pressure is linear, are integrated. Takes several times as long as the
// wrench, since pairs without a contact surface count too. Volumes must not be empty, moduli must be finite.
// Instantiated for double and long double.
template <class S>
S pressure_energy(const asset::VolumeView& A, const asset::VolumeView& B, const Pose<S>& X_AB,
                  const PressureFieldConfig& config = {});

// The same for a compliant body and a half-space, rigid or compliant as its material says.
template <class S>
S pressure_energy(const asset::VolumeView& A, const body::HalfSpace<double>& B, const Pose<S>& X_AB,
                  const PressureFieldConfig& config = {});

}  // namespace abut::contact
