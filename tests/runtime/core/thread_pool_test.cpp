#include "runtime/core/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
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

// Numbers that each part makes in each phase from its own and the part before's of the phase before.
std::vector<std::uint64_t> phases_of(Team& team, int parts, int phases) {
  const auto at = [parts](int phase, int part) { return static_cast<std::size_t>(phase * parts + part); };
  std::vector<std::uint64_t> numbers(static_cast<std::size_t>(parts * phases));
  team.in_phases(parts, phases, [&](int part, int phase) {
    std::uint64_t number = static_cast<std::uint64_t>(part + 1);
    if (phase > 0) number += 31 * numbers[at(phase - 1, part)];
    if (phase > 0 && part > 0) number ^= 17 * numbers[at(phase - 1, part - 1)];
    if ((part + phase) % 8 == 7) std::this_thread::yield();
    numbers[at(phase, part)] += number;  // += : twice would show
  });
  return numbers;
}

TEST(Team, EveryPartSeesThePhaseBeforeWhoeverWorksAtIt) {
  const int rounds = test::fewer_if_sanitized(20);
  for (const int parts : {1, 2, 3, Team::kMaxParts}) {
    Team alone;
    const std::vector<std::uint64_t> expected = phases_of(alone, parts, 5);
    for (const int threads : kThreads) {
      Team team(threads, parts);
      run_together(threads, [&](int thread) {
        if (thread > 0) return team.help(thread);
        for (int round = 0; round < rounds; ++round)
          for (const int phases : {1, 2, 5}) {
            const std::vector<std::uint64_t> found = phases_of(team, parts, phases);
            EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin()));
          }
        team.close();
      });
    }
  }
}

}  // namespace
