#pragma once

#include <limits>
#include <memory>

#include "runtime/contact/model.h"
#include "runtime/contact/pair_filter.h"

// Pressure-field contact [Elandt2019]: both bodies carry a pressure, modulus times extent; they meet where
// the pressures are equal, and press on each other there with that pressure.
namespace abut::contact {

// The modulus of a body that does not give: its surface is the contact surface, where the other's pressure
// acts.
inline constexpr double kRigid = std::numeric_limits<double>::infinity();

struct PressureMaterial {
  double modulus = 1e7;    // E, Pa, > 0: the pressure in the core; kRigid
  double dissipation = 0;  // chi of [Elandt2019, Eq. 3], s, >= 0
  double friction = 0;     // mu, >= 0; a pair has 2 mu_A mu_B / (mu_A + mu_B)
};

struct PressureFieldConfig {
  PressureMaterial A, B;
  // Friction is regularised: it grows with the slip u as u / sqrt(u^2 + stiction_speed^2). m/s, > 0
  double stiction_speed = 1e-3;
  // Fades out the parts of the contact surface where a body's pressure would pull its partner in: behind a
  // core, inside thin bodies, after punch-through (faded() in facet.h). The wrench stays continuous and has
  // no potential any more. Off: the model as published.
  bool fade_pulls = false;
};

// Throw InvalidInput: settings out of range, two rigid bodies; a part that a material needs is absent, the
// pose is none.
void require_valid(const PressureFieldConfig& config);
void require_valid(const PressureFieldConfig& config, const asset::PosedPair& pair);

// Wrench: f on B = -integral of p n over the contact surface, n the unit normal into A, along grad(pA - pB),
// less friction; p is the common pressure, raised by dissipation (RateLaw in facet.h) and at least zero. At
// rest it has the potential U = integral over A and B of min(pA, pB) [Elandt2019, Eq. 1]. Bodies whose cores
// overlap have no surface between them where both pressures are the core's. Energy: with Want::kEnergy, of
// two compliant bodies, or one and a half-space, without fade_pulls; else NaN. A rigid body needs a surface,
// the other a volume. Constraints: a point to each facet, where the bodies overlap only, whatever the margin.
// Throws InvalidInput for settings out of range, and for two rigid bodies.
std::unique_ptr<Model> make_pressure_field_model(const PressureFieldConfig& config = {});

// What the contact surface adds up to, in B's frame.
template <class S>
struct SurfaceSums {
  S area = 0;                            // m^2
  Vec6<S> F_BBo_B = Vec6<S>::Zero();     // N m, N
  Mat6<S> dF_dxi_B = Mat6<S>::Zero();    // (6, 6), as PairWrench
  Mat6<S> dF_dV_AB_B = Mat6<S>::Zero();  // (6, 6), as PairWrench
  std::int64_t polygons = 0;
};

// One per thread; keeps its memory, and the pairs of the last pose, from call to call. Sums do not depend on
// them. S: the scalar of the queries.
template <class S>
struct PressureFieldWorkspace {
  PairFinder finder;
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

// The half-space z <= 0 of its frame. As a compliant body its pressure grows by modulus / thickness per metre
// of depth, without bound.
struct HalfSpace {
  double thickness = 0.01;  // m, > 0
};

// A compliant, B a half-space, rigid or compliant by its material.
template <class S>
SurfaceSums<S> contact_surface(const asset::VolumeView& A, const HalfSpace& B, const Pose<S>& X_AB,
                               const Vec6<S>& V_AB_B, const PressureFieldConfig& config, Want want);

// Throws InvalidInput: as above, A rigid, thickness not positive.
void require_valid(const PressureFieldConfig& config, const asset::AssetView& A, const HalfSpace& B,
                   const Pose<double>& X_AB);

// The one-shot form of the last: throws InvalidInput as the model does, and where A has no tetrahedra, the
// thickness is not positive, or A is rigid.
PairWrench half_space_wrench(const asset::AssetView& A, const HalfSpace& B, const Pose<double>& X_AB,
                             const Vec6<double>& V_A, const Vec6<double>& V_B,
                             const PressureFieldConfig& config = {}, Want want = Want::kJacobian);

}  // namespace abut::contact
