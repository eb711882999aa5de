#include "runtime/dynamics/step/tree_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/joint.h"
#include "runtime/dynamics/tree/kinematics.h"

namespace abut::dynamics {
namespace {

// Distance to a limit, rad or m, within which it gets a row, in addition to twice the motion of a step: other
// impulses of the same step may bring the joint there.
constexpr double kLimitReach = 0.05;

// Returns the twists of the root joint, in its link, where it is a free or planar joint without armature and
// the only one on the world; otherwise none.
detail::Subspace moving_freely(const Tree& tree) {
  if (tree.link_count() == 0) return {};
  const Joint& root = tree.link(0).joint;
  const bool moves = root.type == JointType::kFree || root.type == JointType::kPlanar;
  if (!moves || tree.link(0).parent >= 0 || root.armature > 0) return {};
  for (int i = 1; i < tree.link_count(); ++i)
    if (tree.link(i).parent < 0) return {};
  detail::Subspace S(6, tree.end_v(0));
  for (int d = 0; d < S.cols(); ++d) S.col(d) = tree.subspace(d);
  return S;
}

}  // namespace

TreeMotion::TreeMotion(const System& system, std::vector<std::int32_t> bodies)
    : tree_(system, std::move(bodies), Vec3<double>::Zero()),
      independent_(tree_.independent()),
      root_(moving_freely(tree_.tree())),
      start_(system.initial_state().q),
      scratch_(tree_.tree()),
      J_W_(tree_.bodies().size(), TreeJacobian::Zero(6, independent_.cols())) {
  const Eigen::Index ni = independent_.cols(), nv = independent_.rows();
  damping_ = stiffness_ = VecX<double>::Zero(ni);
  for (Eigen::Index d = 0; d < nv; ++d) {
    Eigen::Index column;
    independent_.row(d).cwiseAbs().maxCoeff(&column);
    column_.push_back(static_cast<int>(column));
    const Joint& joint = tree_.tree().link(tree_.link_of_dof(static_cast<int>(d))).joint;
    const double square = independent_(d, column) * independent_(d, column);
    damping_[column] += square * joint.damping;
    stiffness_[column] += square * joint.stiffness;
  }
  for (VecX<double>* vector : {&v_, &bias_, &acceleration_, &middle_, &tau_gravity_, &tau_control_, &pull_})
    vector->setZero(ni);
  for (std::size_t i = 0; i < J_W_.size() && first_body_ < 0; ++i)
    if (carries(i)) first_body_ = tree_.bodies()[i];
  for (int i = 0; i < tree_.tree().link_count(); ++i) {
    const int parent = tree_.tree().link(i).parent;
    root_of_.push_back(parent < 0 ? i : root_of_[static_cast<std::size_t>(parent)]);
  }
  full_.setZero(nv);
  GM_.setZero(nv, ni);
  M_.setZero(ni, ni);
}

void TreeMotion::read(const State& state) {
  tree_.coordinates(state, q_, full_);
  const std::vector<int>& places = tree_.mimics().independent_velocities();
  v_.resize(static_cast<Eigen::Index>(places.size()));
  for (std::size_t k = 0; k < places.size(); ++k) v_[static_cast<Eigen::Index>(k)] = full_[places[k]];
  weigh();
  held_.clear();
  keep_start();
}

void TreeMotion::start(const VecX<double>& q, const VecX<double>& v, std::span<const double> held) {
  q_ = q;
  v_ = v;
  weigh();
  held_.assign(held.begin(), held.end());
  keep_start();
}

void TreeMotion::write(State& state) {
  full_.noalias() = independent_ * v_;
  tree_.place(q_, full_, scratch_, state);
}

void TreeMotion::weigh() {
  GM_.noalias() = mass_matrix<double>(tree_.tree(), q_, scratch_) * independent_;
  M_.noalias() = independent_.transpose() * GM_;
}

// acceleration_ = -M^-1 b(q_, v), with M_ at q_ and without gravity.
void TreeMotion::accelerate(const VecX<double>& v) {
  full_.noalias() = independent_ * v;
  bias_.noalias() = independent_.transpose() * bias_force<double>(tree_.tree(), q_, full_, scratch_);
  acceleration_ = -bias_;
  llt_.compute(M_);
  llt_.solveInPlace(acceleration_);
}

Vec3<double> TreeMotion::centre_from_root() const {
  Vec3<double> p_LCom_W = Vec3<double>::Zero();
  for (std::size_t i = 0; i < J_W_.size(); ++i) p_LCom_W += tree_.body(i).mass / tree_.mass() * from_root(i);
  return p_LCom_W;
}

// Removes the velocity of the centre of mass from v_ and returns it: leaves the shift velocities v_s of the
// root at which the momentum M_sr v_r + m v_s is zero, with v_r the other velocities and m the mass.
TreeMotion::Whole TreeMotion::take_way() {
  const Eigen::Index nb = root_.cols(), ns = nb - turns();
  Whole whole{pose_of_link(scratch_, 0), centre_from_root(), Vec3<double>::Zero(), Vec3<double>::Zero()};
  auto shift = v_.segment(turns(), ns);
  const RootVector all = shift;
  shift.setZero();
  const RootVector own = -1 / tree_.mass() * (M_.middleRows(turns(), ns) * v_);
  shift = own;
  whole.v_WCom_W = whole.X_WL.R * (root_.bottomRightCorner(3, ns) * (all - own));
  const RootVector p = M_.topRows(nb) * v_;
  whole.L_W = whole.X_WL.R * (root_.topRows<3>() * p);
  return whole;
}

void TreeMotion::give_way(const Vec3<double>& v_WCom_W) {
  const Eigen::Index ns = root_.cols() - turns();
  v_.segment(turns(), ns).noalias() +=
      root_.bottomRightCorner(3, ns).transpose() * (pose_of_link(scratch_, 0).R.transpose() * v_WCom_W);
}

// Second-order: q and v by the midpoint rule, then the conserved quantities are restored. The energy is that
// of the motion about the centre of mass: the velocities of the joints are scaled by s such that the energy
// with locked joints plus s^2 times that of the joints equals it. Energy of the joints that is only rounding
// error is not amplified.
bool TreeMotion::drift(double time) {
  constexpr double kRounding = 1e-12;  // of the energy with locked joints
  constexpr double kMaxOff = 0.05;     // of all energy
  const bool floats = root_.cols() > 0;
  const Whole start = floats ? take_way() : Whole{};
  const Shares before = shares(start.L_W);
  q_start_ = q_;
  accelerate(v_);
  full_.noalias() = independent_ * v_;
  full_ *= time / 2;
  tree_.tree().integrate(q_start_, full_, q_);
  middle_ = v_ + time / 2 * acceleration_;
  weigh();
  accelerate(middle_);
  v_ += time * acceleration_;
  full_.noalias() = independent_ * middle_;
  full_ *= time;
  tree_.tree().integrate(q_start_, full_, q_);
  tree_.mimics().obey(q_);
  weigh();
  if (floats) go_straight(start, time);
  const Shares now = shares(start.L_W);
  const double scale = scale_of({.excess = now.moving - before.moving + (now.locked - before.locked),
                                 .moving = now.moving + kRounding * now.locked,
                                 .most = 2});
  const double all = before.locked + before.moving, off = now.locked + scale * scale * now.moving - all;
  const bool kept = !(std::abs(off) > kMaxOff * all);
  v_ *= scale;
  if (!floats) return kept;
  v_.head(root_.cols()) = now.whole + scale * now.of_joints;
  give_way(start.v_WCom_W);
  return kept;
}

double TreeMotion::scale_of(Scale scale) {
  const double square = 1 - scale.excess / scale.moving;
  if (scales_.size() < held_.size())
    scale.value = held_[scales_.size()];
  else if (std::isfinite(square))
    scale.value = std::sqrt(std::clamp(square, 0.0, scale.most * scale.most));
  scales_.push_back(scale);
  return scale.value;
}

// Moves the root so that the centre of mass goes straight on, within the plane of a planar joint.
void TreeMotion::go_straight(const Whole& start, double time) {
  const Eigen::Index nb = root_.cols();
  const auto shifts = root_.bottomRows<3>();
  const Mat3<double> R = pose_of_link(scratch_, 0).R;
  const Vec3<double> shift_W = start.p_LCom_W - centre_from_root() + time * start.v_WCom_W;
  full_.setZero();
  full_.head(nb).noalias() = shifts.transpose() * (R.transpose() * shift_W);
  const Eigen::Index at = nb == 6 ? 4 : 1, places = nb == 6 ? 3 : 2;  // in q (tree.h)
  q_.segment(at, places) = q_start_.segment(at, places);
  tree_.tree().integrate(q_, full_, q_);
  for (auto& link : scratch_.links) link.p_WC = start.X_WL.p + R * (shifts * full_.head(nb));
}

// The angular momentum L about the centre of mass, as p along the root joint, gives the root's velocities for
// given velocities of the joints, v_b = M_bb^-1 (p - M_bj v_j), and the kinetic energy p.M_bb^-1 p/2 +
// v_j.(M_jj - M_jb M_bb^-1 M_bj) v_j/2.
TreeMotion::Shares TreeMotion::shares(const Vec3<double>& L_W) {
  Shares shares;
  middle_ = v_;
  if (const Eigen::Index nb = root_.cols(); nb > 0) {
    const RootVector p = root_.topRows<3>().transpose() * (pose_of_link(scratch_, 0).R.transpose() * L_W);
    const Eigen::LLT<RootMatrix> root(M_.topLeftCorner(nb, nb));
    shares.whole = root.solve(p);
    shares.of_joints =
        -root.solve(RootVector(M_.topRightCorner(nb, v_.size() - nb) * v_.tail(v_.size() - nb)));
    shares.locked = p.dot(shares.whole) / 2;
    middle_.head(nb) = shares.of_joints;
  }
  bias_.noalias() = M_ * middle_;
  shares.moving = middle_.dot(bias_) / 2;
  return shares;
}

// Vector from the root's origin to a body's centre of mass, in the world's axes.
Vec3<double> TreeMotion::from_root(std::size_t i) const {
  return scratch_.links[i].X_CL * tree_.pose_in_link(i).p;
}

// Vector from where the joint of its branch's root stands, which does not move, to a body's centre of mass,
// in the world's axes: it has all digits wherever in the world that is.
Vec3<double> TreeMotion::from_base(std::size_t i) const {
  const Joint& joint = tree_.tree().link(root_of_[i]).joint;
  const double* const q = q_.data() + tree_.tree().first_q(root_of_[i]);
  const Pose<double> X_JL = detail::visit_joint(
      joint.type, [&]<class Row>(Row) { return Row::template pose<double>(joint.axis_J, q); });
  return joint.X_PJ.R * X_JL.p + from_root(i);
}

void TreeMotion::keep_start() {
  fastest_.setZero(v_.size());
  scales_.clear();
  start_W_.resize(J_W_.size());
  for (std::size_t i = 0; i < J_W_.size(); ++i) start_W_[i] = from_base(i);
}

double TreeMotion::rise() const {
  constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();  // of positions
  double sum = 0, rounding = 0;
  const Vec3<double>& gravity = tree_.system().scene().gravity;
  for (std::size_t i = 0; i < J_W_.size(); ++i) {
    if (!carries(i)) continue;
    const Vec3<double> p_W = from_base(i), from_root_W = from_root(i);
    sum -= tree_.body(i).mass * gravity.dot(p_W - start_W_[i]);
    rounding += tree_.body(i).mass * gravity.norm() * ((p_W - from_root_W).norm() + 2 * from_root_W.norm());
  }
  return sum - kRounding * rounding;
}

void TreeMotion::push(const Control& control, double dt, std::int32_t index, ContactTree& problem,
                      std::vector<JointRow>& rows, std::span<ContactBody> bodies) {
  for (std::size_t i = 0; i < J_W_.size(); ++i) {
    if (!carries(i)) continue;
    const Vec3<double> p_CB = from_root(i);
    TreeJacobian& J = J_W_[i];
    J.setZero();
    for (int d = tree_.tree().last_dof(static_cast<int>(i)); d >= 0; d = tree_.tree().parent_dof(d)) {
      const Vec6<double>& axis = scratch_.dofs[static_cast<std::size_t>(d)].axis;
      const int column = column_[static_cast<std::size_t>(d)];
      J.col(column).head<3>() += independent_(d, column) * axis.head<3>();
      J.col(column).tail<3>() += independent_(d, column) * (axis.tail<3>() + axis.head<3>().cross(p_CB));
    }
    ContactBody& body = bodies[tree_.body_index(i)];
    body.tree = index;
    body.J_W = &J;
    body.V_WB_W.noalias() = J * v_;
  }
  add_forces(control);
  MatX<double>& resisting = GM_;
  resisting = M_;
  resisting.diagonal() += dt * damping_ + dt * dt / 2 * stiffness_;
  problem.inertia.compute(resisting);
  problem.v.noalias() = M_ * v_;
  problem.v += dt * (tau_gravity_ + tau_control_ - pull_);
  problem.inertia.solveInPlace(problem.v);
  add_rows(index, dt, problem.v, rows);
}

void TreeMotion::add_forces(const Control& control) {
  const System& system = tree_.system();
  tau_gravity_.setZero();
  tau_control_.setZero();
  pull_.setZero();
  for (std::size_t i = 0; i < J_W_.size(); ++i) {
    if (!carries(i)) continue;
    const std::size_t body = tree_.body_index(i);
    tau_gravity_.noalias() +=
        J_W_[i].bottomRows<3>().transpose() * (tree_.body(i).mass * system.scene().gravity);
    if (!control.F_BBcm_W.empty()) tau_control_.noalias() += J_W_[i].transpose() * control.F_BBcm_W[body];
    if (!tree_.body(i).joint) continue;
    const Joint& joint = tree_.body(i).joint->joint;
    const int first = tree_.tree().first_v(static_cast<int>(i)),
              end = tree_.tree().end_v(static_cast<int>(i));
    for (int d = first; d < end; ++d) {
      const int column = column_[static_cast<std::size_t>(d)];
      const double factor = independent_(d, column);
      const auto place = static_cast<std::size_t>(system.first_v(body) + d - first);
      if (!control.joint_force.empty()) tau_control_[column] += factor * control.joint_force[place];
      if (end - first != 1) continue;
      const Eigen::Index at = system.first_q(body);
      const double target =
          control.joint_target.empty() ? start_[at] : control.joint_target[static_cast<std::size_t>(at)];
      pull_[column] += factor * joint.stiffness * (q_[tree_.tree().first_q(static_cast<int>(i))] - target);
    }
  }
}

template <class Visit>
void TreeMotion::for_limits(double dt, Visit&& visit) const {
  for (int i = 0; i < tree_.tree().link_count(); ++i) {
    const Joint& joint = tree_.tree().link(i).joint;
    const int first = tree_.tree().first_v(i);
    if (tree_.tree().end_v(i) - first != 1) continue;
    JointRow row;
    row.body = tree_.bodies()[static_cast<std::size_t>(i)];
    row.dof = column_[static_cast<std::size_t>(first)];
    const double q = q_[tree_.tree().first_q(i)], factor = independent_(first, row.dof);
    if (factor == 0) continue;
    const double reach = kLimitReach + 2 * dt * std::abs(factor) * fastest_[row.dof];
    for (const double side : {1.0, -1.0}) {
      row.factor = side * factor;
      row.gap = side > 0 ? q - joint.lower : joint.upper - q;
      visit(row, reach);
    }
  }
}

bool TreeMotion::covers_limits(const VecX<double>& after, double dt) const {
  bool covers = true;
  for_limits(dt, [&](const JointRow& row, double reach) {
    covers = covers && (row.gap < reach || !(row.gap + dt * row.factor * after[row.dof] < 0));
  });
  return covers;
}

void TreeMotion::add_rows(std::int32_t index, double dt, const VecX<double>& free,
                          std::vector<JointRow>& rows) {
  for (int i = 0; i < tree_.tree().link_count(); ++i) {
    JointRow row;
    row.tree = index;
    row.body = tree_.bodies()[static_cast<std::size_t>(i)];
    row.bound = dt * tree_.tree().link(i).joint.friction;
    for (int d = tree_.tree().first_v(i); d < tree_.tree().end_v(i); ++d) {
      row.dof = column_[static_cast<std::size_t>(d)];
      row.factor = independent_(d, row.dof);
      if (row.factor != 0 && row.bound > 0) rows.push_back(row);
    }
  }
  fastest_ = fastest_.cwiseMax(v_.cwiseAbs()).cwiseMax(free.cwiseAbs());
  for_limits(dt, [&](JointRow row, double reach) {
    if (!(row.gap < reach)) return;
    row.tree = index;
    // Reaches the limit in the middle of the next step.
    row.target_velocity = row.gap > 0 ? -row.gap / dt : 0;
    rows.push_back(row);
  });
}

double TreeMotion::control_work(const VecX<double>& after, double dt) const {
  double power = 0;
  for (Eigen::Index d = 0; d < v_.size(); ++d)
    power += (tau_control_[d] - pull_[d] - dt / 2 * stiffness_[d] * after[d]) * (v_[d] + after[d]) / 2;
  return dt * power;
}

bool TreeMotion::finish(const VecX<double>& after, double dt) {
  const double fall = dt * tau_gravity_.dot(v_ + after) / 2;  // work of gravity's impulse
  v_ = after;
  const bool kept = drift(dt / 2);
  if (root_.cols() == 6) return kept;
  const bool floats = root_.cols() > 0;
  const Whole whole = floats ? take_way() : Whole{};
  const Shares now = shares(whole.L_W);
  const double scale = scale_of({.excess = fall + rise(), .moving = now.moving, .most = 1});
  if (scale != 1) {
    v_ *= scale;
    if (floats) v_.head(root_.cols()) = now.whole + scale * now.of_joints;
  }
  if (floats) give_way(whole.v_WCom_W);
  return kept;
}

void TreeMotion::displace(const VecX<double>& tangent) {
  const bool floats = root_.cols() > 0;
  const Whole start = floats ? take_way() : Whole{};
  full_.noalias() = independent_ * tangent;
  tree_.tree().integrate(q_, full_, q_);
  tree_.mimics().obey(q_);
  if (!floats) return;
  weigh();
  const Shares now = shares(start.L_W);
  v_.head(root_.cols()) = now.whole + now.of_joints;
  give_way(start.v_WCom_W);
}

}  // namespace abut::dynamics
