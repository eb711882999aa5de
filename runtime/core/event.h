#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace abut {

// Lets threads wait for a condition that other threads make true. Each spins for a while and then blocks, so
// that the thread it waits for can have the core.
class Event {
 public:
  // Many times the usual wait between work units of microseconds, and a small part of a scheduler's time
  // slice.
  static constexpr std::chrono::microseconds kSpinTime{200};

  // Returns once ready() is true. ready() reads atomics; whoever makes it true calls notify() afterwards.
  template <class Ready>
  void wait(Ready&& ready, std::chrono::microseconds spin_time = kSpinTime) {
    if (spin(ready, spin_time)) return;
    std::unique_lock lock(mutex_);
    for (;;) {
      asleep_.store(true, std::memory_order_relaxed);
      std::atomic_thread_fence(
          std::memory_order_seq_cst);  // pairs with notify(): either ready() is true here, or asleep_ there
      if (ready()) return;
      notified_.wait(lock);
    }
  }

  // Wakes all waiting threads. Costs only a fence where none has blocked.
  void notify() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!asleep_.load(std::memory_order_relaxed) || !asleep_.exchange(false)) return;
    { const std::lock_guard lock(mutex_); }  // a thread that found ready() false has blocked by now
    notified_.notify_all();
  }

 private:
  template <class Ready>
  static bool spin(Ready& ready, std::chrono::microseconds spin_time) {
    constexpr int kTurns = 32;  // iterations between two reads of the clock
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

  std::atomic<bool> asleep_{false};  // true: a thread may be blocked
  std::mutex mutex_;
  std::condition_variable notified_;
};

}  // namespace abut
