#pragma once

#include <memory>
#include <span>

#include "runtime/contact/model.h"
#include "runtime/contact/pressure_field/pair_filter.h"
#include "runtime/core/settings.h"

// Pressure-field contact [Elandt2019]: each body carries a pressure, modulus times extent; the contact
// surface is where the pressures are equal, and the bodies press on each other there with that pressure. If
// one body is rigid, its surface is the contact surface, and the other's pressure acts on it.
namespace abut::contact {

using body::kRigid;

// Settings of the model; materials belong to the bodies (body::Material).
struct PressureFieldSettings {
  // Friction is regularised: it grows with the slip u as u / sqrt(u^2 + stiction_speed^2). m/s, > 0
  double stiction_speed = 1e-3;
  // Fades out the parts of the contact surface where a body's pressure would pull its partner in: behind a
  // core, inside thin bodies, after punch-through (faded() in pressure_field/facet.h). The wrench stays
  // continuous but no longer has a potential. Off: the model as published.
  bool fade_pulls = false;
};

// Name, unit, range and meaning of each setting.
std::span<const Setting<PressureFieldSettings>> pressure_field_settings();
// Returns the defaults with the given values applied. Throws InvalidInput for an unknown setting or one out
// of range.
PressureFieldSettings pressure_field_config(const SettingValues& values);

// Settings and materials of one pair.
struct PressureFieldConfig : PressureFieldSettings {
  body::Material A, B;  // of A and of B
};

// Throws InvalidInput for settings or materials out of range, and for two rigid bodies.
void require_valid(const PressureFieldConfig& config);

// Returns settings and materials of a pair. Throws as above, and for an invalid pair, for an absent part that
// a material needs, and for a half-space with a rigid partner.
PressureFieldConfig config_of(const body::Pair& pair, const PressureFieldSettings& settings);

// Makes the model. Its wrench: f on B = -integral of p n over the contact surface, with the unit normal n
// into A, along grad(pA - pB), less friction; p is the common pressure, raised by dissipation (RateLaw in
// pressure_field/facet.h) and at least zero. At rest it has the potential U = integral over A and B of
// min(pA, pB) [Elandt2019, Eq. 1]. Bodies whose cores overlap have no contact surface where both pressures
// are the core's; a body exactly in its own copy has none at all, kClamped and zero. Energy is computed with
// Want::kEnergy for two compliant bodies or one and a half-space, without fade_pulls; otherwise it is NaN. A
// rigid body needs a surface, its partner a volume; a half-space needs neither, its partner a volume. The
// pressure of a compliant half-space grows by modulus / thickness per metre of depth, without bound.
// Constraints: one point for each facet that faces both bodies' surfaces, only where the bodies overlap, for
// any margin. Throws InvalidInput for settings out of range.
std::unique_ptr<Model> make_pressure_field_model(const PressureFieldSettings& settings = {});

// Sums over the contact surface, in B's frame.
template <class S>
struct SurfaceSums {
  S area = 0;                            // m^2
  Vec6<S> F_BBo_B = Vec6<S>::Zero();     // N m, N
  Mat6<S> dF_dxi_B = Mat6<S>::Zero();    // (6, 6), as PairWrench
  Mat6<S> dF_dV_AB_B = Mat6<S>::Zero();  // (6, 6), as PairWrench
  std::int64_t polygons = 0;             // number of polygons of the surface
};

// Workspace of the kernels, one per thread. Keeps its memory, and the pairs of the last pose, from call to
// call; results do not depend on them. S: the scalar of the queries.
template <class S>
struct PressureFieldWorkspace {
  PairFinder finder;  // of pairs of tetrahedra that may intersect
};

// The kernels: sums over all pairs of tetrahedra, or of tetrahedra and triangles if one material is rigid.
// V_AB_B: twist of B in A. Parts must not be empty. Instantiated for double and long double.
//
// At rest the Jacobian needs no derivative of any polygon. In B's frame, component k of the wrench is the
// flux through the contact surface of the fixed field q_k = -pB e_k (torque: -pB e_k x x). By the transport
// theorem the flux changes by the integral of div q_k times the surface's normal speed, and by integrals
// along the rim and along the creases between polygons; at the rim pB = 0, and at a crease the terms of its
// two sides cancel. With s_A = (x x grad pA; grad pA), and s_B likewise, this leaves
//   dF/dxi = integral of s_B s_A' / |grad pA - grad pB| dA.
// In motion the wrench is differentiated in forward mode, including polygons and quadrature points.
template <class S>
SurfaceSums<S> contact_surface(const asset::VolumeView& A, const asset::VolumeView& B, const Pose<S>& X_AB,
                               const Vec6<S>& V_AB_B, const PressureFieldConfig& config, Want want,
                               PressureFieldWorkspace<S>& workspace);

// A is compliant, B rigid.
template <class S>
SurfaceSums<S> contact_surface(const asset::VolumeView& A, const asset::SurfaceView& B, const Pose<S>& X_AB,
                               const Vec6<S>& V_AB_B, const PressureFieldConfig& config, Want want);

// A is rigid, B compliant.
template <class S>
SurfaceSums<S> contact_surface(const asset::SurfaceView& A, const asset::VolumeView& B, const Pose<S>& X_AB,
                               const Vec6<S>& V_AB_B, const PressureFieldConfig& config, Want want);

// A is compliant, B a half-space, rigid or compliant as its material says.
template <class S>
SurfaceSums<S> contact_surface(const asset::VolumeView& A, const body::HalfSpace<double>& B,
                               const Pose<S>& X_AB, const Vec6<S>& V_AB_B, const PressureFieldConfig& config,
                               Want want);

}  // namespace abut::contact
