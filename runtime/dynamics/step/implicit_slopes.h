#pragma once

#include <span>

#include "runtime/dynamics/solve/implicit_velocities.h"
#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/step/parameter_slopes.h"
#include "runtime/dynamics/system/system_tree.h"

namespace abut::dynamics {

// Derivatives of implicit steps of bodies without joints (implicit_step.h), in the coordinates of the
// system's tree: free joints, with v in the axes of the bodies. By the implicit function theorem on the
// momenta after the step,
//   r(V'; start, f, p) = (L' - L; m (v' - v)) - h F(q', V') = 0,   dV' = -(dr/dV')^-1 dr,
// with ' at the end of the step, f forces on the degrees of freedom and p parameters.
class ImplicitSlopes {
 public:
  // Throws InvalidInput for more than kMaxTreeDofs degrees of freedom.
  ImplicitSlopes(const System& system, std::span<const Parameter> parameters);

  // Resets the slopes; call it before the first part of a step.
  void begin();

  // Advances the slopes over a part of a step, from `start` to the trials of `bodies`, coupled by `islands`.
  // Leaves the forces of `contact` evaluated there.
  void advance(const State& start, const ImplicitBodies& bodies, std::span<const ImplicitIsland> islands,
               CompliantContact& contact);

  // Writes the derivatives over all parts of the step.
  void write(StepDerivatives& derivatives) const;

 private:
  // Orientation of a body at the start and end of the part, and the first of its rows.
  struct Turn {
    Mat3<double> R_start, R_end;
    Eigen::Index first = 0;
  };

  Turn turn_of(const State& start, const ImplicitBodies& bodies, std::size_t i) const;
  void carry(const State& start, const ImplicitBodies& bodies);
  void add_parameters(const State& start, const ImplicitBodies& bodies, CompliantContact& contact);
  void solve(const ImplicitBodies& bodies, const ImplicitIsland& island, const CompliantContact& contact);
  void turn_back(const State& start, const ImplicitBodies& bodies);

  SystemTree tree_;
  ParameterSlopes parameters_;
  TreeScratch scratch_;
  MatX<double> q_, v_;  // (nv, 2 nv + inputs): by tangents at the start, forces, parameters
  // (nv, same columns), in the world's axes: displacements at the end with the twists there held; r; V'.
  MatX<double> carried_, residual_, twist_;
};

}  // namespace abut::dynamics
