// Figure 5 of [Montaut2022]: convergence of contact-pose generation on a pair of scanned hulls, per method:
//   montaut2022_figure5_ycb [--problems 50] [--out figure5]
#include "benchmarks/paper/montaut2022/hull_pair_figure.h"

int main(int argc, char** argv) try {
  using namespace abut::benchmarks;
  const HullPairFigure figure(
      argc, argv, "Figure 5 of Montaut et al. 2022: convergence on a pair of scanned hulls", "figure5");
  const std::vector<Curve> curves = {
      figure.curve("finite differences 1e-6", paper_finite_difference(1e-6)),
      figure.curve("zeroth order M=50", paper_zeroth_order(50, 1e-2, figure.seed())),
      figure.curve("Gaussian M=20", paper_gaussian(20, 1e-3, figure.seed())),
      figure.curve("gumbel (default)", table_estimator("gumbel")),
      figure.curve("soft bodies (default)", HullPairFigure::Solve([](const Problem& p) {
                     return abut::derivative::solve_contact_pose(p);
                   })),
  };
  write_curves(figure.prefix(), "montaut2022_figure5_ycb", figure.seed(), figure.pair(), curves);
} catch (const std::exception& error) {
  std::fprintf(stderr, "montaut2022_figure5_ycb: error: %s\n", error.what());
  return 1;
}
