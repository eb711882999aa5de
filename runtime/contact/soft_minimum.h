#pragma once

#include <array>
#include <memory>
#include <vector>

#include "runtime/contact/model.h"
#include "runtime/core/settings.h"
#include "runtime/ssdf/kernel.h"

// Soft-minimum contact [Beker2025, III-C]: every point of either body feels a spring, damper and friction
// from the planes of the other body's points, softly the nearest ones; the pair's force is the mean of those
// forces, softly that at the deepest point. Smooth everywhere, for shapes of any kind. For a primitive the
// nearest plane is known: it is that of its exact distance.
namespace abut::contact {

// A body in soft-minimum contact: points that feel forces, and a field, either of the planes of those points
// or the exact distance of a primitive. Holds views: their data must outlive it.
struct SoftBody {
  asset::PointsView points;                // none for a half-space
  const body::Primitive* exact = nullptr;  // the primitive whose exact distance is the field; null: none

  SoftBody(const asset::PointsView& planes) : points(planes) {}  // NOLINT(google-explicit-constructor)
  // Uses the oriented points of an asset, or those of body::sample_surface for a primitive.
  explicit SoftBody(const body::Geometry& geometry)
      : points(geometry.points()), exact(geometry.primitive()) {}
};

// The damping factor d(s) of the normal force, where s = separating velocity over dissipation velocity:
// 1 - s for s <= 0, and 0 from 2 on. In between, kTwiceDifferentiable is (1 - s/2)^3 (1 + s/2), and kPaper is
// (1 - s/2)^2 [Beker2025, Eq. 17], whose second derivative jumps at 0 and 2.
enum class DampingLaw { kTwiceDifferentiable, kPaper };

// Settings without units: lengths follow from the spacing of the points and the size of the objects, so that
// the same numbers work for a die and for a crate. `spacing` is the smaller of the two bodies' spacings,
// `size` the diameter of the smaller body, g = 9.81 m/s^2; a half-space has neither.
struct SoftMinimumConfig {
  double eps1 = ssdf::kSmoothing;  // in each body's own spacing^2: rounding of the surface
  double eps2 = 0.1;   // in spacings: how much deeper than others a point must be to carry the load by itself
  double eps3 = 0.05;  // in spacings: the distance at which the spring sets in
  double load = 0.1;   // in weights of a cube of water with edge `size`
  double penetration = 0.05;  // in spacings: at `load`; together they give the stiffness
  double dissipation = 0.1;   // dissipation velocity, in sqrt(g size)
  double stiction = 1e-3;     // stiction velocity, in sqrt(g size)
  DampingLaw damping = DampingLaw::kTwiceDifferentiable;  // of the normal force
  ssdf::KernelKind kernel = ssdf::KernelKind::kGaussian;  // kGaussian or kWall
  double tolerance = ssdf::kTolerance;  // of every result, relative to the sum of its terms' absolute values
};

// The same settings with units, for one pair.
template <class S>
struct SoftMinimumParameters {
  S eps1_A, eps1_B;        // m^2; not used for a primitive
  S eps2, eps3;            // m
  S stiffness;             // of the pair, N/m
  S friction;              // mu
  S dissipation_velocity;  // m/s
  S stiction_velocity;     // m/s
  DampingLaw damping;      // of the normal force
  S wall_A, wall_B;        // length scale of the wall kernel, m; 0: the Gaussian kernel
  S tolerance;  // 0: every point of either body against every point of the other, the dense reference

  // Returns the parameters in another scalar type.
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

// Name, unit, range and meaning of each setting.
std::span<const Setting<SoftMinimumConfig>> soft_minimum_settings();

// Returns the defaults with the given values applied. Throws InvalidInput for an unknown setting or one out
// of range.
SoftMinimumConfig soft_minimum_config(const SettingValues& values);

// Converts settings to units for a pair; at least one body must have points. `friction`: mu of the pair.
// Throws InvalidInput for a setting out of range.
SoftMinimumParameters<double> parameters_of(const SoftMinimumConfig& config, const SoftBody& A,
                                            const SoftBody& B, double friction = 0.5);

// Second derivatives of a component of F with respect to (xi; V).
template <class S>
using Mat12 = Eigen::Matrix<S, 12, 12>;

// A Hessian of zeros, for one that was not requested.
template <class S>
std::array<Mat12<S>, 6> no_hessian() {
  std::array<Mat12<S>, 6> hessian;
  hessian.fill(Mat12<S>::Zero());
  return hessian;
}

// Value and derivatives of the contact of a pair. Derivatives are with respect to (xi; V) at xi = 0: xi of
// X_AB exp(xi), V = V_AB_B, which is held while xi varies. Second derivatives are those in this one chart:
// symmetric. (The slopes of Jacobians along a moving frame differ from them by half a commutator.) What was
// not requested is zero.
template <class S>
struct SoftMinimum {
  Vec6<S> F_BBo_B = Vec6<S>::Zero();                                   // N m, N
  Eigen::Matrix<S, 6, 12> jacobian = Eigen::Matrix<S, 6, 12>::Zero();  // dF/d(xi; V)
  std::array<Mat12<S>, 6> hessian = no_hessian<S>();                   // of each component of F
  S distance = 0;                               // soft distance of the pair, m: mean of the separation field
  Vec6<S> distance_gradient = Vec6<S>::Zero();  // with respect to xi
  Mat6<S> distance_hessian = Mat6<S>::Zero();   // with respect to xi, symmetric
  // kNoOverlap: every force is 0, because the balls around the points are farther apart than the springs
  // reach. From 1e8 spacings on, the distance is the gap between those balls.
  Status status = Status::kOk;
};

// The reference kernel, one point at a time; instantiated for double and long double. V_AB_B: twist of B in
// A, at Bo, in B (rad/s, m/s). Both bodies must have points, except one that is a half-space, and the pose
// must be finite. Points of a primitive that are 1e8 spacings of the other body away are left out; the other
// body's points remain. Does not allocate; uses a few kilobytes of stack for any number of points.
template <class S>
void soft_minimum_scalar(const SoftBody& A, const SoftBody& B, const Pose<S>& X_AB, const Vec6<S>& V_AB_B,
                         const SoftMinimumParameters<S>& parameters, ssdf::Order order,
                         SoftMinimum<S>& result);
// The kernel that the model uses: the same, four points at a time.
void soft_minimum(const SoftBody& A, const SoftBody& B, const Pose<double>& X_AB, const Vec6<double>& V_AB_B,
                  const SoftMinimumParameters<double>& parameters, ssdf::Order order,
                  SoftMinimum<double>& result);

// A point of either body in the separation field [Beker2025, Eq. 11].
template <class S>
struct SeparationPoint {
  int body;            // 0: a point of A, 1: one of B
  std::int32_t point;  // its index in the body
  S distance;          // soft distance from the other body, m
  S weight;            // in the separation distribution, softmax(-distance / eps2); all weights sum to 1
  Vec6<S> gradient;    // of the distance, with respect to xi of X_AB exp(xi)
};

// Collects all points that have weight, up to the parameters' tolerance: those left out weigh less, all
// together. The order depends only on the input; no points are found at 1e8 spacings and beyond. `points`
// keeps its memory from call to call.
template <class S>
void separation_scalar(const SoftBody& A, const SoftBody& B, const Pose<S>& X_AB,
                       const SoftMinimumParameters<S>& parameters, std::vector<SeparationPoint<S>>& points);
// The version that the model uses: four points at a time.
void separation(const SoftBody& A, const SoftBody& B, const Pose<double>& X_AB,
                const SoftMinimumParameters<double>& parameters,
                std::vector<SeparationPoint<double>>& points);

// Makes the model. It needs oriented points or primitives, and not two half-spaces. For assets and
// half-spaces the wrench has two continuous derivatives in pose and twists. Forces act at a distance too: on
// a primitive they fade like exp(-distance / eps3); ahead of points, those of planes that a point lies
// behind, as next to an edge, fade like exp(-distance / (eps1 spacing)): 18 spacings at the defaults for
// 1e-16. A primitive's wrench has the kinks of its distance (body/primitive_distance.h), and jumps inside
// solids with edges. Energy and area are NaN. Constraints: the points of either body whose soft distance from
// the other is within the margin and that have weight in the separation distribution; those some eps2 above
// the deepest have none, nor bodies whose bounding balls are 37 spacings beyond the margin apart. Throws
// InvalidInput for settings out of range.
std::unique_ptr<Model> make_soft_minimum_model(const SoftMinimumConfig& config = {});

}  // namespace abut::contact
