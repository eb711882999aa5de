// [Elandt2019, Fig. 1]: the equal-pressure surface of a ball and a half-space at three relative compliances.
//   elandt2019_figure1_compliance > figure1.csv && gnuplot -c plot.gp figure1.csv figure1.png
// Rows: the corners of the surface: distance from the axis, height, pressure over the ball's modulus.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "benchmarks/paper/elandt2019/bodies.h"
#include "runtime/contact/contact_mesh.h"
#include "tests/support/worst_of.h"

int main() {
  using namespace abut;
  constexpr double kRadius = 1, kDepth = 0.3;
  const body::Body ball{body::Geometry(elandt2019::ball(kRadius, 4)), {.modulus = 1}};
  fmt::print("{}", elandt2019::csv_header("modulus_ratio,radius,height,pressure"));
  double worst = 0;
  for (const double ratio : {0.2, 1.0, 5.0}) {  // half-space over ball, both one radius thick
    const body::Body plane{body::Geometry(body::HalfSpace<double>{kRadius}), {.modulus = ratio}};
    // The half-space z <= 0 in its own frame; the ball's centre is at height radius - depth.
    const Pose<double> X_AB{Mat3<double>::Identity(), {0, 0, kDepth - kRadius}};
    const contact::ContactMesh mesh = contact::contact_mesh({&ball, &plane, X_AB});
    if (mesh.corners.empty()) worst = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < mesh.corners.size(); ++i) {
      const Vec3<double>& x = mesh.corners[i];
      worst = test::worst_of(worst, std::abs(mesh.pressures[i] + ratio * x.z() / kRadius));
      fmt::print("{},{:.6g},{:.6g},{:.6g}\n", ratio, std::hypot(x.x(), x.y()), x.z(), mesh.pressures[i]);
    }
  }
  fmt::print(stderr, "largest difference of the two pressures on the surface: {:.1e} of the modulus\n",
             worst);
  return worst < 1e-12 ? 0 : 1;  // NaN fails
}
