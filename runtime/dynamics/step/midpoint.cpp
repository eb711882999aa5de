#include "runtime/dynamics/step/midpoint.h"

#include <algorithm>
#include <string>

#include "runtime/core/error.h"
#include "runtime/core/table.h"
#include "runtime/dynamics/solve/stabilisation.h"
#include "runtime/dynamics/step/contact_forces.h"
#include "runtime/dynamics/step/contact_stage.h"
#include "runtime/dynamics/step/free_motion.h"
#include "runtime/dynamics/step/midpoint_slopes.h"

namespace abut::dynamics {
namespace {

// Number of searches for contacts within one step: an impact may throw a body at one that it was too slow to
// reach, and that one at the next.
constexpr int kMaxSearches = 4;

constexpr Setting<StabilisationConfig> kSettings[] = {
    {"share", "", from_to(0, 1), "of the excess depth taken away in a step",
     setting<StabilisationConfig, &StabilisationConfig::share>},
    {"sweeps", "", from_to(0, 1e6), "of the projection that moves bodies apart",
     setting<StabilisationConfig, &StabilisationConfig::sweeps>},
};

StabilisationConfig stabilisation_config(const SettingValues& values) {
  StabilisationConfig config;
  apply<StabilisationConfig>(kSettings, values, config, "integrator midpoint");
  return config;
}

class Midpoint final : public Integrator {
 public:
  Midpoint(const System& system, const StepConfig& config)
      : system_(system),
        dt_(config.dt),
        parameters_(config.parameters),
        has_slopes_(find_contact_solver(config.solver).has_derivatives),
        stage_(system, config),
        stabilisation_(stabilisation_config(config.integrator_settings), config.threads),
        free_(system.body_count()),
        free_trees_(stage_.trees().size()),
        displacements_(system.body_count()) {
    require_valid(system.scene(), parameters_);
    for (const Parameter& parameter : parameters_)
      if (parameter.quantity == Quantity::kModulus && !config.source.model.empty())
        throw InvalidInput(
            "simulation: the contact points of the contact model '" + config.source.model +
            "' may follow the moduli, and steps have no derivatives by those; leave 'modulus' out, "
            "or take contact at vertices");
  }

  const StepReport& step(State& state, const Control& control) override {
    return step(state, control, static_cast<StepDerivatives*>(nullptr));
  }
  const StepReport& step(State& state, const Control& control, StepDerivatives& derivatives) override;

  std::span<const PairContact> contacts() const override { return stage_.contacts(); }
  double derivative_error() const override { return stage_.trees().empty() ? 1e-15 : 1e-9; }
  void contact_forces(std::vector<ContactForce>& forces) const override {
    fill_contact_forces(stage_.contacts(), stage_.bodies(), dt_, forces);
  }

 private:
  const StepReport& step(State& state, const Control& control, StepDerivatives* derivatives) {
    system_.require_valid(state);
    system_.require_valid(control);
    stage_.place_welded(state);
    if (derivatives != nullptr) trace_.start = state;
    bool moved = drift(state, dt_ / 2);
    for (TreeMotion& tree : stage_.trees()) {
      tree.read(state);
      moved = tree.drift(dt_ / 2) && moved;
      tree.write(state);
    }
    stage_.find(state, control);
    solve(state, control);
    for (int k = 1; k < kMaxSearches && !stage_.covers(); ++k) {
      stage_.find_beyond(state, control);
      solve(state, control);
    }
    report_.missed_contacts = !stage_.covers();
    if (report_.missed_contacts) report_.solver.status = Status::kNotConverged;
    if (derivatives != nullptr) {
      trace_.middle = state;
      trace_.contacts = stage_.contacts();
      trace_.bodies = stage_.bodies();
      trace_.free = free_;
      trace_.trees.clear();
      for (const ContactTree& tree : stage_.joints().trees) trace_.trees.push_back(tree.v);
    }
    const Islands& islands = stage_.rows().islands;
    for (std::int32_t island = 0; island < islands.size(); ++island) hold_energy(state, islands, island);
    report_.control_work = work(control);
    apply_impulses(state, control);
    stage_.remember(state);
    moved = drift(state, dt_ / 2) && moved;
    for (std::size_t t = 0; t < stage_.trees().size(); ++t) {
      moved = stage_.trees()[t].finish(stage_.joints().trees[t].v, dt_) && moved;
      stage_.trees()[t].write(state);
    }
    report_.turned_too_far = !moved;
    if (!moved) report_.solver.status = Status::kNotConverged;
    stabilise(state);
    stage_.report(state, report_);
    if (derivatives != nullptr) trace_.end = state;
    return report_;
  }

  bool drift(State& state, double time) const;  // returns whether all bodies' rotations were found
  void solve(const State& state, const Control& control);
  void hold_energy(const State& state, const Islands& islands, std::int32_t island);
  // Calls visit(tree) for the trees of an island.
  template <class Visit>
  void for_trees(const Islands& islands, std::int32_t island, Visit&& visit) const {
    if (stage_.trees().empty()) return;
    for (const std::int32_t body : islands.bodies(island))
      if (const std::int32_t tree = stage_.bodies()[static_cast<std::size_t>(body)].tree;
          tree >= 0 && stage_.trees()[static_cast<std::size_t>(tree)].first_body() == body)
        visit(static_cast<std::size_t>(tree));
  }
  double work(const Control& control);
  void stabilise_trees(State& state);
  void apply_impulses(State& state, const Control& control) const;
  void stabilise(State& state);

  System system_;
  double dt_;
  std::vector<Parameter> parameters_;
  bool has_slopes_;
  ContactStage stage_;
  Stabilisation stabilisation_;
  std::vector<Vec6<double>> free_;  // twists after all forces except contact
  std::vector<VecX<double>> free_trees_;
  std::vector<Vec6<double>> displacements_;
  StepReport report_;
  MidpointSlopes::Trace trace_;
  std::unique_ptr<MidpointSlopes> slopes_;  // once derivatives were requested
};

const StepReport& Midpoint::step(State& state, const Control& control, StepDerivatives& derivatives) {
  if (!has_slopes_)
    throw InvalidInput(
        "simulation: steps with this contact solver have no derivatives; take one of: " +
        names_of(contact_solvers(), [](const ContactSolverRow& row) { return row.has_derivatives; }));
  if (!slopes_)
    slopes_ = std::make_unique<MidpointSlopes>(system_, dt_, stabilisation_.config(), parameters_);
  step(state, control, &derivatives);
  slopes_->differentiate(trace_, control, stage_, derivatives);
  derivatives.status = report_.solver.status != Status::kOk ? Status::kNotConverged
                       : derivatives.kinks.empty()          ? Status::kOk
                                                            : Status::kClamped;
  return report_;
}

void Midpoint::solve(const State& state, const Control& control) {
  stage_.pose(state, control);
  for (std::size_t i = 0; i < free_.size(); ++i) free_[i] = stage_.bodies()[i].V_WB_W;
  for (std::size_t t = 0; t < free_trees_.size(); ++t) free_trees_[t] = stage_.joints().trees[t].v;
  report_.solver = stage_.solve();
}

bool Midpoint::drift(State& state, double time) const {
  bool turned = true;
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    if (stage_.is_jointed(i)) continue;
    BodyState& moving = state.bodies[i];
    moving.p_WB += time * moving.v_WB;
    turned = turn_freely(moving.q_WB, moving.L_W, system_.body(i).inertia, time) && turned;
  }
  return turned;
}

// An island's impulses J, scaled by s, change the energy by s (sum J.(u_old + u_free)/2) + s^2 (sum J.(u_new
// - u_free)/2), the latter positive, with the relative velocities u_old before the step, u_free after the
// forces and u_new after the impulses. This equals the impulses times the mean of their velocities before and
// after the step; here it is summed as changes of momentum times twists, body by body and tree by tree.
void Midpoint::hold_energy(const State& state, const Islands& islands, std::int32_t island) {
  double linear = 0, quadratic = 0;
  for (const std::int32_t body : islands.bodies(island)) {
    const auto i = static_cast<std::size_t>(body);
    if (stage_.bodies()[i].tree >= 0) continue;
    const Vec6<double> change = stage_.bodies()[i].V_WB_W - free_[i];
    Vec6<double> momentum;
    momentum << in_world(state.bodies[i].q_WB, system_.body(i).inertia) * change.head<3>(),
        system_.body(i).mass * change.tail<3>();
    linear += momentum.dot(free_[i] - stage_.force_changes()[i] / 2);
    quadratic += momentum.dot(change) / 2;
  }
  const ContactJoints joints = stage_.joints();
  for_trees(islands, island, [&](std::size_t t) {
    // In coordinates in which the tree has unit inertia: L' v, M = L L'.
    const MatX<double>& L = joints.trees[t].inertia.matrixLLT();
    const VecX<double>&v = joints.trees[t].v, &free = free_trees_[t], &old = stage_.trees()[t].velocities();
    for (Eigen::Index d = 0; d < v.size(); ++d) {
      const auto row = L.col(d).tail(v.size() - d);
      const double change = row.dot((v - free).tail(v.size() - d));
      linear += change * row.dot((free + old).tail(v.size() - d)) / 2;
      quadratic += change * change / 2;
    }
  });
  if (!(linear + quadratic > 0) || !(quadratic > 0)) return;
  const double scale = std::max(0.0, -linear / quadratic);
  for (const std::int32_t k : islands.contacts(island))
    if (const auto at = static_cast<std::size_t>(k); at < stage_.contacts().size())
      stage_.contacts()[at].J_B_W *= scale;
  for (const std::int32_t body : islands.bodies(island)) {
    const auto i = static_cast<std::size_t>(body);
    Vec6<double>& V = stage_.bodies()[i].V_WB_W;
    V = free_[i] + scale * (V - free_[i]);
  }
  for_trees(islands, island, [&](std::size_t t) {
    VecX<double>& v = joints.trees[t].v;
    v = free_trees_[t] + scale * (v - free_trees_[t]);
  });
}

// Work of the control on bodies and at joints, J.
double Midpoint::work(const Control& control) {
  double sum = stage_.control_work(control, free_);
  for (std::size_t t = 0; t < free_trees_.size(); ++t)
    sum += stage_.trees()[t].control_work(stage_.joints().trees[t].v, dt_);
  return sum;
}

void Midpoint::apply_impulses(State& state, const Control& control) const {
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    if (stage_.is_jointed(i)) continue;
    BodyState& moving = state.bodies[i];
    moving.v_WB += stage_.force_changes()[i].tail<3>();
    if (!control.F_BBcm_W.empty()) moving.L_W += dt_ * control.F_BBcm_W[i].head<3>();
  }
  for (const PairContact& c : stage_.contacts()) {
    for (const std::int32_t body : {c.A, c.B}) {
      if (body == kFixed) continue;
      const auto i = static_cast<std::size_t>(body);
      if (stage_.is_jointed(i)) continue;
      BodyState& moving = state.bodies[i];
      const Vec3<double> J = body == c.B ? c.J_B_W : Vec3<double>(-c.J_B_W);
      moving.v_WB += J / system_.body(i).mass;
      moving.L_W += (c.p_WC - moving.p_WB).cross(J);
    }
  }
}

void Midpoint::stabilise(State& state) {
  report_.stabilisation_work = 0;
  stabilisation_.displace(stage_.bodies(), stage_.contacts(), stage_.joints(), stage_.rows(), dt_ / 2,
                          stage_.slop(), displacements_);
  stabilise_trees(state);
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const Vec3<double> turn = displacements_[i].head<3>(), shift = displacements_[i].tail<3>();
    if (turn.isZero(0) && shift.isZero(0)) continue;
    const double before = system_.kinetic_energy(state, i);
    BodyState& moving = state.bodies[i];
    moving.p_WB += shift;
    const Vec3<double> half_turn = turn / 2;
    moving.q_WB =
        (Eigen::Quaterniond(1, half_turn.x(), half_turn.y(), half_turn.z()) * moving.q_WB).normalized();
    report_.stabilisation_work +=
        system_.kinetic_energy(state, i) - before - system_.body(i).mass * system_.scene().gravity.dot(shift);
  }
}

// Leaves the velocities of the joints unchanged, and the momenta of floating trees.
void Midpoint::stabilise_trees(State& state) {
  const auto energy = [&](const SystemTree& tree) {
    double sum = 0;
    for (const std::int32_t body : tree.bodies()) {
      const auto i = static_cast<std::size_t>(body);
      sum += system_.kinetic_energy(state, i) + system_.potential_energy(state, i);
    }
    return sum;
  };
  for (std::size_t t = 0; t < stage_.trees().size(); ++t) {
    if (stabilisation_.trees()[t].isZero(0)) continue;
    TreeMotion& tree = stage_.trees()[t];
    const double before = energy(tree.coordinates());
    tree.displace(stabilisation_.trees()[t]);
    tree.write(state);
    report_.stabilisation_work += energy(tree.coordinates()) - before;
  }
}

}  // namespace

std::unique_ptr<Integrator> make_midpoint(const System& system, const StepConfig& config) {
  if (system.has_joints() && !find_contact_solver(config.solver).takes_joints)
    throw InvalidInput("simulation: the contact solver '" + config.solver +
                       "' takes no joints, which the scene has; take '" +
                       std::string(contact_solvers().front().name) + "'");
  return std::make_unique<Midpoint>(system, config);
}

std::vector<SettingInfo> midpoint_settings() { return describe<StabilisationConfig>(kSettings); }

}  // namespace abut::dynamics
