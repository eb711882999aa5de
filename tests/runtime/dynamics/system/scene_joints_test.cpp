// Joints and robots in scene files.
#include "runtime/dynamics/system/scene_joints.h"

#include <gtest/gtest.h>

#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/step/recording.h"
#include "runtime/dynamics/system/system_tree.h"
#include "tests/runtime/dynamics/system/no_asset.h"
#include "tests/support/refusal.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

// A post that turns about z at x = 1, and a bar that swings below its end.
const std::string kSwing = R"(
gravity 0 0 -9.81
body post 1 0.01 0.01 0.01  1 0 1  1 0 0 0  0 0 0 0 0 0  0
joint turn revolute world  1 0 0  1 0 0 0  0 0 2  damping 0.1
body bar 2 0.02 0.02 0.001  1.5 0 0.7  1 0 0 0  0 0 0 0 0 0  1
 box 0.02 0.02 0.3  0 0 0  1 0 0 0
joint swing revolute post  1.5 0 1  1 0 0 0  0 1 0  position 0.5 lower -1 upper 1.5
)";

TEST(SceneJoints, StandWhereTheWorldSaysAtZero) {
  const System system(test::scene_of(kSwing));
  const State state = system.initial_state();
  ASSERT_EQ(state.q.size(), 2);
  EXPECT_EQ(state.q[0], 0);
  EXPECT_EQ(state.q[1], 0.5);
  EXPECT_LT((state.bodies[0].p_WB - Vec3<double>(1, 0, 1)).norm(), 1e-15);
  // The bar hangs 0.3 m below its hinge, and has swung by half a radian.
  const Vec3<double> hinge(1.5, 0, 1), hanging(-0.3 * std::sin(0.5), 0, -0.3 * std::cos(0.5));
  EXPECT_LT((state.bodies[1].p_WB - (hinge + hanging)).norm(), 1e-15);
  EXPECT_EQ(system.body(1).joint->joint.upper, 1.5);
  EXPECT_EQ(system.body(0).joint->joint.damping, 0.1);
}

TEST(SceneJoints, SetAndApartAreHeeded) {
  const Scene scene = test::scene_of(kSwing + "set swing position 0.25 stiffness 7\napart post bar\n");
  EXPECT_EQ(scene.bodies[1].joint->q[0], 0.25);
  EXPECT_EQ(scene.bodies[1].joint->joint.stiffness, 7);
  ASSERT_EQ(scene.apart.size(), 1u);
  EXPECT_EQ(scene.apart[0], (std::pair<std::int32_t, std::int32_t>(0, 1)));
}

TEST(SceneJoints, WhatIsWrongIsNamedWithItsLine) {
  const auto refusal = [](const std::string& text) {
    return test::refusal([&] { System(test::scene_of(text)); });
  };
  const std::string body = "body a 0 0 0 0  0 0 0  1 0 0 0  0 0 0 0 0 0  0\n";
  const auto expect = [&](const std::string& text, const std::string& words) {
    EXPECT_NE(refusal(text).find(words), std::string::npos) << refusal(text);
  };
  expect(body, ":1: body 'a' has no shape; only one with a joint may have none");
  expect("joint j fixed world 0 0 0 1 0 0 0 0 0 1\n", ":1: 'joint' stands below the body that it carries");
  expect(body + "joint j screw world 0 0 0 1 0 0 0 0 0 1\n",
         ":2: 'screw' is no type of joint; there are: fixed, revolute, prismatic, planar, spherical, free");
  expect(body + "joint j revolute b 0 0 0 1 0 0 0 0 0 1\n", ":2: there is no body 'b' further up");
  expect(body + "joint j revolute a 0 0 0 1 0 0 0 0 0 1\n", ":2: body 'a' cannot carry itself");
  expect(body + "joint j revolute world 0 0 0 1 0 0 0 0 0 0\n", ":2: the joint's axis is zero");
  expect(body + "joint j revolute world 0 0 0 1 0 0 0 0 0 1 springiness 3\n",
         ":2: 'springiness' is nothing of a joint");
  expect(body + "joint j spherical world 0 0 0 1 0 0 0 0 0 1 position 3\n",
         ":2: 'position' is of joints of one degree of freedom");
  expect(body + "joint j revolute world 0 0 0 1 0 0 0 0 0 1\n",
         "moves, and neither it nor what it carries has a positive definite inertia");
  expect(kSwing + "set swung position 1\n", "there is no joint 'swung' further up");
  expect(kSwing + "apart post wall\n", "there is no body 'wall' further up");
  expect(kSwing + "robot r none.urdf 0 0 0 1 0 0 0\n", "none.urdf");
}

TEST(SceneJoints, ARecordingGoesOnFromItsEndWithTheSameBits) {
  const Scene scene = test::scene_of(kSwing);
  StepConfig config;
  config.dt = 5e-3;
  config.integrator = "implicit";
  Simulation whole(scene, config), half(scene, config), rest(scene, config);
  for (int k = 0; k < 20; ++k) whole.step();
  for (int k = 0; k < 10; ++k) half.step();
  Recording recording;
  recording.add_frame(half);
  recording.set_end(half);
  const Recording read = parse_recording(to_hdf5(recording), "recording");
  rest.restore(read.end, read.end_steps);
  for (int k = 0; k < 10; ++k) rest.step();
  EXPECT_EQ(whole.state().q, rest.state().q);
  EXPECT_EQ(whole.state().v, rest.state().v);
  EXPECT_EQ(whole.state().bodies[1].p_WB, rest.state().bodies[1].p_WB);
}

}  // namespace
