// Figure 6 of [Montaut2022]: the effect of noise and of the number of samples on first-order estimators, on a
// pair of scanned hulls:
//   montaut2022_figure6_noise [--problems 50] [--out figure6]
// Writes <out>_gumbel (noise and ring depth) and <out>_gaussian (noise and samples).
#include "benchmarks/paper/montaut2022/hull_pair_figure.h"

int main(int argc, char** argv) try {
  using namespace abut::benchmarks;
  const HullPairFigure figure(argc, argv, "Figure 6 of Montaut et al. 2022: noise and number of samples",
                              "figure6");
  std::vector<Curve> gumbel, gaussian;
  for (const int rings : {1, 3, 5}) {
    for (const double eps : {1e-6, 1e-5, 1e-4}) {
      char name[64];
      std::snprintf(name, sizeof name, "nl=%d eps=%.0e", rings, eps);
      gumbel.push_back(figure.curve(name, paper_gumbel(rings, eps)));
    }
  }
  for (const int samples : {10, 20, 100}) {
    for (const double eps : {1e-4, 1e-3, 1e-2}) {
      char name[64];
      std::snprintf(name, sizeof name, "M=%d eps=%.0e", samples, eps);
      gaussian.push_back(figure.curve(name, paper_gaussian(samples, eps, figure.seed())));
    }
  }
  const char* const program = "montaut2022_figure6_noise";
  write_curves(figure.prefix() + "_gumbel", program, figure.seed(), "Gumbel, " + figure.pair(), gumbel);
  write_curves(figure.prefix() + "_gaussian", program, figure.seed(), "Gaussian, " + figure.pair(), gaussian);
} catch (const std::exception& error) {
  std::fprintf(stderr, "montaut2022_figure6_noise: error: %s\n", error.what());
  return 1;
}
