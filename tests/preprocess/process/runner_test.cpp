#include "preprocess/process/runner.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace abut::preprocess;
using namespace std::chrono_literals;

class Recorder : public RunObserver {
 public:
  void started(std::size_t job) override { events.push_back("start " + std::to_string(job)); }
  void stage(std::size_t job, std::string_view stage) override {
    events.push_back("stage " + std::to_string(job) + " " + std::string(stage));
  }
  void finished(std::size_t job, const JobResult&) override {
    events.push_back("end " + std::to_string(job));
  }
  std::vector<std::string> events;
};

RunResult run(std::size_t count, const Work& work, const RunnerOptions& options) {
  RunObserver nobody;
  return run_jobs(count, work, options, nobody);
}

std::string sleep_forever() {
  for (;;) std::this_thread::sleep_for(1s);
}

TEST(Runner, ReportsStagesInOrderAndReturnsLargePayloads) {
  Recorder recorder;
  const Work work = [](std::size_t job, const StageCallback& stage) {
    stage("one");
    stage("two");
    return std::string(1000000 + job, static_cast<char>('a' + job));
  };
  const RunResult result = run_jobs(3, work, {.jobs = 1}, recorder);
  ASSERT_EQ(result.jobs.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(result.jobs[i].outcome, Outcome::kDone);
    EXPECT_EQ(result.jobs[i].payload, std::string(1000000 + i, static_cast<char>('a' + i)));
    EXPECT_GT(result.jobs[i].peak_memory, std::size_t{1} << 20);
  }
  EXPECT_EQ(recorder.events, (std::vector<std::string>{"start 0", "stage 0 one", "stage 0 two", "end 0",
                                                       "start 1", "stage 1 one", "stage 1 two", "end 1",
                                                       "start 2", "stage 2 one", "stage 2 two", "end 2"}));
}

// One job of each kind of misfortune, and healthy ones around them.
TEST(Runner, OneJobsMisfortuneLeavesTheOthersAlone) {
  const Work work = [](std::size_t job, const StageCallback& stage) -> std::string {
    stage("work");
    switch (job) {
      case 1:
        throw std::runtime_error("mesh.obj: line 3: no such vertex");
      case 2:
        ::signal(SIGSEGV, SIG_DFL);  // sanitizers handle it
        ::raise(SIGSEGV);
        break;
      case 3:
        std::abort();
      case 4:
        return sleep_forever();
      case 5:
        throw 42;
      case 6:
        ::_exit(0);
      case 7:
        ::raise(SIGKILL);
        break;
      default:
        break;
    }
    return "fine";
  };
  const RunResult result = run(10, work, {.jobs = 3, .timeout_seconds = 0.5});
  EXPECT_EQ(result.signal, 0);
  for (const std::size_t job : {0, 8, 9}) EXPECT_EQ(result.jobs[job].payload, "fine");
  EXPECT_EQ(result.jobs[1].outcome, Outcome::kFailed);
  EXPECT_EQ(result.jobs[1].reason, "mesh.obj: line 3: no such vertex");
  for (const std::size_t job : {2, 3, 6, 7}) EXPECT_EQ(result.jobs[job].outcome, Outcome::kCrashed) << job;
  EXPECT_NE(result.jobs[2].reason.find("signal 11) in stage 'work'"), std::string::npos)
      << result.jobs[2].reason;
  EXPECT_NE(result.jobs[3].reason.find("signal 6"), std::string::npos) << result.jobs[3].reason;
  EXPECT_NE(result.jobs[7].reason.find("memory runs out"), std::string::npos) << result.jobs[7].reason;
  EXPECT_EQ(result.jobs[4].outcome, Outcome::kTimedOut);
  EXPECT_NE(result.jobs[4].reason.find("0.5 s"), std::string::npos) << result.jobs[4].reason;
  EXPECT_EQ(result.jobs[5].outcome, Outcome::kFailed);
}

TEST(Runner, WhatACrashingJobPrintedIsInTheReason) {
  const Work work = [](std::size_t, const StageCallback&) -> std::string {
    std::fputs("assertion violated\n", stderr);
    std::fflush(stderr);
    std::abort();
  };
  const RunResult result = run(1, work, {});
  EXPECT_NE(result.jobs[0].reason.find("it said: assertion violated"), std::string::npos)
      << result.jobs[0].reason;
  EXPECT_NE(result.jobs[0].reason.find("before its first stage"), std::string::npos) << result.jobs[0].reason;
}

TEST(Runner, AJobThatPrintsALotNeitherBlocksNorFillsMemory) {
  const Work work = [](std::size_t, const StageCallback&) -> std::string {
    const std::string line(4095, 'x');
    for (int i = 0; i < 5000; ++i) std::puts(line.c_str());
    std::fflush(stdout);
    return "fine";
  };
  const RunResult result = run(1, work, {.timeout_seconds = 30});
  EXPECT_EQ(result.jobs[0].payload, "fine") << result.jobs[0].reason;
  EXPECT_EQ(result.jobs[0].output.size(), 16384U);
}

TEST(Runner, MemoryBlowUpIsStoppedAtTheLimit) {
#ifdef ABUT_SANITIZED
  GTEST_SKIP() << "the limit is not applied under sanitizers";
#endif
  const Work work = [](std::size_t job, const StageCallback& stage) -> std::string {
    stage("work");
    std::vector<std::vector<char>> hoard;
    while (job == 1) hoard.emplace_back(std::size_t{1} << 22, 'x');
    return "fine";
  };
  const RunResult result = run(3, work, {.jobs = 2, .memory_bytes = std::size_t{512} << 20});
  EXPECT_EQ(result.jobs[0].payload, "fine");
  EXPECT_EQ(result.jobs[2].payload, "fine");
  EXPECT_EQ(result.jobs[1].outcome, Outcome::kOutOfMemory);
  EXPECT_EQ(result.jobs[1].reason,
            "out of memory in stage 'work' (limit 512 MiB); run it with fewer jobs or more memory");
  EXPECT_LE(result.jobs[1].peak_memory, std::size_t{512} << 20);
}

// Runs of jobs within a job have what it has, whatever they ask for.
TEST(Runner, AJobsLimitHoldsForWhatItRuns) {
#ifdef ABUT_SANITIZED
  GTEST_SKIP() << "the limit is not applied under sanitizers";
#endif
  const Work hoard = [](std::size_t, const StageCallback& stage) -> std::string {
    stage("hoard");
    return std::to_string(std::string(std::size_t{1} << 30, 'x').size());
  };
  const Work work = [&](std::size_t, const StageCallback&) {
    const JobResult inner = run(1, hoard, {.memory_bytes = std::size_t{4} << 30}).jobs[0];
    return inner.reason + ", " + std::to_string(inner.memory_limit >> 20);
  };
  const RunResult result = run(1, work, {.memory_bytes = std::size_t{512} << 20});
  EXPECT_EQ(result.jobs[0].memory_limit, std::size_t{512} << 20);
  EXPECT_EQ(result.jobs[0].payload,
            "out of memory in stage 'hoard' (limit 512 MiB); run it with fewer jobs or more memory, 512");
}

TEST(Runner, WaitingForAnotherRunIsNotCounted) {
  const Work work = [](std::size_t, const StageCallback& stage) -> std::string {
    stage(kWaitingStage);
    std::this_thread::sleep_for(600ms);
    stage("work");
    return "fine";
  };
  const RunResult result = run(1, work, {.timeout_seconds = 0.3});
  EXPECT_EQ(result.jobs[0].payload, "fine") << result.jobs[0].reason;
  EXPECT_LT(result.jobs[0].seconds, 0.3);
}

TEST(Runner, RunsAtMostAsManyAtOnceAsAsked) {
  class Counter : public RunObserver {
   public:
    void started(std::size_t) override { most = std::max(most, ++now); }
    void finished(std::size_t, const JobResult&) override { --now; }
    int now = 0, most = 0;
  } counter;
  const Work work = [](std::size_t, const StageCallback&) -> std::string {
    std::this_thread::sleep_for(20ms);
    return "";
  };
  run_jobs(8, work, {.jobs = 3}, counter);
  EXPECT_EQ(counter.most, 3);
}

// More are started when some have ended.
TEST(Runner, RunsAsManyAtOnceAsTheMachineHasDescriptorsFor) {
  const pid_t runner = ::fork();
  if (runner == 0) {
    const rlimit limit{40, 40};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    const Work work = [](std::size_t, const StageCallback&) -> std::string {
      std::this_thread::sleep_for(20ms);
      return "done";
    };
    try {
      const RunResult result = run(50, work, {.jobs = 30});
      ::_exit(std::all_of(result.jobs.begin(), result.jobs.end(),
                          [](const JobResult& job) { return job.payload == "done"; })
                  ? 0
                  : 1);
    } catch (const std::exception&) {
      ::_exit(2);
    }
  }
  int status = 0;
  ::waitpid(runner, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// A runner process of its own, whose children write their process ids to a file and hang.
class RunnerProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("abut_runner_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    runner_ = ::fork();
    if (runner_ == 0) {
      const Work work = [&](std::size_t job, const StageCallback&) -> std::string {
        std::ofstream(folder_ / std::to_string(job)) << ::getpid() << std::endl;
        return sleep_forever();
      };
      const RunResult result = run(5, work, {.jobs = 2});
      ::_exit(result.signal);
    }
    for (int i = 0; i < 2; ++i) workers_.push_back(wait_for_pid(folder_ / std::to_string(i)));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static pid_t wait_for_pid(const std::filesystem::path& file) {
    for (int i = 0; i < 1000; ++i) {
      pid_t pid = 0;
      std::string line;
      std::ifstream in(file);
      if (std::getline(in, line) && !in.eof()) pid = std::atoi(line.c_str());
      if (pid > 0) return pid;
      std::this_thread::sleep_for(10ms);
    }
    return 0;
  }

  static bool dies(pid_t pid) {
    for (int i = 0; i < 500; ++i) {
      std::string stat;
      std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), stat);
      if (stat.empty() || stat.find(") Z") != std::string::npos) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }

  std::filesystem::path folder_;
  pid_t runner_ = 0;
  std::vector<pid_t> workers_;
};

TEST_F(RunnerProcess, ChildrenDieWithAKilledParent) {
  ::kill(runner_, SIGKILL);
  ::waitpid(runner_, nullptr, 0);
  for (const pid_t pid : workers_) EXPECT_TRUE(pid > 0 && dies(pid));
}

TEST_F(RunnerProcess, ASignalStopsChildrenAndStartsNoMore) {
  ::kill(runner_, SIGTERM);
  int status = 0;
  ::waitpid(runner_, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), SIGTERM);
  for (const pid_t pid : workers_) EXPECT_TRUE(pid > 0 && dies(pid));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "2"));
}

// As under nohup.
TEST(Runner, WhatIsIgnoredStaysIgnored) {
  const auto before = ::signal(SIGHUP, SIG_IGN);
  const Work work = [](std::size_t, const StageCallback&) -> std::string {
    ::kill(::getppid(), SIGHUP);
    return "done";
  };
  const RunResult result = run(2, work, {});
  ::signal(SIGHUP, before);
  EXPECT_EQ(result.signal, 0);
  for (const JobResult& job : result.jobs) EXPECT_EQ(job.payload, "done");
}

TEST(Runner, KnowsTheLimitsOfItsControlGroupsAndThoseAbove) {
  std::string pattern = (std::filesystem::temp_directory_path() / "abut_runner_XXXXXX").string();
  const std::filesystem::path root = ::mkdtemp(pattern.data());
  const auto write = [&](const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text << "\n";
  };
  EXPECT_EQ(control_group_memory(root), std::numeric_limits<std::size_t>::max());
  write("proc/self/cgroup", "5:memory:/old\n0::/user/job");
  write("sys/fs/cgroup/user/job/memory.max", "max");
  EXPECT_EQ(control_group_memory(root), std::numeric_limits<std::size_t>::max());
  write("sys/fs/cgroup/memory/old/memory.limit_in_bytes", "4000");
  EXPECT_EQ(control_group_memory(root), 4000U);
  write("sys/fs/cgroup/user/memory.max", "3000");
  EXPECT_EQ(control_group_memory(root), 3000U);
  write("sys/fs/cgroup/user/job/memory.max", "2000");
  EXPECT_EQ(control_group_memory(root), 2000U);
  write("sys/fs/cgroup/memory.max", "1000");
  EXPECT_EQ(control_group_memory(root), 1000U);
  std::filesystem::remove_all(root);
}

TEST(Runner, KnowsTheMachinesMemory) { EXPECT_GT(machine_memory(), std::size_t{64} << 20); }

}  // namespace
