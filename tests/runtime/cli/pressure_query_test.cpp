// abut-query --model pressure_field: materials, rigid primitives, half-spaces, energy, surfaces.
#include <gtest/gtest.h>

#include "runtime/contact/pressure_field.h"
#include "runtime/contact/rigid_primitive.h"
#include "runtime/math/adjoint.h"
#include "tests/runtime/cli/query_fixture.h"

namespace {

using namespace abut;
using namespace abut::test;
using contact::PairWrench;
using contact::Want;

const Vec6<double> kStill = Vec6<double>::Zero();
const std::string kAsk = "assets poses.csv --what wrench --model pressure_field";

const Pose<double> kPose{exp_rotation<double>({0.3, -0.2, 0.5}), {0.07, 0.01, -0.02}};

class PressureQuery : public Query {
 protected:
  asset::AssetView view(const std::string& name) { return asset::view(assets.at(name)); }

  // The answers to the row are those of the library.
  static void expect(const Outcome& got, const PairWrench& w, const Pose<double>& X_AB) {
    ASSERT_EQ(got.exit_code, 0) << got.err;
    const auto rows = table(got.out);
    ASSERT_EQ(rows.size(), 2U);
    const Vec6<double> on_A = -shift_wrench(X_AB, w.F_BBo_B);
    ASSERT_GT(on_A.norm(), 0);
    EXPECT_NEAR(std::stod(rows[1][10]), w.area, 1e-12 * w.area);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(std::stod(rows[1][11 + k]), on_A[3 + k], 1e-12 * on_A.norm()) << k;
      EXPECT_NEAR(std::stod(rows[1][14 + k]), on_A[k], 1e-12 * on_A.norm()) << k;
    }
  }
};

TEST_F(PressureQuery, MaterialsAndMotionOfTheCommandLine) {
  Vec6<double> V;
  V << 0.1, -0.2, 0.3, 0.02, -0.03, 0.01;
  contact::PressureFieldConfig config;
  config.A = {2e6, 0.1, 0.4};
  config.B = {5e6, 0.3, 0.6};
  config.stiction_speed = 0.02;
  const asset::AssetView A = view("ball"), B = view("egg");
  std::string row = pose_row(0, "ball,egg", kPose);
  row.back() = ',';
  const std::string poses =
      "idx,objA,objB,qw,qx,qy,qz,tx,ty,tz,wx,wy,wz,vx,vy,vz\n" + row + "0.1,-0.2,0.3,0.02,-0.03,0.01\n";
  const std::string flags =
      " --modulus-a 2e6 --modulus-b 5e6 --dissipation-a 0.1 --dissipation-b 0.3 --mu-a 0.4 --mu-b 0.6 "
      "--stiction-speed 0.02";
  const Outcome got = run(kAsk + flags, poses);
  expect(got, contact::make_pressure_field_model(config)->wrench({&A, &B, kPose}, kStill, V, Want::kValue),
         kPose);
  // At rest they are another answer.
  EXPECT_NE(run(kAsk + flags, header + pose_row(0, "ball,egg", kPose)).out, got.out);
  config.fade_pulls = true;
  expect(run(kAsk + flags + " --fade-pulls", poses),
         contact::make_pressure_field_model(config)->wrench({&A, &B, kPose}, kStill, V, Want::kValue), kPose);
}

TEST_F(PressureQuery, PrimitivesAndHalfSpaces) {
  const asset::AssetView egg = view("egg");
  contact::PressureFieldConfig rigid_A, rigid_B;
  rigid_A.A.modulus = rigid_B.B.modulus = contact::kRigid;
  const asset::Asset sphere = contact::rigid_primitive(witness::Capsule<double>{0, 0.05}, 5e-5),
                     box = contact::rigid_primitive(witness::Box<double>{{0.05, 0.04, 0.06}}, 1e-6),
                     capsule = contact::rigid_primitive(witness::Capsule<double>{0.02, 0.05}, 5e-5),
                     cylinder = contact::rigid_primitive(witness::Cylinder<double>{0.02, 0.05}, 5e-5);
  const std::pair<const char*, const asset::Asset*> bodies[] = {{"@sphere:0.05", &sphere},
                                                                {"@box:0.05:0.04:0.06", &box},
                                                                {"@capsule:0.05:0.02", &capsule},
                                                                {"@cylinder:0.05:0.02", &cylinder}};
  for (const auto& [name, asset] : bodies) {
    const asset::AssetView rigid = asset::view(*asset);
    expect(run(kAsk, header + pose_row(0, std::string("egg,") + name, kPose)),
           contact::make_pressure_field_model(rigid_B)->wrench({&egg, &rigid, kPose}, kStill, kStill), kPose);
    expect(run(kAsk, header + pose_row(0, std::string(name) + ",egg", kPose)),
           contact::make_pressure_field_model(rigid_A)->wrench({&rigid, &egg, kPose}, kStill, kStill), kPose);
  }
  const Pose<double> below{exp_rotation<double>({0.1, 0.2, 0.3}), {0.01, 0.02, -0.03}};
  const std::string row = header + pose_row(0, "egg,@half_space", below);
  expect(run(kAsk, row), contact::half_space_wrench(egg, {}, below, kStill, kStill), below);
  expect(run(kAsk + " --half-space-thickness 0.02", row),
         contact::half_space_wrench(egg, {0.02}, below, kStill, kStill), below);
  expect(run(kAsk + " --rigid-b", row), contact::half_space_wrench(egg, {}, below, kStill, kStill, rigid_B),
         below);
}

TEST_F(PressureQuery, EnergyIsAColumnWhenAsked) {
  const asset::AssetView A = view("ball"), B = view("egg");
  const double expected =
      contact::make_pressure_field_model()->wrench({&A, &B, kPose}, kStill, kStill, Want::kEnergy).energy;
  ASSERT_GT(expected, 0);
  for (const std::string what : {"wrench", "wrench_derivative"}) {
    const Outcome got = run("assets poses.csv --energy --model pressure_field --what " + what,
                            header + pose_row(0, "ball,egg", kPose));
    ASSERT_EQ(got.exit_code, 0) << got.err;
    const auto rows = table(got.out);
    EXPECT_EQ(rows[0][17], "energy");
    EXPECT_NEAR(std::stod(rows[1][17]), expected, 1e-12 * expected);
    EXPECT_EQ(rows[0].size(), what == "wrench" ? 19U : 55U);
  }
}

TEST_F(PressureQuery, SurfacesOfEveryRowAsFiles) {
  const std::string poses = header + pose_row(0, "ball,egg", kPose) + "1,ball,egg,1,0,0,0,nan,0,0\n" +
                            pose_row(2, "ball,@sphere:0.03", kPose);
  EXPECT_EQ(run(kAsk + " --surfaces s/deep", poses).exit_code, 1);
  EXPECT_TRUE(contents(folder / "s/deep/0.vtk").starts_with("# vtk DataFile Version 3.0"));
  EXPECT_FALSE(fs::exists(folder / "s/deep/1.vtk"));
  EXPECT_NE(contents(folder / "s/deep/2.vtk").find("SCALARS pressure double 1"), std::string::npos);
  EXPECT_EQ(run(kAsk + " --surfaces t --surface-format ply", poses).exit_code, 1);
  EXPECT_TRUE(contents(folder / "t/2.ply").starts_with("ply\n"));
}

TEST_F(PressureQuery, FaultsNameTheFlagOrTheBody) {
  const std::string row = "0,ball,egg,1,0,0,0,0.07,0,0\n";
  const auto named = [](const std::string& a, const std::string& b) {
    return "0," + a + "," + b + ",1,0,0,0,0.07,0,0\n";
  };
  const struct {
    std::string arguments, row, message;
  } cases[] = {
      {kAsk + " --modulus-a 0", row, "the modulus of A is 0"},
      {kAsk + " --modulus-b -1", row, "the modulus of B is -1"},
      {kAsk + " --mu-a -1", row, "the friction of A"},
      {kAsk + " --rigid-a --rigid-b", row, "both bodies are rigid"},
      {kAsk + " --rigid-b", row, "poses.csv:2: asset (egg) has no surface"},
      {kAsk, row + named("@sphere:0.1", "@sphere:0.1"),
       "poses.csv:3: pressure-field contact: both bodies are rigid"},
      {kAsk, named("@half_space", "egg"),
       "poses.csv:2: (@half_space) as objA; a half-space must be objB: exchange"},
      {kAsk + " --rigid-a", named("egg", "@half_space"), "poses.csv:2: asset (egg) has no surface"},
      {kAsk, named("egg", "@ball:1"), "poses.csv:2: (@ball:1) is no body"},
      {kAsk, named("egg", "@sphere:x"), "(@sphere:x) is no body"},
      {kAsk, named("egg", "@sphere:-1"),
       "poses.csv:2: (@sphere:-1): rigid primitive: its sizes must be positive"},
      {kAsk, named("egg", "@sphere:1e-6"),
       "poses.csv:2: (@sphere:1e-6): the radius must be at least 2e-06 m"},
      {"assets poses.csv --what wrench --model point --mu-a 1", row,
       "--mu-a goes with --model pressure_field"},
      {"assets poses.csv --surfaces s", row, "--surfaces goes with --model pressure_field"},
      {"assets poses.csv --what wrench --model point", named("egg", "@sphere:0.1"),
       "poses.csv:2: (@sphere:0.1) is no asset but a body given by its sizes, which goes with --model "
       "pressure_field"},
  };
  for (auto c : cases) {
    for (char& letter : c.message)  // the shell's own quotes are in the way of the message's
      if (letter == '(' || letter == ')') letter = '\'';
    const Outcome got = run(c.arguments, header + c.row);
    EXPECT_EQ(got.exit_code, 2) << c.message;
    EXPECT_NE(got.err.find(c.message), std::string::npos) << c.message << "\n" << got.err;
    EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got.err;
  }
  const Outcome partial = run(kAsk, "objA,objB,qw,qx,qy,qz,tx,ty,tz,wx\nball,egg,1,0,0,0,0,0,0,0\n");
  EXPECT_NE(partial.err.find("no column 'wy'"), std::string::npos) << partial.err;
}

}  // namespace
