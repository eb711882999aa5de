#include "runtime/dynamics/step/implicit_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "runtime/core/parallel.h"
#include "runtime/dynamics/solve/implicit_velocities.h"
#include "runtime/dynamics/step/contact_forces.h"
#include "runtime/dynamics/step/contact_stage.h"
#include "runtime/dynamics/step/implicit_settings.h"
#include "runtime/dynamics/step/implicit_slopes.h"
#include "runtime/dynamics/step/implicit_tree.h"

namespace abut::dynamics {
namespace {

constexpr Setting<ImplicitSettings> kSettings[] = {
    {"tolerance", "m/s", kMagnitude,
     "of the velocities after a step; at 1e-12 rounding of poses some metres from the origin may halve steps",
     setting<ImplicitSettings, &ImplicitSettings::tolerance>},
    {"iterations", "", from_to(1, 1e4),
     "of a search by Newton's method (directly 15 at most); then a time step is halved",
     setting<ImplicitSettings, &ImplicitSettings::iterations>},
    kJointForceSettings<ImplicitSettings>[0],
    kJointForceSettings<ImplicitSettings>[1],
    kJointForceSettings<ImplicitSettings>[2],
    kAdaptiveSettings<ImplicitSettings>[0],
    kAdaptiveSettings<ImplicitSettings>[1],
};

class ImplicitStep final : public Integrator {
 public:
  ImplicitStep(const System& system, const StepConfig& config)
      : system_(system),
        dt_(config.dt),
        threads_(config.threads),
        parameters_(config.parameters),
        settings_(implicit_config(config.integrator_settings)),
        contact_(system, config.source, config.threads, kImplicitStiction) {
    require_valid(system.scene(), parameters_);
  }

  std::span<const PairContact> contacts() const override { return {}; }
  void contact_forces(std::vector<ContactForce>& forces) const override {
    fill_contact_forces(contact_.pairs(), forces);
  }
  const StepReport& step(State& state, const Control& control) override {
    return step(state, control, static_cast<ImplicitSlopes*>(nullptr));
  }
  const StepReport& step(State& state, const Control& control, StepDerivatives& derivatives) override {
    if (!slopes_) slopes_.emplace(system_, parameters_);
    slopes_->begin();
    step(state, control, &*slopes_);
    slopes_->write(derivatives);
    const bool found = report_.solver.status == Status::kOk && all_finite(derivatives);
    derivatives.status = !found ? Status::kNotConverged : clamped_ ? Status::kClamped : Status::kOk;
    derivatives.kinks.clear();
    return report_;
  }

 private:
  const StepReport& step(State& state, const Control& control, ImplicitSlopes* slopes) {
    system_.require_valid(state);
    system_.require_valid(control);
    report_ = {};
    report_.penetration = std::numeric_limits<double>::quiet_NaN();
    report_.solver.residual = 0;
    report_.substeps = 0;
    clamped_ = false;
    state.impulses.clear();
    advance(state, control, dt_, 0, slopes);
    for (const PairForce& force : contact_.pairs()) report_.contacts += force.contacts;
    measure(system_, state, report_);
    return report_;
  }

  void advance(State& state, const Control& control, double h, int halvings, ImplicitSlopes* slopes);
  bool solve(const State& state, const Control& control, double h);
  void search(const SearchLimits& limits);
  void search_smoothed();
  bool solve_within_margins(const State& state, const Control& control, double h);
  void push_unsolved();
  void take(State& state, const Control& control);

  System system_;
  double dt_;
  int threads_;
  std::vector<Parameter> parameters_;
  ImplicitSettings settings_;
  CompliantContact contact_;
  std::optional<ImplicitSlopes> slopes_;  // for steps with derivatives
  ImplicitBodies bodies_;
  std::vector<ImplicitIsland> islands_;
  std::vector<std::uint8_t> wanted_;  // for each pair of bodies: whether its force is needed
  State faster_;
  StepReport report_;
  bool clamped_ = false;  // whether a derivative of contact in the step was clamped
};

void ImplicitStep::advance(State& state, const Control& control, double h, int halvings,
                           ImplicitSlopes* slopes) {
  const bool solved = solve_within_margins(state, control, h);
  if (solved || halvings == kMaxHalvings) {
    if (!solved) {
      push_unsolved();
      report_.solver.status = Status::kNotConverged;
      if (!contact_.covers(bodies_.trials(), h)) report_.missed_contacts = true;
    }
    if (slopes != nullptr) slopes->advance(state, bodies_, islands_, contact_);
    take(state, control);
    return;
  }
  for (int half = 0; half < 2; ++half) advance(state, control, h / 2, halvings + 1, slopes);
}

// Bodies that contact throws farther than the search for pairs assumed may meet others: then the search is
// repeated with the speeds that they have attained. Returns whether there is a solution in which none goes
// farther than searched.
bool ImplicitStep::solve_within_margins(const State& state, const Control& control, double h) {
  constexpr int kMaxSearches = 3;
  contact_.find(state, control, h);
  for (int k = 1;; ++k) {
    if (!solve(state, control, h)) return false;
    if (contact_.covers(bodies_.trials(), h)) return true;
    if (k == kMaxSearches) return false;
    faster_ = state;
    for (std::size_t i = 0; i < faster_.bodies.size(); ++i) bodies_.take_velocity(i, faster_.bodies[i]);
    contact_.find(faster_, control, h);
  }
}

bool ImplicitStep::solve(const State& state, const Control& control, double h) {
  contact_.smooth_stiction(1);  // in case an earlier step threw an exception
  bodies_.begin(system_, state, control, h);
  islands_ = implicit_islands(bodies_.size(), contact_.pairs());
  search({settings_.tolerance, std::min(kDirectIterations, settings_.iterations), kDirectHalvings});
  const auto solved = [](const ImplicitIsland& i) { return i.solved(); };
  if (!std::all_of(islands_.begin(), islands_.end(), solved)) search_smoothed();
  return std::all_of(islands_.begin(), islands_.end(), solved);
}

// Advances all islands that have not ended together, with one evaluation of forces in each round.
void ImplicitStep::search(const SearchLimits& limits) {
  for (;;) {
    wanted_.assign(contact_.pairs().size(), 0);
    bool live = false;
    for (const ImplicitIsland& island : islands_) {
      live = live || !island.ended();
      for (const std::int32_t pair : island.pairs())
        wanted_[static_cast<std::size_t>(pair)] = !island.ended();
    }
    if (!live) return;
    contact_.evaluate(bodies_.trials(), wanted_);
    parallel_for(static_cast<std::int64_t>(islands_.size()), threads_, [&](std::int64_t k, int) {
      ImplicitIsland& island = islands_[static_cast<std::size_t>(k)];
      if (!island.ended()) island.advance(bodies_, contact_.pairs(), limits);
    });
  }
}

// Searches by way of smoothed friction, one island after the other.
void ImplicitStep::search_smoothed() {
  for (ImplicitIsland& island : islands_) {
    if (island.solved()) continue;
    const Eigen::VectorXd direct = island.twists();
    const int direct_iterations = island.iterations();
    const bool found = follow_smoothed_friction(
        island.start_twists(bodies_), settings_.tolerance,
        [&](double factor, double tolerance, const Eigen::VectorXd& guess) {
          contact_.smooth_stiction(factor);
          island.restart(bodies_, guess);
          search({tolerance, settings_.iterations});
          return island.solved();
        },
        [&] { return island.twists(); },
        [&](double factor) -> Eigen::VectorXd {
          contact_.smooth_stiction((1 + kFactorDifference) * factor);
          for (const std::int32_t pair : island.pairs()) wanted_[static_cast<std::size_t>(pair)] = 1;
          contact_.evaluate(bodies_.trials(), wanted_);
          return island.response(bodies_, contact_.pairs()) / (kFactorDifference * factor);
        });
    contact_.smooth_stiction(1);
    if (found) continue;
    island.restart(bodies_, direct);
    search({settings_.tolerance, settings_.iterations - direct_iterations});
  }
}

// Moves the islands without a solution on from their best trials, by the impulses left over there.
void ImplicitStep::push_unsolved() {
  const auto each = [&](auto&& act) {
    wanted_.assign(contact_.pairs().size(), 0);
    for (const ImplicitIsland& island : islands_)
      for (const std::int32_t pair : island.pairs())
        wanted_[static_cast<std::size_t>(pair)] = !island.solved();
    contact_.evaluate(bodies_.trials(), wanted_);
    for (ImplicitIsland& island : islands_)
      if (!island.solved()) act(island);
  };
  each([&](ImplicitIsland& island) { island.push(bodies_, contact_.pairs()); });
  each([&](ImplicitIsland& island) { island.restrain(bodies_, contact_.pairs()); });
  each([&](ImplicitIsland& island) { island.settle(bodies_, contact_.pairs()); });
}

void ImplicitStep::take(State& state, const Control& control) {
  double residual = 0;
  for (const ImplicitIsland& island : islands_) {
    report_.solver.iterations = std::max(report_.solver.iterations, island.iterations());
    residual = std::max(residual, island.residual());
  }
  report_.solver.residual += residual;
  ++report_.substeps;
  const Status contact = contact_.status();
  if (contact == Status::kNotConverged) report_.solver.status = contact;
  clamped_ = clamped_ || contact == Status::kClamped;
  bodies_.take(state);
  for (std::size_t i = 0; i < control.F_BBcm_W.size(); ++i)
    report_.control_work += bodies_.duration() * control.F_BBcm_W[i].dot(bodies_.trials()[i].V_WB_W);
}

}  // namespace

ImplicitSettings implicit_config(const SettingValues& values) {
  ImplicitSettings settings;
  apply<ImplicitSettings>(kSettings, values, settings, "integrator implicit");
  return settings;
}

std::unique_ptr<Integrator> make_implicit_step(const System& system, const StepConfig& config) {
  const auto make = [](const System& of, const StepConfig& with) -> std::unique_ptr<Integrator> {
    if (of.has_joints()) return make_implicit_tree(of, with);
    return std::make_unique<ImplicitStep>(of, with);
  };
  return make_adaptive(system, config, implicit_config(config.integrator_settings).adaptive, 1, make);
}

std::vector<SettingInfo> implicit_settings() { return describe<ImplicitSettings>(kSettings); }

}  // namespace abut::dynamics
