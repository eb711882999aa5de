#pragma once

#include <mujoco/mujoco.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/dynamics/tree/joint.h"
#include "runtime/dynamics/tree/tree.h"

// A tree as a model of MuJoCo, and its quantities in the tree's coordinates. MuJoCo's coordinates: of a free
// joint position and quaternion in W, velocity in W and angular velocity in L; of a planar joint two shifts
// in J's axes and the angle. Its velocities are N(q) v. Joints that N turns have no armature here: it would
// not be the same.
namespace abut::test {

struct MujocoQuantities {
  dynamics::MatX<double> M;               // (nv, nv)
  Eigen::VectorXd bias;                   // (nv)
  Eigen::VectorXd acceleration, inverse;  // forward dynamics of tau, inverse dynamics of a
};

class MujocoTree {
 public:
  explicit MujocoTree(const dynamics::Tree& tree) : tree_(tree) {
    compile();
    write_numbers();
    data_.reset(mj_makeData(model_.get()));
    mj_setConst(model_.get(), data_.get());
  }

  MujocoQuantities quantities(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                              const Eigen::VectorXd& tau) {
    set_state(q, v);
    const int n = tree_.nv();
    const Eigen::MatrixXd to_tau = N_.transpose().inverse();
    Eigen::VectorXd::Map(data_->qfrc_applied, n) = to_tau * tau;
    mj_forward(model_.get(), data_.get());
    MujocoQuantities result;
    dynamics::MatX<double> M(n, n);
    mj_fullM(model_.get(), M.data(), data_->qM);
    result.M = N_.transpose() * M * N_;
    result.bias = N_.transpose() * (M * N_rate_v_ + Eigen::VectorXd::Map(data_->qfrc_bias, n));
    result.acceleration = N_.inverse() * (Eigen::VectorXd::Map(data_->qacc, n) - N_rate_v_);
    Eigen::VectorXd::Map(data_->qacc, n) = N_ * a + N_rate_v_;
    mj_inverse(model_.get(), data_.get());
    result.inverse = N_.transpose() * Eigen::VectorXd::Map(data_->qfrc_inverse, n);
    return result;
  }

  // After quantities: (6, nv) in W: angular velocity of the link and velocity of its origin.
  dynamics::MatX<double> jacobian(int link) const {
    dynamics::MatX<double> J(6, tree_.nv());
    mj_jacBody(model_.get(), data_.get(), J.data() + 3 * tree_.nv(), J.data(), id(mjOBJ_BODY, link));
    return J * N_;
  }
  // After quantities.
  Pose<double> pose(int link) const {
    const int body = id(mjOBJ_BODY, link);
    return {Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(data_->xmat + 9 * body),
            Vec3<double>::Map(data_->xpos + 3 * body)};
  }

 private:
  struct Delete {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
    void operator()(mjData* data) const { mj_deleteData(data); }
  };

  int id(int kind, int link) const {
    return mj_name2id(model_.get(), kind, ("b" + std::to_string(link)).c_str());
  }

  // Names and types alone; the placeholders keep the compiler from taking any frame for another one.
  std::string bodies(int parent) const {
    std::string text;
    for (int i = 0; i < tree_.link_count(); ++i) {
      if (tree_.link(i).parent != parent) continue;
      const std::string name = "b" + std::to_string(i);
      const auto joint = [&](const char* suffix, const char* type) {
        text += "<joint name='" + name + suffix + "' type='" + type + "' axis='1 2 3'/>";
      };
      text += "<body name='" + name + "' pos='1 2 3' quat='1 2 3 4'>";
      switch (tree_.link(i).joint.type) {
        case dynamics::JointType::kRevolute:
          joint("", "hinge");
          break;
        case dynamics::JointType::kPrismatic:
          joint("", "slide");
          break;
        case dynamics::JointType::kPlanar:
          joint("x", "slide");
          joint("y", "slide");
          joint("", "hinge");
          break;
        case dynamics::JointType::kSpherical:
          joint("", "ball");
          break;
        case dynamics::JointType::kFree:
          joint("", "free");
          break;
        case dynamics::JointType::kFixed:
          break;
      }
      text +=
          "<inertial pos='1 2 3' quat='1 2 3 4' mass='1' diaginertia='1 1.1 1.2'/>" + bodies(i) + "</body>";
    }
    return text;
  }

  void compile() {
    const std::string text = "<mujoco><option><flag contact='disable'/></option><worldbody>" + bodies(-1) +
                             "</worldbody></mujoco>";
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "tree.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[0], text.data(), text.size());
    char error[500] = "";
    model_.reset(mj_loadXML("tree.xml", files.get(), error, sizeof error));
    mj_deleteFileVFS(files.get(), "tree.xml");
    if (!model_) throw std::runtime_error(error);
  }

  // Every number with all its digits, which the compiler does not keep.
  void write_numbers() {
    Vec3<double>::Map(model_->opt.gravity) = tree_.gravity();
    for (int i = 0; i < tree_.link_count(); ++i) {
      const dynamics::Link& link = tree_.link(i);
      const int body = id(mjOBJ_BODY, i);
      Vec3<double>::Map(model_->body_pos + 3 * body) = link.joint.X_PJ.p;
      write_rotation(link.joint.X_PJ.R, model_->body_quat + 4 * body);
      Eigen::SelfAdjointEigenSolver<Mat3<double>> principal(link.inertia.I_LLcm_L);
      Mat3<double> axes = principal.eigenvectors();
      if (axes.determinant() < 0) axes.col(0) *= -1;
      model_->body_mass[body] = link.inertia.mass;
      Vec3<double>::Map(model_->body_ipos + 3 * body) = link.inertia.p_LLcm;
      Vec3<double>::Map(model_->body_inertia + 3 * body) = principal.eigenvalues();
      write_rotation(axes, model_->body_iquat + 4 * body);
      const auto write_axis = [&](const char* suffix, const Vec3<double>& axis) {
        const int joint = mj_name2id(model_.get(), mjOBJ_JOINT, ("b" + std::to_string(i) + suffix).c_str());
        if (joint >= 0) Vec3<double>::Map(model_->jnt_axis + 3 * joint) = axis;
      };
      write_axis("", link.joint.axis_J);
      write_axis("x", tangent_basis(link.joint.axis_J).col(0));
      write_axis("y", tangent_basis(link.joint.axis_J).col(1));
      for (int d = 0; d < tree_.end_v(i) - tree_.first_v(i); ++d)
        model_->dof_armature[model_->body_dofadr[body] + d] = link.joint.armature;
    }
  }

  static void write_rotation(const Mat3<double>& R, mjtNum* to) {
    const Eigen::Quaterniond q(R);
    to[0] = q.w();
    Vec3<double>::Map(to + 1) = q.vec();
  }

  void set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    const int n = tree_.nv();
    N_ = Eigen::MatrixXd::Zero(n, n);
    N_rate_v_ = Eigen::VectorXd::Zero(n);
    for (int i = 0; i < tree_.link_count(); ++i) {
      const dynamics::Joint& joint = tree_.link(i).joint;
      const int count = tree_.end_v(i) - tree_.first_v(i);
      if (count == 0) continue;
      const int body = id(mjOBJ_BODY, i);
      const int row = model_->body_dofadr[body];
      const double* from = q.data() + tree_.first_q(i);
      mjtNum* to = data_->qpos + model_->jnt_qposadr[model_->body_jntadr[body]];
      auto N = N_.block(row, tree_.first_v(i), count, count);
      const auto v_joint = v.segment(tree_.first_v(i), count);
      if (joint.type == dynamics::JointType::kFree) {
        const Pose<double> X_WL = joint.X_PJ * dynamics::detail::FreeJoint::pose<double>(joint.axis_J, from);
        Vec3<double>::Map(to) = X_WL.p;
        write_rotation(X_WL.R, to + 3);
        N.block<3, 3>(0, 3) = X_WL.R;
        N.block<3, 3>(3, 0).setIdentity();
        N_rate_v_.segment<3>(row) = X_WL.R * v_joint.head<3>().cross(v_joint.tail<3>());
      } else if (joint.type == dynamics::JointType::kPlanar) {
        to[0] = from[1];
        to[1] = from[2];
        to[2] = from[0];
        N.block<2, 2>(0, 1) = Eigen::Rotation2Dd(from[0]).toRotationMatrix();
        N(2, 0) = 1;
        N_rate_v_.segment<2>(row) =
            Eigen::Rotation2Dd(from[0]) * Eigen::Vector2d(-v_joint[0] * v_joint[2], v_joint[0] * v_joint[1]);
      } else {
        N.setIdentity();
        std::copy(from, from + dynamics::joint_kind(joint.type).nq, to);
      }
    }
    Eigen::VectorXd::Map(data_->qvel, n) = N_ * v;
  }

  const dynamics::Tree& tree_;
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
  Eigen::MatrixXd N_;
  Eigen::VectorXd N_rate_v_;
};

}  // namespace abut::test
