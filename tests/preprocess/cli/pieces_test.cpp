#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "command_runner.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "tests/support/runs.h"
#include "tests/support/shapes.h"

// Convex pieces from the command line.
namespace {

using namespace abut;
using namespace abut::test;

using PieceOptions = CommandTest;

TEST_F(PieceOptions, PiecesAreMadeVerifiedInspectedAndExported) {
  write("thing.obj", torus(0.05, 0.015, 20, 10));
  ASSERT_EQ(make({"--pieces", "auto", "--piece-error", "0.004", "--quads", "none"}).code, 0);
  asset::Asset thing = asset::load(asset("thing"));
  ASSERT_EQ(thing.pieces.size(), 1U);
  ASSERT_GT(thing.convex.size(), 4U);
  const CommandResult verified = command({"verify", asset("thing")});
  EXPECT_EQ(verified.code, 0) << verified.err;
  const std::string text = command({"inspect", asset("thing")}).out;
  for (const char* words :
       {"pieces  ", "convex pieces", "pairs of neighbours", "they reach", "pieces_outward_m", "pieces.error"})
    EXPECT_TRUE(contains(text, words)) << text;
  EXPECT_EQ(command({"inspect", asset("thing"), "--png", (folder_ / "thing.png").string()}).code, 0);
  EXPECT_EQ(
      command({"export", asset("thing"), "--part", "pieces", "--out", (folder_ / "pieces.obj").string()})
          .code,
      0);
  EXPECT_EQ(
      command({"export", asset("thing"), "--part", "pieces", "--out", (folder_ / "pieces.ply").string()})
          .code,
      0);

  const std::vector<double> errors = thing.pieces[0].errors;
  thing.pieces[0].errors = {errors[0], errors[1] / 10};
  asset::save(thing, asset("thing"));
  const CommandResult less = command({"verify", asset("thing")});
  EXPECT_EQ(less.code, 1);
  EXPECT_TRUE(contains(less.err, "they leave out")) << less.err;
  thing.pieces[0].errors = {errors[0] / 10, errors[1]};
  asset::save(thing, asset("thing"));
  EXPECT_TRUE(contains(command({"verify", asset("thing")}).err, "they reach"));
}

// The height of a body's frame at the end of a trajectory, m.
double last_height(const std::string& trajectory, const std::string& body) {
  const std::size_t at = trajectory.rfind("," + body + ",");
  double x = 0, y = 0, z = std::nan("");
  if (at == std::string::npos) return z;
  std::sscanf(trajectory.c_str() + at + body.size() + 2, "%lf,%lf,%lf", &x, &y, &z);
  return z;
}

// The example scene: a hull would close the handle and the inside.
TEST_F(PieceOptions, AMugHangsByItsHandleAndHoldsABall) {
  ASSERT_EQ(command({"synthetic", data_.string()}).code, 0);
  ASSERT_EQ(make({"--only", "005*", "--pieces", "auto", "--quads", "none"}).code, 0);
  const auto simulate = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{ABUT_SIM_PROGRAM, ABUT_EXAMPLES_DIR "/scenes/hanging_mug.scn",
                                   "--assets",       out_.string(),
                                   "--every",        "1"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  const CommandResult one = simulate({"--model", "pieces", "--jobs", "1"});
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_GT(last_height(one.out, "hanging"), 0.23);          // the peg is at 0.3
  EXPECT_NEAR(last_height(one.out, "ball"), 0.026, 1.5e-3);  // on the floor of the mug
  for (const char* jobs : test::fewer_if_sanitized(std::vector<const char*>{"2", "3"}))
    EXPECT_EQ(simulate({"--model", "pieces", "--jobs", jobs}).out, one.out);

  const CommandResult forces = simulate({"--model", "pieces", "--integrator", "implicit"});
  EXPECT_EQ(forces.code, 2);
  EXPECT_TRUE(contains(forces.err, "pieces")) << forces.err;
  ASSERT_EQ(make({"--only", "005*", "--quads", "none", "--force"}).code, 0);
  const CommandResult none = simulate({"--model", "pieces"});
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(contains(none.err, "body 'hanging' has no convex pieces")) << none.err;
}

TEST_F(PieceOptions, NoneIsTheDefaultAndBadNumbersAreRefused) {
  write("thing.obj", box(0.1, 0.08, 0.06));
  for (const char* count : {"0", "-1", "many", "", "2000", "1e999"})
    EXPECT_EQ(make({"--pieces", count}).code, 2) << count;
  for (const char* error : {"0", "-1", "nan", "inf"})
    EXPECT_EQ(make({"--piece-error", error}).code, 2) << error;
  EXPECT_EQ(make({"--piece-vertices", "3"}).code, 2);
  EXPECT_TRUE(files().empty());
  ASSERT_EQ(make({"--quads", "none"}).code, 0);
  EXPECT_TRUE(asset::load(asset("thing")).pieces.empty());
  EXPECT_EQ(command({"export", asset("thing"), "--part", "pieces", "--out", "x.obj"}).code, 2);
}

}  // namespace
