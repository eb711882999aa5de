#pragma once

#include <functional>
#include <span>
#include <vector>

#include "runtime/body/body.h"
#include "runtime/core/settings.h"
#include "runtime/derivative/witness_derivative.h"

// Contact-pose generation [Montaut2022, Eq. 30]: find the pose at which given points of two hulls are their
// witness points, in contact.
//
//   const auto found = derivative::solve_contact_pose({mug, box, p_AT, p_BT, X_AB});
namespace abut::derivative {

// What is sought, and where the search starts.
struct ContactPoseProblem {
  body::Body A, B;        // assets with a convex piece
  Vec3<double> target_A;  // in A, m
  Vec3<double> target_B;  // in B, m
  Pose<double> start;     // X_AB
};

// X_AB exp(xi), orthonormal to rounding after any number of moves.
Pose<double> moved(const Pose<double>& X_AB, const Vec6<double>& xi);

// Of both hulls: mean of half the longest edges of their bounding boxes, m.
double contact_pose_size(const body::Body& A, const body::Body& B);

// Cost of Eq. 30, r'r / 2 with r = (p1 - target_A; p2 - target_B, in B; p1 - p2), m^2.
double contact_pose_cost(const ContactPoseProblem& problem, const Pose<double>& X_AB,
                         const witness::Witness<double>& witness);

// The same on the set of witness points, for flat contact: max(|target_A - X target_B|, |d|)^2 / 2, m^2.
double contact_pose_set_cost(const ContactPoseProblem& problem, const Pose<double>& X_AB,
                             const witness::Witness<double>& witness);

// Where a search has ended.
struct ContactPoseSolution {
  Pose<double> X_AB;          // of the best cost met
  double cost;                // m^2, the best one met
  std::vector<double> trace;  // best cost before each iteration and after the last
};

// The cost that a search lowers.
enum class ContactPoseScore {
  kPoints,  // contact_pose_cost
  kSets,    // contact_pose_set_cost; the polytopes' own step is left out
};

// Settings of the annealed search.
struct ContactPoseConfig {
  int iterations = 50;                                 // every step counts as one
  double first_temperature = 1;                        // of both soft bodies, in units of contact_pose_size
  double shrink = 0.6;                                 // of the temperature, per iteration
  double last_temperature = 1e-3;                      // then the polytopes' own residual
  double close = 1e-6;                                 // cost in units of size^2 at which it is tried earlier
  ContactPoseScore score = ContactPoseScore::kPoints;  // what is lowered
  std::uint64_t seed = 5;                              // of the poses that a stalled search starts again from
};
std::span<const Setting<ContactPoseConfig>> contact_pose_settings();  // name, unit, range and meaning of each
// The defaults with those given. Throws InvalidInput for one that is unknown or out of range.
ContactPoseConfig contact_pose_config(const SettingValues& values);

// Annealing: Gauss-Newton with backtracking on the residual of two soft bodies (soft_bodies.h) whose
// temperature shrinks every iteration, then on the polytopes' own residual with their own derivative as soon
// as that is close. A search that stalls starts again from a pose turned and shifted at random. Throws
// InvalidInput for a problem that is none (a part absent, a number not finite, no rotation, a primitive) and
// for settings out of range. Differs from [Montaut2022]: the residual is smoothed with its Jacobian, and the
// temperature falls.
ContactPoseSolution solve_contact_pose(const ContactPoseProblem& problem, const SettingValues& settings = {});
// The same with settings as numbers.
ContactPoseSolution solve_contact_pose(const ContactPoseProblem& problem, const ContactPoseConfig& config);

// Derivative of the witness points at a pose, as estimated in that iteration, which may seed samples.
using PoseDifferentiator =
    std::function<WitnessDerivative<double>(const body::Pair& pair, std::uint64_t iteration)>;
// The method of [Montaut2022]: Gauss-Newton with backtracking on the plain cost, with an estimated
// derivative. Throws as the above does.
ContactPoseSolution gauss_newton_contact_pose(const ContactPoseProblem& problem,
                                              const PoseDifferentiator& differentiator, int iterations = 50);

}  // namespace abut::derivative
