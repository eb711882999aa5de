#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace abut {

// Where threads wait for what others do: each spins for a while and then blocks, so that whoever is waited
// for can have the core.
class Event {
 public:
  // Many times the waits between pieces of work of microseconds, a small part of a scheduler's time slice.
  static constexpr std::chrono::microseconds kSpinTime{200};

  // Returns once ready() is true: read from atomics, and followed by notify() when it becomes so.
  template <class Ready>
  void wait(Ready&& ready, std::chrono::microseconds spin_time = kSpinTime) {
    if (spin(ready, spin_time)) return;
    std::unique_lock lock(mutex_);
    for (;;) {
      asleep_.store(true, std::memory_order_relaxed);
      std::atomic_thread_fence(
          std::memory_order_seq_cst);  // either ready() is seen here, or asleep_ in notify()
      if (ready()) return;
      notified_.wait(lock);
    }
  }

  // Costs a fence where nobody is asleep.
  void notify() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!asleep_.load(std::memory_order_relaxed) || !asleep_.exchange(false)) return;
    { const std::lock_guard lock(mutex_); }  // whoever found nothing ready sleeps by now
    notified_.notify_all();
  }

 private:
  template <class Ready>
  static bool spin(Ready& ready, std::chrono::microseconds spin_time) {
    constexpr int kTurns = 32;  // between two looks at the clock
    std::chrono::steady_clock::time_point start;
    for (int turn = 1;; ++turn) {
      if (ready()) return true;
      pause();
      if (turn % kTurns != 0) continue;
      const auto now = std::chrono::steady_clock::now();
      if (turn == kTurns)
        start = now;
      else if (now - start >= spin_time)
        return false;
    }
  }

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  std::atomic<bool> asleep_{false};  // somebody may be
  std::mutex mutex_;
  std::condition_variable notified_;
};

}  // namespace abut
