#pragma once

#include <random>
#include <string>
#include <vector>

#include "runtime/dynamics/tree/tree.h"

// Trees of random joints, and random states of them.
namespace abut::test {

class TreeSource {
 public:
  explicit TreeSource(unsigned seed) : random_(seed) {}

  double number(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  int index(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  Vec3<double> vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  Eigen::VectorXd numbers(int count, double size) {
    Eigen::VectorXd result(count);
    for (double& entry : result) entry = number(-size, size);
    return result;
  }
  Vec3<double> direction() { return vector(1).normalized(); }

  // Principal moments of a solid about its centre of mass, along `R`.
  dynamics::LinkInertia inertia() {
    dynamics::LinkInertia inertia;
    inertia.mass = number(0.2, 3);
    inertia.p_LLcm = vector(0.2);
    const Vec3<double> r2 = vector(0.3).cwiseAbs2() + Vec3<double>::Constant(0.01);
    const Vec3<double> moments = inertia.mass * Vec3<double>(r2[1] + r2[2], r2[2] + r2[0], r2[0] + r2[1]);
    const Mat3<double> R = exp_rotation<double>(vector(3));
    inertia.I_LLcm_L = R * moments.asDiagonal() * R.transpose();
    inertia.I_LLcm_L = (0.5 * (inertia.I_LLcm_L + inertia.I_LLcm_L.transpose())).eval();
    return inertia;
  }

  // Joint i is of types[i]; parents are random among those before, the world too.
  std::vector<dynamics::Link> links(const std::vector<dynamics::JointType>& types) {
    std::vector<dynamics::Link> links;
    for (std::size_t i = 0; i < types.size(); ++i) {
      dynamics::Link& link = links.emplace_back();
      link.name = "link" + std::to_string(i);
      link.parent = index(static_cast<int>(i) + 1) - 1;
      link.joint.name = "joint" + std::to_string(i);
      link.joint.type = types[i];
      link.joint.axis_J = direction();
      link.joint.X_PJ = {exp_rotation<double>(vector(2)), vector(0.5)};
      link.joint.armature = types[i] == dynamics::JointType::kFixed ? 0 : number(0, 0.1);
      link.inertia = inertia();
    }
    return links;
  }

  Eigen::VectorXd coordinates(const dynamics::Tree& tree) {
    Eigen::VectorXd q;
    tree.integrate(tree.neutral(), numbers(tree.nv(), 1.5), q);
    return q;
  }

 private:
  std::mt19937 random_;
};

inline const std::vector<dynamics::JointType>& every_joint_type() {
  using enum dynamics::JointType;
  static const std::vector<dynamics::JointType> types{kFree,      kRevolute, kSpherical, kPlanar,
                                                      kPrismatic, kFixed,    kRevolute,  kSpherical,
                                                      kPlanar,    kFree,     kFixed,     kRevolute};
  return types;
}

// Of all entries, relative to the largest and 1.
inline double relative_error(const Eigen::MatrixXd& value, const Eigen::MatrixXd& reference) {
  return (value - reference).cwiseAbs().maxCoeff() / (1 + reference.cwiseAbs().maxCoeff());
}

}  // namespace abut::test
