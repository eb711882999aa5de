// abut-query --model pressure_field: materials, rigid primitives, half-spaces, energy, surfaces.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/contact/pressure_field.h"
#include "runtime/math/adjoint.h"
#include "tests/runtime/cli/query_fixture.h"

namespace {

using namespace abut;
using namespace abut::test;
using contact::PairWrench;
using contact::Want;

const std::string kAsk = "assets poses.csv --what wrench --model pressure_field";

const Pose<double> kPose{exp_rotation<double>({0.3, -0.2, 0.5}), {0.07, 0.01, -0.02}};

class PressureQuery : public Query {
 protected:
  // The answers to the row are those of the library.
  static void expect(const Outcome& got, const PairWrench& w, const Pose<double>& X_AB) {
    ASSERT_EQ(got.exit_code, 0) << got.err;
    const auto rows = table(got.out);
    ASSERT_EQ(rows.size(), 2U);
    const Vec6<double> on_A = -shift_wrench(X_AB, w.F_BBo_B);
    ASSERT_GT(on_A.norm(), 0);
    const auto area = std::find(rows[0].begin(), rows[0].end(), "area") - rows[0].begin();
    EXPECT_NEAR(std::stod(rows[1][area]), w.area, 1e-12 * w.area);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(std::stod(rows[1][area + 1 + k]), on_A[3 + k], 1e-12 * on_A.norm()) << k;
      EXPECT_NEAR(std::stod(rows[1][area + 4 + k]), on_A[k], 1e-12 * on_A.norm()) << k;
    }
  }
};

TEST_F(PressureQuery, MaterialsAndMotionOfTheCommandLine) {
  Vec6<double> V;
  V << 0.1, -0.2, 0.3, 0.02, -0.03, 0.01;
  const body::Body A = body("ball", {2e6, 0.1, 0.4}), B = body("egg", {5e6, 0.3, 0.6});
  const body::Pair pair{&A, &B, kPose, V};
  std::string row = pose_row(0, "ball,egg", kPose);
  row.back() = ',';
  const std::string poses =
      "idx,objA,objB,qw,qx,qy,qz,tx,ty,tz,wx,wy,wz,vx,vy,vz\n" + row + "0.1,-0.2,0.3,0.02,-0.03,0.01\n";
  const std::string flags =
      " --modulus-a 2e6 --modulus-b 5e6 --dissipation-a 0.1 --dissipation-b 0.3 --mu-a 0.4 --mu-b 0.6 "
      "--stiction-speed 0.02";
  const Outcome got = run(kAsk + flags, poses);
  contact::PressureFieldSettings settings{.stiction_speed = 0.02};
  expect(got, contact::make_pressure_field_model(settings)->wrench(pair, Want::kValue), kPose);
  // At rest they are another answer.
  EXPECT_NE(run(kAsk + flags, header + pose_row(0, "ball,egg", kPose)).out, got.out);
  settings.fade_pulls = true;
  expect(run(kAsk + flags + " --fade-pulls yes", poses),
         contact::make_pressure_field_model(settings)->wrench(pair, Want::kValue), kPose);
}

TEST_F(PressureQuery, PrimitivesAndHalfSpaces) {
  const body::Body egg = body("egg");
  const body::Material rigid{.modulus = body::kRigid};
  const auto wrench = [](const body::Body& A, const body::Body& B, const Pose<double>& X_AB) {
    return contact::contact_wrench("pressure_field", {&A, &B, X_AB});
  };
  const std::pair<const char*, body::Primitive> bodies[] = {
      {"@sphere:0.05", body::Sphere<double>{0.05}},
      {"@ellipsoid:0.05:0.04:0.06", body::Ellipsoid<double>{{0.05, 0.04, 0.06}}},
      {"@box:0.05:0.04:0.06", body::Box<double>{{0.05, 0.04, 0.06}}},
      {"@capsule:0.05:0.02", body::Capsule<double>{0.02, 0.05}},
      {"@cylinder:0.05:0.02", body::Cylinder<double>{0.02, 0.05}},
      {"@cone:0.09:0.06", body::Cone<double>{0.06, 0.09}}};
  for (const auto& [name, primitive] : bodies) {
    SCOPED_TRACE(name);
    const body::Body other = test::body_of(primitive, rigid);
    expect(run(kAsk, header + pose_row(0, std::string("egg,") + name, kPose)), wrench(egg, other, kPose),
           kPose);
    expect(run(kAsk, header + pose_row(0, std::string(name) + ",egg", kPose)), wrench(other, egg, kPose),
           kPose);
  }
  const body::Body soft = test::body_of(body::Sphere<double>{0.05}, {.modulus = 2e6});
  expect(run(kAsk + " --modulus-b 2e6", header + pose_row(0, "egg,@sphere:0.05", kPose)),
         wrench(egg, soft, kPose), kPose);
  const Pose<double> below{exp_rotation<double>({0.1, 0.2, 0.3}), {0.01, 0.02, -0.03}};
  const std::string row = header + pose_row(0, "egg,@half_space", below);
  const body::Body ground = test::body_of(body::HalfSpace<double>{});
  expect(run(kAsk, row), wrench(egg, ground, below), below);
  expect(run(kAsk, header + pose_row(0, "@half_space,egg", below.inverse())),
         wrench(ground, egg, below.inverse()), below.inverse());
  expect(run(kAsk + " --half-space-thickness 0.02", row),
         wrench(egg, test::body_of(body::HalfSpace<double>{0.02}), below), below);
  expect(run(kAsk + " --rigid-b", row), wrench(egg, test::body_of(body::HalfSpace<double>{}, rigid), below),
         below);
}

TEST_F(PressureQuery, EnergyIsAColumnWhenAsked) {
  const body::Body A = body("ball"), B = body("egg");
  const double expected =
      contact::contact_wrench("pressure_field", {&A, &B, kPose}, {}, Want::kEnergy).energy;
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
  fs::create_directories(folder / "s/deep");
  std::ofstream(folder / "s/deep/1.vtk") << "of an earlier run";
  EXPECT_EQ(run(kAsk + " --surfaces s/deep", poses).exit_code, 1);
  EXPECT_TRUE(contents(folder / "s/deep/0.vtk").starts_with("# vtk DataFile Version 3.0"));
  EXPECT_FALSE(fs::exists(folder / "s/deep/1.vtk"));
  EXPECT_NE(contents(folder / "s/deep/2.vtk").find("SCALARS pressure double 1"), std::string::npos);
  EXPECT_EQ(run(kAsk + " --surfaces t --surface-format ply", poses).exit_code, 1);
  fs::create_symlink("s/deep/7.vtk", folder / "link.csv");
  const Outcome both = run(kAsk + " --surfaces s/deep --out link.csv", poses);
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_NE(both.err.find("link.csv: the surface of a row would be written there"), std::string::npos)
      << both.err;
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
      {kAsk + " --half-space-thickness 0.02", row, "no row has an @half_space that is not rigid"},
      {kAsk + " --half-space-thickness 0.02 --rigid-b", named("ball", "@half_space"),
       "--half-space-thickness has no effect"},
      {kAsk + " --rigid-a --dissipation-a 1", row, "--dissipation-a has no effect with --rigid-a"},
      {kAsk + " --dissipation-b 1", named("egg", "@box:0.1:0.1:0.1"),
       "--dissipation-b has no effect: no row has an objB that is not rigid; --modulus-b makes primitives"},
      {kAsk + " --stiction-speed 0.1", row, "--stiction-speed has no effect without friction; give --mu-a"},
      {kAsk + " --mu-a 0 --mu-b 1 --stiction-speed 0.1", row, "--stiction-speed has no effect without"},
      {"assets poses.csv --what wrench --model soft_minimum --stiction 0.1", row,
       "--stiction has no effect without friction"},
      {kAsk + " --rigid-a --rigid-b", row, "both bodies are rigid"},
      {kAsk + " --rigid-b", row, "poses.csv:2: pressure-field contact: body B ('egg') has no surface"},
      {kAsk, row + named("@sphere:0.1", "@sphere:0.1"),
       "poses.csv:3: pressure-field contact: both bodies are rigid"},
      {kAsk + " --rigid-a", named("egg", "@half_space"), "a half-space has no rigid partner"},
      {kAsk, named("@half_space", "@sphere:0.1"), "a half-space has no rigid partner"},
      {kAsk, named("egg", "@ball:1"), "poses.csv:2: 'ball:1' is no primitive; there are: sphere:R"},
      {kAsk, named("egg", "@sphere:x"), "'sphere:x' is no primitive"},
      {kAsk, named("egg", "@sphere:-1"),
       "poses.csv:2: 'sphere:-1': sphere: a size is -1 m; it must be positive"},
      {"assets poses.csv --mu-a 1", row, "--mu-a goes with --what wrench"},
      {"assets poses.csv --what wrench --model point --mu-a 1", row,
       "--mu-a has no effect with --model point"},
      {"assets poses.csv --what wrench_hessian --surfaces s", row,
       "--surfaces goes with --model pressure_field"},
      {"assets poses.csv --what wrench --model soft_minimum --energy", row,
       "--energy: the model soft_minimum has no potential"},
      {"assets poses.csv --what wrench --model soft_minimum", named("@half_space", "@half_space"),
       "poses.csv:2: soft-minimum contact: two half-spaces have no contact"},
      {"assets poses.csv", named("@half_space", "@half_space"),
       "poses.csv:2: separation: two half-spaces have no witness points"},
  };
  for (const auto& c : cases) {
    const Outcome got = run(c.arguments, header + c.row);
    EXPECT_EQ(got.exit_code, 2) << c.message;
    EXPECT_NE(got.err.find(c.message), std::string::npos) << c.message << "\n" << got.err;
    EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got.err;
  }
  const Outcome partial = run(kAsk, "objA,objB,qw,qx,qy,qz,tx,ty,tz,wx\nball,egg,1,0,0,0,0,0,0,0\n");
  EXPECT_NE(partial.err.find("no column 'wy'"), std::string::npos) << partial.err;
}

}  // namespace
