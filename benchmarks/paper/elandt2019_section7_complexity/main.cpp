// [Elandt2019, Section VII]: cost of the wrench against the number m of polygons, on the reference poses at
// three levels of detail.
//   elandt2019_section7_complexity > section7.csv && gnuplot -c plot.gp section7.csv section7.png
// Rows: level, polygons, processor time of the wrench in us (best of five), on one thread. Then the batch:
// all poses of level 1000 on one and two threads, wall time.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>

#include "benchmarks/paper/elandt2019/bodies.h"
#include "benchmarks/support/promises.h"
#include "runtime/contact/pressure_field.h"
#include "tests/support/pressure_field_data.h"

namespace {

using namespace abut;

double cpu_us() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

double batch_seconds(const std::vector<body::Pair>& pairs, int threads) {
  contact::BatchModel batch("pressure_field", {}, threads);
  std::vector<contact::PairWrench> results(pairs.size());
  double best = 1e300;
  for (int pass = 0; pass < 5; ++pass) {
    const auto begin = std::chrono::steady_clock::now();
    batch.wrenches(pairs, results, contact::Want::kValue);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

}  // namespace

int main() {
  const auto queries = test::read_pressure_field_queries();
  if (queries.empty()) {
    fmt::print(stderr, "elandt2019_section7_complexity: needs {}\n", test::pressure_field_folder().string());
    return 1;
  }
  const Vec6<double> still = Vec6<double>::Zero();
  contact::PressureFieldConfig config;
  contact::PressureFieldWorkspace<double> workspace;
  fmt::print("{}", elandt2019::csv_header("level,polygons,wrench_us"));
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  test::ReferenceVolumes middle(1000);
  for (const int level : {300, 1000, 3000}) {
    test::ReferenceVolumes volumes(level);
    for (const auto& q : queries) {
      const asset::AssetView &A = volumes[q.object_A], &B = volumes[q.object_B];
      double best = 1e300;
      std::int64_t polygons = 0;
      for (int pass = 0; pass < 5; ++pass) {
        const double begin = cpu_us();
        polygons = contact::contact_surface<double>(A.volume, B.volume, q.X_AB, still, config,
                                                    contact::Want::kValue, workspace)
                       .polygons;
        best = std::min(best, cpu_us() - begin);
      }
      fmt::print("{},{},{:.2f}\n", level, polygons, best);
      if (polygons < 20) continue;  // the fixed cost
      const double u = std::log(static_cast<double>(polygons)), v = std::log(best);
      n += 1, x += u, y += v, xx += u * u, xy += u * v;
    }
  }
  std::map<std::string, body::Body> bodies;
  const auto body_of = [&](const std::string& object) {
    return &bodies.try_emplace(object, middle.body(object)).first->second;
  };
  std::vector<body::Pair> pairs;
  for (const auto& q : queries) pairs.push_back({body_of(q.object_A), body_of(q.object_B), q.X_AB});
  const double one = batch_seconds(pairs, 1), two = batch_seconds(pairs, 2);
  fmt::print(stderr, "time grows with the power {:.2f} of the polygons; two threads {:.2f} times one\n",
             (n * xy - x * y) / (n * xx - x * x), one / two);
  benchmarks::Promises promises;
  promises.at_most("power of the polygons that the time grows with", (n * xy - x * y) / (n * xx - x * x),
                   1.1);
  if (std::thread::hardware_concurrency() >= 2)
    promises.at_least("speed of two threads in that of one", one / two, 1.7);
  return promises.verdict();
}
