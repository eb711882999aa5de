// Witness queries on the reference queries beside FCL (its default solver, libccd) in the same run, one
// thread:
//   witness_against_fcl [OUT.json]
// cold: every row once per pass, no memory of the pair; hot: the same cold query repeated at once; warm: a
// solver that has answered the row answers it after a move of 1e-3 m and 1e-3 rad in a random direction. Each
// figure is the median over the rows of the row's best time. Before anything is timed all answers are
// checked: ours against the reference and by their bounds, warm ones against cold ones; FCL's agreement is
// counted.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "benchmarks/support/fcl_queries.h"
#include "benchmarks/support/median.h"
#include "benchmarks/support/promises.h"
#include "runtime/core/random.h"
#include "runtime/witness/solver.h"

namespace {

using namespace abut;
using benchmark_support::HullQueries;
using benchmarks::median;
using Solver = witness::WitnessSolver<double, asset::ConvexView, asset::ConvexView>;
using Clock = std::chrono::steady_clock;

constexpr int kPasses = 9;
constexpr std::uint64_t kSeed = 5;

struct Figure {
  double cold = 0, hot = 0, warm = 0, fcl_cold = 0, fcl_hot = 0;  // ns, medians
  double fcl_agrees = 0;                                          // share of the rows within 1e-5 m
  std::size_t rows = 0;
};

// Best time of body(i) over kPasses passes over all rows; `repeats` calls at once, the best counts.
// prepare(i) is not timed.
template <class Prepare, class Body>
double time_rows(std::size_t rows, int passes, int repeats, Prepare&& prepare, Body&& body) {
  std::vector<double> best(rows, 1e300);
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (int repeat = 0; repeat < repeats; ++repeat) {
        prepare(i);
        const auto start = Clock::now();
        body(i);
        best[i] = std::min(best[i], std::chrono::duration<double, std::nano>(Clock::now() - start).count());
      }
    }
  }
  return median(best);
}

class Comparison {
 public:
  explicit Comparison(const std::string& file) : fcl_(file), set_(fcl_.set()) {
    for (const auto& q : set_.queries) {
      Random random(kSeed, moved_.size());
      const auto unit = [&] {
        return Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
      };
      Vec6<double> xi;
      xi << 1e-3 * unit(), 1e-3 * unit();
      moved_.push_back(q.X_AB * exp(xi));
    }
  }

  // Rows whose answer is wrong; FCL's agreement goes into `figure`.
  int check(Figure& figure) {
    int wrong = 0, agrees = 0;
    for (std::size_t i = 0; i < set_.queries.size(); ++i) {
      const auto& q = set_.queries[i];
      const auto w = witness::separation(q.A, q.B, q.X_AB, work_);
      Solver solver(q.A, q.B);
      solver(q.X_AB);
      const auto warm = solver(moved_[i]);
      const auto cold = witness::separation(q.A, q.B, moved_[i], work_);
      wrong +=
          !(std::abs(w.distance - q.distance) < 2e-6 && w.upper_bound - w.lower_bound < 1e-9) ||
          !(std::abs(warm.distance - cold.distance) < 1e-12 && warm.upper_bound - warm.lower_bound < 1e-9);
      agrees += std::abs(fcl_.distance(i) - q.distance) < 1e-5;
    }
    figure.rows = set_.queries.size();
    figure.fcl_agrees =
        static_cast<double>(agrees) / static_cast<double>(std::max<std::size_t>(figure.rows, 1));
    return wrong;
  }

  void measure(Figure& figure) {
    const auto nothing = [](std::size_t) {};
    const auto cold = [&](std::size_t i) {
      const auto& q = set_.queries[i];
      sink_ = witness::separation(q.A, q.B, q.X_AB, work_).distance;
    };
    const auto fcl = [&](std::size_t i) { sink_ = fcl_.distance(i); };
    figure.cold = time_rows(figure.rows, kPasses, 1, nothing, cold);
    figure.fcl_cold = time_rows(figure.rows, kPasses, 1, nothing, fcl);
    figure.hot = time_rows(figure.rows, 1, kPasses, nothing, cold);
    figure.fcl_hot = time_rows(figure.rows, 1, kPasses, nothing, fcl);
    Solver* solver = nullptr;
    std::vector<Solver> solvers;
    solvers.reserve(1);
    const auto prime = [&](std::size_t i) {
      const auto& q = set_.queries[i];
      solvers.clear();
      solver = &solvers.emplace_back(q.A, q.B);
      sink_ = (*solver)(q.X_AB).distance;
    };
    figure.warm = time_rows(figure.rows, kPasses, 1, prime,
                            [&](std::size_t i) { sink_ = (*solver)(moved_[i]).distance; });
  }

 private:
  benchmark_support::FclQueries fcl_;
  const HullQueries& set_;
  std::vector<Pose<double>> moved_;
  witness::Workspace<double> work_;
  volatile double sink_ = 0;
};

std::string cpu() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string json(const Figure& f, const std::string& file) {
  char text[600];
  std::snprintf(
      text, sizeof text,
      "    {\"queries\": \"%s\", \"rows\": %zu, \"cold_ns\": %.0f, \"hot_ns\": %.0f, \"warm_ns\": %.0f,\n"
      "     \"fcl_cold_ns\": %.0f, \"fcl_hot_ns\": %.0f, \"fcl_agrees\": %.4f,\n"
      "     \"fcl_cold_over_cold\": %.2f, \"fcl_hot_over_hot\": %.2f, \"fcl_cold_over_warm\": %.2f}",
      file.c_str(), f.rows, f.cold, f.hot, f.warm, f.fcl_cold, f.fcl_hot, f.fcl_agrees, f.fcl_cold / f.cold,
      f.fcl_hot / f.hot, f.fcl_cold / f.warm);
  return text;
}

int run(const char* out) {
  std::string rows;
  benchmarks::Promises promises;
  for (const char* file : {"ycb_hulls_collide.csv", "ycb_hulls_separate.csv"}) {
    Comparison comparison(file);
    Figure figure;
    const int wrong = comparison.check(figure);
    if (figure.rows == 0 || wrong > 0) {
      std::fprintf(stderr, "%s: %d of %zu rows wrong or no reference data\n", file, wrong, figure.rows);
      return 1;
    }
    comparison.measure(figure);
    const bool apart = !rows.empty();
    promises.at_least(std::string(file) + ", FCL's cold query over ours", figure.fcl_cold / figure.cold,
                      apart ? 7 : 12);
    promises.at_least(std::string(file) + ", FCL's cold query over our warm one",
                      figure.fcl_cold / figure.warm, apart ? 20 : 40);
    rows += (rows.empty() ? "" : ",\n") + json(figure, file);
  }
  const std::string text =
      "{\n  \"commit\": \"" ABUT_COMMIT "\", \"cpu\": \"" + cpu() +
      "\", \"flags\": \"" ABUT_FLAGS "\", \"threads\": 1, \"seed\": " + std::to_string(kSeed) +
      ",\n  \"results\": [\n" + rows + "\n  ]\n}\n";
  std::fputs(text.c_str(), stdout);
  if (out != nullptr) std::ofstream(out) << text;
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) try {
  return run(argc > 1 ? argv[1] : nullptr);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
