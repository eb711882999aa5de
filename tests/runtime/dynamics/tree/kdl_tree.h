#pragma once

#include <cmath>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/dynamics/tree/joint.h"
#include "runtime/dynamics/tree/tree.h"
#include "runtime/math/tangent_basis.h"

// A tree in the Kinematics and Dynamics Library, whose joints have one degree of freedom each: a planar joint
// is two shifts and a turn, a spherical one turns about z, y, x, a free one three shifts and those turns,
// with massless segments between. Their rates are N^-1(q) v. Joints of several degrees of freedom have no
// armature here: it would not be the same.
namespace abut::test {

class KdlTree {
 public:
  explicit KdlTree(const dynamics::Tree& tree)
      : tree_(tree),
        kdl_(static_cast<const KDL::Tree&>(chains(tree))),  // copies number the joints anew, depth first
        inverse_dynamics_(kdl_, vector(tree.gravity())),
        jacobian_(kdl_),
        q_(tree.nv()),
        rate_(tree.nv()),
        N_(Eigen::MatrixXd::Identity(tree.nv(), tree.nv())),
        N_rate_(Eigen::MatrixXd::Zero(tree.nv(), tree.nv())) {
    for (int i = 0; i < tree.link_count(); ++i) {
      const auto count = static_cast<std::size_t>(tree.end_v(i) - tree.first_v(i));
      for (std::size_t k = 0; k < count; ++k)
        places_.push_back(static_cast<int>(kdl_.getSegment(name(i, k, count))->second.q_nr));
    }
  }

  // False where turns about z, y, x are nearly singular.
  bool set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    bool regular = true;
    for (int i = 0; i < tree_.link_count(); ++i) regular = set_joint(i, q) && regular;
    to_rates_ = N_.inverse();
    rate_ = to_rates_ * v;
    for (int i = 0; i < tree_.link_count(); ++i) set_joint_rate(i, v);
    return regular;
  }

  // tau of accelerations a.
  Eigen::VectorXd inverse_dynamics(const Eigen::VectorXd& a) { return force(rate_, a); }
  Eigen::VectorXd bias() { return inverse_dynamics(Eigen::VectorXd::Zero(tree_.nv())); }
  dynamics::MatX<double> mass_matrix() {
    const Eigen::VectorXd still = Eigen::VectorXd::Zero(tree_.nv());
    const Eigen::VectorXd weight = force(still, still);
    dynamics::MatX<double> M(tree_.nv(), tree_.nv());
    for (int d = 0; d < tree_.nv(); ++d)
      M.col(d) = force(still, Eigen::VectorXd::Unit(tree_.nv(), d)) - weight;
    return M;
  }
  // (6, nv) in W: angular velocity of the link and velocity of its origin.
  dynamics::MatX<double> jacobian(int link) {
    KDL::Jacobian J(static_cast<unsigned>(tree_.nv()));
    if (jacobian_.JntToJac(in_kdl(q_), J, name(link)) < 0) throw std::runtime_error("KDL: no Jacobian");
    dynamics::MatX<double> result(6, tree_.nv());
    result << J.data.bottomRows<3>()(Eigen::all, places_), J.data.topRows<3>()(Eigen::all, places_);
    return result * to_rates_;
  }

 private:
  using Type = dynamics::JointType;

  static KDL::Vector vector(const Vec3<double>& p) { return {p.x(), p.y(), p.z()}; }
  static KDL::Frame frame(const Pose<double>& X) {
    const Mat3<double>& R = X.R;
    return {KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
            vector(X.p)};
  }
  static std::string name(int link) { return "link" + std::to_string(link); }
  // Of the segment that the k-th of the joint's axes moves.
  static std::string name(int link, std::size_t k, std::size_t count) {
    return k + 1 == count ? name(link) : name(link) + "_" + std::to_string(k);
  }

  struct Axis {
    KDL::Joint::JointType type;
    Vec3<double> axis;
  };
  static std::vector<Axis> axes(const dynamics::Joint& joint) {
    using KDL::Joint;
    const Vec3<double>& a = joint.axis_J;
    const Vec3<double> x = Vec3<double>::UnitX(), y = Vec3<double>::UnitY(), z = Vec3<double>::UnitZ();
    switch (joint.type) {
      case Type::kRevolute:
        return {{Joint::RotAxis, a}};
      case Type::kPrismatic:
        return {{Joint::TransAxis, a}};
      case Type::kPlanar:
        return {{Joint::TransAxis, tangent_basis(a).col(0)},
                {Joint::TransAxis, tangent_basis(a).col(1)},
                {Joint::RotAxis, a}};
      case Type::kSpherical:
        return {{Joint::RotAxis, z}, {Joint::RotAxis, y}, {Joint::RotAxis, x}};
      case Type::kFree:
        return {{Joint::TransAxis, x}, {Joint::TransAxis, y}, {Joint::TransAxis, z},
                {Joint::RotAxis, z},   {Joint::RotAxis, y},   {Joint::RotAxis, x}};
      case Type::kFixed:
        break;
    }
    return {};
  }

  static KDL::Tree chains(const dynamics::Tree& tree) {
    KDL::Tree result("world");
    for (int i = 0; i < tree.link_count(); ++i) {
      const dynamics::Link& link = tree.link(i);
      const Mat3<double>& I = link.inertia.I_LLcm_L;
      const KDL::RigidBodyInertia inertia(
          link.inertia.mass, vector(link.inertia.p_LLcm),
          KDL::RotationalInertia(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)));
      std::string below = link.parent < 0 ? "world" : name(link.parent);
      const std::vector<Axis> all = axes(link.joint);
      Pose<double> X = link.joint.X_PJ;
      if (all.empty())
        result.addSegment(KDL::Segment(name(i), KDL::Joint(KDL::Joint::Fixed), frame(X), inertia), below);
      for (std::size_t k = 0; k < all.size(); ++k) {
        const bool last = k + 1 == all.size();
        const std::string its_name = name(i, k, all.size());
        const KDL::Joint joint(its_name + "_joint", vector(X.p), vector(X.R * all[k].axis), all[k].type, 1, 0,
                               link.joint.armature);
        result.addSegment(
            KDL::Segment(its_name, joint, frame(X), last ? inertia : KDL::RigidBodyInertia::Zero()), below);
        below = its_name;
        X = {};
      }
    }
    return result;
  }

  KDL::JntArray in_kdl(const Eigen::VectorXd& numbers) const {
    KDL::JntArray result(static_cast<unsigned>(tree_.nv()));
    result.data(places_) = numbers;
    return result;
  }

  // The joints' own coordinates, and N with v = N rate.
  bool set_joint(int i, const Eigen::VectorXd& q) {
    const dynamics::Joint& joint = tree_.link(i).joint;
    const int at = tree_.first_v(i);
    const double* from = q.data() + tree_.first_q(i);
    auto to = q_.segment(at, tree_.end_v(i) - at);
    switch (joint.type) {
      case Type::kRevolute:
      case Type::kPrismatic:
        to[0] = from[0];
        break;
      case Type::kPlanar:
        to << from[1], from[2], from[0];
        N_.block<3, 3>(at, at).setZero();
        N_(at, at + 2) = 1;
        N_.block<2, 2>(at + 1, at) = Eigen::Rotation2Dd(-from[0]).toRotationMatrix();
        break;
      case Type::kSpherical:
      case Type::kFree: {
        const bool free = joint.type == Type::kFree;
        const Mat3<double> R = Eigen::Quaterniond(from[0], from[1], from[2], from[3]).toRotationMatrix();
        const int turns = free ? 3 : 0;
        to.segment<3>(turns) << std::atan2(R(1, 0), R(0, 0)), std::asin(-R(2, 0)),
            std::atan2(R(2, 1), R(2, 2));
        N_.block<3, 3>(at, at + turns) = turn_axes(to.segment<3>(turns));
        if (free) {
          to.head<3>() << from[4], from[5], from[6];
          N_.block<3, 3>(at, at).setZero();
          N_.block<3, 3>(at + 3, at + 3).setZero();
          N_.block<3, 3>(at + 3, at) = R.transpose();
        }
        return std::abs(R(2, 0)) < 0.95;
      }
      case Type::kFixed:
        break;
    }
    return true;
  }

  // In the link's axes, those that it turns about by (z, y, x).
  static Mat3<double> turn_axes(const Vec3<double>& angles) {
    const Mat3<double> Rx = exp_rotation<double>(angles[2] * Vec3<double>::UnitX()),
                       Ry = exp_rotation<double>(angles[1] * Vec3<double>::UnitY());
    Mat3<double> axes;
    axes << (Ry * Rx).transpose().col(2), Rx.transpose().col(1), Vec3<double>::UnitX();
    return axes;
  }

  // dN/dt. Axes that are fixed to what turns relatively to the link by w change by -w x axis.
  void set_joint_rate(int i, const Eigen::VectorXd& v) {
    const Type type = tree_.link(i).joint.type;
    const int at = tree_.first_v(i);
    if (type == Type::kPlanar) {
      const double angle = q_[at + 2], w = v[at];
      N_rate_.block<2, 2>(at + 1, at) << -std::sin(angle), std::cos(angle), -std::cos(angle),
          -std::sin(angle);
      N_rate_.block<2, 2>(at + 1, at) *= w;
    }
    if (type != Type::kSpherical && type != Type::kFree) return;
    const int turns = type == Type::kFree ? 3 : 0;
    const Mat3<double> axes = N_.block<3, 3>(at, at + turns);
    const Vec3<double> rates = rate_.segment<3>(at + turns), about_x = rates[2] * axes.col(2),
                       about_yx = about_x + rates[1] * axes.col(1);
    Mat3<double> change = Mat3<double>::Zero();
    change.col(0) = -about_yx.cross(axes.col(0));
    change.col(1) = -about_x.cross(axes.col(1));
    N_rate_.block<3, 3>(at, at + turns) = change;
    if (turns > 0)
      N_rate_.block<3, 3>(at + 3, at) = -skew<double>(v.segment<3>(at)) * N_.block<3, 3>(at + 3, at);
  }

  // a = N rate' + dN/dt rate.
  Eigen::VectorXd force(const Eigen::VectorXd& rate, const Eigen::VectorXd& a) {
    KDL::JntArray tau(static_cast<unsigned>(tree_.nv()));
    if (inverse_dynamics_.CartToJnt(in_kdl(q_), in_kdl(rate), in_kdl(to_rates_ * (a - N_rate_ * rate)), {},
                                    tau) < 0)
      throw std::runtime_error("KDL: no inverse dynamics");
    return to_rates_.transpose() * Eigen::VectorXd(tau.data(places_));
  }

  const dynamics::Tree& tree_;
  KDL::Tree kdl_;
  KDL::TreeIdSolver_RNE inverse_dynamics_;
  KDL::TreeJntToJacSolver jacobian_;
  std::vector<int> places_;  // of our degrees of freedom in KDL's
  Eigen::VectorXd q_, rate_;
  Eigen::MatrixXd N_, N_rate_, to_rates_;
};

}  // namespace abut::test
