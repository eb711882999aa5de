// Witness queries of pairs of primitives beside FCL's cold query of separated hulls in the same run, one
// thread:
//   primitive_benchmark [OUT.csv]
// Each pair in 60 random poses apart (by 1 to 100 mm) and 60 in shallow overlap (0.1 to 5 mm), cold and
// along walks of 20 steps of 1e-3 rad and m. Before anything is timed every answer is checked against a
// search in extended precision. Exits with 1 where an answer is wrong, a pair apart is slower than kAllowed
// times Coal (measured elsewhere beside FCL, scaled by FCL) or a warm query of an iterated pair apart is not
// kWarmGain times cheaper than a cold one.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/support/fcl_queries.h"
#include "runtime/witness/solver.h"
#include "tests/runtime/witness/curved_oracle.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using namespace abut::witness;
using Clock = std::chrono::steady_clock;

constexpr int kPasses = 15, kPoses = 60, kSteps = 20;
constexpr double kStride = 1e-3;  // rad and m
constexpr double kAllowed = 1.2, kWarmGain = 3;
constexpr double kRight = 1e-12;  // of the size
// Coal 3.0.0 on primitives that are apart, and FCL's cold query of separated hulls on the same machine, ns.
constexpr double kCoalSpheres = 40, kCoalSphere = 70, kCoalRims = 800, kCoalEllipsoids = 840,
                 kFclThere = 12800;

struct Row {
  std::string pair;
  double limit;                                   // Coal's time for the pair apart, ns
  bool iterated;                                  // no closed form
  double apart[2] = {0, 0}, overlap[2] = {0, 0};  // cold and warm, ns
  double error = 0;                               // largest of the distance, of the size
  int not_converged = 0;
};

double now() { return std::chrono::duration<double, std::nano>(Clock::now().time_since_epoch()).count(); }

// ns a call of body(), which makes `calls` of them.
double best_of(int calls, const std::function<void()>& body) {
  double best = 1e300;
  for (int pass = 0; pass < kPasses; ++pass) {
    const double start = now();
    body();
    best = std::min(best, now() - start);
  }
  return best / calls;
}

template <class A, class B>
class PairBenchmark {
 public:
  PairBenchmark(const A& a, const B& b) : a_(a), b_(b) {
    for (int overlap = 0; overlap < 2; ++overlap) {
      for (int i = 0; i < kPoses; ++i) walks_[overlap].push_back(walk(overlap > 0));
    }
  }

  void check(Row& row) {
    const double size = test::Kind<A>::size(a_) + test::Kind<B>::size(b_);
    for (const auto& walks : walks_) {
      for (const auto& walk : walks) {
        WitnessSolver<double, A, B> solver(a_, b_);
        for (std::size_t i = 0; i < walk.size(); ++i) {
          const Witness<double> cold = separation(a_, b_, walk[i], work_), warm = solver(walk[i]);
          row.error = test::worst_of(row.error, std::abs(warm.distance - cold.distance) / size);
          if (i > 0) continue;
          row.not_converged += cold.status == Status::kNotConverged;
          const test::CurvedOracle<A, B> oracle{a_, b_, walk[i].template cast<long double>()};
          const auto n = cold.n.template cast<long double>().normalized().eval();
          const long double found = std::max(oracle.distance(), oracle.climb(n, 1e-8L));
          row.error = test::worst_of({row.error, static_cast<double>(found - cold.distance) / size,
                                      static_cast<double>(std::abs(oracle.g(n) - cold.distance)) / size});
        }
      }
    }
  }

  void measure(Row& row) {
    for (int overlap = 0; overlap < 2; ++overlap) {
      double* const ns = overlap ? row.overlap : row.apart;
      const auto& walks = walks_[overlap];
      ns[0] = best_of(kPoses, [&] {
        for (const auto& walk : walks) sink_ = separation(a_, b_, walk[0], work_).distance;
      });
      std::vector<WitnessSolver<double, A, B>> solvers;
      solvers.reserve(1);
      double best = 1e300;
      for (int pass = 0; pass < kPasses; ++pass) {
        double sum = 0;
        for (const auto& walk : walks) {
          solvers.clear();
          auto& solver = solvers.emplace_back(a_, b_);
          sink_ = solver(walk[0]).distance;
          const double start = now();
          for (std::size_t i = 1; i < walk.size(); ++i) sink_ = solver(walk[i]).distance;
          sum += now() - start;
        }
        best = std::min(best, sum);
      }
      ns[1] = best / (kPoses * kSteps);
    }
  }

 private:
  std::vector<Pose<double>> walk(bool overlap) {
    std::vector<Pose<double>> walk;
    const double gap =
        overlap ? -test::log_uniform(random_, 1e-4, 5e-3) : test::log_uniform(random_, 1e-3, 0.1);
    Pose<double> X{test::random_rotation<double>(random_), test::random_vector(random_).normalized()};
    for (int i = 0; i < 4; ++i) {
      const Witness<double> w = separation(a_, b_, X, work_);
      X.p += (gap - w.distance) * w.n;
    }
    walk.push_back(X);
    while (walk.size() <= kSteps) {
      Vec6<double> xi;
      xi << kStride * test::random_vector(random_).normalized(),
          kStride * test::random_vector(random_).normalized();
      const Pose<double> next = walk.back() * exp(xi);
      if ((separation(a_, b_, next, work_).distance < 0) == overlap) walk.push_back(next);
    }
    return walk;
  }

  A a_;
  B b_;
  Random random_{7};
  Workspace<double> work_;
  std::vector<std::vector<Pose<double>>> walks_[2];
  volatile double sink_ = 0;
};

template <class A, class B>
Row measure(const char* name, double limit, bool iterated, const A& a, const B& b) {
  Row row{name, limit, iterated};
  PairBenchmark<A, B> pair(a, b);
  pair.check(row);
  pair.measure(row);
  return row;
}

// Median over the reference rows of FCL's best time for the cold query of separated hulls, ns.
double fcl_cold() {
  benchmark_support::FclQueries queries("ycb_hulls_separate.csv");
  std::vector<double> best(queries.size(), 1e300);
  volatile double sink = 0;
  for (int pass = 0; pass < 5; ++pass) {
    for (std::size_t i = 0; i < best.size(); ++i) {
      const double start = now();
      sink = queries.distance(i);
      best[i] = std::min(best[i], now() - start);
    }
  }
  static_cast<void>(sink);
  std::nth_element(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(best.size() / 2), best.end());
  return best[best.size() / 2];
}

std::vector<Row> all_pairs() {
  const Sphere<double> sphere{0.04};
  const Capsule<double> capsule{0.06, 0.02};
  const Box<double> box{{0.05, 0.03, 0.07}};
  const Cylinder<double> cylinder{0.06, 0.03};
  const Cone<double> cone{0.05, 0.04};
  const Ellipsoid<double> ellipsoid{{0.1, 0.06, 0.05}};
  return {measure("sphere sphere", kCoalSpheres, false, sphere, sphere),
          measure("sphere capsule", kCoalSphere, false, sphere, capsule),
          measure("sphere box", kCoalSphere, false, sphere, box),
          measure("sphere cylinder", kCoalSphere, false, sphere, cylinder),
          measure("sphere cone", kCoalSphere, false, sphere, cone),
          measure("sphere ellipsoid", kCoalRims, true, sphere, ellipsoid),
          measure("capsule capsule", kCoalSphere, false, capsule, capsule),
          measure("capsule box", kCoalRims, false, capsule, box),
          measure("capsule cylinder", kCoalRims, true, capsule, cylinder),
          measure("capsule cone", kCoalRims, true, capsule, cone),
          measure("capsule ellipsoid", kCoalRims, true, capsule, ellipsoid),
          measure("box box", kCoalRims, true, box, box),
          measure("box cylinder", kCoalRims, true, box, cylinder),
          measure("box cone", kCoalRims, true, box, cone),
          measure("box ellipsoid", kCoalRims, true, box, ellipsoid),
          measure("cylinder cylinder", kCoalRims, true, cylinder, cylinder),
          measure("cylinder cone", kCoalRims, true, cylinder, cone),
          measure("cylinder ellipsoid", kCoalRims, true, cylinder, ellipsoid),
          measure("cone cone", kCoalRims, true, cone, cone),
          measure("cone ellipsoid", kCoalRims, true, cone, ellipsoid),
          measure("ellipsoid ellipsoid", kCoalEllipsoids, true, ellipsoid, ellipsoid)};
}

int report(const std::vector<Row>& rows, double fcl, std::FILE* out) {
  int failed = 0;
  std::fprintf(out,
               "pair,apart_cold_ns,apart_warm_ns,overlap_cold_ns,overlap_warm_ns,limit_ns,error,"
               "not_converged,fcl_cold_ns,verdict\n");
  for (const Row& row : rows) {
    const double limit = kAllowed * row.limit * fcl / kFclThere;
    const bool wrong = !(row.error <= kRight), slow = !(row.apart[0] <= limit);
    const bool no_gain = row.iterated && !(kWarmGain * row.apart[1] <= row.apart[0]);
    failed += wrong || slow || no_gain;
    std::fprintf(out, "%s,%.0f,%.0f,%.0f,%.0f,%.0f,%.1e,%d,%.0f,%s%s%s%s\n", row.pair.c_str(), row.apart[0],
                 row.apart[1], row.overlap[0], row.overlap[1], limit, row.error, row.not_converged, fcl,
                 wrong ? "wrong " : "", slow ? "slow " : "", no_gain ? "no-gain " : "",
                 wrong || slow || no_gain ? "" : "ok");
  }
  return failed;
}

}  // namespace

int main(int argc, char** argv) try {
  const double fcl = fcl_cold();
  const std::vector<Row> rows = all_pairs();
  const int failed = report(rows, fcl, stdout);
  if (argc > 1) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(argv[1], "w"), std::fclose);
    if (file) report(rows, fcl, file.get());
  }
  return failed > 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
