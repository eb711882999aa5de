// A pile of non-convex bodies poured into a bin: cost per step against the number of contacts, and whether it
// comes to rest.
//   kaufman2005_pile [MOST_BODIES [ASSETS]] > pile.csv      gnuplot -c plot.gp pile.csv pile.png
// Jacks and rings; with a folder of assets every third body is one of them, in turn.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>

#include "benchmarks/support/pile.h"
#include "runtime/cli/program.h"
#include "runtime/core/error.h"

namespace {

using namespace abut;
using namespace abut::benchmark_support;

constexpr double kDt = 2e-3, kPour = 1.2, kSettle = 3.0;  // s

double peak_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void run(int bodies, const Objects& objects) {
  Simulation simulation(pile(bodies, objects));
  double seconds = 0, contacts = 0, fastest = 0, deepest = 0;
  int counted = 0;
  while (simulation.time() < kPour + kSettle) {
    const std::clock_t start = std::clock();
    const StepReport& report = simulation.step();
    if (simulation.time() < kPour) continue;
    seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    contacts += report.contacts;
    deepest = std::max(deepest, report.penetration);
    ++counted;
  }
  double sum = 0;
  for (const BodyState& state : simulation.states()) {
    sum += state.v_WB.norm();
    fastest = std::max(fastest, state.v_WB.norm());
  }
  std::printf("%d,%.1f,%.4f,%.4f,%.5f,%.5f,%.3f,%.1f\n", bodies, contacts / counted, 1e3 * seconds / counted,
              1e6 * seconds / contacts, sum / bodies, fastest, 1e3 * deepest, peak_mib());
  std::fflush(stdout);
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
      "bodies,contacts,ms_per_step,us_per_contact,mean_speed,greatest_speed,greatest_depth_mm,peak_MiB\n");
  for (const int bodies : {63, 125, 250, 500, 1000})
    if (bodies <= most) run(bodies, objects);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return abut::cli::run_program("kaufman2005_pile", run_all, argc, argv); }
