// A pile of non-convex bodies poured into a bin: cost per step against the number of contacts, and whether it
// comes to rest.
// The residuals are percentiles over the steps of what the solver leaves in the worst island (coupled.h).
//   kaufman2005_pile [MOST_BODIES [ASSETS]] > pile.csv      gnuplot -c plot.gp pile.csv pile.png
// Jacks and rings; with a folder of assets every third body is one of them, in turn.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/support/pile.h"
#include "benchmarks/support/promises.h"
#include "runtime/cli/program.h"
#include "runtime/core/error.h"

namespace {

using namespace abut;
using namespace abut::benchmark_support;

constexpr double kPour = 1.2, kSettle = 3.0;  // s

double peak_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void run(int bodies, const Objects& objects, benchmarks::Promises& promises) {
  Simulation simulation(pile(bodies, bin_side(bodies), objects));
  double seconds = 0, contacts = 0, fastest = 0, deepest = 0;
  std::vector<double> residuals;
  while (simulation.time() < kPour + kSettle) {
    const std::clock_t start = std::clock();
    const StepReport& report = simulation.step();
    if (simulation.time() < kPour) continue;
    seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    contacts += report.contacts;
    deepest = std::max(deepest, report.penetration);
    residuals.push_back(report.solver.residual);
  }
  std::sort(residuals.begin(), residuals.end());
  const auto counted = static_cast<double>(residuals.size());
  const auto residual = [&](double share) {
    return residuals[static_cast<std::size_t>(share * (counted - 1))];
  };
  double sum = 0;
  for (const BodyState& state : simulation.states()) {
    sum += state.v_WB.norm();
    fastest = std::max(fastest, state.v_WB.norm());
  }
  std::printf("%d,%.1f,%.4f,%.4f,%.5f,%.5f,%.3f,%.1f,%.2g,%.2g,%.2g,%.2g\n", bodies, contacts / counted,
              1e3 * seconds / counted, 1e6 * seconds / contacts, sum / bodies, fastest, 1e3 * deepest,
              peak_mib(), residual(0.5), residual(0.9), residual(0.99), residual(1));
  std::fflush(stdout);
  const std::string pile = std::to_string(bodies) + " bodies, ";
  promises.at_most(pile + "residual of 99 % of the steps", residual(0.99), kGreatestResidual);
  promises.at_most(pile + "mean speed at the end, m/s", sum / bodies, 0.01);
  promises.at_most(pile + "greatest depth, mm", 1e3 * deepest, 2);
}

int run_all(int argc, char** argv) {
  const int most = argc > 1 ? std::atoi(argv[1]) : 1000;
  if (most < 63)
    throw InvalidInput(std::string("the most bodies are ") + argv[1] + "; give a number from 63 on");
  std::optional<cli::AssetFolder> folder;
  Objects objects;
  if (argc > 2) folder.emplace(argv[2]);
  if (folder)
    for (const std::string& name : folder->names()) objects.push_back((*folder)[name]);
  std::printf("# commit %s, flags %s\n", ABUT_COMMIT, ABUT_FLAGS);
  std::printf(
      "bodies,contacts,ms_per_step,us_per_contact,mean_speed,greatest_speed,greatest_depth_mm,peak_MiB,"
      "residual_p50,residual_p90,residual_p99,residual_max\n");
  benchmarks::Promises promises;
  for (const int bodies : {63, 125, 250, 500, 1000})
    if (bodies <= most) run(bodies, objects, promises);
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) { return abut::cli::run_program("kaufman2005_pile", run_all, argc, argv); }
