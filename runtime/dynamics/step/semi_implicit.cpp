#include "runtime/dynamics/step/semi_implicit.h"

#include "runtime/dynamics/step/explicit_settings.h"
#include "runtime/dynamics/step/stiff_mode.h"
#include "runtime/dynamics/step/tree_integrator.h"
#include "runtime/dynamics/tree/euler.h"
#include "runtime/dynamics/tree/momentum.h"

namespace abut::dynamics {
namespace {

// |h lambda| at which the step makes velocities that rotate by inertial forces 1.1 times as fast: sqrt(1 + (h
// lambda)^2).
constexpr double kStableTurn = 0.46;

class SemiImplicit final : public TreeIntegrator {
 public:
  SemiImplicit(const System& system, const StepConfig& config)
      : TreeIntegrator(system, config, explicit_config(config).joints), momentum_(tree()) {}

 private:
  double longest_step(const StiffMode& mode) const override { return longest_semi_implicit_step(mode); }
  double longest_step(double inertial_rate) const override { return kStableTurn / inertial_rate; }

  void advance(VecX<double>& q, VecX<double>& v, const Control& control, Slopes* slopes) override {
    ForwardSlopes of_a;
    const VecX<double>& a = accelerate(q, v, control, slopes != nullptr ? &of_a : nullptr);
    forward_velocity(tree(), v, a, dt(), way_);
    euler_advance(tree(), q, way_, dt(), q_next_, tangent_);
    const ForwardMomentum::Step kept{q, v, a, dt(), q_next_, way_};
    const VecX<double>& v_next = momentum_.v_next(kept, equations().scratch());
    v_middle_ = (v + v_next) / 2;
    report().control_work = dt() * equations().control_power(v_middle_, control);
    if (slopes != nullptr) differentiate(kept, of_a, *slopes);
    q = q_next_;
    v = v_next;
  }

  void differentiate(const ForwardMomentum::Step& kept, const ForwardSlopes& of_a, Slopes& slopes) {
    const VelocitySlopes of_way = forward_velocity_slopes(tree(), kept.v, kept.a, dt());
    MatX<double> da = of_a.by_q * slopes.q + of_a.by_v * slopes.v;
    da.rightCols(inputs()) += of_a.by_input;
    const MatX<double> dway = of_way.by_v * slopes.v + of_way.by_a * da;
    const AdvanceSlopes advance = euler_advance_slopes(tree(), way_, dt());
    const MatX<double> dq_next = advance.by_q * slopes.q + advance.by_v_next * dway;
    const ForwardMomentum::Slopes of_v = momentum_.slopes(kept, equations().scratch());
    slopes.v = (of_v.by_q * slopes.q + of_v.by_v * slopes.v + of_v.by_a * da + of_v.by_q_next * dq_next +
                of_v.by_v_way * dway)
                   .eval();
    const MatX<double>& of_excess = equations().inertia_slopes(
        [&](const Tree& of, TreeScratch& with) { return momentum_.excess(kept, of, with); });
    slopes.v.rightCols(of_excess.cols()) += of_v.by_excess * of_excess;
    slopes.q = dq_next;
  }

  ForwardMomentum momentum_;
  VecX<double> way_, q_next_, v_middle_, tangent_;
};

}  // namespace

std::unique_ptr<Integrator> make_semi_implicit(const System& system, const StepConfig& config) {
  return make_adaptive(system, config, explicit_config(config).adaptive, 1,
                       [](const System& of, const StepConfig& with) -> std::unique_ptr<Integrator> {
                         return std::make_unique<SemiImplicit>(of, with);
                       });
}

}  // namespace abut::dynamics
