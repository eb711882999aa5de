// abut-sim as a user runs it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/dynamics/frictional/recording.h"

namespace {

namespace fs = std::filesystem;
using namespace abut;

struct Outcome {
  int exit_code;
  std::string out, err;
};

std::string contents(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class Sim : public testing::Test {
 protected:
  Sim() : folder(fs::temp_directory_path() / ("abut_sim_test_" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
    write("a.scn",
          "gravity 0 0 -9.81\nmu 0.5\nduration 0.1\nplane 0 0 1 0\n"
          "body a 1 0.01 0.01 0.01 0 0 0.5 1 0 0 0 1 0 0 0 0 3 1\n box 0.1 0.1 0.1 0 0 0 1 0 0 0\n");
  }
  ~Sim() override { fs::remove_all(folder); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }

  Outcome run(const std::string& arguments) const {
    const std::string command = std::string(ABUT_SIM_PROGRAM) + " " + arguments + " >" +
                                (folder / "out").string() + " 2>" + (folder / "err").string();
    const int status = std::system(("cd " + folder.string() + " && bash -c '" + command + "'").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(folder / "out"), contents(folder / "err")};
  }

  static std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  const fs::path folder;
};

TEST_F(Sim, WritesTrajectoryAndStatistics) {
  const Outcome got = run("a.scn --every 0.02 --stats stats.csv --dt 0.002");
  EXPECT_EQ(got.exit_code, 0) << got.err;
  EXPECT_EQ(got.out.substr(0, got.out.find('\n')), "step,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  EXPECT_EQ(lines(got.out), 1U + 6U);  // the start and every tenth step
  EXPECT_NE(got.err.find("50 steps in"), std::string::npos) << got.err;
  EXPECT_EQ(lines(contents(folder / "stats.csv")), 51U);
}

TEST_F(Sim, ContinuedRunsEndWithTheSameFile) {
  ASSERT_EQ(run("a.scn --steps 200 --out whole.h5").exit_code, 0);
  ASSERT_EQ(run("a.scn --steps 77 --out parts.h5").exit_code, 0);
  EXPECT_NE(contents(folder / "whole.h5"), contents(folder / "parts.h5"));
  ASSERT_EQ(run("a.scn --steps 200 --out parts.h5 --continue").exit_code, 0);
  EXPECT_EQ(contents(folder / "whole.h5"), contents(folder / "parts.h5"));
}

// A run is killed once it has saved itself; what it left goes on to the file of a run that was left alone.
TEST_F(Sim, KilledRunsGoOnToTheSameFile) {
  const std::string options = " --every 0.5 --out killed.h5";
  run("a.scn --steps 2000000000" + options +
      " & pid=$!; until [ -e killed.h5 ] || ! kill -0 $pid; do sleep 0.05; done; kill -9 $pid; wait $pid");
  ASSERT_TRUE(fs::exists(folder / "killed.h5"));
  const std::string steps =
      " --steps " + std::to_string(dynamics::read_recording(folder / "killed.h5").end_steps + 1000);
  ASSERT_EQ(run("a.scn --continue" + steps + options).exit_code, 0);
  ASSERT_EQ(run("a.scn --every 0.5 --out alone.h5" + steps).exit_code, 0);
  EXPECT_EQ(contents(folder / "alone.h5"), contents(folder / "killed.h5"));
}

TEST_F(Sim, RefusesToContinueSomethingElse) {
  ASSERT_EQ(run("a.scn --steps 5 --out a.h5").exit_code, 0);
  write("b.scn",
        "plane 0 0 1 0\nbody b 1 0.01 0.01 0.01 0 0 0.5 1 0 0 0 1 0 0 0 0 3 1\n box 0.1 0.1 0.1 0 0 0 1 0 0 "
        "0\n");
  write("bad.h5", "no recording");
  write("empty.h5", "");
  const struct {
    std::string arguments, said;
  } kCases[] = {
      {"b.scn --steps 9 --out a.h5 --continue", "a.h5: the recording is of other bodies than b.scn has"},
      {"a.scn --steps 9 --dt 0.001 --out a.h5 --continue", "a.h5: the recording is of time steps of 0.002 s"},
      {"a.scn --steps 9 --model patch --out a.h5 --continue",
       "a.h5: the recording is of mode coupled, model vertex"},
      {"a.scn --steps 9 --out a.csv --continue", "--continue goes on from a recording"},
      {"a.scn --steps 9 --out nothing.h5 --continue", "nothing.h5: cannot open"},
      {"a.scn --steps 9 --out bad.h5 --continue", "bad.h5: the body is not an HDF5 file"},
      {"a.scn --steps 9 --out empty.h5 --continue", "empty.h5: the file is empty"},
      {"a.scn --every 0", "--every must be positive"},
  };
  for (const auto& [arguments, said] : kCases) {
    const Outcome got = run(arguments);
    EXPECT_EQ(got.exit_code, 2);
    EXPECT_EQ(got.err.substr(0, 17 + said.size()), "abut-sim: error: " + said);
  }
}

TEST_F(Sim, PagesHoldTheirMotion) {
  ASSERT_EQ(run("a.scn --steps 20 --out a.h5 --page a.html").exit_code, 0);
  const std::string page = contents(folder / "a.html");
  EXPECT_EQ(page.substr(0, 15), "<!doctype html>");
  EXPECT_EQ(page.find("http"), std::string::npos);  // nothing is loaded from anywhere
  EXPECT_NE(page.find("times:[0,"), std::string::npos);
}

TEST_F(Sim, ErrorsNameFileAndLine) {
  const struct {
    std::string arguments, said;
  } kCases[] = {
      {"nothing.scn", "abut-sim: error: nothing.scn: No such file"},
      {"a.scn --dt 0", "abut-sim: error: simulation: the time step is 0.000000 s"},
      {"a.scn --dt nan", "abut-sim: error: simulation: the time step is nan s"},
      {"mu.scn", "abut-sim: error: mu.scn:1: the coefficient of friction is negative"},
      {"asset.scn", "abut-sim: error: asset.scn:2: the scene has an asset 'mug'; say where"},
      {"asset.scn --assets .", "abut-sim: error: asset.scn:2: no asset 'mug' in .; there are none"},
      {"asset.scn --assets nowhere", "abut-sim: error: nowhere: not a folder"},
  };
  write("mu.scn", "mu -1\n");
  write("asset.scn", "body a 1 1 1 1 0 0 0 1 0 0 0 0 0 0 0 0 0 1\n asset mug 0 0 0 1 0 0 0\n");
  for (const auto& [arguments, said] : kCases) {
    const Outcome got = run(arguments);
    EXPECT_EQ(got.exit_code, 2);
    EXPECT_EQ(got.err.substr(0, said.size()), said);
  }
  EXPECT_EQ(run("a.scn --model nothing").exit_code, 2);
  EXPECT_EQ(run("").exit_code, 2);
}

}  // namespace
