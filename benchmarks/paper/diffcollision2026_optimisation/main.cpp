// The optimisation of [Chen2025] (DiffCollision) on pairs of scanned objects, as convex hulls, as unions of
// convex pieces, and as they are:
//   diffcollision2026_optimisation [--bodies hulls] [--bodies pieces] [--bodies surfaces] [--pairs N]
//   [--targets N] [--only NAME]
// Fails where a promised share of solved problems is missed.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "benchmarks/paper/diffcollision2026_optimisation/optimisers.h"
#include "benchmarks/support/data.h"
#include "benchmarks/support/promises.h"
#include "runtime/core/parallel.h"

namespace {

using namespace abut;
using namespace abut::benchmarks;

constexpr std::uint64_t kSeed = 1;

// How many problems a table has: of pairs so many, so many targets each.
struct Size {
  int pairs = 0, targets = 0;
};

struct Options {
  std::vector<std::string> bodies = {"hulls", "pieces", "surfaces"};
  std::string only, objects;
  Size first, other;
};

using Problems = std::vector<TargetProblem>;

Problems draw(const std::vector<ScannedObject>& objects, Shape shape, const Size& size) {
  Problems drawn;
  for (int i = 0; i < size.pairs; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const Problems some = draw_problems(draw_pair(objects, shape, kSeed, index), size.targets, kSeed, index);
    drawn.insert(drawn.end(), some.begin(), some.end());
  }
  return drawn;
}

double quantile(std::vector<double> values, double level) {
  const auto at = static_cast<std::ptrdiff_t>(level * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

struct Row {
  double solved = 0;           // %
  double solved_solvable = 0;  // % of those that are known to be solvable
  double median_ms = 0;
};

template <class Method>
Row row(const std::string& name, const Problems& problems, Method&& method) {
  std::vector<double> losses, queries, ms;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const Outcome outcome = method(problems[i], i);
    losses.push_back(outcome.loss);
    queries.push_back(outcome.queries);
    ms.push_back(1e3 * outcome.seconds);
  }
  int solved = 0, solvable = 0, both = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const bool now = losses[i] < kSolved;
    solved += now, solvable += problems[i].solvable, both += now && problems[i].solvable;
  }
  const Row result{100.0 * solved / static_cast<double>(losses.size()), 100.0 * both / solvable,
                   quantile(ms, 0.5)};
  std::printf("| %s | %d of %zu, %.1f %% | %d of %d, %.1f %% | %.0e, %.0e | %.0f | %.2f, %.2f |\n",
              name.c_str(), solved, losses.size(), result.solved, both, solvable, result.solved_solvable,
              quantile(losses, 0.5), quantile(losses, 0.9), quantile(queries, 0.5), result.median_ms,
              quantile(ms, 0.9));
  std::fflush(stdout);
  return result;
}

void title(const char* what, const std::string& bodies) {
  std::printf(
      "\n%s, %s\n\n| method | solved | of those known to be solvable | loss: median, D9, m^2 | queries | "
      "ms: median, D9 |\n|---|---|---|---|---|---|\n| published, on other objects | %s | | | | |\n",
      what, bodies.c_str(), bodies == "hulls" ? "over 90 % of convex" : "over 70 % of concave");
}

struct Estimate {
  const char* name;
  MakeQuery make_query;
};

std::vector<Estimate> estimates(Shape shape) {
  if (shape == Shape::kSurface)
    return {{"patch", patch_query(shape)}, {"features", table_query("surface", "features")}};
  const std::string model = shape == Shape::kHull ? "hull" : "pieces";
  std::vector<Estimate> all = {{"patch", patch_query(shape)}};
  for (const derivative::EstimatorRow& estimator : derivative::estimators())
    all.push_back({estimator.name.data(), table_query(model, std::string(estimator.name))});
  all.push_back({"distance_weighted, published", published_query(shape)});
  all.push_back({"gaussian, published, noise 1e-3 m", table_query(model, "gaussian", {{"noise", 1e-3}})});
  all.push_back({"gumbel, published, noise 1e-3 m^2", table_query(model, "gumbel", {{"noise", 1e-3}})});
  return all;
}

constexpr std::pair<Transport, const char*> kTransports[] = {{Transport::kContact, "at the contact"},
                                                             {Transport::kBoth, "of both"},
                                                             {Transport::kNone, "at B's origin"}};

// What is promised of our own rows, %.
struct Promised {
  double descent, newton, newton_of_solvable;
};

Promised promised(Shape shape) {
  switch (shape) {
    case Shape::kHull:
      return {85, 99, 99};
    case Shape::kPieces:
      return {80, 90, 99};
    case Shape::kSurface:
      return {35, 55, 95};
  }
  return {};
}

void tables(const std::vector<ScannedObject>& objects, const std::string& bodies, const Options& options,
            Promises& promises) {
  const Shape shape = bodies == "hulls"    ? Shape::kHull
                      : bodies == "pieces" ? Shape::kPieces
                                           : Shape::kSurface;
  const Promised least = promised(shape);
  const auto wanted = [&](const std::string& name) { return name.find(options.only) != std::string::npos; };
  const Problems many = draw(objects, shape, options.first), few = draw(objects, shape, options.other);
  title("(a) 2,000 steps along the normalised gradient", bodies);
  for (const Estimate& estimate : estimates(shape)) {
    const bool first = estimate.name == std::string_view("patch");
    for (const auto& [way, how] : kTransports) {
      const Transport transport = way;
      const bool best = first && transport == Transport::kContact;
      const std::string name = estimate.name + std::string(", ") + how;
      if (!wanted(name)) continue;
      const Row found = row(name, best ? many : few, [&](const TargetProblem& problem, std::size_t) {
        return descend(problem, estimate.make_query, transport);
      });
      if (best) promises.at_least("(a) " + bodies + ", solved, %", found.solved, least.descent);
    }
  }
  title("(b) Gauss-Newton with restarts", bodies);
  for (const Restart restart : {Restart::kAligned, Restart::kRandom}) {
    const bool aligned = restart == Restart::kAligned;
    const std::string name = std::string("Gauss-Newton, ") +
                             (aligned ? "starts from the targets' normals" : "starts from the targets alone");
    if (!wanted(name)) continue;
    const Row found = row(name, aligned ? many : few, [&](const TargetProblem& problem, std::size_t i) {
      return solve(problem, patch_query(shape), restart, i);
    });
    if (!aligned) continue;
    promises.at_least("(b) " + bodies + ", solved, %", found.solved, least.newton);
    promises.at_least("(b) " + bodies + ", solved of those known to be solvable, %", found.solved_solvable,
                      least.newton_of_solvable);
  }
}

int run(int argc, char** argv) {
  Options options;
  options.first = {5, 6};
  options.other = {4, 3};
  CLI::App app("The optimisation of Chen et al. 2025 (DiffCollision)");
  app.add_option("--bodies", options.bodies, "hulls, pieces, surfaces")
      ->check(CLI::IsMember({"hulls", "pieces", "surfaces"}));
  app.add_option("--pairs", options.first.pairs, "of objects, for our own rows")->capture_default_str();
  app.add_option("--targets", options.first.targets, "for each")->capture_default_str();
  app.add_option("--other-pairs", options.other.pairs, "for all other rows")->capture_default_str();
  app.add_option("--other-targets", options.other.targets, "for each")->capture_default_str();
  app.add_option("--only", options.only, "only the rows whose name contains this");
  app.add_option("--objects", options.objects, kObjectsHelp);
  CLI11_PARSE(app, argc, argv);
  const std::vector<ScannedObject> objects =
      read_objects(options.objects, std::count(options.bodies.begin(), options.bodies.end(), "pieces") > 0);
  Promises promises;
  for (const std::string& bodies : options.bodies) tables(objects, bodies, options, promises);
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) { return guarded("diffcollision2026_optimisation", run, argc, argv); }
