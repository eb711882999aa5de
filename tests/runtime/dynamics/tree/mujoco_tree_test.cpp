#include <gtest/gtest.h>

#include <filesystem>

#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/kinematics.h"
#include "runtime/dynamics/tree/urdf.h"
#include "tests/runtime/dynamics/tree/mujoco_tree.h"
#include "tests/support/random_trees.h"
#include "tests/support/runs.h"

namespace abut::dynamics {
namespace {

// Every joint type that MuJoCo has; free ones stand in the world, as it demands.
Tree random_tree(test::TreeSource& random) {
  std::vector<Link> links = random.links(test::every_joint_type());
  for (Link& link : links) {
    if (link.joint.type == JointType::kFree) link.parent = -1;
    if (link.joint.type == JointType::kFree || link.joint.type == JointType::kPlanar) link.joint.armature = 0;
  }
  return Tree(links, {0.3, -0.5, -9.81});
}

void expect_equal_dynamics(const Tree& tree, test::MujocoTree& mujoco, test::TreeSource& random) {
  const Eigen::VectorXd q = random.coordinates(tree), v = random.numbers(tree.nv(), 2),
                        a = random.numbers(tree.nv(), 3), tau = random.numbers(tree.nv(), 5);
  const auto reference = mujoco.quantities(q, v, a, tau);
  TreeScratch scratch(tree);
  EXPECT_LT(test::relative_error(mass_matrix(tree, q, scratch), reference.M), 1e-12);
  EXPECT_LT(test::relative_error(bias_force(tree, q, v, scratch), reference.bias), 1e-12);
  EXPECT_LT(test::relative_error(inverse_dynamics(tree, q, v, a, scratch), reference.inverse), 1e-12);
  EXPECT_LT(test::relative_error(forward_dynamics(tree, q, v, tau, scratch), reference.acceleration), 1e-10);
}

TEST(TreeBesideMujoco, MassMatrixBiasForwardAndInverseDynamics) {
  test::TreeSource random(21);
  for (int trial = 0; trial < test::runs(50); ++trial) {
    const Tree tree = random_tree(random);
    test::MujocoTree mujoco(tree);
    expect_equal_dynamics(tree, mujoco, random);
  }
}

TEST(TreeBesideMujoco, RobotsFromFiles) {
  test::TreeSource random(23);
  for (const char* name : {"arm/arm7.urdf", "robots/franka/fer.urdf"}) {
    const std::filesystem::path file = std::filesystem::path(ABUT_SHARED_DIR) / "data" / name;
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    const Tree tree(read_urdf(file).links, {0, 0, -9.81});
    test::MujocoTree mujoco(tree);
    for (int trial = 0; trial < 20; ++trial) expect_equal_dynamics(tree, mujoco, random);
  }
}

// The arm as MuJoCo's own format has it, with its numbers rounded by nobody but the file.
TEST(TreeBesideMujoco, ArmAsItsOwnFileHasIt) {
  const std::filesystem::path folder = std::filesystem::path(ABUT_SHARED_DIR) / "data/arm";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
  const Tree tree(read_urdf(folder / "arm7.urdf").links, {0, 0, -9.81});
  char problem[500] = "";
  const std::unique_ptr<mjModel, void (*)(mjModel*)> model(
      mj_loadXML((folder / "arm7_diag.xml").c_str(), nullptr, problem, sizeof problem), mj_deleteModel);
  ASSERT_TRUE(model) << problem;
  const std::unique_ptr<mjData, void (*)(mjData*)> data(mj_makeData(model.get()), mj_deleteData);
  test::TreeSource random(24);
  TreeScratch scratch(tree);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::VectorXd q = random.numbers(7, 3), v = random.numbers(7, 2);
    Eigen::VectorXd::Map(data->qpos, 7) = q;
    Eigen::VectorXd::Map(data->qvel, 7) = v;
    mj_forward(model.get(), data.get());
    MatX<double> M(7, 7), J(3, 7), J_reference(3, 7);
    mj_fullM(model.get(), M.data(), data->qM);
    EXPECT_LT(test::relative_error(mass_matrix(tree, q, scratch), M), 1e-10);
    EXPECT_LT(test::relative_error(bias_force(tree, q, v, scratch), Eigen::VectorXd::Map(data->qfrc_bias, 7)),
              1e-10);
    const int tip = mj_name2id(model.get(), mjOBJ_BODY, "l6");
    mj_jacBody(model.get(), data.get(), J_reference.data(), nullptr, tip);
    point_jacobian(tree, scratch, tree.find_link("l6"), Vec3<double>::Zero(), J);
    EXPECT_LT(test::relative_error(J, J_reference), 1e-10);
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
      EXPECT_LT(test::relative_error(J_W, mujoco.jacobian(i)), 1e-13);
    }
  }
}

}  // namespace
}  // namespace abut::dynamics
