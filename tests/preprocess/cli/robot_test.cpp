// abut-preprocess urdf as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "runtime/asset/reader.h"
#include "runtime/core/error.h"
#include "runtime/dynamics/system/scene_file.h"
#include "runtime/dynamics/system/system.h"
#include "tests/preprocess/cli/command_runner.h"
#include "tests/support/shapes.h"

namespace {

using namespace abut;
using namespace abut::test;

const std::string kSolid =
    "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
const std::string kHinge = "<axis xyz='0 0 1'/>";

std::string collision(const std::string& geometry) {
  return "<collision><origin xyz='0 0 1'/><geometry>" + geometry + "</geometry></collision>";
}
std::string link(const std::string& name, const std::string& inside) {
  return "<link name='" + name + "'>" + inside + "</link>";
}
std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& inside = kHinge, const std::string& type = "continuous") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" +
         child + "'/>" + inside + "</joint>";
}

class RobotCommand : public CommandTest {
 protected:
  std::string urdf() const { return (data_ / "arm.urdf").string(); }
  // Without what takes long to make.
  CommandResult made(const std::string& inside) const {
    write("arm.urdf", "<?xml version='1.0'?><robot name='my arm'>" + inside + "</robot>");
    return command({"urdf", urdf(), out_.string(), "--tets", "none", "--quads", "none"});
  }
  dynamics::Scene scene(const std::string& name) const {
    return dynamics::read_scene((out_ / name).string(), [&](const std::string& asset_name) {
      return body::Geometry(asset::load(asset(asset_name)));
    });
  }
};

// Where a shape's hull begins and ends along an axis, m.
std::pair<double, double> extent(const dynamics::Shape& shape, int axis) {
  const asset::ConvexView& hull = shape.geometry.convex();
  const double* x = axis == 0 ? hull.x : axis == 1 ? hull.y : hull.z;
  const auto [low, high] = std::minmax_element(x, x + hull.vertex_count);
  return {*low, *high};
}

TEST_F(RobotCommand, MeshesAreAssetsThatTheSceneFinds) {
  preprocess::TriangleMesh bar = box(0.2, 0.1, 0.05);
  for (Eigen::Vector3d& vertex : bar.vertices) vertex.y() += 0.3;
  std::filesystem::create_directories(data_ / "a");
  std::filesystem::create_directories(data_ / "b");
  write("a/bar.obj", bar);
  write("b/bar.obj", box(0.1, 0.1, 0.1));
  const std::string package = data_.filename().string();
  const CommandResult result = made(
      link("base", "<visual><geometry><mesh filename='seen.dae'/></geometry></visual>" +
                       collision("<mesh filename='a/bar.obj'/>") + collision("<box size='2 4 6'/>")) +
      link("one",
           kSolid +
               collision("<mesh filename='package://" + package + "/b/bar.obj' scale='1e-1 1e-1 1e-1'/>") +
               collision("<mesh filename='a/bar.obj' scale='1 -1 2'/>")) +
      link("two", kSolid + collision("<mesh filename='a/bar.obj'/>") + collision("<sphere radius='3'/>")) +
      joint("turn", "base", "one") +
      joint("lift", "one", "two", kHinge + "<mimic joint='turn' multiplier='-2'/>"));
  ASSERT_EQ(result.code, 0) << result.err << result.out;
  EXPECT_TRUE(contains(result.out, "two   lift, revolute on one, mimics turn")) << result.out;
  EXPECT_TRUE(contains(result.out, "asset bar, box")) << result.out;
  // The default integrator takes surfaces; the models of `implicit` take points or volumes.
  EXPECT_TRUE(contains(
      result.out, "next: abut-sim " + (out_ / "arm.scn").string() + " --assets " + out_.string() + " --out "))
      << result.out;
  const dynamics::Scene scene = this->scene("arm.scn");
  const dynamics::System system(scene);
  ASSERT_EQ(system.body_count(), 3u);
  ASSERT_EQ(system.body(1).shapes.size(), 2u);
  EXPECT_EQ(system.body(0).shapes[0].geometry.id(), system.body(2).shapes[0].geometry.id());
  EXPECT_NEAR(extent(system.body(0).shapes[0], 1).second, 0.35, 1e-12);
  EXPECT_NEAR(extent(system.body(1).shapes[0], 1).second, 0.005, 1e-12);
  EXPECT_NEAR(extent(system.body(1).shapes[1], 1).first, -0.35, 1e-12);
  EXPECT_NEAR(extent(system.body(1).shapes[1], 2).second, 0.05, 1e-12);
  EXPECT_GT(system.body(1).shapes[1].geometry.mass().volume, 0);  // mirrored, its outside is out
  EXPECT_EQ(system.body(2).joint->joint.mimic->multiplier, -2);
  // Nothing is made again, and OUT stands alone.
  std::filesystem::remove_all(data_ / "a");
  EXPECT_EQ(this->scene("arm.scn").bodies.size(), 3u);
}

std::string ascii_stl(const preprocess::TriangleMesh& mesh) {
  std::ostringstream text;
  text << "solid part\n";
  for (const preprocess::Triangle& triangle : mesh.triangles) {
    text << "facet normal 0 0 0\nouter loop\n";
    for (const int v : triangle)
      text << "vertex " << mesh.vertices[static_cast<std::size_t>(v)].transpose() << "\n";
    text << "endloop\nendfacet\n";
  }
  text << "endsolid part\n";
  return text.str();
}

// Names tell the scales apart, and neither size nor vertices are judged before the scale is taken.
TEST_F(RobotCommand, AMeshInMillimetresAtTwoScales) {
  write("link.stl", ascii_stl(box(200, 100, 50)));
  const std::string robot =
      link("base", collision("<mesh filename='link.stl' scale='0.001 0.001 0.001'/>") +
                       collision("<mesh filename='link.stl' scale='0.001 0.001 0.0003'/>"));
  const CommandResult result = made(robot);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "asset link_0.001, asset link_0.001x0.001x0.0003")) << result.out;
  for (const std::string& text : {result.out, result.err})
    for (const char* word : {"measures", "duplicated", "would name"})
      EXPECT_FALSE(contains(text, word)) << text;
  EXPECT_NEAR(asset::load(asset("link_0.001x0.001x0.0003")).mass.volume, 0.2 * 0.1 * 0.015, 1e-9);
  // A scene that names the robot's own file is told the one to name instead, which is there.
  std::ofstream(out_ / "raw.scn") << "robot r " << urdf() << " 0 0 0 1 0 0 0\n";
  std::ofstream(out_ / "made.scn") << "robot r arm.urdf 0 0 0 1 0 0 0\n";
  try {
    (void)scene("raw.scn");
    ADD_FAILURE() << "meshes with a scale were taken for assets";
  } catch (const InvalidInput& error) {
    EXPECT_TRUE(contains(error.what(), "link.stl: is scaled")) << error.what();
    EXPECT_TRUE(contains(error.what(), "`abut-preprocess urdf " + urdf() + " OUT`")) << error.what();
    EXPECT_TRUE(contains(error.what(), "OUT/arm.urdf")) << error.what();
  }
  EXPECT_NO_THROW((void)scene("made.scn"));
  const CommandResult large = made(link("base", collision("<mesh filename='link.stl' scale='1 1 2'/>")));
  EXPECT_TRUE(contains(large.out + large.err, "are its units millimetres?")) << large.out << large.err;
}

// Two robots with one mesh at different scales.
TEST_F(RobotCommand, AnotherRobotsScaleIsNotTaken) {
  write("link.stl", ascii_stl(box(200, 100, 50)));
  const auto scaled = [](const std::string& s) {
    return link("base", collision("<mesh filename='link.stl' scale='" + s + " " + s + " " + s + "'/>"));
  };
  ASSERT_EQ(made(scaled("0.001")).code, 0);
  const auto other = [&](std::vector<std::string> more) {
    write("other.urdf", "<robot name='other'>" + scaled("0.002") + "</robot>");
    more.insert(more.begin(), {"urdf", (data_ / "other.urdf").string(), out_.string(), "--tets", "none",
                               "--quads", "none"});
    return command(more);
  };
  const CommandResult refused = other({});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "link.h5 was made at a scale of 0.001, this robot has ")) << refused.err;
  EXPECT_NEAR(asset::load(asset("link")).mass.volume, 1e-3, 1e-9);
  EXPECT_EQ(other({"--force"}).code, 0);
  EXPECT_NEAR(asset::load(asset("link")).mass.volume, 8e-3, 1e-9);
}

// Two robots with meshes of one name, beside a scene that has none of their assets in its folder of assets.
TEST_F(RobotCommand, RobotsBringTheirAssetsWithThem) {
  const std::filesystem::path out = out_;
  std::string robots;
  for (const double length : {0.1, 0.2}) {
    out_ = out / std::to_string(length);
    write("bar.obj", box(length, 0.1, 0.05));
    ASSERT_EQ(made(link("base", collision("<mesh filename='bar.obj'/>"))).code, 0);
    robots +=
        "robot " + std::to_string(length) + " " + out_.filename().string() + "/arm.urdf  0 0 0  1 0 0 0\n";
  }
  std::ofstream(out / "two.scn") << robots;
  const dynamics::Scene scene = dynamics::read_scene(
      (out / "two.scn").string(),
      [](const std::string& name) -> body::Geometry { throw InvalidInput("asked for " + name); });
  ASSERT_EQ(scene.bodies.size(), 2u);
  EXPECT_NEAR(extent(scene.bodies[0].shapes[0], 0).second, 0.05, 1e-12);
  EXPECT_NEAR(extent(scene.bodies[1].shapes[0], 0).second, 0.1, 1e-12);
  EXPECT_EQ(scene.robot_files.size(), 4u);
}

// What reads a stretched mesh is within the limits of one object, as what reads any other.
TEST_F(RobotCommand, StretchedMeshesAreReadWithinTheLimits) {
  write("ball.obj", sphere(0.05, 6));
  write("arm.urdf", "<robot name='arm'>" +
                        link("base", collision("<mesh filename='ball.obj' scale='1 1 2'/>")) + "</robot>");
  const CommandResult result =
      command({"urdf", urdf(), out_.string(), "--tets", "none", "--quads", "none", "--timeout", "0.001"});
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(contains(result.err, "ball.obj: timed out in stage 'read'") ||
              contains(result.err, "ball.obj: timed out before its first stage"))
      << result.err;
}

TEST_F(RobotCommand, ASecondRunIsUpToDate) {
  write("bar.obj", box(0.2, 0.1, 0.05));
  const std::string robot = link("base", collision("<mesh filename='bar.obj'/>") +
                                             collision("<mesh filename='bar.obj' scale='1 1 -1'/>"));
  ASSERT_EQ(made(robot).code, 0);
  const CommandResult again = made(robot);
  EXPECT_EQ(again.code, 0);
  EXPECT_TRUE(contains(again.out, "0 made, 2 up to date, 0 failed")) << again.out;
}

// A second robot's mesh of a name that is there already: neither asset nor copy of the first is replaced.
TEST_F(RobotCommand, AnotherRobotsAssetsAreNotReplaced) {
  const std::string robot = "<robot name='arm'>" + link("base", collision("<mesh filename='link.obj'/>")) +
                            link("tip", kSolid + collision("<mesh filename='link.obj' scale='1 2 1'/>")) +
                            joint("turn", "base", "tip") + "</robot>";
  const auto made_of = [&](const std::string& file, std::vector<std::string> more = {}) {
    more.insert(more.begin(),
                {"urdf", (data_ / file).string(), out_.string(), "--tets", "none", "--quads", "none"});
    return command(more);
  };
  for (const char* folder : {"r1--a", "r2"}) std::filesystem::create_directories(data_ / folder);
  write("r1--a/link.obj", box(0.1, 0.1, 0.1));
  write("r2/link.obj", box(0.1, 0.1, 0.2));
  write("r1--a/first.urdf", robot);
  write("r2/second.urdf", robot);
  ASSERT_EQ(made_of("r1--a/first.urdf").code, 0);
  const CommandResult second = made_of("r2/second.urdf");
  EXPECT_EQ(second.code, 1) << second.out;
  for (const char* name : {"link", "link_1x2x1"}) {
    EXPECT_TRUE(contains(second.err, "abut-preprocess: error: " + asset(name) + " was made of "))
        << second.err;
    EXPECT_NEAR(asset::load(asset(name)).mass.volume, std::string(name) == "link" ? 1e-3 : 2e-3, 1e-9)
        << name;
  }
  EXPECT_TRUE(contains(second.err, (data_ / "r1--a/link.obj").string() + ", this is " +
                                       (data_ / "r2/link.obj").string() + ": give another OUT"))
      << second.err;
  EXPECT_TRUE(contains(second.out, "second.urdf is not written")) << second.out;
  EXPECT_FALSE(std::filesystem::exists(out_ / "second.urdf"));
  EXPECT_TRUE(contains(made_of("r1--a/first.urdf").out, "0 made, 2 up to date, 0 failed"));
  // A file of the same name is another robot's, unless it is the same or the other is gone.
  write("r2/first.urdf", robot);
  EXPECT_EQ(made_of("r2/first.urdf").code, 1);
  write("r2/first.urdf", "<robot name='other'><link name='base'/></robot>");
  const CommandResult same_name = made_of("r2/first.urdf");
  EXPECT_EQ(same_name.code, 2);
  EXPECT_TRUE(contains(same_name.err, (out_ / "first.urdf").string() + " was made of " +
                                          (data_ / "r1--a/first.urdf").string() + ", this is "))
      << same_name.err;
  EXPECT_EQ(made_of("r2/second.urdf", {"--force"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(out_ / "second.urdf"));
  std::filesystem::remove_all(data_ / "r1--a");
  EXPECT_EQ(made_of("r2/first.urdf").code, 0);
}

// What is printed last is run by a shell as it stands, in a folder whose name it would take apart.
TEST_F(RobotCommand, TheNextLineRunsInAShell) {
  write("bar.obj", box(0.2, 0.1, 0.05));
  out_ = folder_ / "my $(robot)'s \"out\"; & *";
  for (const std::vector<std::string>& parts :
       {std::vector<std::string>{"--quads", "none"}, {"--quads", "40"}}) {
    write("arm.urdf", "<robot name='my arm'>" + link("base", kSolid) +
                          link("one", kSolid + collision("<mesh filename='bar.obj'/>")) +
                          joint("turn", "base", "one") + "</robot>");
    std::vector<std::string> words{"urdf", urdf(), out_.string(), "--tets", "none"};
    words.insert(words.end(), parts.begin(), parts.end());
    const CommandResult made = command(words);
    ASSERT_EQ(made.code, 0) << made.err;
    const std::size_t at = made.out.find("next: abut-sim ");
    ASSERT_NE(at, std::string::npos) << made.out;
    const std::string line = ABUT_SIM_PROGRAM + made.out.substr(at + std::string("next: abut-sim").size());
    const CommandResult moved = run({"/bin/sh", "-c", line});
    EXPECT_EQ(moved.code, 0) << line << moved.err;
    EXPECT_TRUE(std::filesystem::exists(out_ / "arm.html")) << line;
  }
}

TEST_F(RobotCommand, AMeshOfWhichNoAssetIsMadeIsTold) {
  write("bad.obj", "v 0 0 0\n");
  write("bar.obj", box(0.2, 0.1, 0.05));
  const CommandResult result =
      made(link("base", collision("<mesh filename='bad.obj'/>") + collision("<mesh filename='bar.obj'/>")));
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(contains(result.out, "asset bad MISSING, asset bar")) << result.out;
  EXPECT_FALSE(contains(result.out, "next:")) << result.out;
}

TEST_F(RobotCommand, BrokenFilesAreOneLineAndLeaveNothing) {
  const std::string two = link("a", "") + link("b", kSolid);
  const auto inertial = [](const std::string& ixx) {
    return "<inertial><mass value='1'/><inertia ixx='" + ixx +
           "' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
  };
  for (const auto& [inside, message] : std::vector<std::pair<std::string, std::string>>{
           {link("r", "") + two + joint("1", "a", "b") + joint("2", "b", "a"), "links in a loop: 'a', 'b'"},
           {two, "Two root links found: [a] and [b]"},
           {link("a", collision("<mesh filename='none.stl'/>")) +
                link("b", collision("<mesh filename='package://x/nor.stl'/>")) +
                joint("1", "a", "b", "", "fixed"),
            "link 'a': a collision shape names a mesh that is missing: 'none.stl'; link 'b': a collision "
            "shape "
            "names a mesh that is missing: 'package://x/nor.stl'; a package is a folder of its name"},
           {link("a", "") + link("b", "") + joint("1", "a", "b"),
            "link 'b' moves, and neither it nor what it carries has a positive definite inertia"},
           {link("a", "") + link("b", inertial("-1")) + joint("1", "a", "b"),
            "link 'b' has an indefinite inertia"},
           {link("a", "") + link("b", inertial("1e300")) + joint("1", "a", "b"),
            "link 'b' has a mass or a moment of inertia above 1e100"},
           {two + joint("1", "a", "b", "", "screw"), "Joint [1] has no known type [screw]"},
           {two + joint("1", "a", "b", kHinge + "<mimic joint='2'/>"),
            "joint '1' mimics '2', which there is not"},
           {two + joint("1", "a", "nobody"), "child link [nobody] of joint [1] not found"}}) {
    const CommandResult refused = made(inside);
    EXPECT_EQ(refused.code, 2) << message;
    EXPECT_TRUE(contains(refused.err, urdf() + ": ")) << refused.err;
    EXPECT_TRUE(contains(refused.err, message)) << refused.err;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    EXPECT_TRUE(files().empty()) << message;
  }
  write("zero.obj", box(1, 1, 1));
  std::ofstream(urdf()) << "<robot name='a&#10;b'>" + link("a", collision("<mesh filename='zero.obj'/>")) +
                               "</robot>";
  const CommandResult named = command({"urdf", urdf(), out_.string()});
  EXPECT_EQ(named.code, 2);
  EXPECT_TRUE(contains(named.err, urdf() + ": the robot: its name has an end of line")) << named.err;
  EXPECT_TRUE(files().empty());
  EXPECT_TRUE(contains(made(link("a", collision("<mesh filename='zero.obj' scale='1 0 1'/>"))).err,
                       "link 'a': a collision shape has a scale of zero"));
  EXPECT_EQ(command({"urdf", urdf(), data_.string()}).code, 2);  // would replace the file itself
  EXPECT_EQ(command({"urdf", urdf(), out_.string(), "--scale", "2"}).code, 2);
}

TEST_F(RobotCommand, TheFrankaArmIsReadyForScenes) {
  const std::filesystem::path file = std::filesystem::path(ABUT_SHARED_DIR) / "data/robots/franka/fer.urdf";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
  const CommandResult result =
      command({"urdf", file.string(), out_.string(), "--tets", "none", "--quads", "none"});
  ASSERT_EQ(result.code, 0) << result.err << result.out;
  EXPECT_TRUE(contains(result.out, "asset hand")) << result.out;
  EXPECT_TRUE(contains(result.out, "4 x box")) << result.out;
  EXPECT_TRUE(contains(result.out, "warning: link 'link4'")) << result.out;
  const dynamics::System system(scene("fer.scn"));
  ASSERT_EQ(system.body_count(), 10u);
  std::size_t shapes = 0;
  for (std::size_t i = 0; i < system.body_count(); ++i) shapes += system.body(i).shapes.size();
  EXPECT_EQ(shapes, 17u);
}

}  // namespace
