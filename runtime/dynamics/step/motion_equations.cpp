#include "runtime/dynamics/step/motion_equations.h"

#include <cmath>

#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/kinematics.h"

namespace abut::dynamics {

MotionEquations::MotionEquations(const System& system, const StepConfig& config,
                                 const JointForceConfig& joints, double stiction)
    : tree_(system),
      joints_(joints),
      start_(system.initial_state().q),
      contact_(system, config.source, config.threads, stiction),
      parameters_(tree_, config.parameters),
      scratch_(tree_.tree()),
      motions_(system.body_count()),
      slopes_(system.body_count()),
      has_slopes_(system.body_count()) {}

void MotionEquations::find(const State& state, const Control& control, double dt,
                           std::span<const Vec6<double>> twists_W) {
  contact_.find(state, control, dt, twists_W);
  wanted_.assign(contact_.pairs().size(), 1);
}

int MotionEquations::contacts() const {
  int sum = 0;
  for (const PairForce& pair : contact_.pairs()) sum += pair.contacts;
  return sum;
}

void MotionEquations::move(const VecX<double>& q, const VecX<double>& v) {
  if (moved_ && q == q_moved_ && v == v_moved_) return;
  move_links<double>(tree_.tree(), q, v, scratch_);
  q_moved_ = q;
  v_moved_ = v;
  moved_ = true;
}

const JointForces& MotionEquations::forces(const VecX<double>& q, const VecX<double>& v,
                                           const Control& control, bool derivatives) {
  const Tree& tree = tree_.tree();
  move(q, v);
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    const Pose<double> X_LB = tree_.pose_in_link(i), X_WL = pose_of_link(scratch_, static_cast<int>(i));
    const Vec6<double> V_L = twist_of_link(scratch_, static_cast<int>(i));
    motions_[i].X_WB = X_WL * X_LB;
    motions_[i].V_WB_W << X_WL.R * V_L.head<3>(), X_WL.R * (V_L.tail<3>() + V_L.head<3>().cross(X_LB.p));
  }
  contact_.evaluate(motions_, wanted_, derivatives ? contact::Want::kJacobian : contact::Want::kValue);
  forces_.clear(tree.nv());
  std::fill(has_slopes_.begin(), has_slopes_.end(), 0);
  const auto slopes_of = [&](std::int32_t body) {
    const auto i = static_cast<std::size_t>(body);
    if (has_slopes_[i] == 0) find_slopes(tree_, scratch_, i, slopes_[i]);
    has_slopes_[i] = 1;
    return &slopes_[i];
  };
  for (const PairForce& pair : contact_.pairs())
    if (pair.contacts > 0)
      add_pair(tree_, pair, pair.A == kFixed ? nullptr : slopes_of(pair.A), *slopes_of(pair.B), derivatives,
               forces_);
  for (std::size_t i = 0; i < control.F_BBcm_W.size(); ++i)
    if (!control.F_BBcm_W[i].isZero(0))
      add_wrench(tree_, *slopes_of(static_cast<std::int32_t>(i)), control.F_BBcm_W[i], derivatives, forces_);
  add_joint_forces(q, v, control);
  return forces_;
}

const JointForces& MotionEquations::forces_without_friction(const VecX<double>& q, const VecX<double>& v,
                                                            const Control& control,
                                                            std::span<const std::uint8_t> wanted_pairs) {
  struct WithoutFriction {
    MotionEquations& equations;
    WithoutFriction(MotionEquations& of, std::span<const std::uint8_t> wanted) : equations(of) {
      equations.wanted_.assign(wanted.begin(), wanted.end());
      set(false);
    }
    ~WithoutFriction() {
      equations.wanted_.assign(equations.wanted_.size(), 1);
      set(true);
    }
    void set(bool acts) {
      equations.contact_.set_friction(acts);
      equations.friction_ = acts;
    }
  };
  const WithoutFriction meanwhile(*this, wanted_pairs);
  return forces(q, v, control, true);
}

void MotionEquations::smooth_stiction(double factor) {
  contact_.smooth_stiction(factor);
  smoothed_ = factor;
}

void MotionEquations::add_joint_forces(const VecX<double>& q, const VecX<double>& v, const Control& control) {
  const System& system = tree_.system();
  const double rest = smoothed_ * joints_.stiction_speed;
  drive_.setZero(forces_.tau.size());
  for (std::size_t i = 0; i < system.body_count(); ++i) {
    if (!system.body(i).joint) continue;
    const Joint& joint = system.body(i).joint->joint;
    const int first = tree_.tree().first_v(static_cast<int>(i)),
              end = tree_.tree().end_v(static_cast<int>(i));
    for (int d = first; d < end; ++d) {
      const double u = v[d], scale = std::sqrt(u * u + rest * rest);
      const double friction = friction_ ? joint.friction : 0;
      forces_.tau[d] -= joint.damping * u + friction * u / scale;
      forces_.dtau_dv(d, d) -= joint.damping + friction * rest * rest / (scale * scale * scale);
      const auto place = static_cast<std::size_t>(system.first_v(i) + d - first);
      if (!control.joint_force.empty()) forces_.tau[d] += control.joint_force[place];
    }
    if (end - first != 1) continue;
    const double angle = q[tree_.tree().first_q(static_cast<int>(i))];
    const double target = control.joint_target.empty()
                              ? start_[system.first_q(i)]
                              : control.joint_target[static_cast<std::size_t>(system.first_q(i))];
    drive_[first] = -joint.stiffness * (angle - target);
    forces_.tau[first] += drive_[first];
    forces_.dtau_dq(first, first) -= joint.stiffness;
    add_limits(joint, first, angle);
  }
}

// Force k x^2 / (x + w) at a distance x beyond a limit, with a continuous derivative.
void MotionEquations::add_limits(const Joint& joint, int at, double q) {
  for (const double side : {-1.0, 1.0}) {
    const double x = side > 0 ? q - joint.upper : joint.lower - q, w = joints_.limit_width;
    if (!(x > 0)) continue;
    forces_.tau[at] -= side * joints_.limit_stiffness * x * x / (x + w);
    forces_.dtau_dq(at, at) -= joints_.limit_stiffness * x * (x + 2 * w) / ((x + w) * (x + w));
  }
}

const VecX<double>& MotionEquations::acceleration(const VecX<double>& q, const VecX<double>& v,
                                                  const VecX<double>& tau) {
  const Tree& tree = tree_.tree();
  const MatX<double>& G = tree_.independent();
  if (G.rows() == G.cols()) {
    move(q, v);
    acceleration_ = forward_dynamics<double>(tree, tau, scratch_);
    return acceleration_;
  }
  TreeScratch& scratch = this->scratch();
  acceleration_ = tau - bias_force<double>(tree, q, v, scratch);
  independent_.noalias() = G.transpose() * acceleration_;
  MG_.noalias() = mass_matrix<double>(tree, q, scratch) * G;
  GMG_.noalias() = G.transpose() * MG_;
  llt_.compute(GMG_);
  llt_.solveInPlace(independent_);
  acceleration_.noalias() = G * independent_;
  return acceleration_;
}

double MotionEquations::control_power(const VecX<double>& v, const Control& control) const {
  double power = drive_.dot(v);
  for (std::size_t i = 0; i < control.F_BBcm_W.size(); ++i) {
    if (control.F_BBcm_W[i].isZero(0)) continue;  // then its slopes were not computed
    const BodySlopes& body = slopes_[i];
    for (std::size_t d = 0; d < body.dofs.size(); ++d)
      power += control.F_BBcm_W[i].dot(body.J.col(static_cast<Eigen::Index>(d))) * v[body.dofs[d]];
  }
  const System& system = tree_.system();
  for (std::size_t i = 0; i < system.body_count() && !control.joint_force.empty(); ++i)
    for (Eigen::Index k = system.first_v(i); k < system.first_v(i + 1); ++k)
      power += control.joint_force[static_cast<std::size_t>(k)] *
               v[tree_.tree().first_v(static_cast<int>(i)) + (k - system.first_v(i))];
  return power;
}

}  // namespace abut::dynamics
