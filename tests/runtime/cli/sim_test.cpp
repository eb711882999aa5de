// abut-sim as a user runs it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

namespace fs = std::filesystem;

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
