#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Runs jobs in child processes, so that a job that throws, crashes, hangs or exhausts memory affects no
// other.
namespace abut::preprocess {

enum class Outcome {
  kDone,         // the work returned
  kFailed,       // the work threw; `reason` is the message
  kCrashed,      // the child was killed by a signal or exited without an answer
  kTimedOut,     // killed at the time limit
  kOutOfMemory,  // an allocation failed under the memory limit
  kInterrupted,  // the run was asked to stop before the job was finished
};

struct JobResult {
  Outcome outcome = Outcome::kInterrupted;
  std::string payload;           // what the work returned, with kDone
  std::string reason;            // one line; unless kDone
  bool killed = false;           // with kCrashed: from outside, as the system does when memory runs out
  std::string output;            // what the child printed; its first 16 KiB
  std::string stage;             // the last stage it entered
  double seconds = 0;            // wall time from start to end, without waiting
  std::size_t peak_memory = 0;   // largest resident size of the child, bytes
  std::size_t memory_limit = 0;  // address space available to it, bytes; 0: no limit
};

struct RunnerOptions {
  int jobs = 1;                // children at the same time
  double timeout_seconds = 0;  // for each job, without waiting; 0: no limit
  // Address space of each job, bytes, but never more than the caller has; 0: as much as the caller. Not
  // applied under sanitizers, which map more.
  std::size_t memory_bytes = 0;
};

using StageCallback = std::function<void(std::string_view stage)>;

// The stage in which a job's clock and time limit are suspended, because it waits for another run's lock.
inline constexpr std::string_view kWaitingStage = "waiting for another run";

// Runs in a forked child; its return value is the job's payload. It may throw, crash, hang or exhaust memory.
using Work = std::function<std::string(std::size_t job, const StageCallback& stage)>;

// Receives events, in the parent process.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void started(std::size_t) {}
  virtual void stage(std::size_t, std::string_view) {}
  virtual void finished(std::size_t, const JobResult&) {}
  virtual void tick() {}  // called a few times a second
};

struct RunResult {
  std::vector<JobResult> jobs;  // one for each job, by its number
  int signal = 0;  // SIGINT, SIGTERM or SIGHUP if one ended the run; all children have ended by then
};

// Runs jobs 0 to count - 1, each in a child of its own. The calling process must be single-threaded, and
// remains so. Children leave no core file and are killed with the caller, even if that is killed itself.
// Throws IoError if no child can be started.
RunResult run_jobs(std::size_t count, const Work& work, const RunnerOptions& options, RunObserver& observer);

// Memory available to this process, bytes: the machine's, or its control group's limit if that is lower.
std::size_t machine_memory();

// Least memory limit of this process's control groups (versions 1 and 2) and their ancestors, bytes; the
// largest number if there is none. `root` is the folder that contains /proc and /sys.
std::size_t control_group_memory(const std::filesystem::path& root);

}  // namespace abut::preprocess
