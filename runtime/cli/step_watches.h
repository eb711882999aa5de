#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include "runtime/cli/say.h"
#include "runtime/dynamics/collide/contact_source.h"
#include "runtime/dynamics/solve/contact_solver.h"
#include "runtime/dynamics/step/simulation.h"

// Warnings of abut-sim about steps whose results are not reliable.
namespace abut::cli {

// Counts steps whose impulses deviate too much from Coulomb's law; warns at the end of the run.
class SolverWatch {
 public:
  explicit SolverWatch(const dynamics::StepConfig& config)
      : watches_(dynamics::solver_of(config) == dynamics::contact_solvers().front().name) {}
  void note(const dynamics::Simulation& simulation) {
    ++steps_;
    const double residual = simulation.report().solver.residual;
    if (!watches_ || !(residual > dynamics::kGreatestResidual)) return;
    ++doubtful_;
    if (!(residual > largest_)) return;
    largest_ = residual;
    worst_step_ = simulation.steps();
  }
  void finish() const {
    if (doubtful_ < kLeastTold) return;
    say(stderr,
        "abut-sim: warning: in {} of {} steps the contact solver ended more than {:g} off the law of "
        "contact (largest residual {:.2g}, in step {}): bodies may have sunk in or been thrown. Take "
        "a smaller --dt, or no heavy bodies on top of light ones\n",
        doubtful_, steps_, dynamics::kGreatestResidual, largest_, worst_step_);
  }

 private:
  static constexpr std::int64_t kLeastTold = 10;  // fewer are harmless impacts
  bool watches_ = false;
  std::int64_t steps_ = 0, doubtful_ = 0, worst_step_ = 0;
  double largest_ = 0;
};

// Watches for explicit steps that are too long for the stiffness or the spin. It warns at once of the first,
// since the motion after it is not reliable, and of all at the end of the run.
class StabilityWatch {
 public:
  void note(const dynamics::Simulation& simulation) {
    ++steps_;
    const double stable_dt = simulation.report().stable_dt;
    if (!std::isfinite(stable_dt)) return;
    if (unstable_++ == 0)
      say(stderr,
          "abut-sim: warning: step {} of {:g} s is too long for the stiffness or the spin and makes "
          "bodies faster; the longest stable one there is about {:.2g} s. Take a smaller --dt or "
          "--integrator implicit\n",
          simulation.steps(), simulation.config().dt, stable_dt);
    least_ = std::min(least_, stable_dt);
  }
  void finish() const {
    if (unstable_ > 1)
      say(stderr,
          "abut-sim: warning: {} of {} steps were too long for the stiffness or the spin: do not "
          "believe the motion after them. The least of the longest stable ones was about {:.2g} s\n",
          unstable_, steps_, least_);
  }

 private:
  std::int64_t steps_ = 0, unstable_ = 0;
  double least_ = INFINITY;
};

// Watches for steps in which contacts may have been missed or bodies turned too far and, with contact models
// as forces, for steps whose equations were not solved or whose error exceeded its bound; warns at the end of
// the run.
class ConvergenceWatch {
 public:
  explicit ConvergenceWatch(const dynamics::Simulation& simulation)
      : watches_(!dynamics::find_integrator(simulation.config().integrator).uses_contact_solver()),
        jumps_(simulation.config().integrator == "implicit" && takes(simulation, "point")) {}
  void note(const dynamics::Simulation& simulation) {
    ++steps_;
    const dynamics::StepReport& report = simulation.report();
    if (report.missed_contacts && missed_++ == 0) first_missed_ = simulation.steps();
    if (report.turned_too_far && turned_++ == 0) first_turned_ = simulation.steps();
    if (report.missed_contacts || report.turned_too_far) return;
    if (!watches_ || !report.stable() || report.solver.status != Status::kNotConverged) return;
    if (failed_++ == 0) first_ = simulation.steps();
  }
  void finish() const {
    if (failed_ > 0)
      say(stderr,
          "abut-sim: warning: {} of {} steps, the first of them step {}, were not solved to their "
          "tolerance, missed --integrator-error, or had contact forces whose own iterations did not "
          "end. {}\n",
          failed_, steps_, first_,
          jumps_ ? "The model point has no answer where bodies touch along a line or a face, whatever --dt: "
                   "take another model for them; otherwise take a smaller --dt"
                 : "Take a smaller --dt");
    if (missed_ > 0)
      say(stderr,
          "abut-sim: warning: in {} of {} steps, the first of them step {}, bodies got so fast that "
          "some may have passed through others. Take a smaller --dt\n",
          missed_, steps_, first_missed_);
    if (turned_ > 0)
      say(stderr,
          "abut-sim: warning: in {} of {} steps, the first of them step {}, something turned so far that "
          "its energy may be off. Take a smaller --dt\n",
          turned_, steps_, first_turned_);
  }

 private:
  // Whether any pair of bodies may have the forces of a model.
  static bool takes(const dynamics::Simulation& simulation, std::string_view model) {
    const std::vector<dynamics::ContactChoice>& choices = simulation.system().scene().contacts;
    return dynamics::force_model(simulation.config().source) == model ||
           std::any_of(choices.begin(), choices.end(),
                       [&](const dynamics::ContactChoice& choice) { return choice.model == model; });
  }

  bool watches_ = false, jumps_ = false;
  std::int64_t steps_ = 0, failed_ = 0, first_ = 0, missed_ = 0, first_missed_ = 0, turned_ = 0,
               first_turned_ = 0;
};

// All watches together.
struct Watches {
  explicit Watches(const dynamics::Simulation& simulation)
      : solver(simulation.config()), convergence(simulation) {}

  void note(const dynamics::Simulation& simulation) {
    solver.note(simulation);
    stability.note(simulation);
    convergence.note(simulation);
  }
  void finish() const {
    solver.finish();
    stability.finish();
    convergence.finish();
  }

  SolverWatch solver;
  StabilityWatch stability;
  ConvergenceWatch convergence;
};

}  // namespace abut::cli
