#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/dynamics/step/tree_integrator.h"
#include "runtime/dynamics/tree/derivatives.h"
#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/fixed_axes.h"

// Whether an explicit step is too long for the forces that act: examined for the bodies that the step makes
// faster, and for those that may act on these.
namespace abut::dynamics {
namespace {

// Factor of a body's speed in a step, beyond half the change by gravity, from which its stability is
// examined. At steps that exceed the longest stable one by up to 1 % (semi_implicit) or 4 % (rk4), a mode may
// grow by less.
constexpr double kFaster = 1.1;

bool beyond_a_limit(const Tree& tree, int link, const VecX<double>& q) {
  if (tree.end_v(link) - tree.first_v(link) != 1) return false;
  const Joint& joint = tree.link(link).joint;
  const double at = q[tree.first_q(link)];
  return at < joint.lower || at > joint.upper;
}

}  // namespace

// Also includes bodies with a joint beyond a limit, as the limit's spring throws a joint back before it is
// fast.
bool TreeIntegrator::find_suspects() {
  const System& system = equations_.coordinates().system();
  const double falling = dt_ * system.scene().gravity.norm();  // in a step, m/s
  suspects_.assign(system.body_count(), 0);
  if (stage_count_ == 0) return false;
  bool any = false;
  for (std::size_t i = 0; i < system.body_count(); ++i) {
    bool suspect = std::sqrt(kinetic_[i]) >
                   kFaster * std::sqrt(kinetic_start_[i]) + falling / 2 * std::sqrt(system.body(i).mass / 2);
    for (std::size_t k = 0; k < stage_count_ && !suspect; ++k)
      suspect = beyond_a_limit(tree(), static_cast<int>(i), stages_[k].q);
    suspects_[i] = suspect ? 1 : 0;
    any = any || suspect;
  }
  return any;
}

// Returns the shortest of the longest stable steps at all stages, s; for inertial forces only at the start of
// the step, as they grow without limit in a step that they make too fast. Leaves out friction: if it is too
// stiff for the step it chatters, with changes of velocity that it bounds itself. `change`, of the velocities
// in the step, is dominated by the mode that fails.
double TreeIntegrator::stable_step(const std::vector<std::uint8_t>& suspects, const VecX<double>& change,
                                   const Control& control) {
  std::vector<std::uint8_t> wanted;
  const std::vector<DofGroup> groups =
      dof_groups(equations_.coordinates(), equations_.pairs(), suspects, wanted);
  double longest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < stage_count_; ++k) {
    const auto& [q, v] = stages_[k];
    if (!q.allFinite() || !v.allFinite()) continue;
    const JointForces& forces = equations_.forces_without_friction(q, v, control, wanted);
    const MatX<double>& M = mass_matrix<double>(tree(), q, equations_.scratch());
    for (const DofGroup& group : groups) {
      const auto symmetric = [&](const MatX<double>& slopes) -> MatX<double> {
        const MatX<double> of_group = group.reduced(group.block(slopes));
        return -(of_group + of_group.transpose()) / 2;
      };
      longest = std::min(
          longest, longest_step(stiffest_mode(group.reduced(group.block(M)), symmetric(forces.dtau_dq),
                                              symmetric(forces.dtau_dv), change(group.independent), dt_)));
    }
  }
  if (stage_count_ > 0 && stages_[0].q.allFinite() && stages_[0].v.allFinite())
    longest = std::min(longest, longest_step(inertial_rate(groups, stages_[0].q, stages_[0].v, change)));
  return longest;
}

// Rate of M dy/dt = -b(q, v), without gravity, in axes that do not rotate (fixed_axes.h): there small changes
// x, y of the motion obey x' = y, M y' = -K x - C y. The rotation of axes does not limit the step.
double TreeIntegrator::inertial_rate(const std::vector<DofGroup>& groups, const VecX<double>& q,
                                     const VecX<double>& v, const VecX<double>& change) {
  TreeScratch& scratch = equations_.scratch();
  const Eigen::Index nv = tree().nv();
  const VecX<double> rest = VecX<double>::Zero(nv);
  const VecX<double> weight = bias_force<double>(tree(), q, rest, scratch);
  const VecX<double> a = equations_.acceleration(q, v, weight);
  std::vector<MatX<double>> at_rest(groups.size());
  const MatX<double>& dtau = inverse_dynamics_derivatives<double>(tree(), q, rest, rest, scratch);
  for (std::size_t k = 0; k < groups.size(); ++k) at_rest[k] = groups[k].block(dtau.leftCols(nv));
  inverse_dynamics_derivatives<double>(tree(), q, v, a, scratch);
  const FixedAxes here(tree());
  const FixedAxes::AccelerationSlopes of_y = here.acceleration_slopes(v, a);
  const FixedAxes::VelocitySlopes of_v = here.velocity_slopes(v);
  double rate = 0;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const DofGroup& group = groups[k];
    const MatX<double> M = group.block(scratch.mass_matrix);
    const MatX<double> C = group.block(dtau.rightCols(nv)) - M * group.block(of_y.by_v);
    const MatX<double> K =
        group.block(dtau.leftCols(nv)) - at_rest[k] + C * group.block(of_v.by_u) - M * group.block(of_y.by_u);
    rate = std::max(rate, greatest_rate(group.reduced(M), group.reduced(K), group.reduced(C),
                                        change(group.independent), dt_));
  }
  return rate;
}

}  // namespace abut::dynamics
