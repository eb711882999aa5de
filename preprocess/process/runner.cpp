#include "preprocess/process/runner.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <system_error>

#include "preprocess/process/child_process.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

constexpr double kTickSeconds = 0.25;

// Blocks SIGINT, SIGTERM and SIGHUP during its lifetime and receives them as data, so that the parent can
// stop its children first. Ignored signals, such as SIGHUP under nohup, stay ignored.
class SignalCatcher {
 public:
  SignalCatcher() {
    sigset_t mask;
    sigemptyset(&mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction now {};
      ::sigaction(signal, nullptr, &now);
      if (now.sa_handler != SIG_IGN) sigaddset(&mask, signal);
    }
    ::sigprocmask(SIG_BLOCK, &mask, &before_);
    fd_ = FileDescriptor(::signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC));
    if (fd_.get() >= 0) return;
    const int error = errno;
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);  // the destructor will not run
    throw IoError(fmt::format("signals cannot be caught: {}", std::generic_category().message(error)));
  }
  SignalCatcher(const SignalCatcher&) = delete;
  SignalCatcher& operator=(const SignalCatcher&) = delete;
  ~SignalCatcher() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

  int fd() const { return fd_.get(); }
  int take() const {
    signalfd_siginfo info{};
    return ::read(fd_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
  }

 private:
  sigset_t before_{};
  FileDescriptor fd_;
};

// Children take two descriptors each here, and their own of this process's: as many as the machine allows.
void allow_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

class Run {
 public:
  Run(std::size_t count, const Work& work, const RunnerOptions& options, RunObserver& observer)
      : work_(work), options_(options), observer_(observer) {
    result_.jobs.resize(count);
    allow_descriptors();
  }

  RunResult go() {
    while (next_ < result_.jobs.size() || !running_.empty()) {
      start_children();
      wait_for_events();
      if (const int signal = signals_.take(); signal != 0) {
        stop(signal);
        break;
      }
      read_children();
      observer_.tick();
    }
    return std::move(result_);
  }

 private:
  void start_children() {
    while (running_.size() < static_cast<std::size_t>(std::max(1, options_.jobs)) &&
           next_ < result_.jobs.size()) {
      std::fflush(nullptr);
      try {
        running_.push_back(ChildProcess::start(next_, work_, options_));
      } catch (const IoError&) {
        if (running_.empty()) throw;
        return;  // the machine has room for no more: the next one starts when one of these has ended
      }
      observer_.started(next_++);
    }
  }

  void wait_for_events() {
    std::vector<pollfd> fds{{signals_.fd(), POLLIN, 0}};
    double left = kTickSeconds;
    for (const ChildProcess& child : running_) {
      fds.push_back({child.report_fd(), POLLIN, 0});
      if (child.output_fd() >= 0) fds.push_back({child.output_fd(), POLLIN, 0});
      left = std::min(left, child.seconds_left(options_.timeout_seconds));
    }
    ::poll(fds.data(), fds.size(), static_cast<int>(std::ceil(1000 * left)));
  }

  void read_children() {
    for (std::size_t i = 0; i < running_.size();) {
      ChildProcess& child = running_[i];
      if (child.output_fd() >= 0) child.read_output();
      if (child.seconds_left(options_.timeout_seconds) <= 0) child.kill_for_timeout();
      if (child.read_report(observer_)) {
        ++i;
        continue;
      }
      JobResult& result = result_.jobs[child.job()];
      result = child.reap(options_);
      observer_.finished(child.job(), result);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  void stop(int signal) {
    running_.clear();
    result_.signal = signal;
    for (JobResult& job : result_.jobs)
      if (job.outcome == Outcome::kInterrupted) job.reason = "interrupted";
  }

  const Work& work_;
  const RunnerOptions& options_;
  RunObserver& observer_;
  SignalCatcher signals_;
  std::vector<ChildProcess> running_;
  std::size_t next_ = 0;
  RunResult result_;
};

// Least of the limits in the files `name` in the group's folder and all folders above it, up to `root`.
std::size_t least_limit(const std::filesystem::path& root, const std::string& group, const char* name) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (std::filesystem::path at = std::filesystem::path(group).relative_path();; at = at.parent_path()) {
    std::size_t limit = 0;  // stays 0 if the file is missing or contains "max"
    if (std::ifstream(root / at / name) >> limit && limit > 0) least = std::min(least, limit);
    if (at.empty()) return least;
  }
}

}  // namespace

RunResult run_jobs(std::size_t count, const Work& work, const RunnerOptions& options, RunObserver& observer) {
  return Run(count, work, options, observer).go();
}

std::size_t machine_memory() {
  const std::size_t memory =
      static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return std::min(memory, control_group_memory("/"));
}

std::size_t control_group_memory(const std::filesystem::path& root) {
  const std::filesystem::path mounted = root / "sys/fs/cgroup";
  // In a container the group's own folder may be mounted in place of the root.
  std::size_t least = std::min(least_limit(mounted, "", "memory.max"),
                               least_limit(mounted / "memory", "", "memory.limit_in_bytes"));
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {  // "0::/GROUP" (version 2), "N:memory:/GROUP" (version 1)
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1),
                      group = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, least_limit(mounted, group, "memory.max"));
    if (controllers == "memory")
      least = std::min(least, least_limit(mounted / "memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

}  // namespace abut::preprocess
