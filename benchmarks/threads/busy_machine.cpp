// Several threads against one on a machine that does other work too: batches and piles, timed by turns in one
// run beside busy processes that it starts itself and that are pinned nowhere.
//   busy_machine [--busy N] [--threads N] [--rounds N] [--least RATIO] [--only NAME]
// Prints the speed of several threads over that of one: median, least and greatest of the rounds. Exits with
// 1 where a median is below --least, or where an answer depends on the number of threads.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>

#include "benchmarks/support/pile.h"
#include "runtime/cli/program.h"
#include "runtime/derivative/estimator.h"
#include "tests/runtime/witness/polytopes.h"
#include "tests/support/bodies.h"

namespace {

using namespace abut;
using Clock = std::chrono::steady_clock;

constexpr double kTurn = 0.4;  // s: of one measurement, a hundred time slices

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Processes that use all the time they get, until the end of the scope.
class BusyProcesses {
 public:
  explicit BusyProcesses(int count) {
    for (int i = 0; i < count; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) std::atomic_signal_fence(std::memory_order_seq_cst);
      }
      if (child > 0) children_.push_back(child);
    }
  }
  ~BusyProcesses() {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }
  BusyProcesses(const BusyProcesses&) = delete;
  BusyProcesses& operator=(const BusyProcesses&) = delete;

 private:
  std::vector<pid_t> children_;
};

// One workload on one number of threads: does its next piece of work.
using Piece = std::function<void()>;

struct Workload {
  Piece one, many;
  std::function<bool()> agree;  // the answers so far, bit by bit, where both have done as many pieces
};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// A pile after it was poured, one time step a piece.
Workload pile_steps(int bodies, int threads) {
  const auto make = [&](int count) {
    dynamics::StepConfig config;
    config.threads = count;
    return std::make_shared<dynamics::Simulation>(
        benchmark_support::pile(bodies, benchmark_support::bin_side(bodies)), config);
  };
  const auto one = make(1), many = make(threads);
  while (one->time() < 1.2) one->step();
  many->restore(one->state(), one->steps());
  const auto bits = [](const dynamics::Simulation& simulation) {
    std::vector<double> numbers;
    for (const dynamics::BodyState& state : simulation.states()) {
      numbers.insert(numbers.end(), state.p_WB.data(), state.p_WB.data() + 3);
      numbers.insert(numbers.end(), state.v_WB.data(), state.v_WB.data() + 3);
    }
    return numbers;
  };
  return {[one] { one->step(); }, [many] { many->step(); },
          [=] { return same_bits(bits(*one), bits(*many)); }};
}

// Derivatives of witness points of `count` pairs of hulls, one call a piece.
Workload derivatives(std::size_t count, int threads) {
  struct Data {
    std::vector<body::Body> bodies;
    std::vector<body::Pair> pairs;
    std::vector<derivative::PairDerivative> results[2];
  };
  const auto data = std::make_shared<Data>();
  data->bodies = {test::hull_body(test::round_hull({0.1, 0.06, 0.05}, 30)),
                  test::hull_body(test::round_hull({0.05, 0.08, 0.04}, 20))};
  Random random(1);
  for (std::size_t i = 0; i < count; ++i) {
    Pose<double> X_AB;
    X_AB.R = rotation_from_quaternion(random.normal(), random.normal(), random.normal(), random.normal());
    X_AB.p = 0.08 * Vec3<double>(random.normal(), random.normal(), random.normal());
    data->pairs.push_back({&data->bodies[random.below(2)], &data->bodies[random.below(2)], X_AB});
  }
  const auto piece = [&](int which, int number) -> Piece {
    data->results[which].resize(count);
    const auto batch = std::make_shared<derivative::BatchEstimator>("gumbel", SettingValues{}, number);
    return [=] { (*batch)(data->pairs, data->results[which]); };
  };
  const auto bits = [data](int which) {
    std::vector<double> numbers;
    for (const derivative::PairDerivative& result : data->results[which]) {
      const auto& d = result.derivative.dp1_A_dxi_B;
      numbers.insert(numbers.end(), d.data(), d.data() + d.size());
      numbers.push_back(result.witness.distance);
    }
    return numbers;
  };
  return {piece(0, 1), piece(1, threads), [=] { return same_bits(bits(0), bits(1)); }};
}

// Pieces a second, over about kTurn.
std::int64_t pieces_in_a_turn(const Piece& piece) {
  const auto start = Clock::now();
  std::int64_t count = 0;
  for (; seconds_since(start) < kTurn; ++count) piece();
  return count;
}

double seconds_of(const Piece& piece, std::int64_t count) {
  const auto start = Clock::now();
  for (std::int64_t i = 0; i < count; ++i) piece();
  return seconds_since(start);
}

// Median over the rounds of the speed of several threads over that of one; both do the same pieces by turns.
double measure(const Workload& workload, int rounds) {
  std::vector<double> ratios;
  double seconds[2] = {0, 0};
  std::int64_t pieces = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    const std::int64_t count = pieces_in_a_turn(workload.one);
    const double one = seconds_since(start), many = seconds_of(workload.many, count);
    ratios.push_back(one / many);
    seconds[0] += one;
    seconds[1] += many;
    pieces += count;
  }
  std::sort(ratios.begin(), ratios.end());
  const double median = ratios[ratios.size() / 2];
  std::printf("%6.3f of one thread's speed (least %.3f, greatest %.3f); %.0f and %.0f us a piece\n", median,
              ratios.front(), ratios.back(), 1e6 * seconds[0] / static_cast<double>(pieces),
              1e6 * seconds[1] / static_cast<double>(pieces));
  std::fflush(stdout);
  return median;
}

int run(int argc, char** argv) {
  int busy = 2, threads = 2, rounds = 9;
  double least = 0.8;
  std::string only;
  CLI::App app{"Several threads against one beside busy processes."};
  app.add_option("--busy", busy, "busy processes; 0: an idle machine")->capture_default_str();
  app.add_option("--threads", threads)->capture_default_str();
  app.add_option("--rounds", rounds)->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--least", least, "least median, of one thread's speed")->capture_default_str();
  app.add_option("--only", only, "workloads whose name contains this");
  CLI11_PARSE(app, argc, argv);
  double load = 0;
  ::getloadavg(&load, 1);
  std::printf("%d threads against one beside %d busy processes; %ld processors, load before %.1f\n", threads,
              busy, ::sysconf(_SC_NPROCESSORS_ONLN), load);
  const std::pair<std::string, std::function<Workload()>> workloads[] = {
      {"pile100", [=] { return pile_steps(100, threads); }},
      {"pile500", [=] { return pile_steps(500, threads); }},
      {"derivatives64", [=] { return derivatives(64, threads); }},
      {"derivatives5000", [=] { return derivatives(5000, threads); }}};
  bool held = true;
  for (const auto& [name, make] : workloads) {
    if (name.find(only) == std::string::npos) continue;
    const Workload workload = make();
    const BusyProcesses beside(busy);
    std::printf("%-16s ", name.c_str());
    const double median = measure(workload, rounds);
    if (median < least) std::printf("  below %.2f\n", least);
    if (!workload.agree()) std::printf("  the answers differ\n");
    held = held && median >= least && workload.agree();
  }
  return held ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return abut::cli::run_program("busy_machine", run, argc, argv); }
