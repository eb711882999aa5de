#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "runtime/dynamics/step/integrator.h"

namespace abut::dynamics {

inline constexpr std::int64_t kMaxSteps = 1'000'000'000'000;  // months of computing for the simplest scene

// Residual of the coupled solver (coupled.h) above which impulses are too far from Coulomb's law for a step
// to be reliable: bodies sink in or are thrown. Piles, which come to rest over several steps, stay below it,
// except for single steps with a thousand bodies.
inline constexpr double kGreatestResidual = 0.1;

// A simulation of one scene: a system, its state, an integrator and the number of steps done.
//
//   dynamics::Simulation simulation(dynamics::read_scene("pile.scn", assets));
//   while (simulation.time() < 1) simulation.step();
class Simulation {
 public:
  // Throws InvalidInput for a bad scene or config.
  explicit Simulation(const Scene& scene, const StepConfig& config = {});

  // Advances by dt. Throws as Integrator::step; state, steps and report then are as before the step.
  const StepReport& step(const Control& control = {});

  const System& system() const { return system_; }        // the system that is simulated
  const Scene& scene() const { return system_.scene(); }  // the scene of the constructor
  const StepConfig& config() const { return config_; }    // the config of the constructor
  // Steps done since the scene's start.
  std::int64_t steps() const { return steps_; }
  double time() const { return static_cast<double>(steps_) * config_.dt; }  // since the scene's start, s
  const StepReport& report() const { return report_; }                      // of the last step

  const State& state() const { return state_; }  // accepted by restore()
  // The state of each body of the scene.
  std::span<const BodyState> states() const { return state_.bodies; }
  Vec3<double> angular_velocity(std::size_t body) const {  // in the world's axes, rad/s
    return system_.angular_velocity(state_, body);
  }

  // Contacts of the last step with their impulses.
  std::span<const PairContact> contacts() const { return integrator_->contacts(); }
  // Fills `forces` with the contact forces of the last step, see Integrator::contact_forces; none before the
  // first step of a run, restore() included, and after a step that threw.
  void contact_forces(std::vector<ContactForce>& forces) const {
    forces.clear();
    if (stepped_) integrator_->contact_forces(forces);
  }

  // Continues from a state and number of steps as state() and steps() returned them, bit-identical to a run
  // that never stopped. Throws InvalidInput for a state that does not fit the system and steps outside [0,
  // kMaxSteps].
  void restore(const State& state, std::int64_t steps);

 private:
  StepConfig config_;
  System system_;
  State state_, before_;  // the state, and the state before the last step
  std::unique_ptr<Integrator> integrator_;
  StepReport report_;
  std::int64_t steps_ = 0;
  bool stepped_ = false;  // whether the last step is that of integrator_
};

}  // namespace abut::dynamics
