#pragma once

#include <atomic>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace abut {

// Where threads wait until all have come. Made for waits of about a microsecond between pieces of work of
// ten: it spins, and only after some 50 us lets others have the core.
class Barrier {
 public:
  // To be called by each of `threads` threads; what they wrote before is seen by all after it.
  void wait(int threads) {
    const unsigned round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      return;
    }
    for (int turns = 0; round_.load(std::memory_order_acquire) == round; ++turns) {
      if (turns < kSpins)
        pause();
      else
        std::this_thread::yield();
    }
  }

 private:
  static constexpr int kSpins = 1000;

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<unsigned> round_{0};
};

// One thread's place among those that work on one problem in step; by default it works alone.
struct Team {
  int index = 0, size = 1;
  Barrier* barrier = nullptr;

  void wait() const {
    if (size > 1) barrier->wait(size);
  }
};

// Calls work(team) on up to `threads` threads at once; work must not throw. How many there are must not
// change what is computed, only who does it.
template <class Work>
void run_team(int threads, Work&& work) {
#ifdef _OPENMP
  if (threads > 1) {
    Barrier barrier;
#pragma omp parallel num_threads(threads)
    work(Team{omp_get_thread_num(), omp_get_num_threads(), &barrier});
    return;
  }
#endif
  work(Team{});
}

}  // namespace abut
