#include "runtime/dynamics/step/kaufman_step.h"

#include <algorithm>

#include "runtime/dynamics/step/contact_forces.h"
#include "runtime/dynamics/step/contact_stage.h"

namespace abut::dynamics {
namespace {

class KaufmanStep final : public Integrator {
 public:
  KaufmanStep(const System& system, const StepConfig& config)
      : system_(system), dt_(config.dt), stage_(system, config) {
    require_known(config.integrator_settings, {}, "integrator published");
  }

  const StepReport& step(State& state, const Control& control) override {
    system_.require_valid(state);
    system_.require_valid(control);
    start_.assign(state.bodies.begin(), state.bodies.end());
    for (std::size_t i = 0; i < start_.size(); ++i) state.bodies[i] = moved(start_[i], i, dt_ / 2);
    stage_.find(state, control);
    std::erase_if(stage_.contacts(), [this](const PairContact& c) { return c.gap > stage_.slop(); });
    turn_axes(state);
    state.impulses.clear();
    stage_.pose(state, control);
    free_.resize(start_.size());
    for (std::size_t i = 0; i < free_.size(); ++i) free_[i] = stage_.bodies()[i].V_WB_W;
    for (PairContact& c : stage_.contacts()) c.target_velocity = std::max(0.0, c.target_velocity);
    report_.solver = stage_.solve();
    report_.control_work = stage_.control_work(control, free_);
    move_on(state);
    stage_.report(state, report_);
    return report_;
  }

  std::span<const PairContact> contacts() const override { return stage_.contacts(); }
  void contact_forces(std::vector<ContactForce>& forces) const override {
    fill_contact_forces(stage_.contacts(), stage_.bodies(), dt_, forces);
  }

 private:
  BodyState moved(const BodyState& state, std::size_t body, double time) const;
  void turn_axes(State& state) const;
  void move_on(State& state);

  System system_;
  double dt_;
  ContactStage stage_;
  std::vector<BodyState> start_;
  std::vector<Vec6<double>> free_;  // twists after all forces except contact
  StepReport report_;
};

// Returns the state after moving for `time` with a twist that is constant in the body's axes: E exp([phi] t)
// [Kaufman2005].
BodyState KaufmanStep::moved(const BodyState& state, std::size_t body, double time) const {
  const Eigen::Quaterniond to_B = state.q_WB.conjugate();
  const Vec3<double> P_B = to_B * state.L_W, v_B = to_B * state.v_WB;
  Vec6<double> phi;
  phi << system_.body(body).inertia.cwiseInverse().cwiseProduct(P_B), v_B;
  const Pose<double> motion = exp<double>(phi * time);
  BodyState result;
  result.p_WB = state.p_WB + state.q_WB * motion.p;
  result.q_WB = (state.q_WB * Eigen::Quaterniond(motion.R)).normalized();
  result.v_WB = result.q_WB * v_B;
  result.L_W = result.q_WB * P_B;
  return result;
}

// Adds the gyroscopic terms of rotating axes, P x w and m v x w, with the twist before them.
void KaufmanStep::turn_axes(State& state) const {
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    BodyState& moving = state.bodies[i];
    const Vec3<double> w_W = system_.angular_velocity(state, i);
    moving.v_WB += dt_ * moving.v_WB.cross(w_W);
    moving.L_W += dt_ * moving.L_W.cross(w_W);
  }
}

// Moves each body with its new twist, constant in its axes, from its configuration before the half step.
void KaufmanStep::move_on(State& state) {
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const Vec6<double>& V = stage_.bodies()[i].V_WB_W;
    const Eigen::Quaterniond to_B = state.bodies[i].q_WB.conjugate();
    const Vec3<double> w_B = to_B * Vec3<double>(V.head<3>()), v_B = to_B * Vec3<double>(V.tail<3>());
    BodyState& start = start_[i];
    start.v_WB = start.q_WB * v_B;
    start.L_W = start.q_WB * Vec3<double>(system_.body(i).inertia.cwiseProduct(w_B));
    state.bodies[i] = moved(start, i, dt_);
  }
}

}  // namespace

std::unique_ptr<Integrator> make_kaufman_step(const System& system, const StepConfig& config) {
  return std::make_unique<KaufmanStep>(system, config);
}

std::vector<SettingInfo> kaufman_settings() { return {}; }

}  // namespace abut::dynamics
