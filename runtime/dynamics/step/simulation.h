#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "runtime/dynamics/step/integrator.h"

namespace abut::dynamics {

inline constexpr std::int64_t kMaxSteps = 1'000'000'000'000;  // months of the simplest scene

// Residual of the coupled solver (coupled.h) above which impulses are too far from Coulomb's law for a step
// to be believed: bodies sink in or are thrown. Piles, which are brought to rest over the steps, stay below,
// but for single steps of a thousand bodies.
inline constexpr double kGreatestResidual = 0.1;

// One scene in motion: a system, its state, an integrator and a count of steps.
//
//   dynamics::Simulation simulation(dynamics::read_scene("pile.scn", assets));
//   while (simulation.time() < 1) simulation.step();
class Simulation {
 public:
  // Throws InvalidInput for a bad scene or config.
  explicit Simulation(const Scene& scene, const StepConfig& config = {});

  // Moves on by dt. Throws as Integrator::step; state, steps and report are then as before the step.
  const StepReport& step(const Control& control = {});

  const System& system() const { return system_; }                          // that moves
  const Scene& scene() const { return system_.scene(); }                    // that it was made of
  const StepConfig& config() const { return config_; }                      // that it was made with
  std::int64_t steps() const { return steps_; }                             // done since the scene's start
  double time() const { return static_cast<double>(steps_) * config_.dt; }  // since the scene's start, s
  const StepReport& report() const { return report_; }                      // of the last step

  const State& state() const { return state_; }  // what restore() takes
  // One per body of the scene.
  std::span<const BodyState> states() const { return state_.bodies; }
  Vec3<double> angular_velocity(std::size_t body) const {  // in the world's axes, rad/s
    return system_.angular_velocity(state_, body);
  }

  // Contacts of the last step with their impulses.
  std::span<const PairContact> contacts() const { return integrator_->contacts(); }

  // Continues from what state() and steps() said: the same bits as if it had never stopped. Throws
  // InvalidInput for a state that is not the system's and steps that are not in [0, kMaxSteps].
  void restore(const State& state, std::int64_t steps);

 private:
  StepConfig config_;
  System system_;
  State state_, before_;  // the state, and that before the last step
  std::unique_ptr<Integrator> integrator_;
  StepReport report_;
  std::int64_t steps_ = 0;
};

}  // namespace abut::dynamics
