#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "command_runner.h"
#include "runtime/asset/reader.h"
#include "runtime/core/random.h"
#include "tests/support/shapes.h"

// What runs do to each other and to what is on disk when they crash, hang, are killed, or share a folder.
namespace {

using namespace abut::test;
using namespace std::chrono_literals;

int wait_for(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Polls for at most a minute, which only a hang comes to. False where it never came true.
template <class Condition>
bool wait_until(const Condition& condition) {
  for (int i = 0; i < 60'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == pid;
}

// Processor time used by a process, s: a measure of its progress that the load of the machine does not move.
double seconds_worked(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The children of a run once there are `count` and each is well inside its work.
std::vector<pid_t> working_children(pid_t run, std::size_t count) {
  std::vector<pid_t> children;
  const bool found = wait_until([&] {
    children = children_of(run);
    return children.size() == count && std::all_of(children.begin(), children.end(),
                                                   [](pid_t child) { return seconds_worked(child) > 0.02; });
  });
  EXPECT_TRUE(found) << "the run never had " << count << " children at work";
  return found ? children : std::vector<pid_t>{};
}

class Process : public CommandTest {
 protected:
  void write_balls(int count, int levels) {
    for (int i = 0; i < count; ++i)
      write("ball" + std::to_string(i) + ".obj", sphere(0.05 + 0.01 * i, levels));
  }

  nlohmann::json objects_of(const std::string& json) const {
    return nlohmann::json::parse(std::ifstream(folder_ / json)).at("objects");
  }

  // A large object that is worked on alone at first and a small one after it; `strike` hits the child of the
  // large one.
  CommandResult run_and_strike(const std::function<void(pid_t child)>& strike) {
    write("a_large.obj", sphere(0.05, 7));
    write("b_small.obj", sphere(0.05, 2));
    CommandResult result;
    const std::filesystem::path out = folder_ / "stdout", err = folder_ / "stderr";
    const pid_t pid = start({"sh", "-c",
                             "exec " + preprocess_program() + " --tets none --jobs 1 --json " +
                                 (folder_ / "run.json").string() + " " + data_.string() + " " +
                                 out_.string() + " >" + out.string() + " 2>" + err.string()});
    for (const pid_t child : working_children(pid, 1)) strike(child);
    result.code = wait_for(pid);
    const auto read = [](const std::filesystem::path& file) {
      std::ifstream in(file);
      return std::string(std::istreambuf_iterator<char>(in), {});
    };
    result.out = read(out);
    result.err = read(err);
    return result;
  }

  // The large object failed for this reason, the small one is made.
  void expect_only_large_failed(const CommandResult& result, const std::string& outcome,
                                const std::string& reason) {
    EXPECT_EQ(result.code, 1) << result.out << result.err;
    EXPECT_NE(result.err.find("a_large.obj: "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(reason), std::string::npos) << result.err;
    EXPECT_NE(result.out.find("1 made, 0 up to date, 1 failed"), std::string::npos) << result.out;
    EXPECT_EQ(files(), std::vector<std::string>{"b_small.h5"});
    EXPECT_EQ(objects_of("run.json")[0]["outcome"], outcome);
  }
};

TEST_F(Process, ACrashOfOneObjectLeavesTheOthersAlone) {
  // By a signal that no sanitizer handles.
  expect_only_large_failed(run_and_strike([](pid_t child) { ::kill(child, SIGSYS); }), "crashed",
                           "crashed (Bad system call, signal 31)");
}

TEST_F(Process, AHangOfOneObjectLeavesTheOthersAlone) {
  write("a_large.obj", sphere(0.05, 7));
  write("b_small.obj", box(0.1, 0.1, 0.1));  // milliseconds of work: within the limit on any machine
  const pid_t pid =
      start({preprocess_program(), "--tets", "none", "--quads", "none", "--jobs", "1", "--timeout", "5",
             "--json", (folder_ / "run.json").string(), data_.string(), out_.string()});
  for (const pid_t child : working_children(pid, 1)) ::kill(child, SIGSTOP);
  EXPECT_EQ(wait_for(pid), 1);
  EXPECT_EQ(objects_of("run.json")[0]["outcome"], "timed out");
  EXPECT_EQ(files(), std::vector<std::string>{"b_small.h5"});
}

TEST_F(Process, AMemoryBlowUpOfOneObjectLeavesTheOthersAlone) {
#ifdef ABUT_SANITIZED
  GTEST_SKIP() << "address space limits do not go with sanitizers";
#endif
  const auto shrink = [](pid_t child) {
    const struct rlimit limit { 1 << 20, 1 << 20 };
    ::prlimit(child, RLIMIT_AS, &limit, nullptr);
  };
  expect_only_large_failed(run_and_strike(shrink), "out of memory", "out of memory in stage");
}

// With two jobs each has half of the memory; one that runs out of its half gets a second chance alone.
TEST_F(Process, WhatRanOutOfItsShareOfMemoryIsTriedAgainAlone) {
#ifdef ABUT_SANITIZED
  GTEST_SKIP() << "address space limits do not go with sanitizers";
#endif
  write_balls(2, 6);
  const pid_t pid = start({preprocess_program(), "--tets", "none", "--quads", "none", "--jobs", "2",
                           data_.string(), out_.string()});
  const std::vector<pid_t> children = working_children(pid, 2);
  ASSERT_EQ(children.size(), 2U);
  const struct rlimit limit { 1 << 20, 1 << 20 };
  ::prlimit(children.front(), RLIMIT_AS, &limit, nullptr);
  EXPECT_EQ(wait_for(pid), 0);
  EXPECT_EQ(files(), (std::vector<std::string>{"ball0.h5", "ball1.h5"}));
}

TEST_F(Process, SignalsStopTheRunAndLeaveOnlyFinishedObjects) {
  write("a_small.obj", sphere(0.05, 2));
  for (const char* name : {"b.obj", "c.obj", "d.obj"}) write(name, sphere(0.05, 7));
  for (const int signal : {SIGINT, SIGTERM}) {
    const pid_t pid = start({preprocess_program(), "--tets", "none", "--quads", "none", "--jobs", "2",
                             data_.string(), out_.string()});
    EXPECT_TRUE(wait_until([&] { return std::filesystem::exists(asset("a_small")); }));
    const std::vector<pid_t> children = children_of(pid);
    ::kill(signal == SIGINT ? -pid : pid, signal);  // a terminal's Ctrl-C goes to all
    EXPECT_EQ(wait_for(pid), 128 + signal);
    for (const pid_t child : children) EXPECT_NE(::kill(child, 0), 0);
    EXPECT_EQ(files(), std::vector<std::string>{"a_small.h5"});
    std::filesystem::remove_all(out_);
  }
}

// TetGen is a child of the object's own child: it does not outlive a run that is stopped or killed.
TEST_F(Process, TetGenEndsWithTheRun) {
  write("ball.obj", sphere(0.05, 3));
  const auto is_alive = [](pid_t pid) {
    std::string stat;
    std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), stat);
    return !stat.empty() && stat.find(") Z") == std::string::npos;
  };
  for (const int signal : {SIGTERM, SIGKILL}) {
    const pid_t pid =
        start({preprocess_program(), "--tets", "2000", "--quads", "none", data_.string(), out_.string()});
    std::vector<pid_t> tetgen;
    EXPECT_TRUE(wait_until([&] {
      for (const pid_t child : children_of(pid)) tetgen = children_of(child);
      return !tetgen.empty() || has_ended(pid);
    }));
    ASSERT_EQ(tetgen.size(), 1U);
    ::kill(pid, signal);
    EXPECT_EQ(wait_for(pid), 128 + signal);
    EXPECT_TRUE(wait_until([&] { return !is_alive(tetgen.front()); }));
    EXPECT_TRUE(files().empty());
  }
}

// Killed at 50 random moments, with all its children or alone, and started again: what was finished stays as
// it is, what has a final name is whole, and at the end all is there and nothing else. A moment is a random
// number of objects finished and a random share of an object's time more, so that it falls into the work
// however fast the machine is at that time.
TEST_F(Process, KilledAtAnyMomentItLosesNothingFinished) {
  write_balls(6, 4);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(make().code, 0);
  const std::chrono::duration<double> one = (std::chrono::steady_clock::now() - begin) / 6.0;
  std::filesystem::remove_all(out_);
  abut::Random random(20);
  std::map<std::string, ino_t> finished;
  std::size_t kills_in_work = 0;
  const auto finished_count = [&] {
    const std::vector<std::string> names = files();
    return std::count_if(names.begin(), names.end(), [](const std::string& name) { return name[0] != '.'; });
  };
  for (int round = 0; round < 50; ++round) {
    const pid_t pid = start({preprocess_program(), "--tets", "none", "--quads", "none", "--jobs", "2",
                             data_.string(), out_.string()});
    const auto awaited = static_cast<std::ptrdiff_t>(random.uniform(finished_count(), 6));
    wait_until([&] { return has_ended(pid) || finished_count() >= awaited; });
    std::this_thread::sleep_for(random.uniform(0, 1) * one);
    ::kill(round % 2 == 0 ? -pid : pid, SIGKILL);
    kills_in_work += wait_for(pid) == 128 + SIGKILL;
    std::map<std::string, ino_t> now;
    for (const std::string& file : files()) {
      if (file.starts_with('.')) continue;  // a temporary: the next run's to remove
      struct stat info {};
      ASSERT_EQ(::stat((out_ / file).c_str(), &info), 0);
      now[file] = info.st_ino;
      EXPECT_NO_THROW(abut::asset::load(out_ / file)) << file << " after round " << round;
    }
    for (const auto& [file, inode] : finished) EXPECT_EQ(now[file], inode) << file << " was made again";
    finished = now;
    if (finished.size() == 6) {
      finished.clear();
      std::filesystem::remove_all(out_);
    }
  }
  EXPECT_GT(kills_in_work, 0U);
  EXPECT_EQ(make().code, 0);
  EXPECT_EQ(files().size(), 6U);
  for (const std::string& file : files()) EXPECT_TRUE(file.starts_with("ball")) << file;
}

TEST_F(Process, TwoRunsShareAFolder) {
  write_balls(6, 4);
  const auto begin = [&](const char* json) {
    return start({preprocess_program(), "--tets", "none", "--quads", "none", "--jobs", "2", "--json",
                  (folder_ / json).string(), data_.string(), out_.string()});
  };
  const pid_t first = begin("1.json"), second = begin("2.json");
  EXPECT_EQ(wait_for(first), 0);
  EXPECT_EQ(wait_for(second), 0);
  // Each object is made by exactly one of the two.
  const nlohmann::json one = objects_of("1.json"), two = objects_of("2.json");
  ASSERT_EQ(one.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NE(one[i]["status"] == "up to date", two[i]["status"] == "up to date") << one[i] << two[i];
  EXPECT_EQ(files().size(), 6U);
  for (const std::string& file : files()) EXPECT_NO_THROW(abut::asset::load(out_ / file));
}

// On a terminal: a line per running object, an overall one with the time left.
TEST_F(Process, ProgressOnATerminal) {
  write_balls(3, 5);
  const CommandResult result = run(
      {"script", "-qec",
       preprocess_program() + " --tets none --jobs 1 " + data_.string() + " " + out_.string(), "/dev/null"});
  if (result.code == 127) GTEST_SKIP() << "no script(1) here";
  EXPECT_EQ(result.code, 0) << result.out;
  for (const char* words : {"1 of 3 done", "left", "\x1b[", "  ball1 "})
    EXPECT_NE(result.out.find(words), std::string::npos) << words << "\n" << result.out;
}

}  // namespace
