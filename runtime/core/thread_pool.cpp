#include "runtime/core/thread_pool.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/core/event.h"

namespace abut {

namespace {

struct Job {
  internal::SharedWork work;
  std::fenv_t environment;
  std::chrono::microseconds spin_time;
};

std::atomic<unsigned> generation{0};  // number of forks from the first process to this one
std::atomic<int> asked_threads{0};
thread_local bool within_work = false;
thread_local bool at_its_end = false;  // true: the thread's pool is destroyed

// Properties of the process, determined once. Not function-local statics: the child of a fork would wait for
// ever for a thread of its parent that was initialising one.
constexpr int kUnknown = -1;
std::atomic<int> found_processors{kUnknown}, found_in_environment{kUnknown};
[[maybe_unused]] const int at_forks = ::pthread_atfork(nullptr, nullptr, [] { ++generation; });

int processors() {
  int count = found_processors.load(std::memory_order_relaxed);
  if (count == kUnknown) {
    count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    found_processors.store(count, std::memory_order_relaxed);
  }
  return count;
}

int threads_in_environment() {  // 0: the environment requests none
  constexpr int kMax = 256;     // each thread has its own scratch memory
  int count = found_in_environment.load(std::memory_order_relaxed);
  if (count == kUnknown) {
    const char* text = std::getenv("OMP_NUM_THREADS");
    // OMP_NUM_THREADS may be a list, one number for each level of nesting; the first one is taken.
    count = text ? static_cast<int>(std::clamp<long>(std::strtol(text, nullptr, 10), 0, kMax)) : 0;
    found_in_environment.store(count, std::memory_order_relaxed);
  }
  return count;
}

// A thread that helps another one. Both share ownership of this object, as either may end last.
class alignas(128) Worker {
 public:
  // For the thread that is helped, in pairs: call() offers a job; leave() withdraws it if it was not begun,
  // else waits until it is done.
  void call(const Job& job) {
    job_ = &job;
    state_.store(kCalled, std::memory_order_release);
    called_.notify();
  }
  void leave(std::chrono::microseconds spin_time) {
    int state = kCalled;
    if (state_.compare_exchange_strong(state, kFree)) return;
    left_.wait([this] { return state_.load(std::memory_order_acquire) == kFree; }, spin_time);
  }
  void dismiss() {
    dismissed_.store(true, std::memory_order_release);
    called_.notify();
  }

  void serve(int thread) {
    within_work = true;
    std::chrono::microseconds spin_time = Event::kSpinTime;
    for (;;) {
      called_.wait([this] { return state_.load(std::memory_order_acquire) == kCalled || dismissed(); },
                   spin_time);
      if (dismissed()) return;
      int state = kCalled;
      if (!state_.compare_exchange_strong(state, kBusy)) continue;
      std::fesetenv(&job_->environment);
      spin_time = job_->spin_time;
      job_->work.call(job_->work.context, thread);
      state_.store(kFree, std::memory_order_release);
      left_.notify();
    }
  }

 private:
  enum State { kFree, kCalled, kBusy };

  bool dismissed() const { return dismissed_.load(std::memory_order_acquire); }

  std::atomic<int> state_{kFree};
  std::atomic<bool> dismissed_{false};
  const Job* job_ = nullptr;  // valid from call() to leave()
  Event called_, left_;
};

// The workers of one thread.
class ThreadPool {
 public:
  ~ThreadPool() {
    at_its_end = true;
    if (forked()) return;
    for (const auto& worker : workers_) worker->dismiss();
  }

  void run(int threads, internal::SharedWork work) {
    const std::size_t count = grow(static_cast<std::size_t>(threads - 1));
    Job job{work, {}, spin_time_for(threads)};
    std::fegetenv(&job.environment);
    for (std::size_t i = 0; i < count; ++i) workers_[i]->call(job);
    within_work = true;
    work.call(work.context, 0);
    within_work = false;
    for (std::size_t i = 0; i < count; ++i) workers_[i]->leave(job.spin_time);
  }

 private:
  bool forked() const { return generation_ != generation.load(std::memory_order_relaxed); }

  // Starts workers until there are `count`, as far as the system allows. Returns how many of them there are.
  std::size_t grow(std::size_t count) {
    if (forked()) {  // the threads of these workers exist only in the parent
      workers_.clear();
      generation_ = generation;
    }
    while (workers_.size() < count) {
      const auto worker = std::make_shared<Worker>();
      workers_.push_back(worker);
      try {
        std::thread([worker, thread = static_cast<int>(workers_.size())] { worker->serve(thread); }).detach();
      } catch (const std::system_error&) {
        workers_.pop_back();
        break;
      }
    }
    return std::min(count, workers_.size());
  }

  std::vector<std::shared_ptr<Worker>> workers_;
  unsigned generation_ = generation;
};

thread_local ThreadPool pool;

}  // namespace

int default_threads() {
  const int asked = asked_threads.load(std::memory_order_relaxed);
  if (asked > 0) return asked;
  const int wished = threads_in_environment();
  return wished > 0 ? wished : processors();
}

void set_default_threads(int threads) { asked_threads.store(threads, std::memory_order_relaxed); }

std::chrono::microseconds spin_time_for(int threads) {
  return threads <= processors() ? Event::kSpinTime : std::chrono::microseconds(0);
}

void internal::run_together(int threads, SharedWork work) {
  if (threads <= 1 || within_work || at_its_end) {
    work.call(work.context, 0);
    return;
  }
  pool.run(threads, work);
}

}  // namespace abut
