#pragma once

#include <functional>
#include <span>
#include <vector>

#include "runtime/body/body.h"
#include "runtime/core/settings.h"
#include "runtime/derivative/witness_derivative.h"

// Contact-pose generation [Montaut2022, Eq. 30]: finds the pose at which given points of two hulls are their
// witness points, in contact.
//
//   const auto found = derivative::solve_contact_pose({mug, box, p_AT, p_BT, X_AB});
namespace abut::derivative {

// The target points and the pose at which the search starts.
struct ContactPoseProblem {
  body::Body A, B;        // assets with a convex piece
  Vec3<double> target_A;  // in A, m
  Vec3<double> target_B;  // in B, m
  Pose<double> start;     // X_AB
};

// Returns X_AB exp(xi) with the rotation re-normalised, so that it stays orthonormal to rounding after any
// number of moves.
Pose<double> moved(const Pose<double>& X_AB, const Vec6<double>& xi);

// Size of the pair, m: mean over both hulls of half the longest edge of their bounding boxes.
double contact_pose_size(const body::Body& A, const body::Body& B);

// Cost of Eq. 30: r'r / 2 with r = (p1 - target_A; p2 - target_B, in B; p1 - p2), m^2.
double contact_pose_cost(const ContactPoseProblem& problem, const Pose<double>& X_AB,
                         const witness::Witness<double>& witness);

// Cost that accepts any pair of witness points, for flat contact where they are not unique: max(|target_A -
// X_AB target_B|, |d|)^2 / 2, m^2.
double contact_pose_set_cost(const ContactPoseProblem& problem, const Pose<double>& X_AB,
                             const witness::Witness<double>& witness);

// Result of a search.
struct ContactPoseSolution {
  Pose<double> X_AB;          // pose of least cost met
  double cost;                // m^2, the least cost met
  std::vector<double> trace;  // least cost before each iteration and after the last
};

// The cost that a search minimises.
enum class ContactPoseScore {
  kPoints,  // contact_pose_cost
  kSets,    // contact_pose_set_cost; without the final steps on the polytopes' own residual
};

// Settings of the annealed search.
struct ContactPoseConfig {
  int iterations = 50;             // every step counts as one
  double first_temperature = 1;    // of both soft bodies, units of contact_pose_size
  double shrink = 0.6;             // factor of the temperature per iteration
  double last_temperature = 1e-3;  // below it the polytopes' own residual is solved
  double close = 1e-6;             // cost, units of size^2, below which that starts earlier
  ContactPoseScore score = ContactPoseScore::kPoints;  // what is minimised
  std::uint64_t seed = 5;                              // of the random poses of restarts
};
std::span<const Setting<ContactPoseConfig>> contact_pose_settings();  // name, unit, range, meaning
// Returns the defaults overridden by `values`. Throws InvalidInput for a setting that is unknown or out of
// range.
ContactPoseConfig contact_pose_config(const SettingValues& values);

// Solves by annealing: Gauss-Newton with backtracking on the residual of two soft bodies (soft_bodies.h)
// whose temperature shrinks every iteration, then, once that is close, on the polytopes' own residual with
// their exact derivative. A search that stalls restarts from a pose turned and shifted at random. Throws
// InvalidInput for an invalid problem (a part absent, a number not finite, a rotation matrix that is not a
// rotation, a primitive) and for settings out of range. Differs from [Montaut2022]: not only the Jacobian but
// also the residual is smoothed, and the temperature falls.
ContactPoseSolution solve_contact_pose(const ContactPoseProblem& problem, const SettingValues& settings = {});
// The same with typed settings.
ContactPoseSolution solve_contact_pose(const ContactPoseProblem& problem, const ContactPoseConfig& config);

// Callback that estimates the derivative of the witness points at a pose; `iteration` may seed its samples.
using PoseDifferentiator =
    std::function<WitnessDerivative<double>(const body::Pair& pair, std::uint64_t iteration)>;
// Solves by the method of [Montaut2022]: Gauss-Newton with backtracking on the unsmoothed cost, with an
// estimated derivative. Throws as `solve_contact_pose` does.
ContactPoseSolution gauss_newton_contact_pose(const ContactPoseProblem& problem,
                                              const PoseDifferentiator& differentiator, int iterations = 50);

}  // namespace abut::derivative
