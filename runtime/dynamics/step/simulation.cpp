#include "runtime/dynamics/step/simulation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <unordered_map>

#include "runtime/core/error.h"
#include "runtime/dynamics/solve/even_pressure.h"
#include "runtime/dynamics/step/free_motion.h"

namespace abut::dynamics {
namespace {

constexpr double kSlop = 1e-4;           // of the scene's thinnest shape: depth that is left alone
constexpr double kMargin = 1e-2;         // of the same: gap within which slow bodies have contacts
constexpr double kUnitTolerance = 1e-9;  // of a quaternion's length

Pose<double> pose(const BodyState& state) { return {state.q_WB.toRotationMatrix(), state.p_WB}; }

Mat3<double> turned(const Mat3<double>& R, const Vec3<double>& diagonal) {
  return R * diagonal.asDiagonal() * R.transpose();
}

// Contacts of one pair of shapes stand together.
void even_out_areas(std::span<PairContact> contacts) {
  for (std::size_t first = 0; first < contacts.size();) {
    std::size_t end = first;
    while (end < contacts.size() && contacts[end].area > 0 &&
           contacts[end].key >> 16 == contacts[first].key >> 16)
      ++end;
    if (end > first) even_out(contacts.subspan(first, end - first));
    first = std::max(end, first + 1);
  }
}

bool finite(const BodyState& state) {
  return state.p_WB.allFinite() && state.q_WB.coeffs().allFinite() && state.v_WB.allFinite() &&
         state.L_W.allFinite();
}

// Throws InvalidInput where an asset lacks what the contact model needs.
void require_parts(const Scene& scene, const std::string& model) {
  if (model.empty()) return;
  unsigned needs = body::kNoPart;
  for (const contact::ModelRow& row : contact::models())
    if (row.name == model) needs = row.needs;
  const auto check = [&](const Shape& shape, const std::string& who) {
    const char* missing = shape.geometry.primitive() ? nullptr : shape.geometry.missing_part(needs);
    if (missing) throw InvalidInput("simulation: the asset of " + who + " " + missing);
  };
  for (const Shape& shape : scene.fixed) check(shape, "a fixed shape");
  for (const Body& body : scene.bodies)
    for (const Shape& shape : body.shapes) check(shape, "body '" + body.name + "'");
}

}  // namespace

Simulation::Simulation(const Scene& scene, const SimulationConfig& config)
    : scene_(scene),
      config_(config),
      narrow_(config.source, scene.patch, config.threads),
      stabilisation_(config.stabilisation, config.threads) {
  if (!(config.dt >= kLeastTimeStep && config.dt <= kGreatestTimeStep)) {
    std::ostringstream what;
    what << "simulation: the time step is " << config.dt << " s; it must be from " << kLeastTimeStep << " to "
         << kGreatestTimeStep << " s";
    throw InvalidInput(what.str());
  }
  require_valid(scene_);
  require_parts(scene_, config.source.model);
  CoupledConfig solver = config.solver;
  solver.threads = config.threads;
  coupled_ = CoupledSolver(solver);
  PublishedConfig published = config.published;
  published.threads = config.threads;
  published_ = PublishedSolver(published);

  double thinnest = std::numeric_limits<double>::infinity();
  std::unordered_map<std::uint64_t, SurfaceSamples> samples;  // by the geometry's id
  const auto add = [&](const Shape& shape) {
    if (const auto known = samples.find(shape.geometry.id()); known != samples.end())
      shapes_.emplace_back(shape, known->second);
    else
      shapes_.emplace_back(shape);
    const PlacedShape& placed = shapes_.back();
    if (placed.kind == ShapeKind::kAsset) samples.emplace(shape.geometry.id(), placed.samples);
    if (placed.kind != ShapeKind::kPlane) thinnest = std::min(thinnest, shapes_.back().half.minCoeff());
  };
  for (const Shape& shape : scene_.fixed) {
    first_shape_.push_back(static_cast<std::int32_t>(shapes_.size()));
    add(shape);
    shapes_.back().place({}, 0);
    bounds_.push_back(shapes_.back().bounds);
    extents_.emplace_back();
  }
  fixed_ = scene_.fixed.size();
  for (const Body& body : scene_.bodies) {
    first_shape_.push_back(static_cast<std::int32_t>(shapes_.size()));
    double reach = 0;
    for (const Shape& shape : body.shapes) {
      add(shape);
      const PlacedShape& placed = shapes_.back();
      reach = std::max(reach, (shape.X_BS * placed.p_SCenter).norm() + placed.half.norm());
    }
    extents_.push_back({0, reach});
    BodyState state;
    state.p_WB = body.p_WB;
    state.q_WB = Eigen::Quaterniond(body.q_WB[0], body.q_WB[1], body.q_WB[2], body.q_WB[3]).normalized();
    state.v_WB = body.v_WB;
    state.L_W = turned(state.q_WB.toRotationMatrix(), body.inertia) * body.w_WB_W;
    states_.push_back(state);
  }
  first_shape_.push_back(static_cast<std::int32_t>(shapes_.size()));
  for (std::size_t body = 0; body + 1 < first_shape_.size(); ++body)
    body_of_shape_.resize(static_cast<std::size_t>(first_shape_[body + 1]), body);
  slop_ = kSlop * thinnest;
  margin_ = kMargin * thinnest;
  bounds_.resize(fixed_ + states_.size());
  bodies_.resize(states_.size());
  displacements_.resize(states_.size());
  measure();
}

Vec3<double> Simulation::angular_velocity(std::size_t body) const {
  const BodyState& state = states_[body];
  return turned(state.q_WB.toRotationMatrix(), scene_.bodies[body].inertia.cwiseInverse()) * state.L_W;
}

void Simulation::drift(double time) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    BodyState& state = states_[i];
    state.p_WB += time * state.v_WB;
    turn_freely(state.q_WB, state.L_W, scene_.bodies[i].inertia, time);
  }
}

void Simulation::place_shapes() {
  const double fall = config_.dt * scene_.gravity.norm();
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Pose<double> X_WB = pose(states_[i]);
    // What the body's points may travel within a step, so that nothing is passed through.
    const double spin = states_[i].L_W.norm() / scene_.bodies[i].inertia.minCoeff();
    const double speed = states_[i].v_WB.norm() + fall + spin * extents_[fixed_ + i].length;
    const double margin = margin_ + config_.dt * speed;
    extents_[fixed_ + i].margin = margin;
    Bounds& bounds = bounds_[fixed_ + i];
    const auto first = static_cast<std::size_t>(first_shape_[fixed_ + i]);
    const auto end = static_cast<std::size_t>(first_shape_[fixed_ + i + 1]);
    for (std::size_t k = first; k < end; ++k) {
      shapes_[k].place(X_WB, margin);
      if (k == first)
        bounds = shapes_[k].bounds;
      else
        bounds.include(shapes_[k].bounds);
    }
    if (first == end) bounds = {X_WB.p, X_WB.p};
  }
}

void Simulation::find_contacts() {
  place_shapes();
  narrow_.find(shapes_, first_shape_, fixed_, broad_.update(bounds_, fixed_), extents_, contacts_);
}

void Simulation::prepare() {
  const double h = config_.dt;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const BodyState& state = states_[i];
    const Body& body = scene_.bodies[i];
    ContactBody& moving = bodies_[i];
    moving.p_WBcm = state.p_WB;
    moving.inverse_inertia_W = turned(state.q_WB.toRotationMatrix(), body.inertia.cwiseInverse());
    moving.inverse_mass = 1 / body.mass;
    moving.V_WB_W.head<3>() = moving.inverse_inertia_W * state.L_W;
    moving.V_WB_W.tail<3>() = state.v_WB;
  }
  std::size_t old = 0;
  report_.penetration = 0;
  for (PairContact& c : contacts_) {
    c.mu = scene_.mu;
    const double u = normal_speed(c, bodies_);
    c.target_velocity = c.gap > 0 ? -c.gap / h : 0;
    if (u < c.target_velocity) {
      c.target_velocity = std::max(c.target_velocity, -scene_.restitution * u);
    } else if (u > 0 && (c.A == kFixed || c.B == kFixed)) {
      // Gravity may turn it round within the step. Stopped at once it would be higher than it had the speed
      // to rise; it may fall back as fast as it went.
      const double fall = h * (c.B == kFixed ? 1 : -1) * c.n_W.dot(scene_.gravity);
      c.target_velocity = std::min(c.target_velocity, -std::min(u, std::max(0.0, fall)));
    }
    report_.penetration = std::max(report_.penetration, -c.gap);
    while (old < impulses_.size() && comes_before(impulses_[old].key, c.key)) ++old;
    if (old < impulses_.size() && impulses_[old].key == c.key) c.J_B_W = impulses_[old].J_B_W;
  }
  for (ContactBody& moving : bodies_) moving.V_WB_W.tail<3>() += h * scene_.gravity;
  even_out_areas(contacts_);
}

// The order of contacts: by bodies, shapes, feature.
bool Simulation::comes_before(std::uint64_t key, std::uint64_t other_key) const {
  const ShapePair shapes = shapes_of(key), other_shapes = shapes_of(other_key);
  const auto order = [this](const ShapePair& pair, std::uint64_t last) {
    return std::array<std::uint64_t, 3>{body_of_shape_[pair.A], body_of_shape_[pair.B], last};
  };
  return order(shapes, key) < order(other_shapes, other_key);
}

// Scaled by s, an island's impulses J at relative velocities u, old, free (with gravity's change) and new,
// change the energy by s (sum J.(u_old + u_free)/2) + s^2 (sum J.(u_new - u_free)/2), the latter positive: as
// much as impulses times the mean of their velocities before and after the step, here summed up as wrenches
// times twists, body by body.
void Simulation::hold_energy(std::int32_t island) {
  const Vec3<double> fall = config_.dt * scene_.gravity;
  const auto free_twist = [&](std::size_t i) {
    Vec6<double> V;
    V << bodies_[i].inverse_inertia_W * states_[i].L_W, states_[i].v_WB + fall;
    return V;
  };
  double linear = 0, quadratic = 0;
  for (const std::int32_t body : coupled_.islands().bodies(island)) {
    const auto i = static_cast<std::size_t>(body);
    const Vec6<double>& wrench = coupled_.wrenches()[coupled_.islands().place_of_body(body)].value;
    const Vec6<double> V_free = free_twist(i);
    linear += wrench.dot(V_free) - wrench.tail<3>().dot(fall) / 2;
    quadratic += wrench.dot(bodies_[i].V_WB_W - V_free) / 2;
  }
  if (!(linear + quadratic > 0) || !(quadratic > 0)) return;
  const double scale = std::max(0.0, -linear / quadratic);
  for (const std::int32_t k : coupled_.islands().contacts(island))
    contacts_[static_cast<std::size_t>(k)].J_B_W *= scale;
  for (const std::int32_t body : coupled_.islands().bodies(island)) {
    const auto i = static_cast<std::size_t>(body);
    const Vec6<double> V_free = free_twist(i);
    bodies_[i].V_WB_W = V_free + scale * (bodies_[i].V_WB_W - V_free);
  }
}

void Simulation::hold_energy() {
  for (std::int32_t island = 0; island < coupled_.islands().size(); ++island) hold_energy(island);
}

void Simulation::apply_impulses() {
  for (BodyState& state : states_) state.v_WB += config_.dt * scene_.gravity;
  impulses_.clear();
  for (const PairContact& c : contacts_) {
    for (const std::int32_t body : {c.A, c.B}) {
      if (body == kFixed) continue;
      const auto i = static_cast<std::size_t>(body);
      BodyState& state = states_[i];
      const Vec3<double> J = body == c.B ? c.J_B_W : Vec3<double>(-c.J_B_W);
      state.v_WB += J * bodies_[i].inverse_mass;
      state.L_W += (c.p_WC - bodies_[i].p_WBcm).cross(J);
    }
    impulses_.push_back({c.key, c.J_B_W});
  }
}

double Simulation::kinetic_energy(std::size_t body) const {
  const BodyState& state = states_[body];
  const Vec3<double> P = state.q_WB.conjugate() * state.L_W;
  return (scene_.bodies[body].mass * state.v_WB.squaredNorm() +
          P.dot(scene_.bodies[body].inertia.cwiseInverse().cwiseProduct(P))) /
         2;
}

void Simulation::stabilise() {
  report_.stabilisation_work = 0;
  const double half = config_.dt / 2;
  stabilisation_.displace(bodies_, contacts_, coupled_, half, slop_, displacements_);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Vec3<double> turn = displacements_[i].head<3>(), shift = displacements_[i].tail<3>();
    if (turn.isZero(0) && shift.isZero(0)) continue;
    BodyState& state = states_[i];
    const double before = kinetic_energy(i);
    state.p_WB += shift;
    const Vec3<double> half_turn = turn / 2;
    state.q_WB =
        (Eigen::Quaterniond(1, half_turn.x(), half_turn.y(), half_turn.z()) * state.q_WB).normalized();
    report_.stabilisation_work +=
        kinetic_energy(i) - before - scene_.bodies[i].mass * scene_.gravity.dot(shift);
  }
}

void Simulation::measure() {
  report_.contacts = static_cast<int>(contacts_.size());
  report_.kinetic = report_.potential = 0;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    report_.kinetic += kinetic_energy(i);
    report_.potential -= scene_.bodies[i].mass * scene_.gravity.dot(states_[i].p_WB);
  }
}

// The state after a twist that is constant in the body's axes: E exp([phi] t) [Kaufman2005].
BodyState Simulation::moved(const BodyState& state, std::size_t body, double time) const {
  const Eigen::Quaterniond to_B = state.q_WB.conjugate();
  const Vec3<double> P_B = to_B * state.L_W, v_B = to_B * state.v_WB;
  Vec6<double> phi;
  phi << scene_.bodies[body].inertia.cwiseInverse().cwiseProduct(P_B), v_B;
  const Pose<double> motion = exp<double>(phi * time);
  BodyState result;
  result.p_WB = state.p_WB + state.q_WB * motion.p;
  result.q_WB = (state.q_WB * Eigen::Quaterniond(motion.R)).normalized();
  result.v_WB = result.q_WB * v_B;
  result.L_W = result.q_WB * P_B;
  return result;
}

void Simulation::published_step() {
  const double h = config_.dt;
  before_.assign(states_.begin(), states_.end());
  for (std::size_t i = 0; i < states_.size(); ++i) states_[i] = moved(before_[i], i, h / 2);
  find_contacts();
  std::erase_if(contacts_, [this](const PairContact& c) { return c.gap > slop_; });
  // Forces: gravity, and with the twist of before the gyroscopic terms of axes that turn, P x w and m v x w.
  for (std::size_t i = 0; i < states_.size(); ++i) {
    BodyState& state = states_[i];
    const Vec3<double> w_W = angular_velocity(i);
    state.v_WB += h * state.v_WB.cross(w_W);
    state.L_W += h * state.L_W.cross(w_W);
  }
  prepare();
  for (PairContact& c : contacts_) c.target_velocity = std::max(0.0, c.target_velocity);
  report_.solver = published_.solve(bodies_, contacts_);
  impulses_.clear();
  report_.stabilisation_work = 0;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    // The new twist in the body's axes, from the configuration before the half step.
    const Eigen::Quaterniond to_B = states_[i].q_WB.conjugate();
    const Vec3<double> w_B = to_B * Vec3<double>(bodies_[i].V_WB_W.head<3>());
    const Vec3<double> v_B = to_B * Vec3<double>(bodies_[i].V_WB_W.tail<3>());
    BodyState& state = before_[i];
    state.v_WB = state.q_WB * v_B;
    state.L_W = state.q_WB * Vec3<double>(scene_.bodies[i].inertia.cwiseProduct(w_B));
    states_[i] = moved(state, i, h);
  }
}

const StepReport& Simulation::step() {
  if (config_.mode == SimulationMode::kPublished) {
    published_step();
  } else {
    drift(config_.dt / 2);
    find_contacts();
    prepare();
    report_.solver = coupled_.solve(bodies_, contacts_);
    hold_energy();
    apply_impulses();
    drift(config_.dt / 2);
    stabilise();
  }
  ++steps_;
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (!finite(states_[i]) || !std::isfinite(kinetic_energy(i)))
      throw InvalidInput("simulation: body '" + scene_.bodies[i].name +
                         "' has left the finite numbers in step " + std::to_string(steps_) +
                         "; take a smaller time step");
  measure();
  return report_;
}

void Simulation::restore(std::span<const BodyState> states, std::span<const ContactImpulse> impulses,
                         std::int64_t steps) {
  if (states.size() != states_.size())
    throw InvalidInput("simulation: " + std::to_string(states.size()) + " states for " +
                       std::to_string(states_.size()) + " bodies");
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::string who = "simulation: the state of body '" + scene_.bodies[i].name + "'";
    if (!finite(states[i])) throw InvalidInput(who + " is not finite");
    if (!(std::abs(states[i].q_WB.norm() - 1) <= kUnitTolerance))
      throw InvalidInput(who + " has a quaternion of length " + std::to_string(states[i].q_WB.norm()) +
                         "; it must be 1");
  }
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    const std::string who = "simulation: impulse " + std::to_string(i);
    if (!impulses[i].J_B_W.allFinite()) throw InvalidInput(who + " is not finite");
    const ShapePair pair = shapes_of(impulses[i].key);
    if (pair.A >= shapes_.size() || pair.B >= shapes_.size())
      throw InvalidInput(who + " is of shapes that the scene does not have");
  }
  if (steps < 0 || steps > kMaxSteps)
    throw InvalidInput("simulation: the state is that after " + std::to_string(steps) +
                       " steps; there can be 0 to " + std::to_string(kMaxSteps));
  states_.assign(states.begin(), states.end());
  impulses_.assign(impulses.begin(), impulses.end());
  steps_ = steps;
  measure();
}

}  // namespace abut::dynamics
