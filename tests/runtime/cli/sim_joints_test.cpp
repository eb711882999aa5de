// abut-sim with joints: their targets and starts.
#include "runtime/dynamics/step/recording.h"
#include "tests/runtime/cli/sim_fixture.h"

namespace {

using namespace abut;
using namespace abut::test;

// A finger mimics the one that the file moves: its drive pulls to the same place.
TEST_F(Sim, TargetsOfJointsThatMimicGoWithTheirs) {
  const auto finger = [](const std::string& name, const std::string& axis) {
    return "body " + name + " 0.1 1e-4 1e-4 1e-4  0 0 0  1 0 0 0  0 0 0 0 0 0  0\njoint " + name +
           " prismatic world 0 0 0 1 0 0 0 " + axis + " stiffness 1000 damping 20\n";
  };
  write("hand.scn", "gravity 0 0 0\nmu 0\nduration 1\n" + finger("left", "0 1 0") +
                        finger("right", "0 -1 0") + "mimic right left 1 0\n");
  write("joints.csv", "time,joint,target\n0,left,0.04\n");
  for (const std::string integrator : {"midpoint", "implicit"}) {
    ASSERT_EQ(run("hand.scn --joint-control joints.csv --out hand.h5 --integrator " + integrator).exit_code,
              0);
    const dynamics::Recording recording = dynamics::read_recording(folder / "hand.h5");
    EXPECT_NEAR(recording.positions[recording.positions.size() - 5], 0.04, 1e-4) << integrator;
  }
  write("joints.csv", "time,joint,target\n0,left,0.04\n0,right,0.01\n0,left,0.03\n");
  const Outcome twice = run("hand.scn --joint-control joints.csv --out hand.h5");
  EXPECT_NE(twice.err.find("joints.csv:4: a second row of joint 'left' at this time"), std::string::npos);
}

TEST_F(Sim, TargetsOfJointsWithoutADriveAreTold) {
  write("limp.scn",
        "gravity 0 0 0\nmu 0\nduration 0.01\nbody a 1 0.01 0.01 0.01  0 0 0  1 0 0 0  0 0 0 0 0 0  0\n"
        "joint slide prismatic world 0 0 0 1 0 0 0 1 0 0\n");
  write("joints.csv", "time,joint,target\n0,slide,0.1\n");
  const Outcome got = run("limp.scn --joint-control joints.csv --out limp.h5");
  EXPECT_EQ(got.exit_code, 0);
  EXPECT_NE(got.err.find("joint 'slide' has no stiffness"), std::string::npos) << got.err;
  write("joints.csv", "time,joint,target,force\n0,slide,0,1\n");
  EXPECT_EQ(run("limp.scn --joint-control joints.csv --out limp.h5").err.find("warning"), std::string::npos);
}

// One that moves by the drive of a joint that mimics it; and one that mimics, whose own targets pull nothing.
TEST_F(Sim, TargetsOfJointsThatMimicOthersAreToldWhereNothingPullsToThem) {
  const auto finger = [](const std::string& name, const std::string& drive) {
    return "body " + name + " 0.1 1e-4 1e-4 1e-4  0 0 0  1 0 0 0  0 0 0 0 0 0  0\njoint " + name +
           " prismatic world 0 0 0 1 0 0 0 0 1 0 " + drive + "\n";
  };
  const std::string head = "gravity 0 0 0\nmu 0\nduration 0.01\n", tail = "mimic right left 1 0\n",
                    command = "hand.scn --joint-control joints.csv --out hand.h5";
  write("hand.scn", head + finger("left", "") + finger("right", "stiffness 100 damping 1") + tail);
  write("joints.csv", "time,joint,target\n0,left,0.04\n");
  EXPECT_EQ(run(command).err.find("warning"), std::string::npos);
  write("hand.scn", head + finger("left", "stiffness 100 damping 1") + finger("right", "") + tail);
  write("joints.csv", "time,joint,target\n0,right,0.04\n");
  EXPECT_NE(run(command).err.find("joint 'right' has no stiffness"), std::string::npos);
}

// By `position`, by a limit that zero is beyond, and by mimicry.
TEST_F(Sim, JointsThatStartBeyondTheirLimitsAreTold) {
  const auto arm = [](const std::string& name, const std::string& of) {
    return "body " + name + " 1 0.01 0.01 0.01 0 0 0.5 1 0 0 0 0 0 0 0 0 0 0\njoint " + name + "_joint " +
           of + "\n";
  };
  write("arm.scn", arm("a", "revolute world 0 0 0 1 0 0 0 0 0 1 lower -1 upper 1 position 3") +
                       arm("b", "prismatic world 0 0 0 1 0 0 0 0 0 1 lower 0.1 upper 0.4") +
                       arm("c", "revolute world 0 0 0 1 0 0 0 0 0 1 lower -1 upper 1 position 1") +
                       arm("d", "revolute world 0 0 0 1 0 0 0 0 0 1 upper 2") +
                       "mimic d_joint a_joint 2 0.5\n");
  const Outcome got = run("arm.scn --steps 1 --integrator implicit");
  EXPECT_EQ(got.exit_code, 0) << got.err;
  for (const std::string told : {"joint 'a_joint' starts at 3 rad, beyond its limits of -1 to 1 rad; ",
                                 "joint 'b_joint' starts at 0 m, beyond its limits of 0.1 to 0.4 m; ",
                                 "joint 'd_joint' starts at 6.5 rad, beyond its limits of -inf to 2 rad; "})
    EXPECT_NE(got.err.find("abut-sim: warning: arm.scn: " + told), std::string::npos) << got.err;
  EXPECT_EQ(got.err.find("c_joint"), std::string::npos) << got.err;
}

}  // namespace
