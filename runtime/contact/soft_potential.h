#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/contact/model.h"
#include "runtime/core/settings.h"
#include "runtime/ssdf/kernel.h"
#include "runtime/ssdf/two_stage_points.h"

namespace abut::ssdf {
class PointLattice;
}

// Contact by a potential of soft signed distances: conservative, and without the sideways force at edges that
// soft_minimum.h has. With the bodies' fields Phi_A, Phi_B (ssdf/two_stage.h; of a primitive its exact
// distance), the areas a_f that samples x_f of a body's surface represent, and the pressure per depth k,
//   U = k (share_A sum over f of A: a_f P(Phi_B(x_f))  +  share_B sum over f of B: a_f P(Phi_A(x_f))),
//   P = s^2 / 2,  s = eps3 ln(1 + exp(-Phi / eps3)).
// P fades to zero with three continuous derivatives from Phi = 4.5 to 6 eps3; with a `reach`, for gradients
// before contact, from 11 to 15 eps3. A body's share is (distance between its partner's samples)^4, divided
// by the sum of this for both bodies: coarse samples hardly count where there are fine ones; a half-space has
// no samples. The force on a sample is k share a_f (-P') grad Phi, and the opposite force acts on the other
// body at the same place; damping and friction multiply it at each sample (soft_potential/force.h).
//
//   auto model = contact::make_model("soft_potential", {{"reach", "0.01"}});   // feels 10 cm ahead
namespace abut::contact {

// The field of an asset. kAuto: the distance grid if the asset has one that reaches as far as the forces do,
// otherwise the points. kPoints: two-stage field of its oriented points. kGrid: its distance grid. kLattice:
// the field of the points smoothed on a lattice (ssdf/point_lattice.h), eight times faster wherever contact
// has been before.
enum class PotentialField { kAuto, kPoints, kGrid, kLattice };

// Settings of the model `soft_potential`; spacings are those of the bodies' points.
struct SoftPotentialConfig {
  double stiffness = 1e8;        // k, Pa/m: 10 kPa at a depth of 0.1 mm
  double eps3 = 0.1;             // distance at which the force sets in, in spacings of the finer body
  double reach = 0;              // the same in metres, instead of eps3; 0: eps3 spacings
  double dissipation = 0;        // chi, s/m: pressure is multiplied by 1 + chi times the approach speed
  double stiction_speed = 1e-3;  // slip at which friction is 0.7 mu N, m/s
  PotentialField field = PotentialField::kAuto;  // of bodies that are assets
  int pair_threads = 1;                          // threads that share the work on one pair's wrench
};

// The only setting that affects how results are computed but not their bits.
inline constexpr std::string_view kPairThreads = "pair_threads";

// Name, unit, range and meaning of each setting.
std::span<const Setting<SoftPotentialConfig>> soft_potential_settings();
// Returns the defaults with the given values applied. Throws InvalidInput for an unknown setting or one out
// of range.
SoftPotentialConfig soft_potential_config(const SettingValues& values);

// Scratch memory of the kernel (soft_potential/scratch.h).
template <class S>
struct PotentialScratch;

// The contact law of every sample, with units.
template <class S>
struct PotentialLaw {
  S stiffness;  // k, Pa/m
  S eps3;       // m
  S faded;      // where P ends, in eps3
  S friction;   // mu
  S stiction;   // v_s, m/s
  S damping;    // chi, s/m
  // True if there is neither damping nor friction: U is then the potential of the wrench in motion too.
  bool still() const { return !(friction > S(0)) && !(damping > S(0)); }
};

// A pair with all settings in units. At least one body is not a half-space. Does not own the geometries.
template <class S>
struct PotentialPair {
  const body::Geometry *A, *B;  // one half-space at most
  Pose<S> X_AB;                 // pose of B in A
  Vec6<S> V_AB_B;               // twist of B in A, at Bo, in B: rad/s, m/s
  PotentialLaw<S> law;          // the same for samples of either body
  S share_A, share_B;           // shares of A's and of B's samples in U; they sum to 1
  bool grid_A, grid_B;          // whether the body's field is its grid
  const ssdf::PointLattice *lattice_A = nullptr, *lattice_B = nullptr;  // null: the field is not a lattice
};

// Returns the pair with all settings in their units. It refers to the pair's geometries.
PotentialPair<double> potential_pair(const SoftPotentialConfig& config, const body::Pair& pair);

// Wrench on B about Bo in B, its derivatives with respect to (xi; V) as in PairWrench, and the energy. What
// was not requested is left unset.
template <class S>
struct SoftPotential {
  Vec6<S> F_BBo_B;                                  // N m, N
  Eigen::Matrix<S, 6, 12> jacobian;                 // dF/d(xi; V)
  std::array<Eigen::Matrix<S, 12, 12>, 6> hessian;  // of each component of F
  S energy;                                         // J
  bool met;                                         // whether any sample came within reach
};

// The kernel: processes four samples at a time on `threads` threads; bit-identical for any number of threads.
// `scratch` (soft_potential/scratch.h) keeps its memory from call to call.
void soft_potential(const PotentialPair<double>& pair, ssdf::Order order, int threads,
                    PotentialScratch<double>& scratch, SoftPotential<double>& result);
// The reference that soft_potential() is tested against: in long double, one sample at a time.
void soft_potential_extended(const PotentialPair<long double>& pair, ssdf::Order order,
                             PotentialScratch<long double>& scratch, SoftPotential<long double>& result);

// A group of samples (asset/sample_blocks.h) of one body's surface in the other's field.
struct PotentialSample {
  bool of_A;              // the body it belongs to
  std::uint64_t feature;  // its index in that body
  Vec3<double> p;         // mean of its samples, in the frame of that body, m
  double area;            // m^2, times that body's share
  double distance;        // of the other body's field there, m
  Vec3<double> gradient;  // in the frame of the other body
  Mat3<double> hessian;   // 1/m
};

// Collects the groups whose middle is at most `margin` (m) from the other body's surface, or inside it.
void potential_samples(const PotentialPair<double>& pair, double margin,
                       ssdf::internal::NearScratch<double>& near, std::vector<PotentialSample>& samples);

// Makes the model. It needs oriented points or primitives, and not two half-spaces. An asset's samples are
// those of asset/sample_blocks.h, a primitive's those of body::sample_surface. For assets (points or
// lattices) and half-spaces the wrench has two continuous derivatives in pose and twists, for grids one; a
// primitive's wrench has the kinks of its distance (body/primitive_distance.h), and jumps inside solids with
// edges. Energy: U. Contact points: the middles of the groups. Throws InvalidInput for settings out of range.
std::unique_ptr<Model> make_soft_potential_model(const SoftPotentialConfig& config = {});

}  // namespace abut::contact
