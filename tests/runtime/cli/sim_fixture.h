#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/runtime/cli/outcome.h"

// abut-sim as a user runs it, in a folder of its own.
namespace abut::test {

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
    return shell(std::string(ABUT_SIM_PROGRAM) + " " + arguments + " >out 2>err");
  }

  // Runs a line of bash in the folder; its program's outputs go to the files out and err.
  Outcome shell(const std::string& line) const {
    const int status = std::system(("cd " + folder.string() + " && bash -c '" + line + "'").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(folder / "out"), contents(folder / "err")};
  }

  static std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  const fs::path folder;
};

}  // namespace abut::test
