#include "runtime/dynamics/step/recording.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <span>
#include <sstream>

#include "runtime/core/error.h"
#include "runtime/dynamics/step/scene_page.h"
#include "runtime/dynamics/system/scene_digest.h"
#include "runtime/dynamics/system/scene_file.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

const std::string kScene =
    "gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\n"
    "body a 1 0.01 0.01 0.01 0 0 0.11 1 0 0 0 1 0 0 0 0 3 1\n box 0.1 0.1 0.1 0 0 0 1 0 0 0\n"
    "body b 2 0.01 0.01 0.01 1 0 0.2 1 0 0 0 1 0 0 0 0 3 1\n sphere 0.2 0 0 0 1 0 0 0\n";

Scene scene_of(const std::string& text) {
  std::istringstream in(text);
  return read_scene(in, "x.scn", [](const std::string& name) -> body::Geometry {
    throw InvalidInput("no asset '" + name + "'");
  });
}

// After 40 steps, with contacts, a frame every 10.
const Recording& recorded() {
  static const Recording result = [] {
    Simulation simulation(scene_of(kScene));
    Recording recording;
    recording.settings = "mode coupled";
    for (int k = 0; k <= 40; ++k) {
      if (k > 0) simulation.step();
      if (k % 10 == 0) recording.add_frame(simulation);
    }
    recording.set_end(simulation);
    return recording;
  }();
  return result;
}

std::string refusal(const std::vector<std::byte>& bytes) {
  try {
    parse_recording(bytes, "x.h5");
  } catch (const BadAsset& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Recording, ReadsWhatWasWritten) {
  ASSERT_FALSE(recorded().end.impulses.empty());
  const std::vector<std::byte> bytes = to_hdf5(recorded());
  const Recording read = parse_recording(bytes, "x.h5");
  EXPECT_EQ(to_hdf5(read), bytes);
  EXPECT_EQ(read.bodies, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read.steps, (std::vector<std::int64_t>{0, 10, 20, 30, 40}));
  EXPECT_EQ(read.positions, recorded().positions);
  EXPECT_EQ(read.scene_digest, digest(scene_of(kScene)));
  Simulation simulation(scene_of(kScene));
  simulation.restore(read.end, read.end_steps);
  EXPECT_EQ(simulation.steps(), 40);
}

TEST(Recording, NamesOfBodiesMayHaveAnyCharacterButZero) {
  Recording odd = recorded();
  odd.bodies = {"a\nb, \"c\"", ""};
  EXPECT_EQ(parse_recording(to_hdf5(odd), "x.h5").bodies, odd.bodies);
  odd.bodies[0] = std::string("a\0b", 3);
  EXPECT_THROW((void)to_hdf5(odd), InvalidInput);
}

TEST(Recording, OneFlippedBitOrALostByteIsFound) {
  const std::vector<std::byte> good = to_hdf5(recorded());
  for (std::size_t at = 0; at < good.size(); at += good.size() / 97) {
    std::vector<std::byte> bytes = good;
    bytes[at] ^= std::byte{4};
    EXPECT_NE(refusal(bytes), "accepted") << at;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{511}, std::size_t{513}, good.size() - 1})
    EXPECT_EQ(refusal({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}).rfind("x.h5: ", 0),
              0U);
}

// Of a TiB, which no memory holds.
TEST(Recording, LargeFilesThatAreNoRecordingsAreRefusedUnread) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("abut_recording_" + std::to_string(::getpid()) + ".h5");
  std::ofstream(file) << "\x89HDF";
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40);
  try {
    read_recording(file);
    ADD_FAILURE();
  } catch (const BadAsset& error) {
    EXPECT_EQ(error.what(),
              file.string() + ": not an Abut recording (its first line is not 'ABUT recording')");
  }
  std::filesystem::remove(file);
}

// Whoever makes a digest to fit still cannot make a state that no simulation comes to.
TEST(Recording, WhatNoSimulationRecordsIsRefusedBehindTheDigest) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                   kInfinity = std::numeric_limits<double>::infinity();
  const struct {
    std::function<void(Recording&)> change;
    std::string said;
  } kCases[] = {
      {[](Recording& r) { r.quaternions[4] = 0; }, "frames/quaternion: row 1 has the length 0"},
      {[](Recording& r) { r.quaternions[0] = 2; }, "frames/quaternion: row 0 has the length 2"},
      {[&](Recording& r) { r.quaternions[0] = kNan; }, "frames/quaternion: row 0 has the length"},
      {[&](Recording& r) { r.positions[3] = kNan; }, "frames/position: row 1 is not finite"},
      {[&](Recording& r) { r.velocities[0] = kInfinity; }, "frames/velocity: row 0 is not finite"},
      {[&](Recording& r) { r.angular_velocities[0] = kInfinity; }, "frames/angular_velocity: row 0"},
      {[](Recording& r) { r.steps[0] = -5; }, "frames/step: row 0 is -5"},
      {[](Recording& r) { r.steps[0] = std::numeric_limits<std::int64_t>::min(); }, "frames/step: row 0"},
      {[](Recording& r) { r.steps[1] = 0; }, "frames/step: row 1 is 0"},
      {[](Recording& r) { r.times[2] = 1; }, "frames/time: row 2"},
      {[](Recording& r) { r.end_steps = 39; }, "end/step: 39 steps"},
      {[](Recording& r) { r.end_steps = std::numeric_limits<std::int64_t>::min(); },
       "end/step: -92233720368"},
      {[](Recording& r) { r.end_steps = std::numeric_limits<std::int64_t>::max(); }, "end/step: 92233720368"},
      {[](Recording& r) { r.dt = 0; }, "end/dt: a time step of 0 s"},
      {[&](Recording& r) { r.dt = kNan; }, "end/dt: a time step of nan s"},
      {[](Recording& r) { r.end.bodies[1].q_WB.coeffs().setZero(); },
       "end/quaternion: row 1 has the length 0"},
      {[](Recording& r) { r.end.bodies[1].q_WB.coeffs() *= 1.001; },
       "end/quaternion: row 1 has the length 1.001"},
      {[&](Recording& r) { r.end.bodies[0].p_WB.y() = kNan; }, "end/position: row 0"},
      {[&](Recording& r) { r.end.bodies[0].v_WB.y() = kNan; }, "end/velocity: row 0"},
      {[&](Recording& r) { r.end.bodies[0].L_W.y() = kInfinity; }, "end/angular_momentum: row 0"},
      {[&](Recording& r) { r.end.impulses[0].J_B_W.y() = kInfinity; }, "end/contact_impulse: row 0"},
      {[](Recording& r) {
         Recording none;
         none.dt = r.dt;
         r = none;
       },
       "bodies"},
  };
  for (const auto& [change, said] : kCases) {
    Recording forged = recorded();
    change(forged);
    const std::string got = refusal(to_hdf5(forged));
    EXPECT_NE(got.find("x.h5: " + said), std::string::npos) << said << "\n" << got;
  }
}

TEST(Recording, ArraysOfAnotherUnitAreRefused) {
  std::vector<std::byte> body = to_hdf5(recorded());
  body.erase(body.begin(), body.begin() + asset::kHeaderBytes);
  const std::string from = "rad/s", to = "deg/s";
  const auto as_bytes_of = [](const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size() + 1));
  };
  const auto found =
      std::search(body.begin(), body.end(), as_bytes_of(from).begin(), as_bytes_of(from).end());
  ASSERT_NE(found, body.end());
  std::copy(as_bytes_of(to).begin(), as_bytes_of(to).end(), found);
  const std::string said = refusal(asset::pack_container(kRecordingKind, body));
  EXPECT_NE(said.find("x.h5: frames/angular_velocity is in the unit 'deg/s', not 'rad/s'"), std::string::npos)
      << said;
}

TEST(Recording, ArraysThatDoNotFitTogetherAreNotWritten) {
  for (const bool more : {false, true}) {
    Recording odd = recorded();
    odd.bodies.resize(more ? 3 : 1);
    EXPECT_THROW((void)to_hdf5(odd), InvalidInput);
  }
}

// The library's own door is as narrow as the file's.
TEST(Recording, SimulationsAreNotRestoredToWhatIsNoState) {
  Simulation simulation(scene_of(kScene));
  const auto refused = [&](const std::function<void(Recording&)>& change) {
    Recording r = recorded();
    change(r);
    EXPECT_THROW(simulation.restore(r.end, r.end_steps), InvalidInput);
  };
  refused([](Recording& r) { r.end.bodies[0].q_WB.coeffs().setZero(); });
  refused([](Recording& r) { r.end_steps = -1; });
  refused([](Recording& r) { r.end_steps = kMaxSteps + 1; });
  refused([](Recording& r) { r.end.impulses[0].J_B_W.x() = std::nan(""); });
  EXPECT_NO_THROW(simulation.restore(recorded().end, 40));
}

TEST(Scene, DigestsAreOfAllThatTheMotionDependsOn) {
  const std::string digest_of_scene = digest(scene_of(kScene));
  EXPECT_EQ(digest(scene_of("duration 7  # how long is another matter\n" + kScene)), digest_of_scene);
  const std::pair<std::string, std::string> kChanges[] = {
      {"-9.81", "-9.8"},
      {"mu 0.5", "mu 0.4"},
      {"mu 0.5", "mu 0.5\nrestitution 0.1"},
      {"mu 0.5", "mu 0.5\npatch 0.001"},
      {"plane 0 0 1 0", "plane 0 0 1 0.1"},
      {"plane 0 0 1 0", ""},
      {"body a", "body c"},
      {"body a 1", "body a 1.1"},
      {"0.01 0.01 0.01", "0.011 0.01 0.01"},
      {"0 0 0.11", "0 0 0.12"},
      {"1 0 0 0 1 0 0 0 0 3", "1 0 0 0 2 0 0 0 0 3"},
      {"box 0.1", "box 0.2"},
      {"0.1 0 0 0 1 0 0 0\nbody b", "0.1 0 0 0.1 1 0 0 0\nbody b"}};
  for (const auto& [from, to] : kChanges) {
    std::string text = kScene;
    text.replace(text.find(from), from.size(), to);
    EXPECT_NE(digest(scene_of(text)), digest_of_scene) << from << " -> " << to;
  }
  Scene soft = scene_of(kScene);
  soft.fixed[0].geometry = body::Geometry(body::HalfSpace<double>{0.02});
  EXPECT_NE(digest(soft), digest_of_scene);
  const auto with_ball = [](double deviation) {
    Scene scene = scene_of(kScene);
    scene.bodies[0].shapes[0].geometry = body::Geometry(body::Sphere<double>{0.05}, deviation);
    return digest(scene);
  };
  EXPECT_NE(with_ball(1e-3), with_ball(0.1));
  EXPECT_NE(with_ball(0.2), with_ball(0.1));
  const auto with_grid = [](float distance) {
    Scene scene = scene_of(kScene);
    asset::Asset one;
    asset::DistanceGrid& grid = one.grids.emplace_back();
    grid.lattice = {0, 0, 0, 0.01, 0.1};
    grid.places = {1, 1, 1};
    grid.index = {0};
    grid.coefficients.assign(asset::kBrickSize, distance);
    asset::add_rows(grid);
    scene.bodies[0].shapes[0].geometry = body::Geometry(std::move(one));
    return scene;
  };
  EXPECT_EQ(digest(with_grid(0.1F)), digest(with_grid(0.1F)));
  EXPECT_NE(digest(with_grid(0.1F)), digest(with_grid(0.2F)));
}

// Boxes have edges and half-spaces grids; of other shapes the page has the triangles.
TEST(ScenePage, ShowsFixedShapesOfEveryKind) {
  Scene scene = scene_of(kScene + "sbox 2 0 0 1 0 0 0 0.1 0.2 0.3\n");
  const auto page = [&] { return scene_page(scene, recorded()); };
  EXPECT_NE(page().find(",fixed:[\"\",\"\"],edges:[["), std::string::npos);
  scene.fixed.push_back({body::Geometry(body::Sphere<double>{0.3}), {}});
  EXPECT_EQ(page().find(",fixed:[\"\",\"\"]"), std::string::npos);
}

}  // namespace
