#include "runtime/dynamics/step/semi_implicit.h"

#include "runtime/dynamics/step/explicit_settings.h"
#include "runtime/dynamics/step/stiff_mode.h"
#include "runtime/dynamics/step/tree_integrator.h"
#include "runtime/dynamics/tree/euler.h"

namespace abut::dynamics {
namespace {

class SemiImplicit final : public TreeIntegrator {
 public:
  SemiImplicit(const System& system, const StepConfig& config)
      : TreeIntegrator(system, config, explicit_config(config).joints) {}

 private:
  double longest_step(const StiffMode& mode) const override { return longest_semi_implicit_step(mode); }

  void advance(VecX<double>& q, VecX<double>& v, const Control& control, Slopes* slopes) override {
    ForwardSlopes of_a;
    const VecX<double> a = accelerate(q, v, control, slopes != nullptr ? &of_a : nullptr);
    const VecX<double> next = forward_velocity(tree(), v, a, dt());
    report().control_work = dt() * equations().control_power((v + next) / 2, control);
    if (slopes != nullptr) {
      const VelocitySlopes velocity = forward_velocity_slopes(tree(), v, a, dt());
      MatX<double> da = of_a.by_q * slopes->q + of_a.by_v * slopes->v;
      da.rightCols(inputs()) += of_a.by_input;
      slopes->v = velocity.by_v * slopes->v + velocity.by_a * da;
      const AdvanceSlopes way = euler_advance_slopes(tree(), next, dt());
      slopes->q = way.by_q * slopes->q + way.by_v_next * slopes->v;
    }
    v = next;
    euler_advance(tree(), q, v, dt(), q);
  }
};

}  // namespace

std::unique_ptr<Integrator> make_semi_implicit(const System& system, const StepConfig& config) {
  return make_adaptive(system, config, explicit_config(config).adaptive, 1,
                       [](const System& of, const StepConfig& with) -> std::unique_ptr<Integrator> {
                         return std::make_unique<SemiImplicit>(of, with);
                       });
}

}  // namespace abut::dynamics
