// Cost of one projection of fast frictional dynamics: the nearest point of a polyhedron in 6 variables.
#include <benchmark/benchmark.h>

#include "runtime/dynamics/solve/least_squares.h"
#include "tests/support/projections.h"

namespace {

void project(benchmark::State& state) {
  abut::Random random(1);
  std::vector<abut::test::Projection> problems;
  for (int i = 0; i < 256; ++i) {
    problems.push_back(abut::test::random_projection(random, static_cast<std::size_t>(state.range(0))));
  }
  abut::dynamics::LeastDistance<double> solver;
  std::size_t i = 0;
  double steps = 0;
  for (auto _ : state) {
    const abut::test::Projection& p = problems[i++ % problems.size()];
    if (solver.solve(p.z0, p.a, p.d) != abut::Status::kOk) state.SkipWithError("not solved");
    steps += solver.steps();
    benchmark::DoNotOptimize(solver.point());
  }
  state.counters["steps"] = benchmark::Counter(steps, benchmark::Counter::kAvgIterations);
}
BENCHMARK(project)->Arg(3)->Arg(12)->Arg(48)->Arg(200);

}  // namespace

BENCHMARK_MAIN();
