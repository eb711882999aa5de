// [Elandt2019, Fig. 3]: a rigid body in a layer whose pressure is linear in depth feels hydrostatics; on an
// underside of small slope that is the elastic foundation.
//   elandt2019_figure3_hydrostatic > figure3.csv && gnuplot -c plot.gp figure3.csv figure3.png
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "benchmarks/paper/elandt2019/bodies.h"
#include "preprocess/index/index.h"
#include "runtime/contact/pressure_field.h"

namespace {

using namespace abut;

// Force and torque on the rigid body about the layer's origin, in its frame, at a modulus of 1 Pa.
Vec6<double> wrench(const body::Body& layer, const body::Body& rigid, const Pose<double>& X_AB) {
  return shift_wrench<double>(
      X_AB,
      contact::contact_wrench("pressure_field", {&layer, &rigid, X_AB}, {}, contact::Want::kValue).F_BBo_B);
}

body::Body rigid(const preprocess::TriangleMesh& mesh) {
  return {body::Geometry(elandt2019::rigid(mesh)), {.modulus = body::kRigid}};
}

}  // namespace

int main() {
  const body::Body layer{body::Geometry(elandt2019::layer(2, 2, {0, 1}, {0, 1})), {.modulus = 1}};
  // A ball under the surface as a whole: buoyancy is the volume of its mesh, at its centre.
  const preprocess::TriangleMesh mesh = elandt2019::sphere(0.2, 3);
  const Vec6<double> F = wrench(layer, rigid(mesh), {Mat3<double>::Identity(), {0.3, 0.1, -0.5}});
  Vec6<double> archimedes = Vec6<double>::Zero();
  archimedes[5] = preprocess::mass_properties(mesh).volume;
  archimedes.head<3>() = Vec3<double>(0.3, 0.1, -0.5).cross(archimedes.tail<3>());
  const double error = (F - archimedes).norm() / archimedes.norm();
  fmt::print(stderr, "ball, against Archimedes: {:.1e}\n", error);

  fmt::print("{}", elandt2019::csv_header("slope_degrees,fx,fz,hydrostatic_fx,hydrostatic_fz,foundation_fz,"
                                          "difference_from_foundation"));
  double worst = error;
  for (const double degrees : {1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 38.0}) {
    const double slope = std::tan(degrees * std::numbers::pi / 180);
    const body::Body wedge =
        rigid(elandt2019::block(0.5, 0.5, 1, 1, [&](double x) { return -0.6 + slope * x; }));
    const Vec6<double> f = wrench(layer, wedge, {});
    // Depth 0.6 - slope x over a unit square. Sides: fx of the ends, depth^2 / 2 on each.
    const double left = 0.6 + slope / 2, right = 0.6 - slope / 2, fz = 0.6;
    const double sides = (left * left - right * right) / 2, under = -slope * fz;
    const double expected_x = sides + under;
    worst = std::max(worst, std::hypot(f[3] - expected_x, f[5] - fz));
    // The foundation pushes straight up; of the underside's own force, what differs is its tilt.
    fmt::print("{},{:.12g},{:.12g},{:.12g},{:.12g},{:.12g},{:.6g}\n", degrees, f[3], f[5], expected_x, fz, fz,
               std::abs(under) / std::hypot(under, fz));
  }
  fmt::print(stderr, "largest difference from hydrostatics: {:.1e}\n", worst);
  return worst < 1e-11 ? 0 : 1;
}
