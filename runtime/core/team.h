#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "runtime/core/simd.h"

namespace abut {

// Where two threads wait for each other. Made for waits of about a microsecond between pieces of work of ten:
// it spins, and only after some 50 us lets others have the core.
class Barrier {
 public:
  // Both to be called by both threads, as 0 and 1: after await a thread sees what the other wrote before
  // arrive. One that need not see it may leave an await out.
  void arrive(int index) {
    // Each counts its calls on cache lines of its own: one line crosses over each way.
    std::atomic<unsigned>& count = calls_[index].count;
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  void await(int index) const {
    const unsigned calls = calls_[index].count.load(std::memory_order_relaxed);
    const std::atomic<unsigned>& other = calls_[1 - index].count;
    for (int turns = 0; static_cast<int>(other.load(std::memory_order_acquire) - calls) < 0; ++turns) {
      if (turns < kSpins)
        pause();
      else
        std::this_thread::yield();
    }
  }

 private:
  static constexpr int kSpins = 1000;

  struct alignas(128) Calls {
    std::atomic<unsigned> count{0};
  };

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  Calls calls_[2];
};

// Asks for the cache lines of array[index], or of its first bytes, which are needed soon and may have been
// written by another thread. Nothing is read, so that the index may lie outside the array.
template <class T, class Index>
ABUT_INLINE void fetch_early(const T* array, Index index, std::size_t bytes = sizeof(T)) {
  const auto address =
      reinterpret_cast<std::uintptr_t>(array) + sizeof(T) * static_cast<std::uintptr_t>(index);
  for (std::size_t offset = 0; offset < bytes; offset += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(address + offset));  // NOLINT(performance-no-int-to-ptr)
}

// One thread's place among those that work on one problem in step, one or two; by default it works alone.
struct Team {
  int index = 0, size = 1;
  Barrier* barrier = nullptr;

  void arrive() const {
    if (size > 1) barrier->arrive(index);
  }
  void await() const {
    if (size > 1) barrier->await(index);
  }
  void wait() const {
    arrive();
    await();
  }
};

// Calls work(thread, team) on up to `threads` threads at once: the first two are a team, the others work
// alone. work must not throw. How many there are must not change what is computed, only who does it.
template <class Work>
void run_team(int threads, Work&& work) {
#ifdef _OPENMP
  if (threads > 1) {
    Barrier barrier;
#pragma omp parallel num_threads(threads)
    {
      const int thread = omp_get_thread_num();
      work(thread, thread < 2 && omp_get_num_threads() > 1 ? Team{thread, 2, &barrier} : Team{});
    }
    return;
  }
#endif
  work(0, Team{});
}

}  // namespace abut
