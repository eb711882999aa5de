// Figure 6 of [Montaut2022]: the effect of noise and of the number of samples on first-order estimators, on a
// pair of scanned hulls:
//   montaut2022_figure6_noise [--problems 50] [--out figure6]
// Writes <out>_gumbel (noise and ring depth) and <out>_gaussian (noise and samples).
#include <CLI/CLI.hpp>

#include "benchmarks/paper/montaut2022/hulls.h"
#include "benchmarks/paper/montaut2022/paper_estimators.h"
#include "benchmarks/paper/montaut2022/trace_plot.h"

int main(int argc, char** argv) try {
  using namespace abut;
  using namespace abut::benchmarks;
  int problems = 50, iterations = 50;
  std::uint64_t seed = 1;
  std::string prefix = "figure6", objects;
  CLI::App app("Figure 6 of Montaut et al. 2022: noise and number of samples");
  app.add_option("--problems", problems, "target pairs")->capture_default_str();
  app.add_option("--objects", objects, kObjectsHelp);
  app.add_option("--out", prefix, "prefix of the files")->capture_default_str();
  app.add_option("--seed", seed)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  objects = objects_folder(objects).string();
  const std::vector<NamedHull> hulls = read_ycb_hulls(objects);
  if (hulls.size() < 2) {
    std::fprintf(stderr, "error: fewer than two objects of the YCB layout in %s\n", objects.c_str());
    return 1;
  }
  const NamedHull &first = hulls.front(), &second = hulls[hulls.size() / 2];
  const asset::ConvexView A = asset::view(first.piece), B = asset::view(second.piece);
  const double size = (half_extent(A) + half_extent(B)) / 2;
  const auto curve = [&](const std::string& name, const Differentiator& differentiator) {
    std::vector<Solution> solutions(static_cast<std::size_t>(problems));
    parallel_for(problems, 0, [&](std::int64_t i, int) {
      const Problem problem = draw_problem(A, B, size, Law::kContact, seed, static_cast<std::uint64_t>(i));
      solutions[static_cast<std::size_t>(i)] = gauss_newton(problem, differentiator, iterations);
    });
    Curve result{name, median_trace(solutions, iterations)};
    std::printf("%-26s median cost after 10, 25, 50 iterations: %.1e %.1e %.1e\n", name.c_str(),
                result.cost[10], result.cost[25], result.cost[50]);
    return result;
  };
  std::vector<Curve> gumbel, gaussian;
  for (const int rings : {1, 3, 5}) {
    for (const double eps : {1e-6, 1e-5, 1e-4}) {
      char name[64];
      std::snprintf(name, sizeof name, "nl=%d eps=%.0e", rings, eps);
      gumbel.push_back(curve(name, paper_gumbel(rings, eps)));
    }
  }
  for (const int samples : {10, 20, 100}) {
    for (const double eps : {1e-4, 1e-3, 1e-2}) {
      char name[64];
      std::snprintf(name, sizeof name, "M=%d eps=%.0e", samples, eps);
      gaussian.push_back(curve(name, paper_gaussian(samples, eps, seed)));
    }
  }
  const std::string pair = first.name + " and " + second.name;
  write_curves(prefix + "_gumbel", "montaut2022_figure6_noise", seed, "Gumbel, " + pair, gumbel);
  write_curves(prefix + "_gaussian", "montaut2022_figure6_noise", seed, "Gaussian, " + pair, gaussian);
} catch (const std::exception& error) {
  std::fprintf(stderr, "montaut2022_figure6_noise: error: %s\n", error.what());
  return 1;
}
