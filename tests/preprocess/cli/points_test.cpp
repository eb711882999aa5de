#include <gtest/gtest.h>

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

}  // namespace
