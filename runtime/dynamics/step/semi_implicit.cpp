#include "runtime/dynamics/step/semi_implicit.h"

#include "runtime/dynamics/step/explicit_settings.h"
#include "runtime/dynamics/step/stiff_mode.h"
#include "runtime/dynamics/step/tree_integrator.h"
#include "runtime/dynamics/tree/euler.h"
#include "runtime/dynamics/tree/momentum.h"

namespace abut::dynamics {
namespace {

// |h lambda| of velocities that turn by inertial forces at which the step makes them 1.1 times as fast:
// sqrt(1 + (h lambda)^2).
constexpr double kStableTurn = 0.46;

class SemiImplicit final : public TreeIntegrator {
 public:
  SemiImplicit(const System& system, const StepConfig& config)
      : TreeIntegrator(system, config, explicit_config(config).joints) {}

 private:
  double longest_step(const StiffMode& mode) const override { return longest_semi_implicit_step(mode); }
  double longest_step(double inertial_rate) const override { return kStableTurn / inertial_rate; }

  void advance(VecX<double>& q, VecX<double>& v, const Control& control, Slopes* slopes) override {
    ForwardSlopes of_a;
    const VecX<double>& a = accelerate(q, v, control, slopes != nullptr ? &of_a : nullptr);
    const VecX<double> way = forward_velocity(tree(), v, a, dt());
    euler_advance(tree(), q, way, dt(), q_next_);
    const ForwardMomentum kept(tree(), q, v, a, dt(), q_next_, way, equations().scratch());
    report().control_work = dt() * equations().control_power((v + kept.v_next()) / 2, control);
    if (slopes != nullptr) differentiate(v, a, way, of_a, kept, *slopes);
    q = q_next_;
    v = kept.v_next();
  }

  void differentiate(const VecX<double>& v, const VecX<double>& a, const VecX<double>& way,
                     const ForwardSlopes& of_a, const ForwardMomentum& kept, Slopes& slopes) {
    const VelocitySlopes of_way = forward_velocity_slopes(tree(), v, a, dt());
    MatX<double> da = of_a.by_q * slopes.q + of_a.by_v * slopes.v;
    da.rightCols(inputs()) += of_a.by_input;
    const MatX<double> dway = of_way.by_v * slopes.v + of_way.by_a * da;
    const AdvanceSlopes advance = euler_advance_slopes(tree(), way, dt());
    const MatX<double> dq_next = advance.by_q * slopes.q + advance.by_v_next * dway;
    const ForwardMomentum::Slopes of_v = kept.slopes(equations().scratch());
    slopes.v = (of_v.by_q * slopes.q + of_v.by_v * slopes.v + of_v.by_a * da + of_v.by_q_next * dq_next +
                of_v.by_v_way * dway)
                   .eval();
    const MatX<double>& of_excess =
        equations().inertia_slopes([&](const Tree& of, TreeScratch& with) { return kept.excess(of, with); });
    slopes.v.rightCols(of_excess.cols()) += of_v.by_excess * of_excess;
    slopes.q = dq_next;
  }

  VecX<double> q_next_;
};

}  // namespace

std::unique_ptr<Integrator> make_semi_implicit(const System& system, const StepConfig& config) {
  return make_adaptive(system, config, explicit_config(config).adaptive, 1,
                       [](const System& of, const StepConfig& with) -> std::unique_ptr<Integrator> {
                         return std::make_unique<SemiImplicit>(of, with);
                       });
}

}  // namespace abut::dynamics
