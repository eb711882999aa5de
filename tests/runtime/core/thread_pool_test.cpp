#include "runtime/core/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "runtime/core/parallel.h"
#include "runtime/core/team.h"
#include "tests/support/runs.h"

namespace {

using namespace abut;

constexpr int kThreads[] = {1, 2, 3, 8, 16};

TEST(ParallelFor, CallsEveryIndexOnceWithThreadsBelowTheirNumber) {
  for (const int threads : kThreads)
    for (const std::int64_t count : {0, 1, 2, 100, 1001})
      for (const std::int64_t chunk : {1, 7, 2000}) {
        std::vector<int> calls(static_cast<std::size_t>(count), 0);
        std::atomic<int> outside{0};
        parallel_for(
            count, threads,
            [&](std::int64_t i, int thread) {
              ++calls[static_cast<std::size_t>(i)];
              if (thread < 0 || thread >= threads) ++outside;
            },
            chunk);
        EXPECT_EQ(calls, std::vector<int>(static_cast<std::size_t>(count), 1)) << threads << " " << chunk;
        EXPECT_EQ(outside, 0);
      }
}

TEST(ParallelFor, FewCallsOfAnEvenChunkHaveSeveralThreads) {
  std::atomic<int> within{0};
  parallel_for(
      16, 4,
      [&](std::int64_t, int) {
        ++within;
        const auto start = std::chrono::steady_clock::now();
        while (within < 2 && std::chrono::steady_clock::now() - start < std::chrono::seconds(20))
          std::this_thread::yield();
        EXPECT_GE(within, 2);
      },
      even_chunk(16, 4, 1000));
  EXPECT_EQ(within, 16);
  EXPECT_EQ(even_chunk(100000, 8, 16), 16);
  EXPECT_EQ(even_chunk(0, 1, 16), 1);
}

TEST(ParallelFor, RethrowsWhatABodyThrew) {
  for (const int threads : kThreads) {
    const auto throwing = [](std::int64_t i, int) {
      if (i == 50) throw std::runtime_error("the fiftieth");
    };
    EXPECT_THROW(parallel_for(100, threads, throwing), std::runtime_error);
    std::atomic<int> calls{0};  // and the next call is whole
    parallel_for(100, threads, [&](std::int64_t, int) { ++calls; });
    EXPECT_EQ(calls, 100);
  }
}

TEST(ParallelFor, WithinAnotherRunsOnItsThreadAlone) {
  std::atomic<int> calls{0}, elsewhere{0};
  parallel_for(20, 4, [&](std::int64_t, int) {
    const auto here = std::this_thread::get_id();
    parallel_for(20, 4, [&](std::int64_t, int thread) {
      ++calls;
      if (thread != 0 || std::this_thread::get_id() != here) ++elsewhere;
    });
  });
  EXPECT_EQ(calls, 400);
  EXPECT_EQ(elsewhere, 0);
}

// Callers that come and go, each with workers of its own.
TEST(ParallelFor, ManyThreadsMayCallAtOnce) {
  std::atomic<std::int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller)
    callers.emplace_back([&] {
      for (int call = 0; call < 50; ++call) parallel_for(100, 3, [&](std::int64_t i, int) { sum += i; });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 6 * 50 * 4950);
}

TEST(ThreadPool, ChildrenOfForkHaveWorkersOfTheirOwn) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the thread sanitizer starts no threads in a child of a process that has several";
#endif
#endif
  const auto whole = [] {
    std::atomic<int> calls{0};
    for (int call = 0; call < 100; ++call) parallel_for(100, 4, [&](std::int64_t, int) { ++calls; });
    return calls == 10000;
  };
  ASSERT_TRUE(whole());
  const pid_t child = ::fork();
  if (child == 0) ::_exit(whole() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(whole());
}

// Waits for the worker, which a caller that cannot do without it may not.
TEST(ThreadPool, WorkersRoundAsTheCallerDoes) {
  for (const int rounding : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD}) {
    std::fesetround(rounding);
    std::atomic<int> seen{-1};
    run_together(2, [&](int thread) {
      if (thread == 1) seen = std::fegetround();
      while (seen < 0) std::this_thread::yield();
    });
    EXPECT_EQ(seen, rounding);
  }
  std::fesetround(FE_TONEAREST);
}

TEST(ThreadPool, TheNumberOfThreadsByDefaultCanBeSet) {
  const int before = default_threads();
  EXPECT_GE(before, 1);
  set_default_threads(before + 3);
  EXPECT_EQ(default_threads(), before + 3);
  set_default_threads(0);
  EXPECT_EQ(default_threads(), before);
}

// A ring of parts in rounds: in every round each part's own unit, then those between neighbours, even ones
// first.
struct Ring {
  explicit Ring(int parts) : turns(static_cast<std::size_t>(parts), 0) {
    std::vector<WorkUnit> by_turn;
    const auto add = [&](int a, int b) {
      WorkUnit unit{a, b, turns[a], turns[b]};
      ++turns[a];
      if (b != a) ++turns[b];
      by_turn.push_back(unit);
    };
    for (int round = 0; round < 3; ++round) {
      for (int k = 0; k < parts; ++k) add(k, k);
      for (const int odd : {0, 1})
        for (int k = odd; k + 1 < parts; k += 2) add(k, k + 1);
    }
    std::vector<std::size_t> order(by_turn.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return by_turn[x].a < by_turn[y].a; });
    in_order.resize(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      units.push_back(by_turn[order[k]]);
      in_order[order[k]] = static_cast<std::int32_t>(k);
    }
    for (int part = 0; part <= parts; ++part)
      first_unit.push_back(static_cast<std::int32_t>(
          std::count_if(units.begin(), units.end(), [&](const WorkUnit& unit) { return unit.a < part; })));
    schedule = {parts, units.data(), first_unit.data(), turns.data(), in_order.data()};
  }

  std::vector<WorkUnit> units;
  std::vector<std::int32_t> first_unit, turns, in_order;
  Schedule schedule{};
};

// Numbers of the parts after all units have mixed those of their parts: any other order would show.
std::vector<std::uint64_t> mixed(Team& team, const Ring& ring) {
  std::vector<std::uint64_t> numbers(static_cast<std::size_t>(ring.schedule.parts), 1);
  team.run(ring.schedule, [&](std::int32_t k) {
    const WorkUnit& unit = ring.units[static_cast<std::size_t>(k)];
    std::uint64_t &a = numbers[static_cast<std::size_t>(unit.a)],
                  &b = numbers[static_cast<std::size_t>(unit.b)];
    a = 31 * a + 17 * b + static_cast<std::uint64_t>(unit.a);
    if (unit.a != unit.b) b = 13 * b ^ a;
    if (k % 8 == 7) std::this_thread::yield();
  });
  return numbers;
}

TEST(Team, UnitsOnAPartComeInTheirTurnsWhoeverWorksAtThem) {
  const int rounds = test::fewer_if_sanitized(20);
  for (const int parts : {1, 2, 3, 16, Schedule::kMaxParts}) {
    const Ring ring(parts), half((parts + 1) / 2);
    Team alone;
    const std::vector<std::uint64_t> expected = mixed(alone, ring), of_half = mixed(alone, half);
    for (const int threads : kThreads) {
      Team team(threads);
      run_together(threads, [&](int thread) {
        if (thread > 0) return team.help(thread);
        for (int round = 0; round < rounds; ++round) {
          EXPECT_EQ(mixed(team, ring), expected);
          EXPECT_EQ(mixed(team, half), of_half);
        }
        team.close();
      });
    }
  }
}

}  // namespace
