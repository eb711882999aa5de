// Piles that are one island: a thousand bodies on any number of threads, and a column that is deeper than
// wide.
//   large_islands [--bodies N] [--steps N] [--threads N ...] [--column N]
// Fails where the bits depend on the number of threads, two threads are not 1.6 times as fast as one (on a
// machine with two processors to spare), or the column does not come to rest.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "benchmarks/support/pile.h"
#include "benchmarks/support/promises.h"

namespace {

using namespace abut;
using namespace abut::benchmark_support;
using Clock = std::chrono::steady_clock;

constexpr double kDt = 2e-3;      // s
constexpr double kPour = 2.0;     // s, until the bodies have met
constexpr double kColumn = 10.0;  // s, until the column rests
constexpr int kRounds = 10;       // the fastest of them counts

// FNV-1a of all bits of a state.
std::uint64_t hash_of(const State& state) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](double x) { hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3; };
  for (const BodyState& body : state.bodies) {
    for (const double x : body.p_WB) add(x);
    for (const double x : body.q_WB.coeffs()) add(x);
    for (const double x : body.v_WB) add(x);
    for (const double x : body.L_W) add(x);
  }
  for (const ContactImpulse& impulse : state.impulses)
    for (const double x : impulse.J_B_W) add(x);
  return hash;
}

struct Timing {
  double ms = 0;  // a step, by the clock
  std::uint64_t hash = 0;
  int contacts = 0;
};

Timing time_steps(const System& system, State state, int threads, int steps) {
  const auto integrator = make_integrator(system, {.dt = kDt, .threads = threads});
  Timing timing;
  integrator->step(state, {});
  const auto start = Clock::now();
  for (int k = 0; k < steps; ++k) timing.contacts = integrator->step(state, {}).contacts;
  timing.ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count() / steps;
  timing.hash = hash_of(state);
  return timing;
}

void compare_threads(int bodies, int steps, const std::vector<int>& threads, benchmarks::Promises& promises) {
  Simulation simulation(pile(bodies, bin_side(bodies)), {.dt = kDt, .threads = 0});
  while (simulation.time() < kPour) simulation.step();
  std::vector<Timing> best(threads.size());
  int differing = 0;
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < threads.size(); ++i) {
      const Timing timing = time_steps(simulation.system(), simulation.state(), threads[i], steps);
      if (round == 0 || timing.ms < best[i].ms) best[i] = timing;
      differing += timing.hash != best[0].hash;
    }
  std::printf("%d bodies, %d contacts, %d steps\nthreads  ms/step  times one thread  hash of the state\n",
              bodies, best[0].contacts, steps);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const double times = best[0].ms / best[i].ms;
    std::printf("%7d  %7.2f  %16.2f  %016llx\n", threads[i], best[i].ms, times,
                static_cast<unsigned long long>(best[i].hash));
    if (threads[0] == 1 && threads[i] == 2 && std::thread::hardware_concurrency() >= 2)
      promises.at_least("speed of two threads in that of one", times, 1.6);
  }
  promises.at_most("runs whose bits are not the first one's", differing, 0);
}

double percentile(std::vector<double>& values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void print_percentiles(const char* what, std::vector<double>& residuals) {
  std::printf("residual of 50, 90, 99, 100 %% of the steps, %s: %.2g %.2g %.2g %.2g\n", what,
              percentile(residuals, 0.5), percentile(residuals, 0.9), percentile(residuals, 0.99),
              percentile(residuals, 1));
}

// Bodies on top of one another in a bin two wide.
void let_column_settle(int bodies, benchmarks::Promises& promises) {
  Simulation simulation(pile(bodies, 2), {.dt = kDt, .threads = 0});
  std::vector<double> pouring, resting;  // residuals of the steps of the first and of the second half
  double deepest = 0;
  while (simulation.time() < kColumn) {
    const StepReport& report = simulation.step();
    (simulation.time() < kColumn / 2 ? pouring : resting).push_back(report.solver.residual);
    if (simulation.time() > kPour) deepest = std::max(deepest, report.penetration);
  }
  double speed = 0, top = 0;
  for (const BodyState& state : simulation.states()) {
    speed += state.v_WB.norm() / bodies;
    top = std::max(top, state.p_WB.z());
  }
  std::printf("column of %d bodies, %.2f m high: mean speed %.5f m/s at %.0f s, depth at most %.2f mm\n",
              bodies, top, speed, kColumn, 1e3 * deepest);
  print_percentiles("poured", pouring);
  print_percentiles("at rest", resting);
  promises.at_most("column: mean speed at the end, m/s", speed, 0.01);
  promises.at_most("column: residual of 90 % of the steps at rest", percentile(resting, 0.9),
                   kGreatestResidual);
  promises.at_most("column: greatest depth, mm", 1e3 * deepest, 2);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Piles that are one island, on any number of threads."};
  int bodies = 1000, steps = 25, column = 200;
  std::vector<int> threads{1, 2, 4, 8};
  app.add_option("--bodies", bodies, "of the pile; 0: none")->capture_default_str();
  app.add_option("--steps", steps, "of each measurement")->capture_default_str();
  app.add_option("--threads", threads, "numbers of threads; the first is what others are compared with");
  app.add_option("--column", column, "bodies of the column; 0: none")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  benchmarks::Promises promises;
  if (bodies > 0) compare_threads(bodies, steps, threads, promises);
  if (column > 0) let_column_settle(column, promises);
  return promises.verdict();
}
