#pragma once

#include <array>
#include <memory>
#include <vector>

#include "runtime/contact/model.h"
#include "runtime/core/settings.h"
#include "runtime/ssdf/kernel.h"

// Soft-minimum contact [Beker2025, III-C]: every point of either body feels a spring, damper and friction
// from the planes of the other one's points, softly the nearest; the force of the pair is the mean of those
// forces, softly of the deepest point. Smooth everywhere, for shapes of any kind. Of a primitive the nearest
// plane is known: that of its exact distance.
namespace abut::contact {

// What soft-minimum contact knows of a body: points where it is felt, and its field, of the planes of those
// points or of the exact distance of a primitive. Views: what is shown must outlive it.
struct SoftBody {
  asset::PointsView points;                // of a half-space: none
  const body::Primitive* exact = nullptr;  // the primitive whose exact distance is the field; null: none

  SoftBody(const asset::PointsView& planes) : points(planes) {}  // NOLINT(google-explicit-constructor)
  // Of an asset its oriented points, of a primitive those of body::sample_surface.
  explicit SoftBody(const body::Geometry& geometry)
      : points(geometry.points()), exact(geometry.primitive()) {}
};

// d(s) of the normal force, s = separating velocity over dissipation velocity: 1 - s for s <= 0 and 0 from 2
// on. Between, kTwiceDifferentiable is (1 - s/2)^3 (1 + s/2); kPaper is (1 - s/2)^2 [Beker2025, Eq. 17],
// whose second derivative jumps at 0 and 2.
enum class DampingLaw { kTwiceDifferentiable, kPaper };

// Settings without a unit: lengths follow from the spacing of the points and the size of the objects, so that
// the same numbers work for a die and for a crate. `spacing` is the smaller one of the two bodies', `size`
// the diameter of the smaller body, g = 9.81 m/s^2; a half-space has neither.
struct SoftMinimumConfig {
  double eps1 = ssdf::kSmoothing;  // over each body's own spacing^2: rounding of the surface
  double eps2 = 0.1;               // over spacing: how much deeper than others a point must be to carry alone
  double eps3 = 0.05;              // over spacing: the distance at which the spring sets in
  double load = 0.1;               // over the weight of a cube of water with edge `size`
  double penetration = 0.05;       // over spacing: at `load`, which gives the stiffness
  double dissipation = 0.1;        // dissipation velocity over sqrt(g size)
  double stiction = 1e-3;          // stiction velocity over sqrt(g size)
  DampingLaw damping = DampingLaw::kTwiceDifferentiable;  // of the normal force
  ssdf::KernelKind kernel = ssdf::KernelKind::kGaussian;  // kGaussian or kWall
  double tolerance = ssdf::kTolerance;  // of every result, relative to the sum of its terms' absolute values
};

// The same with units, for one pair.
template <class S>
struct SoftMinimumParameters {
  S eps1_A, eps1_B;        // m^2; not heeded of a primitive
  S eps2, eps3;            // m
  S stiffness;             // of the pair, N/m
  S friction;              // mu
  S dissipation_velocity;  // m/s
  S stiction_velocity;     // m/s
  DampingLaw damping;      // of the normal force
  S wall_A, wall_B;        // depth of the kernel of walls, m; 0: the Gaussian kernel
  S tolerance;  // 0: every point of either body against every point of the other, the dense reference

  // The same in another scalar.
  template <class U>
  SoftMinimumParameters<U> cast() const {
    return {U(eps1_A),
            U(eps1_B),
            U(eps2),
            U(eps3),
            U(stiffness),
            U(friction),
            U(dissipation_velocity),
            U(stiction_velocity),
            damping,
            U(wall_A),
            U(wall_B),
            U(tolerance)};
  }
};

// What each setting is called, its unit, range and meaning.
std::span<const Setting<SoftMinimumConfig>> soft_minimum_settings();

// The defaults with the settings that were given. Throws InvalidInput for an unknown one and for one out of
// range.
SoftMinimumConfig soft_minimum_config(const SettingValues& values);

// One of the bodies must have points. `friction`: mu of the pair. Throws InvalidInput for a setting that is
// out of range.
SoftMinimumParameters<double> parameters_of(const SoftMinimumConfig& config, const SoftBody& A,
                                            const SoftBody& B, double friction = 0.5);

// Second derivatives of a component of F by (xi; V).
template <class S>
using Mat12 = Eigen::Matrix<S, 12, 12>;

// Zeros: what was not asked for.
template <class S>
std::array<Mat12<S>, 6> no_hessian() {
  std::array<Mat12<S>, 6> hessian;
  hessian.fill(Mat12<S>::Zero());
  return hessian;
}

// Value and derivatives of the contact of a pair. Derivatives are with respect to (xi; V) at xi = 0: xi of
// X_AB exp(xi), V = V_AB_B, held while xi varies. Second derivatives are those in this one chart: symmetric.
// (Slopes of Jacobians along a moving frame differ from them by half a commutator.) What was not asked for is
// zero.
template <class S>
struct SoftMinimum {
  Vec6<S> F_BBo_B = Vec6<S>::Zero();                                   // N m, N
  Eigen::Matrix<S, 6, 12> jacobian = Eigen::Matrix<S, 6, 12>::Zero();  // dF/d(xi; V)
  std::array<Mat12<S>, 6> hessian = no_hessian<S>();                   // of each component of F
  S distance = 0;                               // soft distance of the pair, m: mean of the separation field
  Vec6<S> distance_gradient = Vec6<S>::Zero();  // by xi
  Mat6<S> distance_hessian = Mat6<S>::Zero();   // by xi, symmetric
  // kNoOverlap: every force is 0: the balls about the points are apart by more than springs reach. At 1e8
  // spacings and more the distance is the gap of those balls.
  Status status = Status::kOk;
};

// The kernel. V_AB_B: twist of B in A, at Bo, in B (rad/s, m/s). Both bodies must have points, but for one
// half-space, and the pose be finite. Where one is a primitive whose points are 1e8 spacings of the other one
// away, they are left out: the other's points remain. Needs no memory of its own: a few kilobytes of the
// stack, whatever the number of points. For
// double, four points at a time; the template is its reference, instantiated for double and long double.
template <class S>
void soft_minimum_scalar(const SoftBody& A, const SoftBody& B, const Pose<S>& X_AB, const Vec6<S>& V_AB_B,
                         const SoftMinimumParameters<S>& parameters, ssdf::Order order,
                         SoftMinimum<S>& result);
// Four points at a time: what the model uses.
void soft_minimum(const SoftBody& A, const SoftBody& B, const Pose<double>& X_AB, const Vec6<double>& V_AB_B,
                  const SoftMinimumParameters<double>& parameters, ssdf::Order order,
                  SoftMinimum<double>& result);

// A point of either body in the separation field [Beker2025, Eq. 11].
template <class S>
struct SeparationPoint {
  int body;            // 0: a point of A, 1: one of B
  std::int32_t point;  // its index
  S distance;          // soft distance from the other body, m
  S weight;            // in the separation distribution, softmax(-distance / eps2); all of them sum to 1
  Vec6<S> gradient;    // of the distance by xi of X_AB exp(xi)
};

// All points that have weight, to the tolerance of the parameters: those left out together weigh less. In an
// order that depends on the input alone; none at 1e8 spacings and more. `points` keeps its memory from call
// to call.
template <class S>
void separation_scalar(const SoftBody& A, const SoftBody& B, const Pose<S>& X_AB,
                       const SoftMinimumParameters<S>& parameters, std::vector<SeparationPoint<S>>& points);
// Four points at a time: what the model uses.
void separation(const SoftBody& A, const SoftBody& B, const Pose<double>& X_AB,
                const SoftMinimumParameters<double>& parameters,
                std::vector<SeparationPoint<double>>& points);

// The model of the table. Needs oriented points, or primitives, but no two half-spaces. Of assets and
// half-spaces two continuous derivatives in pose and twists, forces at a distance too (they fade like
// exp(-distance / eps3) on a primitive, and ahead of points those of planes which a point lies behind, as
// beside an edge, like exp(-distance / (eps1 spacing)): 18 spacings at the defaults for 1e-16); where a
// primitive's distance has kinks (body/primitive_distance.h) the wrench has them, inside solids with
// edges it jumps; energy and area are NaN. Constraints: the points of either body within the margin, by their
// soft distances from the other, that have weight in the separation distribution: those some eps2 above the
// deepest have none. Throws InvalidInput for settings out of range.
std::unique_ptr<Model> make_soft_minimum_model(const SoftMinimumConfig& config = {});

}  // namespace abut::contact
