#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "preprocess/process/runner.h"

// A job in its child process, and the pipes between child and parent. Internal to the runner.
namespace abut::preprocess {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { reset(); }

  int get() const { return fd_; }
  int release();
  void reset();

 private:
  int fd_;
};

// The parent's view of a running child. Movable only; destroying the object kills and reaps the child.
class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;

  // Forks; the child does the work, reports and exits. Throws IoError if the system refuses.
  static ChildProcess start(std::size_t job, const Work& work, const RunnerOptions& options);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  std::size_t job() const { return job_; }
  int report_fd() const { return report_.get(); }
  int output_fd() const { return output_.get(); }

  // Reads the available reports and passes stages to the observer. Returns false once the child has closed
  // its end: then call reap().
  bool read_report(RunObserver& observer);
  void read_output();

  // Seconds until the time limit; 0 once it has passed; a large number if there is no limit or the child is
  // waiting.
  double seconds_left(double timeout_seconds) const;
  void kill_for_timeout();

  // Waits for the child to end and returns its result.
  JobResult reap(const RunnerOptions& options);

 private:
  ChildProcess() = default;
  void handle(char kind, std::string text, RunObserver& observer);
  double seconds() const;
  void explain(int status, const RunnerOptions& options);

  std::size_t job_ = 0;
  pid_t pid_ = -1;
  FileDescriptor report_, output_;
  std::string buffer_;
  JobResult result_;
  bool answered_ = false, timed_out_ = false, waiting_ = false;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace abut::preprocess
