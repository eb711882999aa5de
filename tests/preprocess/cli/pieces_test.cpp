#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
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

// Rows of a CSV text, each with its fields.
std::vector<std::vector<std::string>> table(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string>& row = rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
  }
  return rows;
}

// Of two rings, apart and one within the other's hole and wall.
TEST_F(PieceOptions, SeparationsOfPiecesBoundTheTranslationalDepth) {
  write("thing.obj", torus(0.05, 0.015, 20, 10));
  ASSERT_EQ(make({"--pieces", "auto", "--piece-error", "0.004", "--quads", "none"}).code, 0);
  const std::string poses = (folder_ / "poses.csv").string();
  std::ofstream(poses) << "objA,objB,qw,qx,qy,qz,tx,ty,tz\nthing,thing,1,0,0,0,0.3,0,0\n"
                          "thing,thing,0.7071,0.7071,0,0,0.075,0,0\n";  // linked rings
  const auto ask = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{ABUT_QUERY_PROGRAM, out_.string(), poses};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return table(result.out);
  };
  const auto rows = ask({"--model", "pieces"});
  ASSERT_EQ(rows.size(), 3U);
  const auto column = [&](const std::string& name) {
    const auto found = std::find(rows[0].begin(), rows[0].end(), name);
    EXPECT_NE(found, rows[0].end()) << name;
    return static_cast<std::size_t>(found - rows[0].begin());
  };
  const std::size_t sd = column("sd"), lower = column("depth_lower"), upper = column("depth_upper");
  ASSERT_LT(upper, rows[0].size());
  EXPECT_EQ(column("status"), upper + 1);
  EXPECT_GT(std::stod(rows[1][sd]), 0);
  EXPECT_EQ(rows[1][lower] + rows[1][upper], "nannan");
  EXPECT_NEAR(std::stod(rows[2][lower]), -std::stod(rows[2][sd]), 1e-7);
  EXPECT_GT(std::stod(rows[2][lower]), 1e-3);
  EXPECT_GT(std::stod(rows[2][upper]), 2 * std::stod(rows[2][lower]));
  for (const std::vector<std::string>& others : {std::vector<std::string>{"--model", "surface"},
                                                 {},
                                                 {"--model", "pieces", "--what", "derivative"},
                                                 {"--model", "pieces", "--all-contacts"}}) {
    const auto names = ask(others).at(0);
    EXPECT_EQ(std::find(names.begin(), names.end(), "depth_lower"), names.end());
  }
}

// By the call and with the setting of surfaces; without effect elsewhere, the setting is refused.
TEST_F(PieceOptions, DistancesOfPiecesAreSmoothedByTemperature) {
  write("thing.obj", torus(0.05, 0.015, 20, 10));
  ASSERT_EQ(make({"--pieces", "auto", "--piece-error", "0.004", "--quads", "none"}).code, 0);
  const std::string poses = (folder_ / "poses.csv").string();
  std::ofstream(poses) << "objA,objB,qw,qx,qy,qz,tx,ty,tz\nthing,thing,0.8,0,0.6,0,0.13,0.01,0.02\n";
  const auto ask = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{ABUT_QUERY_PROGRAM, out_.string(), poses, "--model", "pieces"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  double before = 0;  // how far the blend is below the distance, m
  for (const char* const temperature : {"1e-5", "1e-3", "1e-2"}) {
    const CommandResult result = ask({"--what", "smoothed_derivative", "--temperature", temperature});
    ASSERT_EQ(result.code, 0) << result.err;
    const auto rows = table(result.out);
    ASSERT_EQ(rows.size(), 2U);
    const auto number = [&](const std::string& name) {
      const auto found = std::find(rows[0].begin(), rows[0].end(), name);
      EXPECT_NE(found, rows[0].end()) << name;
      return std::stod(rows[1].at(static_cast<std::size_t>(found - rows[0].begin())));
    };
    const double below = number("sd") - number("soft_sd");
    EXPECT_GE(below, before) << temperature;
    EXPECT_NEAR(std::hypot(number("soft_nx"), number("soft_ny"), number("soft_nz")), 1, 1e-12);
    before = below;
  }
  EXPECT_GT(before, 1e-4);
  const CommandResult refused = ask({"--what", "derivative", "--temperature", "1e-3"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "--temperature has no effect on exact distances of --model pieces"))
      << refused.err;
  EXPECT_TRUE(contains(run({ABUT_QUERY_PROGRAM, "--help"}).out, "Settings of --model pieces"));
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
