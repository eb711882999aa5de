#include <gtest/gtest.h>

#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/kinematics.h"
#include "tests/runtime/dynamics/tree/mujoco_tree.h"
#include "tests/support/random_trees.h"
#include "tests/support/runs.h"

namespace abut::dynamics {
namespace {

// Relative to the size of the whole.
double error(const MatX<double>& value, const MatX<double>& reference) {
  return (value - reference).cwiseAbs().maxCoeff() / (1 + reference.cwiseAbs().maxCoeff());
}

// Every joint type that MuJoCo has; free ones stand in the world, as it demands.
Tree random_tree(test::TreeSource& random) {
  std::vector<Link> links = random.links(test::every_joint_type());
  for (Link& link : links) {
    if (link.joint.type == JointType::kFree) link.parent = -1;
    if (link.joint.type == JointType::kFree || link.joint.type == JointType::kPlanar) link.joint.armature = 0;
  }
  return Tree(links, {0.3, -0.5, -9.81});
}

TEST(TreeBesideMujoco, MassMatrixBiasForwardAndInverseDynamics) {
  test::TreeSource random(21);
  for (int trial = 0; trial < test::runs(50); ++trial) {
    const Tree tree = random_tree(random);
    test::MujocoTree mujoco(tree);
    const Eigen::VectorXd q = random.coordinates(tree), v = random.numbers(tree.nv(), 2),
                          a = random.numbers(tree.nv(), 3), tau = random.numbers(tree.nv(), 5);
    const auto reference = mujoco.quantities(q, v, a, tau);
    TreeScratch scratch(tree);
    EXPECT_LT(error(mass_matrix(tree, q, scratch), reference.M), 1e-12);
    EXPECT_LT(error(bias_force(tree, q, v, scratch), reference.bias), 1e-12);
    EXPECT_LT(error(inverse_dynamics(tree, q, v, a, scratch), reference.inverse), 1e-12);
    EXPECT_LT(error(forward_dynamics(tree, q, v, tau, scratch), reference.acceleration), 1e-10);
  }
}

TEST(TreeBesideMujoco, PosesAndJacobians) {
  test::TreeSource random(22);
  for (int trial = 0; trial < test::runs(20); ++trial) {
    const Tree tree = random_tree(random);
    test::MujocoTree mujoco(tree);
    const Eigen::VectorXd q = random.coordinates(tree), v = random.numbers(tree.nv(), 2);
    mujoco.quantities(q, v, v, v);
    TreeScratch scratch(tree);
    place_links(tree, q, scratch);
    for (int i = 0; i < tree.link_count(); ++i) {
      const Pose<double> X_WL = pose_of_link(scratch, i), reference = mujoco.pose(i);
      EXPECT_LT((X_WL.R - reference.R).norm() + (X_WL.p - reference.p).norm(), 1e-13);
      MatX<double> J_W = body_jacobian(tree, scratch, i);
      J_W.topRows<3>() = (X_WL.R * J_W.topRows<3>()).eval();
      J_W.bottomRows<3>() = (X_WL.R * J_W.bottomRows<3>()).eval();
      EXPECT_LT(error(J_W, mujoco.jacobian(i)), 1e-13);
    }
  }
}

}  // namespace
}  // namespace abut::dynamics
