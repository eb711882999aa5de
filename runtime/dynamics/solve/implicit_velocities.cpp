#include "runtime/dynamics/solve/implicit_velocities.h"

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/disjoint_sets.h"

namespace abut::dynamics {
namespace {

// Rotation by Cayley's map of b = h w / 2, as a quaternion.
Eigen::Quaterniond cayley(const Vec3<double>& b) {
  return Eigen::Quaterniond(1, b.x(), b.y(), b.z()).normalized();
}

}  // namespace

void ImplicitBodies::begin(const System& system, const State& state, const Control& control, double h) {
  h_ = h;
  starts_.resize(system.body_count());
  trials_.resize(starts_.size());
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    const BodyState& moving = state.bodies[i];
    const Body& body = system.body(i);
    Start& start = starts_[i];
    start.p = moving.p_WB;
    start.q = moving.q_WB;
    start.v = moving.v_WB;
    start.L_W = moving.L_W;
    start.inertia = body.inertia;
    start.inverse_inertia_W = in_world(moving.q_WB, body.inertia.cwiseInverse());
    start.mass = body.mass;
    start.wrench_W << Vec3<double>::Zero(), body.mass * system.scene().gravity;
    if (!control.F_BBcm_W.empty()) start.wrench_W += control.F_BBcm_W[i];
    start.V_WB_W << start.inverse_inertia_W * start.L_W, start.v;
    try_twist(i, start.V_WB_W);
  }
}

Eigen::Quaterniond ImplicitBodies::turned(std::size_t i) const {
  return cayley(h_ / 2 * trials_[i].V_WB_W.head<3>()) * starts_[i].q;
}

void ImplicitBodies::try_twist(std::size_t i, const Vec6<double>& V_WB_W) {
  trials_[i].V_WB_W = V_WB_W;
  trials_[i].X_WB = {turned(i).toRotationMatrix(), starts_[i].p + h_ * V_WB_W.tail<3>()};
}

Mat3<double> ImplicitBodies::inertia_W(std::size_t i) const {
  const Mat3<double>& R = trials_[i].X_WB.R;
  return R * starts_[i].inertia.asDiagonal() * R.transpose();
}

Vec6<double> ImplicitBodies::residual(std::size_t i) const {
  const Start& start = starts_[i];
  const Vec6<double>& V = trials_[i].V_WB_W;
  Vec6<double> r = -h_ * start.wrench_W;
  r.head<3>() += inertia_W(i) * V.head<3>() - start.L_W;
  r.tail<3>() += start.mass * (V.tail<3>() - start.v);
  return r;
}

// A turn t changes I_W w, with w held, by t x (I_W w) - I_W (t x w).
Mat3<double> ImplicitBodies::momentum_slope_by_turn(std::size_t i) const {
  const Vec3<double> w = trials_[i].V_WB_W.head<3>();
  const Mat3<double> I_W = inertia_W(i);
  return I_W * skew(w) - skew<double>(I_W * w);
}

Mat6<double> ImplicitBodies::residual_slope(std::size_t i) const {
  Mat6<double> slope = Mat6<double>::Zero();
  slope.topLeftCorner<3, 3>() =
      inertia_W(i) + momentum_slope_by_turn(i) * displacement_slope(i).topLeftCorner<3, 3>();
  slope.diagonal().tail<3>().setConstant(starts_[i].mass);
  return slope;
}

// A change db turns the rotation of quaternion (1, b) by 2 / (1 + b'b) (1 + [b]) db.
Mat6<double> ImplicitBodies::displacement_slope(std::size_t i) const {
  const Vec3<double> b = h_ / 2 * trials_[i].V_WB_W.head<3>();
  Mat6<double> slope = h_ * Mat6<double>::Identity();
  slope.topLeftCorner<3, 3>() = h_ / (1 + b.squaredNorm()) * (Mat3<double>::Identity() + skew(b));
  return slope;
}

double ImplicitBodies::square_of_speed(std::size_t i, const Vec6<double>& impulse) const {
  const Vec3<double> turn = impulse.head<3>();
  return (turn.dot(starts_[i].inverse_inertia_W * turn) + impulse.tail<3>().squaredNorm() / starts_[i].mass) /
         starts_[i].mass;
}

Vec6<double> ImplicitBodies::twist_by(std::size_t i, const Vec6<double>& impulse) const {
  Vec6<double> change;
  change << starts_[i].inverse_inertia_W * impulse.head<3>(), impulse.tail<3>() / starts_[i].mass;
  return change;
}

double ImplicitBodies::twice_energy(std::size_t i, const Vec6<double>& V_WB_W) const {
  const Vec3<double> w = V_WB_W.head<3>();
  return w.dot(inertia_W(i) * w) + starts_[i].mass * V_WB_W.tail<3>().squaredNorm();
}

void ImplicitBodies::take(State& state) const {
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    BodyState& moving = state.bodies[i];
    moving.p_WB = trials_[i].X_WB.p;
    moving.q_WB = turned(i).normalized();
    take_velocity(i, moving);
  }
}

void ImplicitBodies::take_velocity(std::size_t i, BodyState& state) const {
  state.v_WB = trials_[i].V_WB_W.tail<3>();
  state.L_W = inertia_W(i) * trials_[i].V_WB_W.head<3>();
}

std::int32_t ImplicitIsland::place(std::int32_t body) const {
  return static_cast<std::int32_t>(std::lower_bound(bodies_.begin(), bodies_.end(), body) - bodies_.begin());
}

ImplicitIsland::Measure ImplicitIsland::measure(const ImplicitBodies& bodies,
                                                std::span<const PairForce> forces) {
  const auto count = static_cast<Eigen::Index>(bodies_.size());
  residual_vector_.resize(6 * count);
  Measure result;
  for (Eigen::Index k = 0; k < count; ++k)
    residual_vector_.segment<6>(6 * k) = bodies.residual(static_cast<std::size_t>(bodies_[k]));
  const double h = bodies.duration();
  for (const std::int32_t p : pairs_) {
    const PairForce& force = forces[static_cast<std::size_t>(p)];
    for (std::size_t on = 0; on < 2; ++on) {
      const std::int32_t body = on == 0 ? force.A : force.B;
      if (body == kFixed) continue;
      const Vec6<double> impulse = h * force.F_W[on];
      residual_vector_.segment<6>(6 * place(body)) -= impulse;
      result.scale =
          std::max(result.scale, std::sqrt(bodies.square_of_speed(static_cast<std::size_t>(body), impulse)));
    }
  }
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto i = static_cast<std::size_t>(bodies_[k]);
    const double square = bodies.square_of_speed(i, residual_vector_.segment<6>(6 * k));
    result.merit += bodies.mass(i) * square;
    result.residual = std::max(result.residual, std::sqrt(square));
    result.scale = std::max(result.scale, bodies.trials()[i].V_WB_W.tail<3>().norm());
  }
  if (!std::isfinite(result.merit)) result.merit = std::numeric_limits<double>::infinity();
  return result;
}

// Derivative of the bodies' own residuals, less h times that of the contact forces.
Eigen::SparseMatrix<double> ImplicitIsland::residual_slope(const ImplicitBodies& bodies,
                                                           std::span<const PairForce> forces) const {
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](std::int32_t row, std::int32_t column, const Mat6<double>& block) {
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c)
        if (block(r, c) != 0) entries.emplace_back(6 * row + r, 6 * column + c, block(r, c));
  };
  for (std::size_t k = 0; k < bodies_.size(); ++k)
    add(static_cast<std::int32_t>(k), static_cast<std::int32_t>(k),
        bodies.residual_slope(static_cast<std::size_t>(bodies_[k])));
  const double h = bodies.duration();
  for (const std::int32_t p : pairs_) {
    const PairForce& force = forces[static_cast<std::size_t>(p)];
    if (force.contacts == 0) continue;
    const std::int32_t members[] = {force.A, force.B};
    for (std::size_t on = 0; on < 2; ++on)
      for (std::size_t of = 0; of < 2; ++of)
        if (members[on] != kFixed && members[of] != kFixed)
          add(place(members[on]), place(members[of]),
              -h * (force.dF_dx[on][of] * bodies.displacement_slope(static_cast<std::size_t>(members[of])) +
                    force.dF_dV[on][of]));
  }
  const auto size = static_cast<Eigen::Index>(6 * bodies_.size());
  Eigen::SparseMatrix<double> slope(size, size);
  slope.setFromTriplets(entries.begin(), entries.end());
  return slope;
}

// Computes Newton's direction. Returns false where the matrix is singular.
bool ImplicitIsland::find_direction(const ImplicitBodies& bodies, std::span<const PairForce> forces) {
  const Eigen::SparseLU<Eigen::SparseMatrix<double>> solver(residual_slope(bodies, forces));
  if (solver.info() != Eigen::Success) return false;
  direction_ = solver.solve(-residual_vector_);
  return direction_.allFinite();
}

void ImplicitIsland::try_step(ImplicitBodies& bodies, double length) {
  step_ = length;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const auto first = static_cast<Eigen::Index>(6 * k);
    Vec6<double> V = best_.segment<6>(first);
    if (length > 0) V += length * direction_.segment<6>(first);
    bodies.try_twist(static_cast<std::size_t>(bodies_[k]), V);
  }
}

void ImplicitIsland::keep_trials(const ImplicitBodies& bodies) {
  best_.resize(static_cast<Eigen::Index>(6 * bodies_.size()));
  for (std::size_t k = 0; k < bodies_.size(); ++k)
    best_.segment<6>(static_cast<Eigen::Index>(6 * k)) =
        bodies.trials()[static_cast<std::size_t>(bodies_[k])].V_WB_W;
}

void ImplicitIsland::restart(ImplicitBodies& bodies, const Eigen::VectorXd& twists) {
  best_ = twists;
  try_step(bodies, 0);
  start_ = iterations_;
  halvings_ = 0;
  begun_ = ended_ = solved_ = false;
}

Eigen::VectorXd ImplicitIsland::start_twists(const ImplicitBodies& bodies) const {
  Eigen::VectorXd twists(static_cast<Eigen::Index>(6 * bodies_.size()));
  for (std::size_t k = 0; k < bodies_.size(); ++k)
    twists.segment<6>(static_cast<Eigen::Index>(6 * k)) =
        bodies.start_twist(static_cast<std::size_t>(bodies_[k]));
  return twists;
}

Eigen::VectorXd ImplicitIsland::response(const ImplicitBodies& bodies, std::span<const PairForce> forces) {
  const Eigen::VectorXd before = residual_vector_;
  measure(bodies, forces);
  residual_vector_ -= before;
  if (!find_direction(bodies, forces)) direction_.setZero(before.size());
  return direction_;
}

void ImplicitIsland::advance(ImplicitBodies& bodies, std::span<const PairForce> forces,
                             const SearchLimits& limits) {
  constexpr double kRounding = 1e-12;      // relative rounding error of forces
  constexpr double kLeastDecrease = 1e-4;  // of the merit, relative to the predicted one [Nocedal2006, 3.1]
  constexpr double kLeastStep = 1e-6;      // shortest fraction of a Newton step
  const Measure now = measure(bodies, forces);
  if (!begun_ || now.merit <= (1 - 2 * kLeastDecrease * step_) * merit_) {
    begun_ = true;
    merit_ = now.merit;
    residual_ = now.residual;
    keep_trials(bodies);
    solved_ = std::isfinite(merit_) && residual_ <= limits.tolerance + kRounding * now.scale;
    ended_ = solved_ || iterations_ - start_ == limits.iterations || halvings_ > limits.halvings ||
             !find_direction(bodies, forces);
    if (ended_) return;
    ended_ = solved_ = is_solved_but_for_rounding(bodies);
    if (ended_) return;
    ++iterations_;
    try_step(bodies, 1);
  } else if (step_ > kLeastStep) {
    ++halvings_;
    try_step(bodies, step_ / 2);
  } else {
    ended_ = true;
    try_step(bodies, 0);
  }
}

// Makes the direction the change of the twists by a share of the residual impulses, which it takes away.
void ImplicitIsland::direct_along_residual(const ImplicitBodies& bodies, double share) {
  direction_.resizeLike(residual_vector_);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const auto first = static_cast<Eigen::Index>(6 * k);
    direction_.segment<6>(first) =
        -share * bodies.twist_by(static_cast<std::size_t>(bodies_[k]), residual_vector_.segment<6>(first));
  }
}

// Returns twice the kinetic energy that the bodies have with the given twists, J.
double ImplicitIsland::twice_energy(const ImplicitBodies& bodies, const Eigen::VectorXd& twists) const {
  double sum = 0;
  for (std::size_t k = 0; k < bodies_.size(); ++k)
    sum += bodies.twice_energy(static_cast<std::size_t>(bodies_[k]),
                               twists.segment<6>(static_cast<Eigen::Index>(6 * k)));
  return sum;
}

bool ImplicitIsland::is_solved_but_for_rounding(const ImplicitBodies& bodies) const {
  const double speed = std::sqrt(twice_energy(bodies, best_));
  return std::sqrt(merit_) <= kResidualByRounding * speed &&
         std::sqrt(twice_energy(bodies, direction_)) <= kRoundingOfVelocity * speed;
}

void ImplicitIsland::push(ImplicitBodies& bodies, std::span<const PairForce> forces) {
  const double merit = measure(bodies, forces).merit;
  if (!std::isfinite(merit)) return;
  if (!find_direction(bodies, forces) || !(twice_energy(bodies, direction_) <= merit))
    direct_along_residual(bodies, 1);
  try_step(bodies, 1);
}

// With residual impulses r and twists V, r.V > 0 is the energy that a step may have added; V - t M^-1 r has
// none to add with the forces held, and no more kinetic energy than V.
void ImplicitIsland::restrain(ImplicitBodies& bodies, std::span<const PairForce> forces) {
  const double merit = measure(bodies, forces).merit;
  keep_trials(bodies);
  const double energy = residual_vector_.dot(best_);
  if (!std::isfinite(merit) || !(energy > 0)) return;
  direct_along_residual(bodies, std::min(1.0, energy / merit));
  try_step(bodies, 1);
}

void ImplicitIsland::settle(const ImplicitBodies& bodies, std::span<const PairForce> forces) {
  residual_ = measure(bodies, forces).residual;
  keep_trials(bodies);
}

std::vector<ImplicitIsland> implicit_islands(std::size_t bodies, std::span<const PairForce> pairs) {
  DisjointSets sets(bodies);
  for (const PairForce& pair : pairs)
    if (pair.A != kFixed) sets.join(pair.A, pair.B);
  std::vector<std::vector<std::int32_t>> members(bodies), own(bodies);
  for (std::size_t i = 0; i < bodies; ++i)
    members[static_cast<std::size_t>(sets.least(static_cast<std::int32_t>(i)))].push_back(
        static_cast<std::int32_t>(i));
  for (std::size_t p = 0; p < pairs.size(); ++p)
    own[static_cast<std::size_t>(sets.least(pairs[p].B))].push_back(static_cast<std::int32_t>(p));
  std::vector<ImplicitIsland> islands;
  for (std::size_t i = 0; i < bodies; ++i)
    if (!members[i].empty()) islands.emplace_back(std::move(members[i]), std::move(own[i]));
  return islands;
}

}  // namespace abut::dynamics
