#include <gtest/gtest.h>

#include "command_runner.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "tests/support/shapes.h"

// Distance grids from the command line.
namespace {

using namespace abut;
using namespace abut::test;

using GridOptions = CommandTest;

TEST_F(GridOptions, AGridIsMadeVerifiedAndInspected) {
  write("thing.obj", torus(0.05, 0.015, 40, 20));
  ASSERT_EQ(make({"--grid", "auto", "--quads", "500"}).code, 0);
  const CommandResult verified = command({"verify", asset("thing")});
  EXPECT_EQ(verified.code, 0) << verified.err;
  EXPECT_TRUE(contains(verified.out, ": ok; grid 0: off by ")) << verified.out;
  asset::Asset thing = asset::load(asset("thing"));
  ASSERT_EQ(thing.grids.size(), 1U);
  EXPECT_EQ(asset::view(thing).grid.spacing, thing.points[0].spacing[0] / 4);
  EXPECT_EQ(asset::view(thing).grid.reach, thing.points[0].spacing[0] * 2);
  const std::string text = command({"inspect", asset("thing")}).out;
  for (const char* words : {"grid 0", "coefficients in", "between nodes; reaches",
                            "in the mean near the surface", "grid_error_mean_m", "grid.spacing"})
    EXPECT_TRUE(contains(text, words)) << text;

  thing.grids[0].lattice[0] += 0.01;  // a grid beside its object
  asset::save(thing, asset("thing"));
  const auto beside = command({"verify", asset("thing")});
  EXPECT_EQ(beside.code, 1);
  EXPECT_TRUE(contains(beside.err, "grid/0: ")) << beside.err;
  thing.grids[0].lattice[0] -= 0.01;
  thing.grids[0].lattice[4] *= 3;  // one that reaches less far than it says
  asset::save(thing, asset("thing"));
  const auto shorter = command({"verify", asset("thing")});
  EXPECT_EQ(shorter.code, 1);
  EXPECT_TRUE(contains(shorter.err, "within its reach")) << shorter.err;
}

TEST_F(GridOptions, TheSpacingMayBeGivenAndPointsBeAbsent) {
  write("thing.obj", box(0.1, 0.08, 0.06));
  ASSERT_EQ(make({"--grid", "0.004", "--quads", "none"}).code, 0);
  const asset::Asset thing = asset::load(asset("thing"));
  ASSERT_EQ(thing.grids.size(), 1U);
  EXPECT_EQ(asset::view(thing).grid.spacing, 0.004);
  EXPECT_NEAR(asset::view(thing).grid.reach, 2 * std::sqrt(thing.mass.area / 2000), 1e-12);
  EXPECT_EQ(command({"verify", asset("thing")}).code, 0);
}

TEST_F(GridOptions, NoneIsTheDefault) {
  write("thing.obj", sphere(0.05, 2));
  ASSERT_EQ(make({"--quads", "none"}).code, 0);
  EXPECT_TRUE(asset::load(asset("thing")).grids.empty());
  EXPECT_FALSE(contains(command({"inspect", asset("thing")}).out, "grid 0"));
}

TEST_F(GridOptions, BadSpacingsAreRefused) {
  write("thing.obj", sphere(0.05, 2));
  for (const char* spacing : {"0", "-0.001", "fine", "", "nan", "1e999"})
    EXPECT_EQ(make({"--grid", spacing}).code, 2) << spacing;
  EXPECT_TRUE(files().empty());
  const auto outcome = make({"--grid", "1e-6"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "give --grid a greater spacing")) << outcome.err;
}

}  // namespace
