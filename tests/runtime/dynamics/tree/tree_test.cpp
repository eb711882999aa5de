#include "runtime/dynamics/tree/tree.h"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "runtime/dynamics/tree/joint.h"
#include "tests/support/random_trees.h"
#include "tests/support/refusal.h"

namespace abut::dynamics {
namespace {

Link rod(const std::string& name, int parent, JointType type = JointType::kRevolute) {
  Link link;
  link.name = name;
  link.parent = parent;
  link.joint.name = "to_" + name;
  link.joint.type = type;
  link.inertia = {1, {0, 0, 0.5}, Vec3<double>(0.1, 0.1, 0.01).asDiagonal()};
  return link;
}

TEST(Tree, LaysOutCoordinatesInTheOrderOfLinks) {
  const Tree tree({rod("body", -1, JointType::kFree), rod("arm", 0), rod("tip", 1, JointType::kFixed),
                   rod("leg", 0, JointType::kSpherical)});
  EXPECT_EQ(tree.nq(), 12);
  EXPECT_EQ(tree.nv(), 10);
  EXPECT_EQ(tree.first_q(3), 8);
  EXPECT_EQ(tree.first_v(3), 7);
  EXPECT_EQ(tree.parent_dof(6), 5);
  EXPECT_EQ(tree.parent_dof(7), 5);
  EXPECT_EQ(tree.parent_dof(0), -1);
  EXPECT_EQ(tree.last_dof(2), 6);
  EXPECT_EQ(tree.end_of_subtree(6), 7);
  EXPECT_EQ(tree.end_of_subtree(0), 10);
  EXPECT_EQ(tree.find_link("leg"), 3);
  EXPECT_EQ(tree.find_joint("to_arm"), 1);
  EXPECT_EQ(test::refusal([&] { tree.find_link("tail"); }), "tree: no link is called 'tail'");
}

TEST(Tree, DifferenceUndoesIntegrate) {
  test::TreeSource random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const Tree tree(random.links(test::every_joint_type()));
    const Eigen::VectorXd q = random.coordinates(tree);
    for (const double size : {1e-9, 1e-5, 1e-3, 1.5}) {
      const Eigen::VectorXd dv = random.numbers(tree.nv(), size);
      Eigen::VectorXd q1, back;
      tree.integrate(q, dv, q1);
      tree.require_valid(q1);
      tree.difference(q, q1, back);
      EXPECT_LT((back - dv).norm(), 1e-14 + 1e-13 * dv.norm());
    }
  }
}

TEST(Tree, IntegrateIsTheExponentialOfTheTwist) {
  test::TreeSource random(2);
  for (const JointType type : test::every_joint_type()) {
    Link link = rod("link", -1, type);
    link.joint.axis_J = random.direction();
    const Tree tree({link});
    const Eigen::VectorXd q = random.coordinates(tree), dv = random.numbers(tree.nv(), 1);
    Eigen::VectorXd q1;
    tree.integrate(q, dv, q1);
    Vec6<double> xi = Vec6<double>::Zero();
    for (int d = 0; d < tree.nv(); ++d) xi += tree.subspace(d) * dv[d];
    const auto pose = [&](const Eigen::VectorXd& at) {
      return detail::visit_joint(
          type, [&]<class Row>(Row) { return Row::template pose<double>(link.joint.axis_J, at.data()); });
    };
    const Pose<double> moved = pose(q) * exp(xi), wanted = pose(q1);
    EXPECT_LT((moved.R - wanted.R).norm() + (moved.p - wanted.p).norm(), 1e-14) << joint_kind(type).name;
  }
}

// What the constructor says about a chain of two after `spoil`.
std::string refusal_of(const std::function<void(std::vector<Link>&)>& spoil) {
  std::vector<Link> links{rod("upper", -1), rod("lower", 0)};
  spoil(links);
  return test::refusal([&] { Tree tree(links); });
}

TEST(Tree, RefusesWhatIsNoTree) {
  EXPECT_EQ(refusal_of([](auto&) {}), "nothing thrown");
  EXPECT_EQ(refusal_of([](auto& links) { links[0].parent = 1; }),
            "tree: link 'upper' has a parent that does not stand before it");
  EXPECT_EQ(refusal_of([](auto& links) { links[1].joint.axis_J *= 2; }),
            "tree: joint 'to_lower' has an axis that is not a unit vector");
  EXPECT_EQ(refusal_of([](auto& links) { links[1].joint.X_PJ.R *= -1; }),
            "tree: joint 'to_lower' has a pose without a rotation");
  EXPECT_EQ(refusal_of([](auto& links) { links[1].joint.X_PJ.p.x() = -1e16; }),
            "tree: joint 'to_lower' stands farther than 1e15 m away");
  EXPECT_EQ(
      refusal_of([](auto& links) { links[1].joint.damping = -1; }),
      "tree: joint 'to_lower' has damping, stiffness, friction or armature that is negative or not finite");
  EXPECT_EQ(refusal_of([](auto& links) {
              links[1].joint.type = JointType::kSpherical;
              links[1].joint.stiffness = 1;
            }),
            "tree: joint 'to_lower' has a stiffness, which only joints of one degree of freedom have");
  EXPECT_EQ(refusal_of([](auto& links) { links[1].joint.lower = std::numeric_limits<double>::quiet_NaN(); }),
            "tree: joint 'to_lower' has a lower limit above its upper one");
}

TEST(Tree, RefusesInertiasThatNothingHas) {
  EXPECT_EQ(refusal_of([](auto& links) { links[0].inertia.mass = -1; }),
            "tree: link 'upper' has a negative mass");
  EXPECT_EQ(refusal_of([](auto& links) { links[0].inertia.mass = 1e300; }),
            "tree: link 'upper' has a mass or a moment of inertia above 1e100 kg, kg m^2");
  EXPECT_EQ(refusal_of([](auto& links) { links[0].inertia.I_LLcm_L(0, 1) = 0.01; }),
            "tree: link 'upper' has an inertia that is not symmetric");
  EXPECT_EQ(refusal_of([](auto& links) { links[0].inertia.I_LLcm_L(2, 2) = -0.01; }),
            "tree: link 'upper' has an indefinite inertia: its least principal moment is -0.01 kg m^2");
  EXPECT_EQ(refusal_of([](auto& links) { links[1].inertia = {}; }),
            "tree: link 'lower' moves, and neither it nor what it carries has a positive definite inertia");
  EXPECT_EQ(refusal_of([](auto& links) { links[0].inertia = {}; }), "nothing thrown");
}

TEST(Tree, RefusesMimicsOfNothing) {
  const auto mimics = [](int link) {
    return [link](auto& links) { links[1].joint.mimic = Mimic{link, 1, 0}; };
  };
  EXPECT_EQ(refusal_of(mimics(0)), "nothing thrown");
  EXPECT_EQ(refusal_of(mimics(2)), "tree: joint 'to_lower' mimics no joint of the tree");
  EXPECT_EQ(
      refusal_of([](auto& links) {
        links[1].joint.mimic = Mimic{0, 1e300, 0};
      }),
      "tree: joint 'to_lower' mimics with a number that is not finite, or above 1e100, itself or by way of "
      "others");
  std::vector<Link> chain{rod("a", -1), rod("b", 0), rod("c", 1)};
  chain[1].joint.mimic = Mimic{0, 1e60, 0};
  chain[2].joint.mimic = Mimic{1, 1e60, 0};
  EXPECT_EQ(test::refusal([&] { Tree{chain}; }),
            "tree: joint 'to_c' mimics with a number that is not finite, or above 1e100, itself or by way of "
            "others");
  EXPECT_EQ(refusal_of(mimics(1)), "tree: joint 'to_lower' mimics itself, by way of others");
  EXPECT_EQ(refusal_of([](auto& links) {
              links[0].joint.type = JointType::kFree;
              links[1].joint.mimic = Mimic{0, 1, 0};
            }),
            "tree: joint 'to_lower' mimics, and it or the other joint has not one degree of freedom");
}

TEST(Tree, RefusesCoordinatesThatAreNone) {
  const Tree tree({rod("body", -1, JointType::kFree)});
  Eigen::VectorXd q = tree.neutral();
  q[0] = 2;
  EXPECT_EQ(test::refusal([&] { tree.require_valid(q); }),
            "tree: joint 'to_body' has a quaternion that is not of unit length");
  q[4] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(test::refusal([&] { tree.require_valid(q); }),
            "tree: joint 'to_body' has a coordinate that is not finite");
  EXPECT_EQ(test::refusal([&] { tree.require_valid(Eigen::VectorXd::Zero(3)); }),
            "tree: 3 coordinates for 7");
}

}  // namespace
}  // namespace abut::dynamics
