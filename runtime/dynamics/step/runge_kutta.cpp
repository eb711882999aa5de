#include "runtime/dynamics/step/runge_kutta.h"

#include "runtime/dynamics/step/explicit_settings.h"
#include "runtime/dynamics/step/stiff_mode.h"
#include "runtime/dynamics/step/tree_integrator.h"
#include "runtime/dynamics/tree/fixed_axes.h"

namespace abut::dynamics {
namespace {

// Times of the stages, as fractions of the step.
constexpr double kParts[] = {0, 0.5, 0.5, 1};
constexpr double kWeights[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};  // weights of their rates

// |h lambda| up to which the step does not amplify motion that inertial forces rotate or make grow.
constexpr double kStableTurn = 2.6;

class RungeKutta final : public TreeIntegrator {
 public:
  RungeKutta(const System& system, const StepConfig& config)
      : TreeIntegrator(system, config, explicit_config(config).joints), place_(tree()) {}

 private:
  double longest_step(const StiffMode& mode) const override { return longest_runge_kutta_step(mode); }
  double longest_step(double inertial_rate) const override { return kStableTurn / inertial_rate; }

  // Rates of u and y during the step (fixed_axes.h).
  struct Rates {
    VecX<double> u, y;
  };

  void advance(VecX<double>& q, VecX<double>& v, const Control& control, Slopes* slopes) override {
    const Eigen::Index nv = tree().nv();
    for (VecX<double>* part : {&rates_.u, &rates_.y, &sum_.u, &sum_.y}) part->setZero(nv);
    Slopes of_rates, of_sum;  // slopes of u and y
    if (slopes != nullptr) {
      of_rates = {MatX<double>::Zero(nv, slopes->q.cols()), MatX<double>::Zero(nv, slopes->q.cols())};
      of_sum = of_rates;
    }
    for (int stage = 0; stage < 4; ++stage) {
      go_on(q, v, kParts[stage] * dt(), kWeights[stage] * dt(), control, slopes, of_rates);
      sum_.u += kWeights[stage] * dt() * rates_.u;
      sum_.y += kWeights[stage] * dt() * rates_.y;
      if (slopes == nullptr) continue;
      of_sum.q += kWeights[stage] * dt() * of_rates.q;
      of_sum.v += kWeights[stage] * dt() * of_rates.v;
    }
    place_.move_to(1, sum_.u);
    y_ = v + sum_.y;
    if (slopes != nullptr) move_slopes(y_, of_sum, *slopes);
    place_.velocity(y_, v);
    place_.coordinates(q, q);
  }

  // Evaluates the rates at the stage reached `part` seconds along the rates of the stage before; the stage
  // has a weight of `weight` seconds. `of_rates`: in, the slopes of the old rates; out, those of the new
  // ones.
  void go_on(const VecX<double>& q, const VecX<double>& v, double part, double weight, const Control& control,
             const Slopes* slopes, Slopes& of_rates) {
    place_.move_to(part, rates_.u);
    place_.coordinates(q, q_stage_);
    y_ = v + part * rates_.y;
    place_.velocity(y_, v_stage_);
    ForwardSlopes of_a;
    const VecX<double>& a = accelerate(q_stage_, v_stage_, control, slopes != nullptr ? &of_a : nullptr);
    report().control_work += weight * equations().control_power(v_stage_, control);
    place_.way_rate(v_stage_, rates_.u);
    place_.acceleration(v_stage_, a, rates_.y);
    if (slopes == nullptr) return;
    const MatX<double> du = part * of_rates.q;
    Slopes at = *slopes;
    move_slopes(y_, {du, part * of_rates.v}, at);
    MatX<double> da = of_a.by_q * at.q + of_a.by_v * at.v;
    da.rightCols(inputs()) += of_a.by_input;
    const FixedAxes::WayRateSlopes of_u = place_.way_rate_slopes(v_stage_);
    const FixedAxes::AccelerationSlopes of_y = place_.acceleration_slopes(v_stage_, a);
    of_rates.q = of_u.by_v * at.v + of_u.by_u * du;
    of_rates.v = of_y.by_a * da + of_y.by_v * at.v + of_y.by_u * du;
  }

  // Transforms slopes of q and v at the start to those at place_, where u and y - v have the slopes `way`.
  void move_slopes(const VecX<double>& y, const Slopes& way, Slopes& slopes) const {
    const FixedAxes::CoordinateSlopes of_q = place_.coordinate_slopes();
    const FixedAxes::VelocitySlopes of_v = place_.velocity_slopes(y);
    slopes.q = (of_q.by_q0 * slopes.q + of_q.by_u * way.q).eval();
    slopes.v = (of_v.by_y * (slopes.v + way.v) + of_v.by_u * way.q).eval();
  }

  FixedAxes place_;
  Rates rates_, sum_;
  VecX<double> q_stage_, v_stage_, y_;
};

}  // namespace

std::unique_ptr<Integrator> make_runge_kutta(const System& system, const StepConfig& config) {
  return make_adaptive(system, config, explicit_config(config).adaptive, 4,
                       [](const System& of, const StepConfig& with) -> std::unique_ptr<Integrator> {
                         return std::make_unique<RungeKutta>(of, with);
                       });
}

}  // namespace abut::dynamics
