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

// Prefetches the cache lines of array[index], or of its first bytes, which are needed soon and may have been
// written by another thread. Nothing is read, so that the index may lie outside the array.
template <class T, class Index>
ABUT_INLINE void prefetch(const T* array, Index index, std::size_t bytes = sizeof(T)) {
  const auto address =
      reinterpret_cast<std::uintptr_t>(array) + sizeof(T) * static_cast<std::uintptr_t>(index);
  for (std::size_t offset = 0; offset < bytes; offset += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(address + offset));  // NOLINT(performance-no-int-to-ptr)
}

// One piece of work on one or two parts of something that is shared. All units that work on one part do so
// one after the other, in an order that is given: how many threads there are decides who does the work, and
// not what is computed.
struct WorkUnit {
  std::int32_t a, b;            // the parts; equal where it is one
  std::int32_t turn_a, turn_b;  // units that work on them before this one
};

// Units of work on numbered parts. Unit u belongs to part units[u].a.
struct Schedule {
  static constexpr int kMaxParts = 64;  // that a schedule may have

  int parts;                       // 1 to kMaxParts
  const WorkUnit* units;           // by part, then by turn
  const std::int32_t* first_unit;  // (parts + 1) of each part
  const std::int32_t* turns;       // (parts) units that work on each part
  const std::int32_t* in_order;    // all units, each after those that it comes after: for one thread
};

// Threads that work on one thing together: one leads, and offers schedules of work; others help where they
// find a unit that nobody has begun and whose turn it is. A unit of microseconds is begun by whoever is
// there, so that a thread that gets no core holds up none but the unit that it is at; each thread begins with
// parts of its own, which stay in its core's cache from schedule to schedule.
class Team {
 public:
  Team() = default;  // the leader alone
  // A leader, and `threads` - 1 that help.
  explicit Team(int threads) : threads_(threads), spin_time_(spin_time_for(threads)) {}

  // By the leader: calls work(u) for every unit, and returns when all are done. A unit sees what those before
  // it on its parts wrote. work must not throw. The schedule must outlive the team.
  template <class Work>
  void run(const Schedule& schedule, Work&& work) {
    if (threads_ <= 1 || schedule.parts <= 1) {
      for (std::int32_t k = 0; k < schedule.first_unit[schedule.parts] - schedule.first_unit[0]; ++k)
        work(schedule.in_order[k]);
      return;
    }
    using Type = std::remove_reference_t<Work>;
    context_ = &work;
    call_ = [](void* context, std::int32_t unit) { (*static_cast<Type*>(context))(unit); };
    lead(schedule);
  }

  // By every other thread, from 1 on: helps until the leader closes.
  void help(int thread) {
    std::uint64_t exhausted = 0, offered = 0;  // runs; of the former every unit is begun
    for (;;) {
      event_.wait(
          [&] {
            offered = offered_.load(std::memory_order_acquire);
            if (offered == kClosed) return true;
            if (offered == exhausted) return false;  // without a look at what the others write
            const Schedule& schedule = *schedule_.load(std::memory_order_acquire);
            if (is_exhausted(schedule, offered)) exhausted = offered;
            return can_begin(schedule, offered);
          },
          spin_time_);
      if (offered == kClosed) return;
      begin_what_can_be(*schedule_.load(std::memory_order_acquire), offered, thread);
    }
  }

  // By the leader, when no more runs follow: help() returns.
  void close() {
    offered_.store(kClosed, std::memory_order_release);
    event_.notify();
  }

 private:
  static constexpr std::uint64_t kClosed = ~std::uint64_t{0};

  // A count in the run that it belongs to; counts of other runs equal none of this one.
  static std::uint64_t count_of(std::uint64_t run, std::int32_t count) {
    return run << 32 | static_cast<std::uint32_t>(count);
  }

  // On cache lines of its own: of a part's units those that were begun, and of all units on it those that are
  // done.
  struct alignas(128) Part {
    std::atomic<std::uint64_t> begun{0}, done{0};
  };

  void lead(const Schedule& schedule) {
    const std::uint64_t run = offered_.load(std::memory_order_relaxed) + 1;
    for (int part = 0; part < schedule.parts; ++part) {
      parts_[part].begun.store(count_of(run, 0), std::memory_order_relaxed);
      parts_[part].done.store(count_of(run, 0), std::memory_order_relaxed);
    }
    // Who still looks at the run before and finds this schedule finds these counts too, which are not of its
    // run.
    schedule_.store(&schedule, std::memory_order_release);
    offered_.store(run, std::memory_order_release);
    event_.notify();
    for (;;) {
      begin_what_can_be(schedule, run, 0);
      bool done = false;
      event_.wait([&] { return (done = is_done(schedule, run)) || can_begin(schedule, run); }, spin_time_);
      if (done) return;
    }
  }

  bool has_turn(int part, std::uint64_t run, std::int32_t turn) const {
    return parts_[part].done.load(std::memory_order_acquire) == count_of(run, turn);
  }
  // The next unit of a part where it can be begun, else -1; `begun`: what its part says.
  std::int32_t next_unit(const Schedule& schedule, std::uint64_t run, int part, std::uint64_t& begun) const {
    begun = parts_[part].begun.load(std::memory_order_relaxed);
    if (begun >> 32 != run) return -1;
    const std::int32_t unit = schedule.first_unit[part] + static_cast<std::int32_t>(begun & 0xffffffff);
    if (unit >= schedule.first_unit[part + 1]) return -1;
    const WorkUnit& work = schedule.units[unit];
    return has_turn(work.a, run, work.turn_a) && has_turn(work.b, run, work.turn_b) ? unit : -1;
  }
  bool is_done(const Schedule& schedule, std::uint64_t run) const {
    for (int part = 0; part < schedule.parts; ++part)
      if (!has_turn(part, run, schedule.turns[part])) return false;
    return true;
  }
  bool is_exhausted(const Schedule& schedule, std::uint64_t run) const {
    for (int part = 0; part < schedule.parts; ++part) {
      const std::int32_t units = schedule.first_unit[part + 1] - schedule.first_unit[part];
      if (parts_[part].begun.load(std::memory_order_relaxed) < count_of(run, units)) return false;
    }
    return true;
  }
  bool can_begin(const Schedule& schedule, std::uint64_t run) const {
    std::uint64_t begun;
    for (int part = 0; part < schedule.parts; ++part)
      if (next_unit(schedule, run, part, begun) >= 0) return true;
    return false;
  }

  // Looks through the parts from the thread's own on, until none has a unit that can be begun.
  void begin_what_can_be(const Schedule& schedule, std::uint64_t run, int thread) {
    const int own = thread * schedule.parts / threads_;
    for (bool found = true; found;) {
      found = false;
      for (int k = 0; k < schedule.parts; ++k) {
        const int part = (own + k) % schedule.parts;
        std::uint64_t begun;
        for (std::int32_t unit; (unit = next_unit(schedule, run, part, begun)) >= 0;) {
          // Who succeeds finds the leader within lead(): it waits for this unit.
          if (!parts_[part].begun.compare_exchange_strong(begun, begun + 1, std::memory_order_acquire)) break;
          call_(context_, unit);
          const WorkUnit& work = schedule.units[unit];
          parts_[work.a].done.store(count_of(run, work.turn_a + 1), std::memory_order_release);
          if (work.b != work.a)
            parts_[work.b].done.store(count_of(run, work.turn_b + 1), std::memory_order_release);
          event_.notify();
          found = true;
        }
      }
    }
  }

  int threads_ = 1;
  std::chrono::microseconds spin_time_{0};
  alignas(128) std::atomic<std::uint64_t> offered_{0};  // runs since the start
  std::atomic<const Schedule*> schedule_{nullptr};
  Event event_;
  // Of the run on offer.
  void* context_ = nullptr;
  void (*call_)(void* context, std::int32_t unit) = nullptr;
  std::array<Part, Schedule::kMaxParts> parts_;
};

}  // namespace abut
