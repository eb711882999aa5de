#pragma once

#include <memory>
#include <span>

#include "runtime/contact/model.h"
#include "runtime/contact/pair_filter.h"
#include "runtime/core/settings.h"

// Pressure-field contact [Elandt2019]: both bodies carry a pressure, modulus times extent; they meet where
// the pressures are equal, and press on each other there with that pressure. A rigid body's surface is the
// contact surface, where the other's pressure acts.
namespace abut::contact {

using body::kRigid;

// Settings of the model; what the bodies are made of is their own (body::Material).
struct PressureFieldSettings {
  // Friction is regularised: it grows with the slip u as u / sqrt(u^2 + stiction_speed^2). m/s, > 0
  double stiction_speed = 1e-3;
  // Fades out the parts of the contact surface where a body's pressure would pull its partner in: behind a
  // core, inside thin bodies, after punch-through (faded() in facet.h). The wrench stays continuous and has
  // no potential any more. Off: the model as published.
  bool fade_pulls = false;
};

// What each setting is called, its unit, range and meaning.
std::span<const Setting<PressureFieldSettings>> pressure_field_settings();
// The defaults with those given. Throws InvalidInput for one that is unknown or out of range.
PressureFieldSettings pressure_field_config(const SettingValues& values);

// Settings and materials of one pair.
struct PressureFieldConfig : PressureFieldSettings {
  body::Material A, B;  // of the two bodies
};

// Throws InvalidInput: settings or materials out of range, two rigid bodies.
void require_valid(const PressureFieldConfig& config);

// The same for a pair, and where it is not valid, a part that a material needs is absent, or a half-space has
// a rigid partner.
PressureFieldConfig config_of(const body::Pair& pair, const PressureFieldSettings& settings);

// Wrench: f on B = -integral of p n over the contact surface, n the unit normal into A, along grad(pA - pB),
// less friction; p is the common pressure, raised by dissipation (RateLaw in facet.h) and at least zero. At
// rest it has the potential U = integral over A and B of min(pA, pB) [Elandt2019, Eq. 1]. Bodies whose cores
// overlap have no surface between them where both pressures are the core's. Energy: with Want::kEnergy, of
// two compliant bodies, or one and a half-space, without fade_pulls; else NaN. A rigid body needs a surface,
// the other a volume; a half-space needs neither, and its partner a volume: compliant, its pressure grows by
// modulus / thickness per metre of depth, without bound. Constraints: a point to each facet that faces both
// bodies' surfaces, where the bodies overlap only, whatever the margin. Throws InvalidInput for settings out
// of range.
std::unique_ptr<Model> make_pressure_field_model(const PressureFieldSettings& settings = {});

// What the contact surface adds up to, in B's frame.
template <class S>
struct SurfaceSums {
  S area = 0;                            // m^2
  Vec6<S> F_BBo_B = Vec6<S>::Zero();     // N m, N
  Mat6<S> dF_dxi_B = Mat6<S>::Zero();    // (6, 6), as PairWrench
  Mat6<S> dF_dV_AB_B = Mat6<S>::Zero();  // (6, 6), as PairWrench
  std::int64_t polygons = 0;             // that the surface consists of
};

// One per thread; keeps its memory, and the pairs of the last pose, from call to call. Sums do not depend on
// them. S: the scalar of the queries.
template <class S>
struct PressureFieldWorkspace {
  PairFinder finder;  // of pairs of tetrahedra that may meet
};

// The kernels: sums over all pairs of tetrahedra, or of tetrahedra and triangles where one material is rigid.
// V_AB_B: twist of B in A. Parts must not be empty. Instantiated for double and long double.
//
// At rest the Jacobian needs no derivative of any polygon. In B's frame component k of the wrench is the flux
// through the contact surface of the fixed field q_k = -pB e_k (torque: -pB e_k x x). By the transport
// theorem a flux changes by the integral of div q_k times the surface's normal speed, and by integrals along
// its rim and along the creases between polygons; the rim has pB = 0, and at a crease the terms of its two
// sides cancel. With s_A = (x x grad pA; grad pA), and s_B alike, that leaves
//   dF/dxi = integral of s_B s_A' / |grad pA - grad pB| dA.
// In motion the wrench is differentiated forward, with polygons and quadrature points.
template <class S>
SurfaceSums<S> contact_surface(const asset::VolumeView& A, const asset::VolumeView& B, const Pose<S>& X_AB,
                               const Vec6<S>& V_AB_B, const PressureFieldConfig& config, Want want,
                               PressureFieldWorkspace<S>& workspace);

// A compliant, B rigid.
template <class S>
SurfaceSums<S> contact_surface(const asset::VolumeView& A, const asset::SurfaceView& B, const Pose<S>& X_AB,
                               const Vec6<S>& V_AB_B, const PressureFieldConfig& config, Want want);

// A rigid, B compliant.
template <class S>
SurfaceSums<S> contact_surface(const asset::SurfaceView& A, const asset::VolumeView& B, const Pose<S>& X_AB,
                               const Vec6<S>& V_AB_B, const PressureFieldConfig& config, Want want);

// A compliant, B a half-space, rigid or compliant by its material.
template <class S>
SurfaceSums<S> contact_surface(const asset::VolumeView& A, const body::HalfSpace<double>& B,
                               const Pose<S>& X_AB, const Vec6<S>& V_AB_B, const PressureFieldConfig& config,
                               Want want);

}  // namespace abut::contact
