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

// Contact by a potential of soft signed distances: conservative, and upright at edges, where the force of
// soft_minimum.h pushes to the side. With Phi_A, Phi_B the bodies' fields (ssdf/two_stage.h; of a primitive
// its exact distance), a_f the areas that samples x_f of a body's surface stand for, and k the pressure per
// depth,
//   U = k (share_A sum over f of A: a_f P(Phi_B(x_f))  +  share_B sum over f of B: a_f P(Phi_A(x_f))),
//   P = s^2 / 2,  s = eps3 ln(1 + exp(-Phi / eps3)).
// P goes to zero with four continuous derivatives from Phi = 4.5 to 6 eps3; with a `reach`, for gradients
// before contact, from 11 to 15. A body's share is that of (distance between its partner's samples)^4 in the
// sum of both: coarse ones stay out where fine ones are there; a half-space has none. The force on a sample
// is k share a_f (-P') grad Phi, and the opposite on the other body at the same place; damping and friction
// multiply it at each sample (potential_force.h).
//
//   auto model = contact::make_model("soft_potential", {{"reach", "0.01"}});   // feels 10 cm ahead
namespace abut::contact {

// The field of an asset: in two stages from its oriented points; its distance grid; or the grid where there
// is one that reaches as far as forces do, and else the points; or that of the points smoothed on a lattice
// (ssdf/point_lattice.h), eight times faster where contact was before.
enum class PotentialField { kAuto, kPoints, kGrid, kLattice };

// Settings of the model `soft_potential`; spacings are those of the bodies' samples.
struct SoftPotentialConfig {
  double stiffness = 1e8;        // k, Pa/m: 10 kPa at a depth of 0.1 mm
  double eps3 = 0.1;             // distance at which the force sets in, of the finer spacing of the two
  double reach = 0;              // the same in metres; 0: eps3 spacings
  double dissipation = 0;        // chi, s/m: pressure times 1 + chi times the approaching speed
  double stiction_speed = 1e-3;  // slip at which friction is 0.7 mu N, m/s
  PotentialField field = PotentialField::kAuto;  // of the bodies that are assets
  int pair_threads = 1;                          // that share the work on one pair's wrench
};

// The setting by which answers are made, and not what they are: their bits are the same.
inline constexpr std::string_view kPairThreads = "pair_threads";

// What each setting is called, its unit, range and meaning.
std::span<const Setting<SoftPotentialConfig>> soft_potential_settings();
// The defaults with those given. Throws InvalidInput for one that is unknown or out of range.
SoftPotentialConfig soft_potential_config(const SettingValues& values);

// Memory of the kernel (potential_scratch.h).
template <class S>
struct PotentialScratch;

// What acts on every sample, with units.
template <class S>
struct PotentialLaw {
  S stiffness;  // k, Pa/m
  S eps3;       // m
  S faded;      // where P ends, eps3
  S friction;   // mu
  S stiction;   // v_s, m/s
  S damping;    // chi, s/m
  // Whether there is neither damping nor friction: U is then the wrench's potential in motion too.
  bool still() const { return !(friction > S(0)) && !(damping > S(0)); }
};

// One pair with units. At least one body is no half-space. Views.
template <class S>
struct PotentialPair {
  const body::Geometry *A, *B;  // one half-space at most
  Pose<S> X_AB;                 // of B in A
  Vec6<S> V_AB_B;               // twist of B in A, at Bo, in B: rad/s, m/s
  PotentialLaw<S> law;          // the same for samples of either body
  S share_A, share_B;           // of A's and of B's samples in U; they sum to 1
  bool grid_A, grid_B;          // whether the field is that of the grid
  const ssdf::PointLattice *lattice_A = nullptr, *lattice_B = nullptr;  // null: the field is another one
};

// The pair with all settings in their units. Keeps views of its geometries.
PotentialPair<double> potential_pair(const SoftPotentialConfig& config, const body::Pair& pair);

// Wrench on B about Bo in B, its derivatives by (xi; V) as PairWrench has them, and the energy. What was not
// asked for is not set.
template <class S>
struct SoftPotential {
  Vec6<S> F_BBo_B;                                  // N m, N
  Eigen::Matrix<S, 6, 12> jacobian;                 // dF/d(xi; V)
  std::array<Eigen::Matrix<S, 12, 12>, 6> hessian;  // of each component of F
  S energy;                                         // J
  bool met;                                         // whether any sample came near
};

// The kernel: four samples at a time, on `threads` threads with the same bits whatever their number; and its
// reference, one at a time in long double. `scratch` (potential_scratch.h): memory, kept from call to call.
void soft_potential(const PotentialPair<double>& pair, ssdf::Order order, int threads,
                    PotentialScratch<double>& scratch, SoftPotential<double>& result);
// In long double, one sample at a time: what soft_potential() is tested against.
void soft_potential_extended(const PotentialPair<long double>& pair, ssdf::Order order,
                             PotentialScratch<long double>& scratch, SoftPotential<long double>& result);

// A piece of one body's surface in the other's field: a group of samples (asset/sample_blocks.h).
struct PotentialSample {
  bool of_A;              // whose piece
  std::uint64_t feature;  // which one of that body
  Vec3<double> p;         // its middle, in the frame of that body, m
  double area;            // m^2, times that body's share
  double distance;        // of the other's field there, m
  Vec3<double> gradient;  // in the frame of the other body
  Mat3<double> hessian;   // 1/m
};

// The pieces whose middle is at most `margin` (m) from the other body's surface, or inside.
void potential_samples(const PotentialPair<double>& pair, double margin,
                       ssdf::internal::NearScratch<double>& near, std::vector<PotentialSample>& samples);

// The model of the table. Needs oriented points, or primitives, but no two half-spaces. An asset's samples
// are those of asset/sample_blocks.h, a primitive's those of body::sample_surface. Of assets and
// half-spaces the wrench has two continuous derivatives in pose and twists, of lattices too; where a
// primitive's distance has kinks (body/primitive_distance.h) it has them, inside solids with edges it
// jumps. Of grids it has one. Energy: U. Contact points: the pieces' middles. Throws InvalidInput for
// settings out of range.
std::unique_ptr<Model> make_soft_potential_model(const SoftPotentialConfig& config = {});

}  // namespace abut::contact
