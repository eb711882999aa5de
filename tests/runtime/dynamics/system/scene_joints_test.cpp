// Joints and robots in scene files.
#include "runtime/dynamics/system/scene_joints.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/step/recording.h"
#include "runtime/dynamics/system/robot.h"
#include "runtime/dynamics/system/scene_digest.h"
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
         ":2: 'springiness' is not a property of a joint");
  expect(body + "joint j revolute world 0 0 0 1 0 0 0 0 0 1 damping 1 damping 2\n",
         ":2: 'damping' is given twice");
  expect("mu 0.5\n" + body + "mu 0.2\n", ":3: a second 'mu'; the first is in line 1");
  expect("gravity 0 0 -9.81\ngravity 0 0 0\n", ":2: a second 'gravity'; the first is in line 1");
  expect(kSwing + "contact world bar point stiffness 1 stiffness 2\n",
         "the setting 'stiffness' is given twice");
  expect(body + "joint j spherical world 0 0 0 1 0 0 0 0 0 1 position 3\n", ":2: 'joint' lacks a quaternion");
  expect(body + "joint j planar world 0 0 0 1 0 0 0 0 0 1 position 3\n",
         ":2: 'joint' lacks a coordinate of the joint");
  expect(body + "joint j revolute world 0 0 0 1 0 0 0 0 0 1\n",
         ":2: tree: link 'a' moves, and neither it nor what it carries has a positive definite inertia");
  expect(kSwing + "set swing damping -1\n", ":8: tree: joint 'swing' has damping");
  expect(kSwing + "set swing lower 2\n", ":8: tree: joint 'swing' has a lower limit above its upper one");
  expect(kSwing + "set swung position 1\n", "there is no joint 'swung' further up");
  expect(kSwing + "mimic swing turned 1 0\n", "there is no joint 'turned' further up");
  expect(kSwing + "mimic swing swing 1 0\n", ":8: tree: joint 'swing' mimics itself");
  expect(kSwing +
             "body c 1 1 1 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0\n"
             "joint other revolute world 0 0 0 1 0 0 0 0 0 1\nmimic other swing 1 0\nmimic other swing 2 0\n",
         ":11: joint 'other' mimics already, by line 10");
  expect(kSwing + "group post wall\n", "there is no body 'wall' further up");
  expect(kSwing + "group post post\n", "body 'post' has a group already");
  expect(kSwing + "contact post bar\n", "'contact' lacks a contact model");
  expect(kSwing + "contact post bars point\n",
         ":8: contact of 'post' and 'bars': there is no body or robot 'bars'");
  expect(kSwing + "contact world world point\n", "fixed shapes do not collide with one another");
  expect(kSwing + "contact post world jelly\n", ":8: contact of 'post' and 'world': ");
  expect(kSwing + "contact post world point stiffness -3\n", "stiffness");
  expect(kSwing + "contact post world point wobble 3\n", "wobble");
  expect(kSwing + "contact post world point stiffness\n", "'contact' lacks the setting's value");
  expect(kSwing + "apart post wall\n", "there is no body 'wall' further up");
  expect(kSwing + "robot world none.urdf 0 0 0 1 0 0 0\n", "give the robot another name");
  expect(body + "joint j planar world 0 0 0 1 0 0 0 0 0 1 lower -0.1\n",
         ":2: tree: joint 'j' has limits, which only joints of one degree of freedom have");
  EXPECT_EQ(test::refusal([&] { System(test::scene_of(kSwing + "mimic swing turn 1 0\n")).initial_state(); }),
            "scene: joint 'swing' starts at 0.5, and the joint that it mimics asks for 0");
  expect(kSwing + "robot r none.urdf 0 0 0 1 0 0 0\n",
         "there is no robot's file 'none.urdf'; it was looked for as none.urdf (and in a folder of assets");
  std::istringstream two_places("robot r none.urdf 0 0 0 1 0 0 0\n");
  try {
    (void)read_scene(two_places, "here/a.scn", {}, "there");
    ADD_FAILURE();
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(
        error.what(),
        "here/a.scn:1: there is no robot's file 'none.urdf'; it was looked for as here/none.urdf and "
        "there/none.urdf");
  }
}

TEST(SceneJoints, MeshesOfOneNameInTwoFoldersAreTold) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("abut_scene_joints_" + std::to_string(::getpid()));
  for (const char* side : {"left", "right"}) {
    std::filesystem::create_directories(folder / side);
    std::ofstream(folder / side / "finger.stl") << "solid " << side;
  }
  const auto link = [](const std::string& name) {
    return "<link name='" + name +
           "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
           "</inertial><collision><geometry><mesh filename='" +
           name + "/finger.stl'/></geometry></collision></link>";
  };
  std::ofstream(folder / "hand.urdf")
      << "<robot name='hand'>" << link("left") << link("right")
      << "<joint name='j' type='revolute'><parent link='left'/><child link='right'/>"
         "<limit lower='0' upper='1' effort='1' velocity='1'/></joint></robot>";
  std::ofstream(folder / "a.scn") << "robot r hand.urdf 0 0 0 1 0 0 0\n";
  const std::string said = test::refusal([&] {
    read_scene(folder / "a.scn",
               [](const std::string&) { return body::Geometry(body::Sphere<double>{0.1}); });
  });
  EXPECT_NE(said.find("right/finger.stl: its asset has the name of that of"), std::string::npos) << said;
  const auto read = [&](const std::string& scene) {
    std::ofstream(folder / "a.scn") << scene;
    return test::refusal([&] {
      read_scene(folder / "a.scn",
                 [](const std::string&) { return body::Geometry(body::Sphere<double>{0.1}); });
    });
  };
  for (const char* side : {"left", "right"})
    std::ofstream(folder / side / "arm.urdf") << "<robot name='arm'>" << link(".") << "</robot>";
  const std::string arms = "robot l left/arm.urdf 0 0 0 1 0 0 0\nrobot r right/arm.urdf 1 0 0 1 0 0 0\n";
  const std::string across = read(arms);
  EXPECT_NE(across.find("a.scn:2: "), std::string::npos) << across;
  EXPECT_NE(across.find("its asset has the name of that of"), std::string::npos) << across;
  std::filesystem::copy_file(folder / "left/finger.stl", folder / "right/finger.stl",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(read(arms), "nothing thrown");  // a copy
  const std::string twice = read(
      "body x 1 1 1 1 0 0 9 1 0 0 0 0 0 0 0 0 0 1\n sphere 0.1 0 0 0 1 0 0 0\n"
      "joint r/j revolute world 0 0 9 1 0 0 0 0 0 1\nrobot r hand.urdf 0 0 0 1 0 0 0\n");
  EXPECT_NE(twice.find("a.scn:4: there is a joint 'r/j' already"), std::string::npos) << twice;
  std::filesystem::remove_all(folder);
}

std::string no_name(const body::Geometry&) { return "none"; }

// Where bodies stand, how they move and what may meet, after being written and read.
void expect_round_trip(const Scene& scene) {
  const Scene again = test::scene_of(scene_text(scene, no_name));
  const System a(scene), b(again);
  const State x = a.initial_state(), y = b.initial_state();
  ASSERT_EQ(a.body_count(), b.body_count());
  EXPECT_LT((x.q - y.q).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_EQ(x.v, y.v);
  for (std::size_t i = 0; i < a.body_count(); ++i) {
    EXPECT_LT((x.bodies[i].p_WB - y.bodies[i].p_WB).norm(), 1e-14) << i;
    EXPECT_LT(x.bodies[i].q_WB.angularDistance(y.bodies[i].q_WB), 1e-7) << i;
    EXPECT_EQ(a.body(i).name, b.body(i).name);
    EXPECT_EQ(a.body(i).inertia, b.body(i).inertia);
    for (std::size_t k = 0; k < i; ++k) EXPECT_EQ(a.may_meet(i, k), b.may_meet(i, k)) << i << ' ' << k;
    ASSERT_EQ(a.body(i).joint.has_value(), b.body(i).joint.has_value());
    if (!a.body(i).joint) continue;
    const Joint &one = a.body(i).joint->joint, &other = b.body(i).joint->joint;
    EXPECT_EQ(a.body(i).joint->parent, b.body(i).joint->parent);
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.type, other.type);
    for (const JointWord& word : kJointWords) EXPECT_EQ(one.*word.member, other.*word.member) << word.keyword;
    ASSERT_EQ(one.mimic.has_value(), other.mimic.has_value());
    if (!one.mimic) continue;
    EXPECT_EQ(one.mimic->link, other.mimic->link);
    EXPECT_EQ(one.mimic->multiplier, other.mimic->multiplier);
    EXPECT_EQ(one.mimic->offset, other.mimic->offset);
  }
}

TEST(SceneJoints, WhatIsWrittenReadsBackTheSame) {
  std::string text = kSwing + "set swing velocity 2 friction 0.1 armature 0.2 effort_limit 5\n";
  const auto add = [&](const std::string& name, const std::string& joint) {
    text +=
        "body \"" + name + "\" 1 0.1 0.1 0.1  1 2 3  0.6 0 0.8 0  0 0 0 0 0 0  1\n box 1 1 1 0 0 0 1 0 0 0\n";
    if (!joint.empty()) text += "joint \"j " + name + "\" " + joint + "\n";
  };
  add("a ball", "spherical bar  1 1 1  1 0 0 0  0 0 1  position 0.6 0 0 0.8 velocity 1 2 3");
  add("a puck", "planar \"a ball\"  1 1 1  0.8 0 0 0.6  0 1 1  position 0.5 1 2 velocity 1 2 3");
  add("loose", "");
  add("on it", "free loose  1 0 1  1 0 0 0  0 0 1  position 0.6 0 0 0.8 3 2 1");
  add("fixed", "fixed loose  1 0 1  1 0 0 0  0 0 1");
  add("follower", "prismatic world  1 0 1  0.6 0.8 0 0  0 0 1 stiffness 3 velocity_limit 1");
  text +=
      "mimic \"j follower\" turn 2 0.5\ngroup post \"a ball\" loose\ngroup fixed \"a puck\"\napart bar "
      "loose\n";
  const Scene scene = test::scene_of(text);
  EXPECT_EQ(scene.bodies[2].joint->q, (VecX<double>(4) << 0.6, 0, 0, 0.8).finished());
  expect_round_trip(scene);
}

TEST(SceneJoints, TheFrankaArmIsWrittenAndReadsBackTheSame) {
  const std::filesystem::path file = std::filesystem::path(ABUT_SHARED_DIR) / "data/robots/franka/fer.urdf";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
  Scene scene;
  const auto ball = [](const Mesh&) { return body::Geometry(body::Sphere<double>{0.05}); };
  add_robot(scene, "fer", read_urdf(file), {exp_rotation<double>({0.1, 0.2, 0.3}), {1, 2, 3}}, ball);
  for (Body& body : scene.bodies)
    if (body.joint->joint.type == JointType::kRevolute) body.joint->q = VecX<double>::Constant(1, -0.3);
  expect_round_trip(scene);
}

// A chain of links that are all fixed to the first is one body of all their mass.
TEST(SceneJoints, LinksThatAreFixedToTheRootAreOneBodyWithIt) {
  for (const int count : {2, 3, 5, 9, 17, 1000}) {
    Robot robot;
    for (int i = 0; i < count; ++i) {
      Link& link = robot.links.emplace_back();
      link.name = std::to_string(i);
      link.parent = i - 1;
      link.inertia = {1, Vec3<double>::Zero(), Mat3<double>::Identity()};
      link.joint.type = i == 0 ? JointType::kFree : JointType::kFixed;
      if (i > 0) link.joint.X_PJ.p.x() = 1;
    }
    Scene scene;
    add_robot(scene, "chain", robot, {}, [](const Mesh&) { return body::Geometry(body::Sphere<double>{1}); });
    ASSERT_EQ(scene.bodies.size(), 1U);
    EXPECT_EQ(scene.bodies[0].mass, count);
    EXPECT_NEAR(scene.bodies[0].p_WB.x(), (count - 1) / 2.0, 1e-12 * count);
    // count (1 + (count^2 - 1) / 12) across the chain, count along it
    const double across = count * (1 + (double(count) * count - 1) / 12);
    EXPECT_NEAR(scene.bodies[0].inertia.maxCoeff(), across, 1e-12 * across);
    EXPECT_NEAR(scene.bodies[0].inertia.minCoeff(), count, 1e-10 * across);
  }
}

// A bar that stands on the ground, in a scene where other pairs have another model.
TEST(SceneJoints, PairsHaveTheModelThatTheSceneChooses) {
  const std::string ground = "plane 0 0 1 0\n", far =
                                                    "body far 1 1 1 1  9 9 9  1 0 0 0  0 0 0 0 0 0  1\n"
                                                    " sphere 0.1 0 0 0 1 0 0 0\n";
  const std::string start = kSwing + ground + far + "set swing position 0.1\n";
  const auto after = [&](const std::string& choices, const ContactSource& source) {
    Scene scene = test::scene_of(start + choices);
    scene.fixed[0].X_BS.p.z() = 0.41;  // the bar reaches 0.4 m down
    StepConfig config;
    config.dt = 1e-3;
    config.integrator = "implicit";
    config.source = source;
    Simulation simulation(scene, config);
    for (int k = 0; k < 5; ++k) simulation.step();
    return simulation.state().v;
  };
  const SettingValues soft{{"stiffness", "1e5"}};
  const ContactSource potential{.model = "soft_potential", .settings = soft},
      field{.model = "pressure_field"};
  const VecX<double> by_potential = after("", potential), by_field = after("", field);
  EXPECT_GT((by_potential - by_field).norm(), 1e-6);
  EXPECT_EQ(after("contact world bar soft_potential stiffness 1e5\n", field), by_potential);
  EXPECT_EQ(
      after("contact bar world pressure_field\ncontact world bar soft_potential stiffness 1e5\n", field),
      by_potential);
  EXPECT_EQ(after("contact post bar soft_potential\n", field), by_field);
  EXPECT_EQ(after("contact bar world pressure_field\n", potential), by_field);
  const Scene chosen = test::scene_of(start + "contact \"bar\" world soft_potential stiffness 1e5\n");
  EXPECT_NE(digest(chosen), digest(test::scene_of(start)));
  const std::string threads = "contact \"bar\" world soft_potential stiffness 1e5 pair_threads 2\n";
  EXPECT_EQ(digest(chosen), digest(test::scene_of(start + threads)));
  const Scene again = test::scene_of(scene_text(chosen, no_name));
  ASSERT_EQ(again.contacts.size(), 1u);
  EXPECT_EQ(again.contacts[0].settings[0].text, "1e5");
}

TEST(SceneJoints, ARobotsNameMeansItsBodies) {
  EXPECT_TRUE(means("fer", "fer/link1"));
  EXPECT_TRUE(means("fer/link1", "fer/link1"));
  EXPECT_FALSE(means("fer", "fern/link1"));
  EXPECT_FALSE(means("fer/link1", "fer/link10"));
}

TEST(SceneJoints, RigidContactTakesNoChoices) {
  const Scene scene = test::scene_of(
      "plane 0 0 1 0\nbody a 1 1 1 1  0 0 1  1 0 0 0  0 0 0 0 0 0  1\n sphere 1 0 0 0 1 0 0 0\n"
      "contact a world pressure_field\n");
  EXPECT_NE(test::refusal([&] { Simulation simulation(scene, {}); }).find("rigid contact does not take"),
            std::string::npos);
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
