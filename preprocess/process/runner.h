#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Jobs in child processes, so that what one of them does (throw, crash, hang, eat all memory) stays its own.
namespace abut::preprocess {

enum class Outcome {
  kDone,         // the work returned
  kFailed,       // the work threw; the reason is what it said
  kCrashed,      // the child died of a signal or left without an answer
  kTimedOut,     // killed at the time limit
  kOutOfMemory,  // an allocation failed under the memory limit
  kInterrupted,  // the run was asked to stop before the job was finished
};

struct JobResult {
  Outcome outcome = Outcome::kInterrupted;
  std::string payload;           // what the work returned, with kDone
  std::string reason;            // one line, without kDone
  bool killed = false;           // from outside, with kCrashed, as the system does when memory runs out
  std::string output;            // what the child printed, its first 16 KiB
  std::string stage;             // the last stage it entered
  double seconds = 0;            // wall time from its start to its end, waiting excluded
  std::size_t peak_memory = 0;   // largest resident size of the child, bytes
  std::size_t memory_limit = 0;  // address space that it had, bytes; 0: no limit
};

struct RunnerOptions {
  int jobs = 1;                // children at once
  double timeout_seconds = 0;  // per job, waiting excluded; 0: no limit
  // Address space per job, bytes, of which a job has no more than the caller; 0: as much as that. Not applied
  // under sanitizers, which map more.
  std::size_t memory_bytes = 0;
};

using StageCallback = std::function<void(std::string_view stage)>;

// The stage in which a job's clock and time limit stand still: it waits for another run's lock.
inline constexpr std::string_view kWaitingStage = "waiting for another run";

// Runs in a forked child; what it returns is the job's payload. It may throw, crash, hang or exhaust memory.
using Work = std::function<std::string(std::size_t job, const StageCallback& stage)>;

// Told of what happens, in the parent.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void started(std::size_t) {}
  virtual void stage(std::size_t, std::string_view) {}
  virtual void finished(std::size_t, const JobResult&) {}
  virtual void tick() {}  // a few times a second
};

struct RunResult {
  std::vector<JobResult> jobs;  // one per job, by its number
  int signal = 0;  // SIGINT, SIGTERM or SIGHUP where one ended the run: all children are dead by then
};

// Runs jobs 0 to count - 1, each in a child of its own. The calling process must be single-threaded; it stays
// so. Children leave no core file and die with the caller, even when that is killed. Throws IoError where no
// child can be started.
RunResult run_jobs(std::size_t count, const Work& work, const RunnerOptions& options, RunObserver& observer);

// Memory that this process may count on: the machine's, or its control group's where that is less. Bytes.
std::size_t machine_memory();

// Least memory limit of this process's control groups (versions 1 and 2) and those above; the largest number
// where there is none. `root` is the folder in which /proc and /sys are looked for. Bytes.
std::size_t control_group_memory(const std::filesystem::path& root);

}  // namespace abut::preprocess
