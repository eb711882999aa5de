#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"

// Runs the real abut-preprocess on folders made for one test.
namespace abut::test {

struct CommandResult {
  int code = -1;  // exit code; 128 + signal where one ended it
  std::string out, err;
};

// Starts a program in a process group of its own; `prepare` runs in the new process before it. Output is
// discarded.
pid_t start(const std::vector<std::string>& words, const std::function<void()>& prepare = {});

// Runs a program to its end.
CommandResult run(const std::vector<std::string>& words, const std::function<void()>& prepare = {});

// abut-preprocess with these arguments.
CommandResult command(std::vector<std::string> arguments);
std::string preprocess_program();

// Of a new process: has no rights of root, whom no permission binds. Ends it with 126 where it cannot.
void become_nobody();

// Direct children of a process.
std::vector<pid_t> children_of(pid_t parent);

std::string obj_text(const preprocess::TriangleMesh& mesh);
void append(preprocess::TriangleMesh& mesh, const preprocess::TriangleMesh& other,
            const Eigen::Vector3d& shift);

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A folder of its own for each test, with data/ for a dataset and out/ for assets; gone afterwards.
class CommandTest : public ::testing::Test {
 protected:
  CommandTest();
  ~CommandTest() override;

  // Writes data/<file>.
  void write(const std::string& file, const std::string& text) const;
  void write(const std::string& file, const preprocess::TriangleMesh& mesh) const {
    write(file, obj_text(mesh));
  }

  // data to out, with more arguments; without volumes, which take most of the time, unless they say --tets.
  CommandResult make(const std::vector<std::string>& more = {}) const;
  std::string asset(const std::string& object) const { return (out_ / (object + ".h5")).string(); }

  // Names in out/ other than the lock file, ascending.
  std::vector<std::string> files() const;

  std::filesystem::path folder_, data_, out_;
};

}  // namespace abut::test
