#pragma once

#include <Eigen/SparseCore>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/dynamics/collide/compliant_contact.h"
#include "runtime/dynamics/solve/smoothed_friction.h"
#include "runtime/dynamics/system/system.h"

// Velocities of bodies at the end of a backward Euler step (implicit_step.h) under forces that depend on
// these velocities.
namespace abut::dynamics {

// The bodies of a system at the start of a step and at a trial of its end.
class ImplicitBodies {
 public:
  // Starts at a valid state. A trial is where bodies are after h seconds (> 0) with given twists; the first
  // trials have the twists of the state.
  void begin(const System& system, const State& state, const Control& control, double h);

  std::size_t size() const { return starts_.size(); }
  double duration() const { return h_; }  // s
  std::span<const BodyMotion> trials() const { return trials_; }

  // Sets the trial of body i to the given twist.
  void try_twist(std::size_t i, const Vec6<double>& V_WB_W);

  // Residual of body i: its change of momentum less the impulse of gravity and control, (angular about the
  // centre of mass; linear), N m s and N s, in the world's axes.
  Vec6<double> residual(std::size_t i) const;
  // (6, 6) derivatives with respect to the trial's twist: of the residual, and of the trial's displacement
  // (turn, rad; shift, m).
  Mat6<double> residual_slope(std::size_t i) const;
  Mat6<double> displacement_slope(std::size_t i) const;
  // (3, 3) derivative of the angular momentum with respect to a turn of the trial, with the twist held.
  Mat3<double> momentum_slope_by_turn(std::size_t i) const;
  // Squared change of velocity by an impulse, (m/s)^2: the energy that the impulse gives to the body at rest,
  // over half its mass.
  double square_of_speed(std::size_t i, const Vec6<double>& impulse) const;
  // Change of the twist by an impulse at the start, rad/s and m/s.
  Vec6<double> twist_by(std::size_t i, const Vec6<double>& impulse) const;
  // Twice the kinetic energy that a twist has at the trial, J.
  double twice_energy(std::size_t i, const Vec6<double>& V_WB_W) const;

  double mass(std::size_t i) const { return starts_[i].mass; }  // kg
  const Vec6<double>& start_twist(std::size_t i) const { return starts_[i].V_WB_W; }

  // Writes the trials to the state; or only the velocity of trial i to the state of its body.
  void take(State& state) const;
  void take_velocity(std::size_t i, BodyState& state) const;

 private:
  struct Start {
    Vec3<double> p, L_W, v, inertia;
    Eigen::Quaterniond q;
    Mat3<double> inverse_inertia_W;
    double mass;
    Vec6<double> V_WB_W;
    Vec6<double> wrench_W;  // gravity and control
  };
  Mat3<double> inertia_W(std::size_t i) const;
  Eigen::Quaterniond turned(std::size_t i) const;

  double h_ = 0;
  std::vector<Start> starts_;
  std::vector<BodyMotion> trials_;
};

// An island: bodies that are coupled by forces, with Newton's method for their twists.
class ImplicitIsland {
 public:
  ImplicitIsland(std::vector<std::int32_t> bodies, std::vector<std::int32_t> pairs)
      : bodies_(std::move(bodies)), pairs_(std::move(pairs)) {}

  std::span<const std::int32_t> bodies() const { return bodies_; }
  std::span<const std::int32_t> pairs() const { return pairs_; }

  // (6 bodies, 6 bodies) derivative of the residuals, contact forces included, with respect to the twists, at
  // the bodies' trials with the forces there.
  Eigen::SparseMatrix<double> residual_slope(const ImplicitBodies& bodies,
                                             std::span<const PairForce> forces) const;

  // Takes the forces at the bodies' trials and makes the next trial: a Newton step from the best one so far,
  // or the last step halved. Ends, with the best trial as the bodies' trial, where the residual speeds are
  // within the tolerance or from rounding of the twists alone, at the limits, or where the step has become
  // too short.
  void advance(ImplicitBodies& bodies, std::span<const PairForce> forces, const SearchLimits& limits);

  // Where a search has ended without a solution, at the best trial and with the forces there: makes the trial
  // to which the impulse left over there drives the bodies, with the forces linearised (a whole Newton step),
  // or as they are where that moves the bodies less.
  void push(ImplicitBodies& bodies, std::span<const PairForce> forces);
  // Takes the forces at that trial and makes one that adds no energy: less of the impulse that they do not
  // give, as far as it was along the motion.
  void restrain(ImplicitBodies& bodies, std::span<const PairForce> forces);
  // Makes the bodies' trials, with the forces there, the best one, whatever its residual.
  void settle(const ImplicitBodies& bodies, std::span<const PairForce> forces);

  // Starts again, from the given twists (6 each) of its bodies.
  void restart(ImplicitBodies& bodies, const Eigen::VectorXd& twists);
  Eigen::VectorXd start_twists(const ImplicitBodies& bodies) const;

  // Returns the change of the twists found that a change of the forces to `forces` makes, to first order;
  // zero where the derivative of the residuals is singular.
  Eigen::VectorXd response(const ImplicitBodies& bodies, std::span<const PairForce> forces);

  bool ended() const { return ended_; }
  bool solved() const { return solved_; }
  int iterations() const { return iterations_; }
  double residual() const { return residual_; }            // largest residual speed of a body, m/s
  const Eigen::VectorXd& twists() const { return best_; }  // of the best trial, 6 each

 private:
  struct Measure {
    double merit = 0;                // sum of the squared residual speeds, weighted with masses
    double residual = 0, scale = 0;  // m/s: largest of a body; what rounding errors are relative to
  };
  Measure measure(const ImplicitBodies& bodies, std::span<const PairForce> forces);
  bool find_direction(const ImplicitBodies& bodies, std::span<const PairForce> forces);
  void direct_along_residual(const ImplicitBodies& bodies, double share);
  double twice_energy(const ImplicitBodies& bodies, const Eigen::VectorXd& twists) const;
  // Whether the best trial, with Newton's direction there, is a solution to the rounding of its twists.
  bool is_solved_but_for_rounding(const ImplicitBodies& bodies) const;
  void try_step(ImplicitBodies& bodies, double length);
  void keep_trials(const ImplicitBodies& bodies);
  std::int32_t place(std::int32_t body) const;

  std::vector<std::int32_t> bodies_, pairs_;  // ascending
  Eigen::VectorXd residual_vector_, best_, direction_;
  double merit_ = 0, residual_ = 0, step_ = 0;
  int iterations_ = 0, start_ = 0;  // total; at the last start
  int halvings_ = 0;                // since the last start
  bool begun_ = false, ended_ = false, solved_ = false;
};

// Returns the islands: groups of bodies that pairs couple, and single bodies; ordered by first body.
std::vector<ImplicitIsland> implicit_islands(std::size_t bodies, std::span<const PairForce> pairs);

}  // namespace abut::dynamics
