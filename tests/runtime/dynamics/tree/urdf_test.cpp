#include "runtime/dynamics/tree/urdf.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runtime/dynamics/tree/mimic.h"
#include "tests/support/refusal.h"

#ifdef ABUT_SANITIZED
// urdfdom does not free graphs that it refuses.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:urdf::parseURDF"; }
#endif

namespace abut::dynamics {
namespace {

namespace fs = std::filesystem;

const std::string kSolid =
    "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";

std::string link(const std::string& name, const std::string& inside = kSolid) {
  return "<link name='" + name + "'>" + inside + "</link>";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& inside = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" +
         child + "'/>" + inside + "</joint>";
}

class Urdf : public testing::Test {
 protected:
  Urdf() : folder_(fs::path(testing::TempDir()) / ("abut_urdf_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~Urdf() override { fs::remove_all(folder_); }

  fs::path write(const std::string& inside) const {
    std::ofstream(folder_ / "robot.urdf") << "<robot name='test'>" + inside + "</robot>";
    return folder_ / "robot.urdf";
  }
  // What the reader says, without the file's name, which must come first.
  std::string refusal(const std::string& inside) const {
    const fs::path file = write(inside);
    const std::string message = test::refusal([&] { read_urdf(file); });
    const std::string start = file.string() + ": ";
    return message.compare(0, start.size(), start) == 0 ? message.substr(start.size()) : message;
  }

  fs::path folder_;
};

TEST_F(Urdf, EveryTypeOfJointWithItsNumbers) {
  const Robot robot = read_urdf(write(
      link("base", "") + link("a") + link("b") + link("c") + link("d") + link("e") + link("f") +
      joint("1", "revolute", "base", "a",
            "<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><axis xyz='0 0 2'/>"
            "<limit lower='-1' upper='2' effort='3' velocity='4'/><dynamics damping='5' friction='6'/>") +
      joint("2", "continuous", "a", "b", "<axis xyz='0 1 0'/>") +
      joint("3", "prismatic", "b", "c",
            "<axis xyz='0 -1 0'/><limit lower='0' upper='1' effort='1' velocity='1'/>") +
      joint("4", "planar", "c", "d", "<axis xyz='0 0 1'/>") + joint("5", "floating", "d", "e") +
      joint("6", "fixed", "e", "f")));
  ASSERT_EQ(robot.links.size(), 7U);
  const Joint& first = robot.links[1].joint;
  EXPECT_EQ(first.type, JointType::kRevolute);
  EXPECT_EQ(first.axis_J, Vec3<double>::UnitZ());
  EXPECT_EQ(first.X_PJ.p, Vec3<double>(1, 2, 3));
  EXPECT_LT((first.X_PJ.R * Vec3<double>::UnitX() - Vec3<double>::UnitY()).norm(), 1e-15);
  EXPECT_EQ((std::array{first.lower, first.upper, first.effort_limit, first.velocity_limit, first.damping,
                        first.friction}),
            (std::array<double, 6>{-1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(robot.links[2].joint.lower, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(robot.links[3].joint.type, JointType::kPrismatic);
  EXPECT_EQ(robot.links[4].joint.type, JointType::kPlanar);
  EXPECT_EQ(robot.links[5].joint.type, JointType::kFree);
  EXPECT_EQ(robot.links[6].joint.type, JointType::kFixed);
  EXPECT_EQ(Tree(robot.links).nv(), 1 + 1 + 1 + 3 + 6);
  EXPECT_EQ(Tree(read_urdf(folder_ / "robot.urdf", JointType::kFree).links).nv(), 6 + 12);
}

TEST_F(Urdf, InertiasTurnWithTheirOrigin) {
  const Robot robot =
      read_urdf(write(link("base", "") +
                      link("a",
                           "<inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
                           "<inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0' iyz='0'/></inertial>") +
                      joint("1", "continuous", "base", "a")));
  const LinkInertia& inertia = robot.links[1].inertia;
  EXPECT_EQ(inertia.mass, 2);
  EXPECT_EQ(inertia.p_LLcm, Vec3<double>(1, 2, 3));
  Mat3<double> wanted;
  wanted << 2, -0.1, 0, -0.1, 1, 0, 0, 0, 2.5;
  EXPECT_LT((inertia.I_LLcm_L - wanted).norm(), 1e-15);
}

TEST_F(Urdf, CollisionShapesAndMeshesByPathAndPackage) {
  fs::create_directories(folder_ / "meshes");
  std::ofstream(folder_ / "meshes/a.stl") << "solid";
  const auto shape = [](const std::string& geometry) {
    return "<collision><origin xyz='0 0 1'/><geometry>" + geometry + "</geometry></collision>";
  };
  const std::string package = folder_.filename().string();
  const Robot robot = read_urdf(write(link(
      "base", shape("<box size='2 4 6'/>") + shape("<cylinder radius='1' length='4'/>") +
                  shape("<sphere radius='3'/>") + shape("<mesh filename='meshes/a.stl' scale='1 2 3'/>") +
                  shape("<mesh filename='package://" + package + "/meshes/a.stl'/>"))));
  ASSERT_EQ(robot.collisions.size(), 5U);
  EXPECT_EQ(std::get<body::Box<double>>(robot.collisions[0].shape).half, Vec3<double>(1, 2, 3));
  EXPECT_EQ(robot.collisions[0].X_LS.p, Vec3<double>::UnitZ());
  EXPECT_EQ(std::get<body::Cylinder<double>>(robot.collisions[1].shape).half_length, 2);
  EXPECT_EQ(std::get<body::Sphere<double>>(robot.collisions[2].shape).radius, 3);
  EXPECT_EQ(std::get<Mesh>(robot.collisions[3].shape).scale, Vec3<double>(1, 2, 3));
  EXPECT_TRUE(fs::equivalent(std::get<Mesh>(robot.collisions[4].shape).file, folder_ / "meshes/a.stl"));
}

// A clone in a folder of any name, a workspace, an installed package.
TEST_F(Urdf, PackagesAreFoundByManifestAndEnvironment) {
  const auto find = [&](const std::string& file) {
    const Robot robot = read_urdf(write(link(
        "base", "<collision><geometry><mesh filename='package://" + file + "'/></geometry></collision>")));
    return std::get<Mesh>(robot.collisions.at(0).shape).file;
  };
  const auto mesh = [&](const std::string& file) {
    fs::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << "solid";
    return folder_ / file;
  };
  const fs::path own = mesh("own/a.stl"), source = mesh("workspace/my_hand/meshes/b.stl"),
                 other = mesh("workspace/clone/meshes/c.stl"),
                 installed = mesh("prefix/share/my_base/meshes/d.stl");
  std::ofstream(folder_ / "package.xml") << "<package>\n <name> my_arm </name>\n</package>";
  std::ofstream(folder_ / "workspace/clone/package.xml") << "<package><name>my_eye</name></package>";
  EXPECT_TRUE(fs::equivalent(find("my_arm/own/a.stl"), own));
  EXPECT_THROW(find("my_hand/meshes/b.stl"), InvalidInput);
  ::setenv("ROS_PACKAGE_PATH",
           (folder_ / "workspace").string().append(":").append(other.parent_path().parent_path()).c_str(), 1);
  ::setenv("AMENT_PREFIX_PATH", (folder_ / "prefix").c_str(), 1);
  EXPECT_TRUE(fs::equivalent(find("my_hand/meshes/b.stl"), source));
  EXPECT_TRUE(fs::equivalent(find("my_eye/meshes/c.stl"), other));
  EXPECT_TRUE(fs::equivalent(find("my_base/meshes/d.stl"), installed));
  ::unsetenv("ROS_PACKAGE_PATH");
  ::unsetenv("AMENT_PREFIX_PATH");
}

TEST_F(Urdf, MimicsAreALinearMap) {
  const Robot robot = read_urdf(
      write(link("base", "") + link("x") + link("y") + link("z") +
            joint("a", "continuous", "base", "x", "<mimic joint='b' multiplier='-2' offset='0.5'/>") +
            joint("b", "continuous", "base", "y", "<mimic joint='c' multiplier='3' offset='1'/>") +
            joint("c", "continuous", "base", "z")));
  const Tree tree(robot.links);
  const MimicMap map(tree);
  ASSERT_EQ(map.nv(), 1);
  const VecX<double> q = map.coordinates(VecX<double>::Constant(1, 0.25));
  EXPECT_EQ(q[tree.first_q(tree.find_joint("c"))], 0.25);
  EXPECT_EQ(q[tree.first_q(tree.find_joint("b"))], 1.75);
  EXPECT_EQ(q[tree.first_q(tree.find_joint("a"))], -3);
  const MatX<double> G = map.matrix();
  EXPECT_EQ(G(tree.first_v(tree.find_joint("a")), 0), -6);
  EXPECT_EQ(map.mass_matrix(MatX<double>::Identity(3, 3))(0, 0), 36 + 9 + 1);
  EXPECT_EQ(map.forces(VecX<double>::Ones(3))[0], -6 + 3 + 1);
  EXPECT_EQ(map.velocities(VecX<double>::Ones(1)), G.col(0));
}

TEST_F(Urdf, RefusesGraphsThatAreNoTree) {
  EXPECT_EQ(refusal(link("r") + link("a") + link("b") + joint("1", "continuous", "a", "b") +
                    joint("2", "continuous", "b", "a")),
            "links in a loop: 'a', 'b'");
  EXPECT_EQ(refusal(link("a") + link("b") + link("c") + joint("1", "continuous", "a", "c") +
                    joint("2", "continuous", "b", "c")),
            "Failed to find root link: Two root links found: [a] and [b]");
  EXPECT_EQ(refusal(link("r") + link("a") + link("b") + link("c") + joint("1", "continuous", "r", "a") +
                    joint("2", "continuous", "r", "b") + joint("3", "continuous", "a", "c") +
                    joint("4", "continuous", "b", "c")),
            "link 'c' is the child of two joints, '3' and '4'");
  EXPECT_EQ(refusal(link("a") + link("b")), "Failed to find root link: Two root links found: [a] and [b]");
  EXPECT_EQ(refusal(link("a") + link("b") + joint("1", "continuous", "nobody", "b")).substr(0, 60),
            "Failed to build tree: parent link [nobody] of joint [1] not ");
  EXPECT_EQ(refusal(link("a") + joint("1", "continuous", "a", "nobody")),
            "Failed to build tree: child link [nobody] of joint [1] not found");
  EXPECT_EQ(refusal(link("a") + link("a")), "link 'a' is not unique.");
  EXPECT_EQ(refusal(""), "No link elements found in urdf file");
}

TEST_F(Urdf, RefusesJointsThatAreNone) {
  const std::string links = link("base", "") + link("a");
  EXPECT_EQ(refusal(links + joint("1", "screw", "base", "a")),
            "Joint [1] has no known type [screw]; joint xml is not initialized correctly");
  EXPECT_EQ(
      refusal(links + joint("1", "revolute", "base", "a")),
      "Joint [1] is of type REVOLUTE but it does not specify limits; joint xml is not initialized correctly");
  EXPECT_EQ(refusal(links + joint("1", "continuous", "base", "a", "<axis xyz='0 0 0'/>")),
            "joint '1' has an axis of length zero");
  EXPECT_EQ(refusal(links + joint("1", "continuous", "base", "a", "<mimic joint='2'/>")),
            "joint '1' mimics '2', which there is not");
  EXPECT_EQ(refusal(links + joint("1", "continuous", "base", "a", "<mimic joint='1'/>")),
            "tree: joint '1' mimics itself, by way of others");
  EXPECT_EQ(refusal(links + joint("1", "continuous", "base", "a", "<origin xyz='0 nan 0'/>")),
            "Unable to parse component [nan] to a double (while parsing a vector value); Malformed parent "
            "origin element for joint [1]; joint xml is not initialized correctly");
  EXPECT_EQ(refusal(links + joint("1", "continuous", "base", "a", "<dynamics damping='-1'/>")),
            "tree: joint '1' has damping, stiffness, friction or armature that is negative or not finite");
  EXPECT_EQ(refusal(links + joint("1", "prismatic", "base", "a",
                                  "<limit lower='1' upper='0' effort='1' velocity='1'/>")),
            "tree: joint '1' has a lower limit above its upper one");
}

TEST_F(Urdf, RefusesInertiasThatNothingHas) {
  const auto moving = [&](const std::string& inertial) {
    return refusal(link("base", "") + link("a", inertial) + joint("1", "continuous", "base", "a"));
  };
  const auto inertial = [](const std::string& mass, const std::string& ixx) {
    return "<inertial><mass value='" + mass + "'/><inertia ixx='" + ixx +
           "' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
  };
  EXPECT_EQ(moving(inertial("1", "1")), "nothing thrown");
  const std::string nothing =
      "tree: link 'a' moves, and neither it nor what it carries has a positive definite inertia";
  EXPECT_EQ(moving(""), nothing);
  EXPECT_EQ(moving(inertial("0", "1")), nothing);
  EXPECT_EQ(moving(inertial("1", "-0.5")),
            "tree: link 'a' has an indefinite inertia: its least principal moment is -0.5 kg m^2");
  EXPECT_EQ(moving(inertial("nan", "1")),
            "Inertial: mass [nan] is not a float; Could not parse inertial element for Link [a]");
  EXPECT_EQ(
      moving(inertial("1", "nan")),
      "Inertial: inertia element ixx is not a valid double; Could not parse inertial element for Link [a]");
}

TEST_F(Urdf, RefusesShapesAndFilesThatAreNone) {
  const auto shape = [&](const std::string& geometry) {
    return refusal(link("base", "<collision><geometry>" + geometry + "</geometry></collision>"));
  };
  EXPECT_EQ(shape("<mesh filename='none.stl'/>"),
            "link 'base': a collision shape names a mesh that is missing: 'none.stl'");
  EXPECT_EQ(
      shape("<mesh filename='package://none/none.stl'/>"),
      "link 'base': a collision shape names a mesh that is missing: 'package://none/none.stl'; a package "
      "is a folder of its name, or with a package.xml of it, at or above this file, or in "
      "ROS_PACKAGE_PATH or AMENT_PREFIX_PATH");
  const std::string long_name(300, 'a');
  EXPECT_EQ(shape("<mesh filename='" + long_name + "'/>"),
            "link 'base': a collision shape names a mesh that is missing: '" + long_name + "'");
  std::ofstream(folder_ / "box.stl") << "solid";
  EXPECT_EQ(shape("<mesh filename='box.stl' scale='1 1e-300 1'/>"),
            "link 'base': a collision shape has a scale of 1e-300; it must be from 1e-09 to 1e+09");
  EXPECT_EQ(shape("<box size='1 0 1'/>"), "link 'base': a collision shape has a size that is not positive");
  std::ofstream(folder_ / "robot.urdf") << "<robot name='test'><link";
  EXPECT_NE(test::refusal([&] { read_urdf(folder_ / "robot.urdf"); }).find("robot.urdf: "),
            std::string::npos);
  EXPECT_THROW(read_urdf(folder_ / "none.urdf"), IoError);
}

TEST_F(Urdf, RefusesASecondRobot) {
  const std::string words = ": a second <robot>; a file has one: put the other into a file of its own";
  EXPECT_EQ(refusal(link("base") + "</robot>\n<robot name='other'>" + link("base")), "line 2" + words);
  EXPECT_EQ(refusal(link("base") + "</robot>\n\n<robot/><robot>"), "line 3" + words);
  EXPECT_EQ(refusal("</robot><robot\n name='second'>" + link("base")), "line 1" + words);
  // Words that only look like one.
  const Robot robot = read_urdf(write("<!-- <robot> --><robots/><a><robot/></a>" + link("base")));
  EXPECT_EQ(robot.links.size(), 1U);
}

TEST_F(Urdf, RefusesASecondElementOfWhatALinkOrJointHasOneOf) {
  const std::string words = ": one of the two would be ignored";
  const auto base = [](const std::string& inside) { return "<link name='base'>\n" + inside + "</link>"; };
  EXPECT_EQ(refusal(base("<inertial><mass value='1'/><mass value='2'/></inertial>")),
            "line 2: a second <mass> in one <inertial>" + words);
  EXPECT_EQ(refusal(base("<collision><origin xyz='0 0 1'/>\n<origin xyz='0 0 2'/></collision>")),
            "line 3: a second <origin> in one <collision>" + words);
  EXPECT_EQ(
      refusal(base("<collision><geometry><sphere radius='1'/><box size='1 1 1'/></geometry></collision>")),
      "line 2: a second shape, <box> in one <geometry>" + words);
  EXPECT_EQ(refusal(base("<inertial></inertial><inertial/>")),
            "line 2: a second <inertial> in one <link>" + words);
  // What others read may repeat.
  const Robot robot = read_urdf(write(link("base") + "<gazebo><link><origin/><origin/></link></gazebo>" +
                                      "<transmission><joint><origin/><origin/></joint></transmission>"));
  EXPECT_EQ(robot.links.size(), 1U);
}

// Where such a declaration ends is another place to each reader.
TEST_F(Urdf, RefusesDeclarationsThatHideWhatFollows) {
  const std::string words = ": line 1: a declaration that is not of the form";
  for (const char* declaration : {"<?xml version='><!--'?>", "<?xml version='?><!--'?>",
                                  "<?xml ' version='?><!--'?>", "<?XML x='a version='?><!--'?>",
                                  "<?xml-model href=\"a version='\"?><!--'?>", "<?xml version='1.0'>"}) {
    std::ofstream(folder_ / "robot.urdf") << declaration << "<robot name='test'>" + link("base") + "</robot>";
    EXPECT_NE(test::refusal([&] { read_urdf(folder_ / "robot.urdf"); }).find(words), std::string::npos)
        << declaration;
  }
  for (const char* declaration :
       {"<?xml version=\"1.0\" encoding = 'utf-8' ?>", "<?xml?>", "<?xml version='1.0'?>\n<?other a='b'?>"}) {
    std::ofstream(folder_ / "robot.urdf") << declaration << "<robot name='test'>" + link("base") + "</robot>";
    EXPECT_EQ(read_urdf(folder_ / "robot.urdf").links.size(), 1U) << declaration;
  }
}

TEST_F(Urdf, RefusesMjcf) {
  const fs::path file = folder_ / "arm.xml";
  std::ofstream(file) << "<?xml version='1.0'?>\n<!-- <robot> -->\n<mujoco model='arm'><worldbody/></mujoco>";
  EXPECT_EQ(test::refusal([&] { read_urdf(file); }),
            file.string() + ": line 3: is MJCF, which is not read; a URDF is needed");
  // What a URDF says to MuJoCo.
  EXPECT_EQ(
      read_urdf(write("<mujoco><compiler discardvisual='false'/></mujoco>" + link("base"))).links.size(), 1U);
}

TEST_F(Urdf, RefusesXacro) {
  const std::string words = ": is xacro, of which a URDF is made first: `xacro FILE > robot.urdf` (ROS)";
  EXPECT_EQ(refusal(link("base") + "\n<xacro:include filename='arm.xacro'/>"), "line 2" + words);
  EXPECT_EQ(refusal("<link name=\"${prefix}base\"/>"), "line 1" + words);
  const Robot robot = read_urdf(write("<!-- <xacro:leg/> <a b='${c}'/> -->" + link("base")));
  EXPECT_EQ(robot.links.size(), 1U);
}

TEST_F(Urdf, RefusesElementsWithoutBottom) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  EXPECT_EQ(refusal(link("base") + deep), "line 1: elements lie deeper in one another than 200");
  EXPECT_EQ(refusal("<!-- " + deep + " -->"), "No link elements found in urdf file");
  // However they are hidden.
  std::string quoted, closed;
  for (int i = 0; i < 100000; ++i) quoted += "<a b=\"/>\">", closed += "<a><![CDATA[</a>]]>";
  for (const std::string& hidden : {quoted, closed, "<a b='<!--'>" + deep, "<!-->-->" + deep, "<?a>" + deep})
    EXPECT_EQ(refusal(link("base") + hidden), "line 1: elements lie deeper in one another than 200");
}

TEST_F(Urdf, RefusesChainsWithoutEnd) {
  const auto chain = [](int count) {
    std::string text = link("0");
    for (int i = 1; i < count; ++i) {
      const std::string name = std::to_string(i);
      text += link(name) + joint("j" + name, "fixed", std::to_string(i - 1), name);
    }
    return text;
  };
  EXPECT_EQ(read_urdf(write(chain(5000))).links.size(), 5000U);
  EXPECT_EQ(refusal(chain(100000)), "line 1: more links than 5000");
  std::string attributes;
  for (int i = 0; i < 50000; ++i) attributes += " a" + std::to_string(i) + "='0'";
  EXPECT_EQ(refusal("<link name='a'" + attributes + "/>"),
            "line 1: an element's attributes take more than 16384 bytes");
}

TEST_F(Urdf, ReadsTheFrankaArm) {
  const fs::path file = fs::path(ABUT_SHARED_DIR) / "data/robots/franka/fer.urdf";
  if (!fs::exists(file)) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
  const Robot robot = read_urdf(file);
  EXPECT_EQ(robot.links.size(), 13U);
  ASSERT_EQ(robot.warnings.size(), 1U);
  EXPECT_EQ(robot.warnings[0],
            "link 'link4': its principal moments 0.0036799377178219463, 0.007955535978352898, "
            "0.012736612493825163 kg m^2 violate the triangle inequality");
  EXPECT_EQ(robot.collisions.size(), 17U);
  const Tree tree(robot.links);
  EXPECT_EQ(tree.nv(), 9);
  EXPECT_EQ(MimicMap(tree).nv(), 8);
  EXPECT_EQ(tree.link(tree.find_joint("finger_joint2")).joint.mimic->link, tree.find_joint("finger_joint1"));
}

}  // namespace
}  // namespace abut::dynamics
