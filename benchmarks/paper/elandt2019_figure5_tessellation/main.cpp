// [Elandt2019, Fig. 5]: a polygon of the contact surface loses a side while one tetrahedron moves; the
// quadrature points of the triangles around its centroid, and their weights, move continuously.
//   elandt2019_figure5_tessellation > figure5.csv && gnuplot -c plot.gp figure5.csv figure5.png
// Rows: shift of one body, triangle, the point x, y, its weight (the triangle's area).
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "benchmarks/paper/elandt2019/bodies.h"
#include "benchmarks/support/promises.h"
#include "preprocess/pressure/volume.h"
#include "runtime/contact/contact_mesh.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;

// One tetrahedron over (or under) z = 0, with the pressure at the tip.
asset::Asset tip(double height, double twist) {
  preprocess::TetrahedralMesh mesh;
  for (int k = 0; k < 3; ++k) {
    const double angle = twist + 2 * 3.14159265358979 / 3 * k;
    mesh.vertices.emplace_back(std::cos(angle), std::sin(angle), -0.5 * height);
  }
  mesh.vertices.emplace_back(0, 0, height);
  mesh.tetrahedra = {{0, 1, 2, 3}};
  if (height < 0) std::swap(mesh.tetrahedra[0][0], mesh.tetrahedra[0][1]);
  asset::Asset result;
  result.volumes.push_back(
      preprocess::build_volume(mesh, preprocess::with_gradients(mesh, std::vector<double>{0, 0, 0, 1})));
  return result;
}

}  // namespace

int main() {
  const body::Body lower{body::Geometry(tip(1, 0))}, upper{body::Geometry(tip(-1, 0.9))};
  fmt::print("{}", elandt2019::csv_header("shift,sides,triangle,x,y,weight"));
  std::vector<double> sums;
  int least = 99, most = 0;
  for (int step = 0; step <= 60; ++step) {
    const double shift = 0.01 * step;
    const Pose<double> X_AB{Mat3<double>::Identity(), {shift, 0.25 * shift, 0}};
    const contact::ContactMesh whole = contact::contact_mesh({&lower, &upper, X_AB});
    const contact::ContactMesh mesh = contact::triangulated(whole);
    if (whole.faces.empty()) continue;
    least = std::min(least, whole.faces[0].count);
    most = std::max(most, whole.faces[0].count);
    // A quadrature sum of a function that the rule does not integrate exactly: it would jump if points did.
    double sum = 0;
    for (std::size_t i = 0; i < mesh.faces.size(); ++i) {
      const Vec3<double> x = X_AB * mesh.faces[i].centroid;
      fmt::print("{},{},{},{:.6g},{:.6g},{:.6g}\n", shift, whole.faces[0].count, i, x.x(), x.y(),
                 mesh.faces[i].area);
      sum += mesh.faces[i].area * std::exp(3 * x.x());
    }
    sums.push_back(sum);
  }
  double largest = 0;
  for (std::size_t i = 1; i < sums.size(); ++i)
    largest = test::worst_of(largest, std::abs(sums[i] - sums[i - 1]));
  fmt::print(stderr, "{} to {} sides; largest step of a sum over the points {:.3g} of {:.3g}\n", least, most,
             largest, sums.empty() ? 0.0 : sums[0]);
  benchmarks::Promises promises;
  promises.at_least("polygons on the way", static_cast<double>(sums.size()), 50);
  promises.at_least("sides lost on the way", most - least, 1);
  promises.at_most("largest step of the sum over the first one", largest / sums.at(0), 0.025);
  return promises.verdict();
}
