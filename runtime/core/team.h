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

// Prefetches the cache lines of array[index], or of its first `bytes`, which are needed soon and may have
// been written by another thread. Reads nothing, so the index may lie outside the array.
template <class T, class Index>
ABUT_INLINE void prefetch(const T* array, Index index, std::size_t bytes = sizeof(T)) {
  const auto address =
      reinterpret_cast<std::uintptr_t>(array) + sizeof(T) * static_cast<std::uintptr_t>(index);
  for (std::size_t offset = 0; offset < bytes; offset += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(address + offset));  // NOLINT(performance-no-int-to-ptr)
}

// One piece of work on one or two parts of a shared data structure. All units that work on the same part do
// so one after the other, in a given order: the number of threads decides who does the work, not what is
// computed.
struct WorkUnit {
  std::int32_t a, b;            // indices of the parts; equal where the unit works on only one
  std::int32_t turn_a, turn_b;  // number of units that work on part a (part b) before this one
};

// Units of work on numbered parts. Unit u is listed with part units[u].a, which may also be part b of other
// units.
struct Schedule {
  static constexpr int kMaxParts = 64;  // largest number of parts of a schedule

  int parts;                       // 1 to kMaxParts
  const WorkUnit* units;           // sorted by part a, then by turn
  const std::int32_t* first_unit;  // (parts + 1) index of each part's first unit, and the end
  const std::int32_t* turns;       // (parts) number of units that work on each part, as a or b
  const std::int32_t* in_order;    // all units in an order that respects all turns, for a single thread
};

// A team of threads that work on one task together: one leads and offers schedules of work units; the others
// help wherever they find a unit that nobody has begun and whose turn it is. A unit takes microseconds and is
// begun by whichever thread is there, so that a thread that gets no core delays only the unit it is at. Each
// thread starts its search at parts of its own, which stay in its core's cache from schedule to schedule.
class Team {
 public:
  Team() = default;  // only the leader
  // A leader and `threads` - 1 helpers.
  explicit Team(int threads) : threads_(threads), spin_time_(spin_time_for(threads)) {}

  // Called by the leader: calls work(u) for every unit u and returns when all are done. A unit sees what
  // earlier units on its parts wrote. work must not throw. The schedule must outlive the team.
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

  // Called by every helper, with its number from 1: takes part in the runs until the leader closes the team.
  void help(int thread) {
    // Numbers of runs: the last one seen with every unit begun; the one on offer.
    std::uint64_t exhausted = 0, offered = 0;
    for (;;) {
      event_.wait(
          [&] {
            offered = offered_.load(std::memory_order_acquire);
            if (offered == kClosed) return true;
            if (offered == exhausted) return false;  // decided without reading what the other threads write
            const Schedule& schedule = *schedule_.load(std::memory_order_acquire);
            if (is_exhausted(schedule, offered)) exhausted = offered;
            return can_begin(schedule, offered);
          },
          spin_time_);
      if (offered == kClosed) return;
      begin_what_can_be(*schedule_.load(std::memory_order_acquire), offered, thread);
    }
  }

  // Called by the leader when no more runs follow: makes help() return.
  void close() {
    offered_.store(kClosed, std::memory_order_release);
    event_.notify();
  }

 private:
  static constexpr std::uint64_t kClosed = ~std::uint64_t{0};

  // A count, tagged with the run it belongs to, so that it equals no count of any other run.
  static std::uint64_t count_of(std::uint64_t run, std::int32_t count) {
    return run << 32 | static_cast<std::uint32_t>(count);
  }

  // Counters of a part, on cache lines of their own: `begun`, of the units listed with the part those that
  // were begun; `done`, of all units that work on the part those that are done. Both are tagged with the run.
  struct alignas(128) Part {
    std::atomic<std::uint64_t> begun{0}, done{0};
  };

  void lead(const Schedule& schedule) {
    const std::uint64_t run = offered_.load(std::memory_order_relaxed) + 1;
    for (int part = 0; part < schedule.parts; ++part) {
      parts_[part].begun.store(count_of(run, 0), std::memory_order_relaxed);
      parts_[part].done.store(count_of(run, 0), std::memory_order_relaxed);
    }
    // A thread that is still at the previous run and already reads this schedule also reads these counts.
    // They are tagged with this run, so that it begins nothing.
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
  // Returns the next unit listed with a part if it can be begun now, else -1; `begun` receives the part's
  // counter.
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

  // Begins units, searching the parts in turn from the thread's own, until no part has a unit that can be
  // begun.
  void begin_what_can_be(const Schedule& schedule, std::uint64_t run, int thread) {
    const int own = thread * schedule.parts / threads_;
    for (bool found = true; found;) {
      found = false;
      for (int k = 0; k < schedule.parts; ++k) {
        const int part = (own + k) % schedule.parts;
        std::uint64_t begun;
        for (std::int32_t unit; (unit = next_unit(schedule, run, part, begun)) >= 0;) {
          // A thread whose exchange succeeds knows that the leader is still in lead(), as it waits for this
          // unit.
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
  alignas(128) std::atomic<std::uint64_t> offered_{0};  // the last run offered, from 1; or kClosed
  std::atomic<const Schedule*> schedule_{nullptr};
  Event event_;
  // The work of the run on offer.
  void* context_ = nullptr;
  void (*call_)(void* context, std::int32_t unit) = nullptr;
  std::array<Part, Schedule::kMaxParts> parts_;
};

}  // namespace abut
