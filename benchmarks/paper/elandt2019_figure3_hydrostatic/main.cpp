// [Elandt2019, Fig. 3]: a rigid body in a layer whose pressure is linear in depth feels hydrostatics; on an
// underside of small slope that is the elastic foundation.
//   elandt2019_figure3_hydrostatic > figure3.csv && gnuplot -c plot.gp figure3.csv figure3.png
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "benchmarks/paper/elandt2019/bodies.h"
#include "preprocess/index/index.h"
#include "runtime/contact/contact_mesh.h"
#include "runtime/contact/pressure_field.h"
#include "tests/support/worst_of.h"

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

// Of the faces that look down, on the body.
Vec3<double> force_from_below(const body::Body& layer, const body::Body& rigid) {
  Vec3<double> force = Vec3<double>::Zero();
  for (const contact::ContactFace& face : contact::contact_mesh({&layer, &rigid, {}}).faces)
    if (std::abs(face.n.z()) > 0.1) force -= face.area * face.pressure * face.n;
  return force;
}

// The elastic foundation: a bed of n x n upright springs under the layer's unit square, each pushed straight
// up by 1 Pa/m times the depth of the body's lowest triangle above it.
Vec3<double> foundation(const preprocess::TriangleMesh& body, int n) {
  Vec3<double> force = Vec3<double>::Zero();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const Eigen::Vector2d at((i + 0.5) / n - 0.5, (j + 0.5) / n - 0.5);
      double lowest = 0;
      for (const auto& t : body.triangles) {
        Mat3<double> corners;  // (x, y, 1) of each
        Vec3<double> heights;
        for (int k = 0; k < 3; ++k) {
          const auto& p = body.vertices[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])];
          corners.col(k) << p.x(), p.y(), 1;
          heights[k] = p.z();
        }
        if (std::abs(corners.determinant()) < 1e-12) continue;  // upright
        const Vec3<double> weights = corners.inverse() * Vec3<double>(at.x(), at.y(), 1);
        if (weights.minCoeff() > -1e-12) lowest = std::min(lowest, weights.dot(heights));
      }
      force.z() -= lowest / (n * n);
    }
  return force;
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
  double worst = error, worst_foundation = 0;
  for (const double degrees : {1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 38.0}) {
    const double angle = degrees * std::numbers::pi / 180, slope = std::tan(angle);
    const preprocess::TriangleMesh wedge_mesh =
        elandt2019::block(0.5, 0.5, 1, 1, [&](double x) { return -0.6 + slope * x; });
    const body::Body wedge = rigid(wedge_mesh);
    const Vec6<double> f = wrench(layer, wedge, {});
    // Depth 0.6 - slope x over a unit square. Sides: fx of the ends, depth^2 / 2 on each.
    const double left = 0.6 + slope / 2, right = 0.6 - slope / 2, fz = 0.6;
    const double expected_x = (left * left - right * right) / 2 - slope * fz;
    worst = test::worst_of(worst, std::hypot(f[3] - expected_x, f[5] - fz));
    // The foundation pushes straight up, as much: of the underside's own force, what differs is its tilt.
    const Vec3<double> below = force_from_below(layer, wedge), springs = foundation(wedge_mesh, 50);
    const double difference = (below - springs).norm() / below.norm();
    worst_foundation =
        std::max({worst_foundation, std::abs(springs.z() - fz), std::abs(difference - std::sin(angle))});
    fmt::print("{},{:.12g},{:.12g},{:.12g},{:.12g},{:.12g},{:.6g}\n", degrees, f[3], f[5], expected_x, fz,
               springs.z(), difference);
  }
  fmt::print(stderr,
             "largest difference from hydrostatics: {:.1e}; of the foundation's force, and of how far "
             "it is off, from the sine of the slope: {:.1e}\n",
             worst, worst_foundation);
  return worst < 1e-11 && worst_foundation < 1e-11 ? 0 : 1;
}
