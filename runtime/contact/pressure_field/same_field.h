#pragma once

#include <span>

#include "runtime/contact/pressure_field/equal_pressure.h"
#include "runtime/contact/pressure_field/pair_filter.h"

// Bodies whose pressures are the same where they overlap: a body exactly in its own copy. Internal to the
// pressure-field model.
namespace abut::contact {

// Returns true if two tetrahedra have, up to rounding, one linear pressure, and the centre of A's is in B's.
inline bool meet_with_same_field(const PlacedTetrahedron<double>& of_A,
                                 const StillTetrahedron<double>& of_B) {
  constexpr double kSame = 1e-12;  // of the terms that a pressure is summed from
  const LinearPressure<double>& p = of_B.pressure;
  const double terms = of_A.pressures.maxCoeff() + p.gradient.cwiseAbs().sum() * of_A.reach;
  for (int k = 0; k < 4; ++k)
    if (!(std::abs(of_A.pressures[k] - p(of_A.corners.col(k))) <= kSame * terms)) return false;
  const Vec3<double> center = of_A.corners.rowwise().mean();
  for (int k = 0; k < 4; ++k) {
    Vec3<double> n;
    double d;
    face_plane<double>(of_B.face_planes(), k, n, d);
    if (n.dot(center) + d < -height_rounding<double>(of_A.reach)) return false;
  }
  return true;
}

// Returns true if such tetrahedra are among the pairs of two bodies, for pressures modulus (Pa) times extent.
inline bool meet_with_same_field(const asset::VolumeView& A, double modulus_A, const asset::VolumeView& B,
                                 double modulus_B, const Pose<double>& X_BA,
                                 std::span<const TetrahedronPair> pairs) {
  for (const TetrahedronPair& pair : pairs)
    if (meet_with_same_field(placed<double>(A, pair.a, modulus_A, X_BA), {B, pair.b, modulus_B})) return true;
  return false;
}

}  // namespace abut::contact
