#include "runtime/dynamics/step/runge_kutta.h"

#include "runtime/dynamics/step/explicit_settings.h"
#include "runtime/dynamics/step/stiff_mode.h"
#include "runtime/dynamics/step/tree_integrator.h"
#include "runtime/dynamics/tree/tangent.h"

namespace abut::dynamics {
namespace {

constexpr double kParts[] = {0, 0.5, 0.5, 1};                        // of the step, at the stages
constexpr double kWeights[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};  // of their rates

class RungeKutta final : public TreeIntegrator {
 public:
  RungeKutta(const System& system, const StepConfig& config)
      : TreeIntegrator(system, config, explicit_config(config).joints) {}

 private:
  double longest_step(const StiffMode& mode) const override { return longest_runge_kutta_step(mode); }

  // Rates of u and v, or their slopes.
  struct Rates {
    VecX<double> u, v;
  };

  void advance(VecX<double>& q, VecX<double>& v, const Control& control, Slopes* slopes) override {
    const Eigen::Index nv = tree().nv();
    Rates rates{VecX<double>::Zero(nv), VecX<double>::Zero(nv)}, sum = rates;
    Slopes of_rates, of_sum;
    if (slopes != nullptr) {
      of_rates = {MatX<double>::Zero(nv, slopes->q.cols()), MatX<double>::Zero(nv, slopes->q.cols())};
      of_sum = of_rates;
    }
    for (int stage = 0; stage < 4; ++stage) {
      const double part = kParts[stage] * dt();
      const VecX<double> v_stage = v + part * rates.v;
      rates = stage_rates(q, v, part, rates, control, slopes, of_rates);
      sum.u += kWeights[stage] * dt() * rates.u;
      sum.v += kWeights[stage] * dt() * rates.v;
      report().control_work += kWeights[stage] * dt() * equations().control_power(v_stage, control);
      if (slopes == nullptr) continue;
      of_sum.q += kWeights[stage] * dt() * of_rates.q;
      of_sum.v += kWeights[stage] * dt() * of_rates.v;
    }
    if (slopes != nullptr) {
      const ExponentialSlopes way = exponential_slopes(tree(), sum.u);
      slopes->q = way.transport * slopes->q + way.right * of_sum.q;
      slopes->v += of_sum.v;
    }
    v += sum.v;
    tree().integrate(q, sum.u, q);
  }

  // The rates `part` seconds on along those of the stage before; `of_rates`: the slopes of these, and then of
  // the new ones.
  Rates stage_rates(const VecX<double>& q, const VecX<double>& v, double part, const Rates& before,
                    const Control& control, const Slopes* slopes, Slopes& of_rates) {
    const VecX<double> u = part * before.u, v_stage = v + part * before.v;
    VecX<double> q_stage;
    tree().integrate(q, u, q_stage);
    ForwardSlopes of_a;
    Rates rates;
    rates.v = accelerate(q_stage, v_stage, control, slopes != nullptr ? &of_a : nullptr);
    const MatX<double> to_u = inverse_right_slope(tree(), u);
    rates.u = to_u * v_stage;
    if (slopes == nullptr) return rates;
    const ExponentialSlopes way = exponential_slopes(tree(), u);
    const MatX<double> du = part * of_rates.q, dv = slopes->v + part * of_rates.v,
                       dq = way.transport * slopes->q + way.right * du;
    of_rates.q = to_u * dv + inverse_right_slope_by_tangent(tree(), u, v_stage) * du;
    of_rates.v = of_a.by_q * dq + of_a.by_v * dv;
    of_rates.v.rightCols(inputs()) += of_a.by_input;
    return rates;
  }
};

}  // namespace

std::unique_ptr<Integrator> make_runge_kutta(const System& system, const StepConfig& config) {
  return make_adaptive(system, config, explicit_config(config).adaptive, 4,
                       [](const System& of, const StepConfig& with) -> std::unique_ptr<Integrator> {
                         return std::make_unique<RungeKutta>(of, with);
                       });
}

}  // namespace abut::dynamics
