#include <gtest/gtest.h>

#include <fstream>

#include "command_runner.h"
#include "preprocess/mesh/read.h"
#include "runtime/asset/reader.h"
#include "tests/support/shapes.h"

// Points and quads from the command line.
namespace {

using namespace abut;
using namespace abut::test;

using PointOptions = CommandTest;

TEST_F(PointOptions, LevelsAreMadeVerifiedInspectedAndExported) {
  write("thing.obj", sphere(0.05, 3));
  ASSERT_EQ(make({"--quads", "100,400"}).code, 0);
  EXPECT_EQ(command({"verify", asset("thing")}).code, 0);
  const asset::Asset thing = asset::load(asset("thing"));
  ASSERT_EQ(thing.points.size(), 2U);
  EXPECT_GT(thing.points[0].areas.size(), 2 * thing.points[1].areas.size());
  const std::string text = command({"inspect", asset("thing")}).out;
  EXPECT_TRUE(contains(text, "points 0")) << text;
  EXPECT_TRUE(contains(text, "points1_angle_deviation_degrees")) << text;
  const std::string file = (folder_ / "quads.obj").string();
  ASSERT_EQ(command({"export", asset("thing"), "--part", "quads:1", "--out", file}).code, 0);
  preprocess::Report report;
  EXPECT_EQ(preprocess::read_mesh(file, 1, report).triangles.size(), 2 * thing.points[1].areas.size());
  for (const char* name : {"points.obj", "points.ply", "points.vtk"})
    EXPECT_EQ(
        command({"export", asset("thing"), "--part", "points", "--out", (folder_ / name).string()}).code, 0);
}

TEST_F(PointOptions, NoneMeansNone) {
  write("thing.obj", sphere(0.05, 2));
  ASSERT_EQ(make({"--quads", "none"}).code, 0);
  EXPECT_TRUE(asset::load(asset("thing")).points.empty());
  EXPECT_EQ(
      command({"export", asset("thing"), "--part", "points", "--out", (folder_ / "x.obj").string()}).code, 2);
}

TEST_F(PointOptions, BadTargetsAreRefused) {
  write("thing.obj", sphere(0.05, 2));
  for (const char* target : {"0", "many", "", "500,,600", "1e12"})
    EXPECT_EQ(make({"--quads", target}).code, 2) << target;
  EXPECT_EQ(make({"--edge-length", "-1"}).code, 2);
  EXPECT_TRUE(files().empty());
}

// A plate of 1 mm: the default is finer than 2,000 quads, and says so. An asset of fewer, asked for, warns
// whoever uses its points, once, and nobody else.
TEST_F(PointOptions, TooFewPointsForAWallAreNotTakenUnasked) {
  write("plate.obj", box(0.06, 0.06, 0.001));
  write("block.obj", box(0.02, 0.02, 0.02));
  const std::vector<std::string> by_default = {data_.string(), out_.string(), "--tets", "none"};
  const CommandResult usual = command(by_default);
  ASSERT_EQ(usual.code, 0) << usual.err;
  EXPECT_TRUE(contains(usual.out, "  plate: ")) << usual.out;
  EXPECT_TRUE(contains(usual.out, " quads, as of --quads auto: 2000 have the wrong sign at ")) << usual.out;
  EXPECT_FALSE(contains(usual.out, "  block: ")) << usual.out;
  EXPECT_FALSE(contains(usual.out, "warning:")) << usual.out;
  EXPECT_TRUE(contains(command(by_default).out, "0 made, 2 up to date"));

  const std::string poses = (folder_ / "poses.csv").string(), points = (folder_ / "points.csv").string();
  std::ofstream(poses) << "objA,objB,qw,qx,qy,qz,tx,ty,tz\nplate,block,1,0,0,0,0,0,0.01\n"
                          "plate,block,1,0,0,0,0,0,0.0101\nblock,plate,1,0,0,0,0,0,-0.01\n";
  std::ofstream(points) << "obj,x,y,z\nplate,0,0,0.001\nplate,0,0,0.002\n";
  const auto query = [&](const std::string& file, const std::vector<std::string>& more) {
    std::vector<std::string> words = {ABUT_QUERY_PROGRAM, out_.string(), file, "--what"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.err;
  };
  const std::vector<std::string> potential = {"wrench", "--model", "soft_potential"};
  EXPECT_FALSE(contains(query(poses, potential), "warning"));
  EXPECT_FALSE(contains(query(points, {"ssdf"}), "warning"));

  const CommandResult asked = make({"--quads", "1000", "--only", "plate"});
  ASSERT_EQ(asked.code, 0) << asked.err;
  EXPECT_TRUE(contains(asked.out, "plate: take care: soft distances of its ")) << asked.out;
  EXPECT_TRUE(contains(command({"inspect", asset("plate")}).out, "TAKE CARE    soft distances of its "));
  for (const std::string& told : {query(poses, potential), query(points, {"ssdf"}),
                                  query(poses, {"wrench", "--model", "soft_minimum"})}) {
    const std::string begin = "abut-query: warning: plate: soft distances of its ";
    EXPECT_TRUE(contains(told, begin)) << told;
    EXPECT_TRUE(contains(told, " %")) << told;
    EXPECT_TRUE(contains(told, "--quads auto")) << told;
    EXPECT_EQ(told.find("warning"), told.rfind("warning")) << told;
  }
  EXPECT_FALSE(contains(query(poses, {"separation"}), "warning"));
}

}  // namespace
