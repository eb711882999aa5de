#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/core/event.h"
#include "runtime/core/simd.h"
#include "runtime/core/thread_pool.h"

namespace abut {

// Asks for the cache lines of array[index], or of its first bytes, which are needed soon and may have been
// written by another thread. Nothing is read, so that the index may lie outside the array.
template <class T, class Index>
ABUT_INLINE void prefetch(const T* array, Index index, std::size_t bytes = sizeof(T)) {
  const auto address =
      reinterpret_cast<std::uintptr_t>(array) + sizeof(T) * static_cast<std::uintptr_t>(index);
  for (std::size_t offset = 0; offset < bytes; offset += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(address + offset));  // NOLINT(performance-no-int-to-ptr)
}

// Threads that work in step: one leads, and offers work in parts and phases; others help where they find a
// part that nobody has begun. A part of microseconds is begun by whoever is there, so that a thread that gets
// no core holds up none but the part that it is at; each thread begins with a part of its own, which stays in
// its core's cache from phase to phase.
class Team {
 public:
  static constexpr int kMaxParts = 16;

  Team() = default;  // the leader alone
  // Of up to `threads`. Every piece of work is to have as many parts.
  Team(int threads, int parts)
      : parts_(parts), alone_(threads <= 1), spin_time_(spin_time_for(std::min(threads, parts))) {}

  // By the leader: calls work(part, phase) for every part in every phase, and returns when all are done. A
  // part begins a phase after it and the part before it are done with the phase before, and sees what they
  // wrote. work must not throw. How many threads there are must not change what is computed, only who does
  // it.
  template <class Work>
  void in_phases(int parts, int phases, Work&& work) {
    if (alone_ || parts <= 1) {
      for (int phase = 0; phase < phases; ++phase)
        for (int part = 0; part < parts; ++part) work(part, phase);
      return;
    }
    using Type = std::remove_reference_t<Work>;
    context_ = &work;
    call_ = [](void* context, int part, int phase) { (*static_cast<Type*>(context))(part, phase); };
    lead(static_cast<std::uint64_t>(phases));
  }

  // By every other thread, from 1 on: helps until the leader closes.
  void help(int thread) {
    std::uint64_t exhausted = 0, offered = 0;  // phases; of the former every part is begun
    for (;;) {
      event_.wait(
          [&] {
            offered = offered_.load(std::memory_order_acquire);
            if (offered == kClosed) return true;
            if (offered == exhausted) return false;  // without a look at what the others write
            if (is_exhausted(offered)) exhausted = offered;
            return can_begin(offered);
          },
          spin_time_);
      if (offered == kClosed) return;
      begin_what_can_be(thread, offered);
    }
  }

  void close() {
    offered_.store(kClosed, std::memory_order_release);
    event_.notify();
  }

 private:
  static constexpr std::uint64_t kClosed = ~std::uint64_t{0};

  // Phases that were begun and are done, of all since the start; on cache lines of its own.
  struct alignas(128) Part {
    std::atomic<std::uint64_t> begun{0}, done{0};
  };

  void lead(std::uint64_t phases) {
    first_ = offered_.load(std::memory_order_relaxed);
    const std::uint64_t end = first_ + phases;
    offered_.store(end, std::memory_order_release);
    event_.notify();
    for (;;) {
      begin_what_can_be(0, end);
      bool done = false;
      event_.wait([&] { return (done = is_done(end)) || can_begin(end); }, spin_time_);
      if (done) return;
    }
  }

  // Whether a part that has begun so many phases may begin one more.
  bool is_ready(int part, std::uint64_t begun) const {
    return parts_state_[part].done.load(std::memory_order_acquire) >= begun &&
           (part == 0 || parts_state_[part - 1].done.load(std::memory_order_acquire) >= begun);
  }
  bool is_done(std::uint64_t end) const {
    for (int part = 0; part < parts_; ++part)
      if (parts_state_[part].done.load(std::memory_order_acquire) < end) return false;
    return true;
  }
  bool is_exhausted(std::uint64_t end) const {
    for (int part = 0; part < parts_; ++part)
      if (parts_state_[part].begun.load(std::memory_order_relaxed) < end) return false;
    return true;
  }
  bool can_begin(std::uint64_t end) const {
    for (int part = 0; part < parts_; ++part) {
      const std::uint64_t begun = parts_state_[part].begun.load(std::memory_order_relaxed);
      if (begun < end && is_ready(part, begun)) return true;
    }
    return false;
  }

  void begin_what_can_be(int thread, std::uint64_t end) {
    for (int k = 0; k < parts_; ++k) {
      const int part = (thread + k) % parts_;
      std::uint64_t begun = parts_state_[part].begun.load(std::memory_order_relaxed);
      // Who succeeds finds the leader within lead(): it waits for this part.
      if (begun < end && is_ready(part, begun) &&
          parts_state_[part].begun.compare_exchange_strong(begun, begun + 1, std::memory_order_acquire))
        go_through(part, begun, end);
    }
  }

  // As many phases as can be begun at once: until a phase is said to be done nobody else begins the next.
  void go_through(int part, std::uint64_t phase, std::uint64_t end) {
    Part& state = parts_state_[part];
    for (bool on = true; on; ++phase) {
      call_(context_, part, static_cast<int>(phase - first_));
      on = phase + 1 < end &&
           (part == 0 || parts_state_[part - 1].done.load(std::memory_order_acquire) > phase);
      if (on) state.begun.store(phase + 2, std::memory_order_relaxed);
      state.done.store(phase + 1, std::memory_order_release);
      event_.notify();
    }
  }

  alignas(128) std::atomic<std::uint64_t> offered_{0};  // phases since the start
  Event event_;
  // Of the piece of work on offer.
  std::uint64_t first_ = 0;  // phase
  void* context_ = nullptr;
  void (*call_)(void* context, int part, int phase) = nullptr;
  int parts_ = 1;
  bool alone_ = true;
  std::chrono::microseconds spin_time_{0};
  std::array<Part, kMaxParts> parts_state_;
};

}  // namespace abut
