// Figure 5 of [Montaut2022]: convergence of contact-pose generation on a pair of scanned hulls, per method:
//   montaut2022_figure5_ycb [--problems 50] [--out figure5]
// The paper shows one problem; here the median over many target pairs (law C: witness pairs of touching
// poses).
#include <CLI/CLI.hpp>

#include "benchmarks/paper/montaut2022/hulls.h"
#include "benchmarks/paper/montaut2022/paper_estimators.h"
#include "benchmarks/paper/montaut2022/trace_plot.h"

int main(int argc, char** argv) try {
  using namespace abut;
  using namespace abut::benchmarks;
  int problems = 50, iterations = 50;
  std::uint64_t seed = 1;
  std::string prefix = "figure5", objects;
  CLI::App app("Figure 5 of Montaut et al. 2022: convergence on a pair of scanned hulls");
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
  const std::pair<const char*, std::function<Solution(const Problem&)>> methods[] = {
      {"finite differences 1e-6",
       [&](const Problem& p) { return gauss_newton(p, paper_finite_difference(1e-6), iterations); }},
      {"zeroth order M=50",
       [&](const Problem& p) { return gauss_newton(p, paper_zeroth_order(50, 1e-2, seed), iterations); }},
      {"Gaussian M=20",
       [&](const Problem& p) { return gauss_newton(p, paper_gaussian(20, 1e-3, seed), iterations); }},
      {"gumbel (default)",
       [&](const Problem& p) { return gauss_newton(p, table_estimator("gumbel"), iterations); }},
      {"soft bodies (default)", [&](const Problem& p) { return soft_gauss_newton(p, iterations); }},
  };
  std::vector<Curve> curves;
  for (const auto& [name, solve] : methods) {
    std::vector<Solution> solutions(static_cast<std::size_t>(problems));
    parallel_for(problems, 0, [&](std::int64_t i, int) {
      solutions[static_cast<std::size_t>(i)] =
          solve(draw_problem(A, B, size, Law::kContact, seed, static_cast<std::uint64_t>(i)));
    });
    curves.push_back({name, median_trace(solutions, iterations)});
    std::printf("%-26s median cost after 10, 25, 50 iterations: %.1e %.1e %.1e\n", name,
                curves.back().cost[10], curves.back().cost[25], curves.back().cost[50]);
  }
  write_curves(prefix, "montaut2022_figure5_ycb", seed, first.name + " and " + second.name, curves);
} catch (const std::exception& error) {
  std::fprintf(stderr, "montaut2022_figure5_ycb: error: %s\n", error.what());
  return 1;
}
