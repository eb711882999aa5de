#include "preprocess/process/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "runtime/core/error.h"
#include "runtime/core/input_file.h"

namespace abut::preprocess {
namespace {

#ifdef ABUT_SANITIZED
constexpr bool kLimitMemory = false;  // sanitizers reserve terabytes of address space
#else
constexpr bool kLimitMemory = true;
#endif

// A report consists of a kind (one byte), a length (four bytes) and a text.
constexpr char kStage = 's', kDone = 'd', kFailure = 'f', kNoMemory = 'm';
constexpr std::size_t kHead = 5;
constexpr std::size_t kMaxOutput = 16384;

void write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(3);  // the reader is gone
    data += n;
    size -= static_cast<std::size_t>(n);
  }
}

// Does not allocate, so that it can still report that memory is exhausted.
void send(int fd, char kind, std::string_view text) {
  char head[kHead] = {kind};
  const auto length = static_cast<std::uint32_t>(text.size());
  std::memcpy(head + 1, &length, sizeof length);
  write_all(fd, head, kHead);
  write_all(fd, text.data(), text.size());
}

// Lowers this process's soft limit; RLIM_INFINITY is the largest value.
void lower_limit(__rlimit_resource resource, rlim_t value) {
  struct rlimit limit {};
  ::getrlimit(resource, &limit);
  limit.rlim_cur = std::min(value, limit.rlim_cur);
  ::setrlimit(resource, &limit);
}

// Address space of a child, bytes: the option, or this process's own limit if that is lower.
rlim_t child_memory(const RunnerOptions& options) {
  struct rlimit own {};
  ::getrlimit(RLIMIT_AS, &own);
  const bool limited = options.memory_bytes > 0 && kLimitMemory;
  return limited ? std::min<rlim_t>(options.memory_bytes, own.rlim_cur) : own.rlim_cur;
}

void prepare_child(pid_t parent, const RunnerOptions& options) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(3);  // the parent died before the call above
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_AS, child_memory(options));
  // These may be sent to the whole process group; the parent decides what happens to the children.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void be_child(std::size_t job, const Work& work, int report) {
  try {
    const std::string payload = work(job, [&](std::string_view stage) { send(report, kStage, stage); });
    send(report, kDone, payload);
  } catch (const OutOfMemory&) {
    send(report, kNoMemory, "");
  } catch (const std::bad_alloc&) {
    send(report, kNoMemory, "");
  } catch (const std::exception& error) {
    send(report, kFailure, error.what());
  } catch (...) {
    send(report, kFailure, "an exception of unknown type");
  }
  ::_exit(0);  // no destructors, no buffers: they belong to the parent
}

void make_pipe(FileDescriptor& reader, FileDescriptor& writer) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0)
    throw IoError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  reader = FileDescriptor(fds[0]);
  writer = FileDescriptor(fds[1]);
}

std::string first_line(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, std::min(text.find('\n', begin) - begin, std::size_t{200}));
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int FileDescriptor::release() { return std::exchange(fd_, -1); }

void FileDescriptor::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  job_ = other.job_;
  report_ = std::move(other.report_);
  output_ = std::move(other.output_);
  buffer_ = std::move(other.buffer_);
  result_ = std::move(other.result_);
  answered_ = other.answered_;
  timed_out_ = other.timed_out_;
  waiting_ = other.waiting_;
  begin_ = other.begin_;
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

ChildProcess ChildProcess::start(std::size_t job, const Work& work, const RunnerOptions& options) {
  ChildProcess child;
  FileDescriptor report, output;
  make_pipe(child.report_, report);
  make_pipe(child.output_, output);
  const pid_t parent = ::getpid();
  child.job_ = job;
  child.pid_ = ::fork();
  if (child.pid_ < 0) throw IoError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child.pid_ == 0) {
    prepare_child(parent, options);
    ::dup2(output.get(), STDOUT_FILENO);
    ::dup2(output.get(), STDERR_FILENO);
    be_child(job, work, report.get());
  }
  for (const int fd : {child.report_.get(), child.output_.get()}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return child;
}

bool ChildProcess::read_report(RunObserver& observer) {
  char chunk[65536];
  for (;;) {
    const ssize_t n = ::read(report_.get(), chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return true;
    if (n <= 0) return false;
    buffer_.append(chunk, static_cast<std::size_t>(n));
    std::uint32_t length = 0;
    while (buffer_.size() >= kHead) {
      std::memcpy(&length, buffer_.data() + 1, sizeof length);
      if (buffer_.size() < kHead + length) break;
      handle(buffer_[0], buffer_.substr(kHead, length), observer);
      buffer_.erase(0, kHead + length);
    }
  }
}

void ChildProcess::read_output() {
  char chunk[4096];
  for (;;) {
    const ssize_t n = ::read(output_.get(), chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) output_.reset();
    if (n <= 0) return;
    const std::size_t room = kMaxOutput - std::min(kMaxOutput, result_.output.size());
    result_.output.append(chunk, std::min(room, static_cast<std::size_t>(n)));
  }
}

void ChildProcess::handle(char kind, std::string text, RunObserver& observer) {
  if (kind == kStage) {
    if (waiting_) begin_ = Clock::now();
    waiting_ = text == kWaitingStage;
    result_.stage = std::move(text);
    observer.stage(job_, result_.stage);
    return;
  }
  answered_ = true;
  result_.outcome = kind == kDone       ? Outcome::kDone
                    : kind == kNoMemory ? Outcome::kOutOfMemory
                                        : Outcome::kFailed;
  (kind == kDone ? result_.payload : result_.reason) = std::move(text);
}

double ChildProcess::seconds() const {
  return waiting_ ? 0 : std::chrono::duration<double>(Clock::now() - begin_).count();
}

double ChildProcess::seconds_left(double timeout_seconds) const {
  if (timeout_seconds <= 0 || waiting_ || timed_out_) return 1e9;
  return std::max(0.0, timeout_seconds - seconds());
}

void ChildProcess::kill_for_timeout() {
  timed_out_ = true;
  ::kill(pid_, SIGKILL);
}

JobResult ChildProcess::reap(const RunnerOptions& options) {
  int status = 0;
  struct rusage usage {};
  while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (output_.get() >= 0) read_output();
  result_.seconds = seconds();
  result_.peak_memory = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  if (const rlim_t limit = child_memory(options); limit != RLIM_INFINITY) result_.memory_limit = limit;
  if (!answered_) explain(status, options);
  if (result_.outcome == Outcome::kOutOfMemory)
    result_.reason = fmt::format(
        "out of memory in stage '{}' ({}); run it with fewer jobs or more memory", result_.stage,
        result_.memory_limit > 0 ? fmt::format("limit {} MiB", result_.memory_limit >> 20) : "no limit");
  return std::move(result_);
}

// Explains why a child ended without an answer: by which signal, and what that usually means.
void ChildProcess::explain(int status, const RunnerOptions& options) {
  const std::string where =
      result_.stage.empty() ? "before its first stage" : "in stage '" + result_.stage + "'";
  if (timed_out_) {
    result_.outcome = Outcome::kTimedOut;
    result_.reason = fmt::format("timed out {}: stopped after {:g} s", where, options.timeout_seconds);
    return;
  }
  result_.outcome = Outcome::kCrashed;
  std::string how =
      fmt::format("exited with code {} without an answer", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    how = fmt::format("crashed ({}, signal {})", ::strsignal(signal), signal);
    result_.killed = signal == SIGKILL;
    if (result_.killed) how = "killed from outside (signal 9), as the system does when memory runs out";
  }
  const std::string said = first_line(result_.output);
  result_.reason = fmt::format("{} {}{}{}", how, where, said.empty() ? "" : "; it said: ", said);
}

}  // namespace abut::preprocess
