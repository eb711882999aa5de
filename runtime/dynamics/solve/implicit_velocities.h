#pragma once

#include <Eigen/SparseCore>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/dynamics/collide/compliant_contact.h"
#include "runtime/dynamics/solve/smoothed_friction.h"
#include "runtime/dynamics/system/system.h"

// Velocities of bodies at the end of a backward Euler step (implicit_step.h) under forces that depend on
// them.
namespace abut::dynamics {

// The bodies of a system between the start of a step and a trial of its end.
class ImplicitBodies {
 public:
  // Starts at a valid state; trials are where bodies are after h seconds (> 0) with the twists they have.
  void begin(const System& system, const State& state, const Control& control, double h);

  std::size_t size() const { return starts_.size(); }
  double duration() const { return h_; }  // s
  std::span<const BodyMotion> trials() const { return trials_; }

  void try_twist(std::size_t i, const Vec6<double>& V_WB_W);

  // Change of momentum less the impulse of gravity and control, (angular about the centre of mass; linear),
  // N m s and N s, in the world's axes.
  Vec6<double> residual(std::size_t i) const;
  // (6, 6): derivatives of the residual, and of the displacement (turn, rad; shift, m) of the trial, by its
  // twist.
  Mat6<double> residual_slope(std::size_t i) const;
  Mat6<double> displacement_slope(std::size_t i) const;
  // (3, 3): of the angular momentum by a turn of the trial, the twist held.
  Mat3<double> momentum_slope_by_turn(std::size_t i) const;
  // Square of what an impulse changes of the velocity, (m/s)^2: the energy that it gives the body at rest,
  // over half its mass.
  double square_of_speed(std::size_t i, const Vec6<double>& impulse) const;

  double mass(std::size_t i) const { return starts_[i].mass; }  // kg
  const Vec6<double>& start_twist(std::size_t i) const { return starts_[i].V_WB_W; }

  // Makes the trials, or the velocity of one, the state's.
  void take(State& state) const;
  void take_velocity(std::size_t i, BodyState& state) const;

 private:
  struct Start {
    Vec3<double> p, L_W, v, inertia;
    Eigen::Quaterniond q;
    Mat3<double> inverse_inertia_W;
    double mass;
    Vec6<double> V_WB_W;
    Vec6<double> wrench_W;  // of gravity and control
  };
  Mat3<double> inertia_W(std::size_t i) const;
  Eigen::Quaterniond turned(std::size_t i) const;

  double h_ = 0;
  std::vector<Start> starts_;
  std::vector<BodyMotion> trials_;
};

// Bodies that forces couple, and Newton's method for their twists.
class ImplicitIsland {
 public:
  ImplicitIsland(std::vector<std::int32_t> bodies, std::vector<std::int32_t> pairs)
      : bodies_(std::move(bodies)), pairs_(std::move(pairs)) {}

  std::span<const std::int32_t> bodies() const { return bodies_; }
  std::span<const std::int32_t> pairs() const { return pairs_; }

  // (6 bodies, 6 bodies): of the residuals of the bodies' trials by their twists, with the forces there.
  Eigen::SparseMatrix<double> residual_slope(const ImplicitBodies& bodies,
                                             std::span<const PairForce> forces) const;

  // Looks at the forces of the bodies' trials, and makes the next trial: a Newton step from the best one so
  // far, or the last one halved. Ends, with the best trial as the bodies' own, where the velocities are right
  // to the tolerance, or at the limits, or where no step is short enough.
  void advance(ImplicitBodies& bodies, std::span<const PairForce> forces, const SearchLimits& limits);

  // Starts again, at twists (6 each) of its bodies.
  void restart(ImplicitBodies& bodies, const Eigen::VectorXd& twists);
  Eigen::VectorXd start_twists(const ImplicitBodies& bodies) const;

  // By how much the twists that it has found change when the forces become these; zero where the slope has no
  // inverse.
  Eigen::VectorXd response(const ImplicitBodies& bodies, std::span<const PairForce> forces);

  bool ended() const { return ended_; }
  bool solved() const { return solved_; }
  int iterations() const { return iterations_; }
  double residual() const { return residual_; }            // largest of a body, m/s
  const Eigen::VectorXd& twists() const { return best_; }  // of the best trial

 private:
  struct Measure {
    double merit = 0;                // sum of the squares of the residuals' speeds, weighted with masses
    double residual = 0, scale = 0;  // m/s: largest of a body; what its rounding is relative to
  };
  Measure measure(const ImplicitBodies& bodies, std::span<const PairForce> forces);
  bool find_direction(const ImplicitBodies& bodies, std::span<const PairForce> forces);
  void try_step(ImplicitBodies& bodies, double length);
  std::int32_t place(std::int32_t body) const;

  std::vector<std::int32_t> bodies_, pairs_;  // ascending
  Eigen::VectorXd residual_vector_, best_, direction_;
  double merit_ = 0, residual_ = 0, step_ = 0;
  int iterations_ = 0, start_ = 0;  // in all; where it started last
  int halvings_ = 0;                // since then
  bool begun_ = false, ended_ = false, solved_ = false;
};

// Groups of bodies that pairs couple, and single ones. By first body.
std::vector<ImplicitIsland> implicit_islands(std::size_t bodies, std::span<const PairForce> pairs);

}  // namespace abut::dynamics
