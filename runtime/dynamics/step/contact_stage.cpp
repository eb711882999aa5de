#include "runtime/dynamics/step/contact_stage.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "runtime/core/error.h"
#include "runtime/dynamics/solve/even_pressure.h"

namespace abut::dynamics {
namespace {

constexpr double kSlop = 1e-4;  // depth that is not corrected, relative to the thinnest shape's half size

constexpr double kStill = 1e-150;  // rad/s and m/s: squares of slower twists would underflow

constexpr double kOneNormal = 0.99;  // least cosine between normals of one area

// Evens out the first guesses of each area: its contacts are contiguous.
void even_out_areas(std::span<PairContact> contacts) {
  for (std::size_t first = 0; first < contacts.size();) {
    std::size_t end = first;
    while (end < contacts.size() && contacts[end].area > 0 &&
           contacts[end].key.same_shapes(contacts[first].key) &&
           contacts[end].n_W.dot(contacts[first].n_W) > kOneNormal)
      ++end;
    if (end > first) even_out(contacts.subspan(first, end - first));
    first = std::max(end, first + 1);
  }
}

}  // namespace

ContactStage::ContactStage(const System& system, const StepConfig& config)
    : system_(system),
      dt_(config.dt),
      placed_(system, {}, config.source.sampling),
      narrow_(system, config.source, config.threads),
      solver_(make_contact_solver(config.solver, config.solver_settings, config.threads)),
      slop_(kSlop * placed_.thinnest()),
      bodies_(system.body_count()),
      force_changes_(system.body_count(), Vec6<double>::Zero()) {
  if (system.has_joints()) jointed_.resize(system.body_count());
  for (const std::vector<std::int32_t>& bodies : jointed_bodies(system.scene()))
    for (const std::int32_t body : bodies) jointed_[static_cast<std::size_t>(body)] = 1;
  for (std::vector<std::int32_t>& bodies : moving_trees(system.scene())) {
    TreeMotion tree(system, std::move(bodies));
    if (tree.moves()) trees_.push_back(std::move(tree));
  }
  std::vector<std::uint8_t> moves(system.body_count());
  for (const TreeMotion& tree : trees_)
    for (const std::int32_t body : tree.coordinates().bodies()) moves[static_cast<std::size_t>(body)] = 1;
  for (std::size_t i = 0; i < moves.size(); ++i)
    if (is_jointed(i) && moves[i] == 0) welded_.emplace_back(i, system.initial_state().bodies[i]);
  tree_problems_.resize(trees_.size());
}

void ContactStage::place_welded(State& state) const {
  for (const auto& [i, placed] : welded_) state.bodies[i] = placed;
}

// Returns the pairs that the search found and that the scene allows to meet.
std::span<const BodyPair> ContactStage::pairs() {
  const std::span<const BodyPair> all = broad_.update(placed_.bounds(), placed_.fixed_count());
  may_meet_.clear();
  for (const BodyPair& pair : all)
    if (system_.may_meet(static_cast<std::size_t>(pair.A), static_cast<std::size_t>(pair.B)))
      may_meet_.push_back(pair);
  return may_meet_;
}

void ContactStage::find(const State& state, const Control& control) {
  placed_.place(state, control, dt_);
  narrow_.find(placed_, pairs(), contacts_);
}

bool ContactStage::covers() const {
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (!placed_.covers(i, bodies_[i].V_WB_W, dt_)) return false;
  for (std::size_t t = 0; t < trees_.size(); ++t)
    if (!trees_[t].covers_limits(tree_problems_[t].v, dt_)) return false;
  return true;
}

void ContactStage::find_beyond(const State& state, const Control& control) {
  twists_.resize(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) twists_[i] = bodies_[i].V_WB_W;
  for (std::size_t t = 0; t < trees_.size(); ++t) trees_[t].reach_beyond(tree_problems_[t].v);
  placed_.place(state, control, dt_, twists_);
  narrow_.find(placed_, pairs(), contacts_);
}

// Order of contacts: by bodies, shapes, feature.
bool ContactStage::comes_before(const ContactKey& key, const ContactKey& other) const {
  const auto order = [this](const ContactKey& k) {
    return std::tuple(system_.placed_body_of_shape(k.shape_A), system_.placed_body_of_shape(k.shape_B), k);
  };
  return order(key) < order(other);
}

void ContactStage::pose(const State& state, const Control& control) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const BodyState& moving = state.bodies[i];
    const Body& body = system_.body(i);
    ContactBody& posed = bodies_[i];
    posed.p_WBcm = moving.p_WB;
    if (is_jointed(i)) continue;
    posed.inverse_inertia_W = in_world(moving.q_WB, body.inertia.cwiseInverse());
    posed.inverse_mass = 1 / body.mass;
    posed.V_WB_W.head<3>() = posed.inverse_inertia_W * moving.L_W;
    posed.V_WB_W.tail<3>() = moving.v_WB;
    if (posed.V_WB_W.norm() < kStill) posed.V_WB_W.setZero();
    Vec6<double>& change = force_changes_[i];
    change << Vec3<double>::Zero(), dt_ * system_.scene().gravity;
    if (control.F_BBcm_W.empty()) continue;
    change.head<3>() = dt_ * (posed.inverse_inertia_W * control.F_BBcm_W[i].head<3>());
    change.tail<3>() += dt_ * posed.inverse_mass * control.F_BBcm_W[i].tail<3>();
  }
  if (!trees_.empty()) pose_trees(control);
  std::size_t old = 0;
  for (PairContact& c : contacts_) {
    c.J_B_W.setZero();
    const double u = normal_speed(c, bodies_), of_A = forced_speed(c.A, c), of_B = forced_speed(c.B, c);
    const double rounding = kRounding * std::max(std::abs(of_A), std::abs(of_B));
    c.target_velocity = c.gap > rounding * dt_ ? -c.gap / dt_ : 0;
    if (u < c.target_velocity) {
      c.target_velocity = std::max(c.target_velocity, -c.restitution * u);
    } else if (u > rounding && is_moved(bodies_, c.A) != is_moved(bodies_, c.B)) {
      c.target_velocity = std::min(c.target_velocity, -std::min(u, std::max(0.0, of_A - of_B)));
    }
    while (old < state.impulses.size() && comes_before(state.impulses[old].key, c.key)) ++old;
    if (old < state.impulses.size() && state.impulses[old].key == c.key) c.J_B_W = state.impulses[old].J_B_W;
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i) bodies_[i].V_WB_W += force_changes_[i];
  even_out_areas(contacts_);
}

void ContactStage::pose_trees(const Control& control) {
  joint_rows_.clear();
  for (std::size_t t = 0; t < trees_.size(); ++t)
    trees_[t].push(control, dt_, static_cast<std::int32_t>(t), tree_problems_[t], joint_rows_, bodies_);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const std::int32_t tree = bodies_[i].tree;
    if (tree >= 0) force_changes_[i] = *bodies_[i].J_W * tree_problems_[tree].v - bodies_[i].V_WB_W;
  }
}

// Change of the body's normal velocity at the contact by forces within dt.
double ContactStage::forced_speed(std::int32_t body, const PairContact& c) const {
  if (!is_moved(bodies_, body)) return 0;
  const auto i = static_cast<std::size_t>(body);
  const Vec6<double>& dV = force_changes_[i];
  return c.n_W.dot(dV.tail<3>() + dV.head<3>().cross(c.p_WC - bodies_[i].p_WBcm));
}

double ContactStage::control_work(const Control& control, std::span<const Vec6<double>> free) const {
  double sum = 0;
  for (std::size_t i = 0; i < control.F_BBcm_W.size(); ++i) {
    if (is_jointed(i)) continue;
    const Vec6<double> before = free[i] - force_changes_[i];
    sum += dt_ * control.F_BBcm_W[i].dot(before + bodies_[i].V_WB_W) / 2;
  }
  return sum;
}

void ContactStage::remember(State& state) const {
  state.impulses.clear();
  for (const PairContact& c : contacts_) state.impulses.push_back({c.key, c.J_B_W});
}

void ContactStage::report(const State& state, StepReport& report) const {
  report.contacts = static_cast<int>(contacts_.size());
  report.penetration = 0;
  for (const PairContact& c : contacts_) report.penetration = std::max(report.penetration, -c.gap);
  measure(system_, state, report);
}

void measure(const System& system, const State& state, StepReport& report) {
  report.kinetic = report.potential = 0;
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const double kinetic = system.kinetic_energy(state, i);
    if (!finite(state.bodies[i]) || !std::isfinite(kinetic))
      throw InvalidInput("simulation: body '" + system.body(i).name +
                         "' has left the finite numbers; take a smaller time step");
    report.kinetic += kinetic;
    report.potential += system.potential_energy(state, i);
  }
}

}  // namespace abut::dynamics
