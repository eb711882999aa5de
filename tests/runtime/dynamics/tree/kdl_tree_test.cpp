// Trees beside the Kinematics and Dynamics Library, an oracle that shares nothing with MuJoCo.
#include "tests/runtime/dynamics/tree/kdl_tree.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/kinematics.h"
#include "runtime/dynamics/tree/urdf.h"
#include "tests/support/random_trees.h"
#include "tests/support/runs.h"

namespace abut::dynamics {
namespace {

// Joints of every type, free ones on other links too.
Tree random_tree(test::TreeSource& random) {
  std::vector<Link> links = random.links(test::every_joint_type());
  for (Link& link : links)
    if (joint_kind(link.joint.type).nv != 1) link.joint.armature = 0;
  return Tree(links, {0.3, -0.5, -9.81});
}

void expect_equal(const Tree& tree, test::KdlTree& kdl, test::TreeSource& random) {
  Eigen::VectorXd q, v = random.numbers(tree.nv(), 2);
  do q = random.coordinates(tree);
  while (!kdl.set_state(q, v));
  const Eigen::VectorXd a = random.numbers(tree.nv(), 3), tau = random.numbers(tree.nv(), 5);
  TreeScratch scratch(tree);
  const MatX<double> M = kdl.mass_matrix();
  EXPECT_LT(test::relative_error(mass_matrix(tree, q, scratch), M), 1e-10);
  EXPECT_LT(test::relative_error(bias_force(tree, q, v, scratch), kdl.bias()), 1e-10);
  EXPECT_LT(test::relative_error(inverse_dynamics(tree, q, v, a, scratch), kdl.inverse_dynamics(a)), 1e-10);
  EXPECT_LT(test::relative_error(forward_dynamics(tree, q, v, tau, scratch), M.llt().solve(tau - kdl.bias())),
            1e-10);
  place_links(tree, q, scratch);
  for (int i = 0; i < tree.link_count(); ++i) {
    const Pose<double> X_WL = pose_of_link(scratch, i);
    MatX<double> J_W = body_jacobian(tree, scratch, i);
    J_W.topRows<3>() = (X_WL.R * J_W.topRows<3>()).eval();
    J_W.bottomRows<3>() = (X_WL.R * J_W.bottomRows<3>()).eval();
    EXPECT_LT(test::relative_error(J_W, kdl.jacobian(i)), 1e-10);
  }
}

TEST(TreeBesideKdl, RandomTreesOfEveryJoint) {
  test::TreeSource random(31);
  for (int trial = 0; trial < test::runs(50); ++trial) {
    const Tree tree = random_tree(random);
    test::KdlTree kdl(tree);
    expect_equal(tree, kdl, random);
  }
}

TEST(TreeBesideKdl, RobotsFromFiles) {
  test::TreeSource random(32);
  for (const char* name : {"arm/arm7.urdf", "robots/franka/fer.urdf"}) {
    const std::filesystem::path file = std::filesystem::path(ABUT_SHARED_DIR) / "data" / name;
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    const Tree tree(read_urdf(file).links, {0, 0, -9.81});
    test::KdlTree kdl(tree);
    for (int trial = 0; trial < 20; ++trial) expect_equal(tree, kdl, random);
  }
}

}  // namespace
}  // namespace abut::dynamics
