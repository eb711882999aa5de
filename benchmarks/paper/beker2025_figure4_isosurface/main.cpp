// [Beker2025, Fig. 4]: soft signed distance of a square at four temperatures: three resolutions, a normal
// that points inward, points that stand on the corners.
//   beker2025_figure4_isosurface > figure4.csv && gnuplot -c plot.gp figure4.csv figure4.png
// Rows of the table, by kind: `field` x, y, value; `zero` a piece of the zero line from x, y to a, b; `point`
// x, y with the normal a, b. The square has half size 1, so that the temperatures are the paper's.
#include <fmt/format.h>

#include <iostream>
#include <string>
#include <vector>

#include "benchmarks/paper/montaut2022/provenance.h"
#include "runtime/ssdf/field.h"
#include "tests/support/point_clouds.h"

namespace {

using namespace abut;

constexpr double kTemperatures[] = {0.01, 0.25, 0.5, 10.0};
constexpr int kCells = 120;
constexpr double kReach = 3.6;

struct Variant {
  std::string name;
  asset::OrientedPoints points;
};

// One point in the middle of the right side looks inward.
asset::OrientedPoints with_wrong_normal(asset::OrientedPoints points) {
  const std::size_t count = points.areas.size();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (points.positions[i] > 0.99 && std::abs(points.positions[count + i] - 0.1) < 0.15) wrong = i;
  for (std::size_t k = 0; k < 3; ++k) points.normals[k * count + wrong] *= -1;
  points.blocks = {};
  asset::add_blocks(points);
  return points;
}

// Two more points on each corner, with the normals of the sides that meet there turned by a right angle.
asset::OrientedPoints with_wrong_corners(int per_side) {
  const asset::OrientedPoints square = test::square_points(per_side);
  const asset::PointsView view = asset::view(square);
  std::vector<Vec3<double>> positions, normals;
  for (std::int32_t i = 0; i < view.point_count; ++i) {
    positions.emplace_back(view.x[i], view.y[i], view.z[i]);
    normals.emplace_back(view.nx[i], view.ny[i], view.nz[i]);
  }
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0}) {
      positions.emplace_back(x, y, 0);
      normals.emplace_back(-x, 0, 0);
      positions.emplace_back(x, y, 0);
      normals.emplace_back(0, -y, 0);
    }
  return test::make_points(positions, normals, view.spacing * view.spacing);
}

double coordinate(int i) { return kReach * (2.0 * i / kCells - 1); }

void print_panel(const Variant& variant, double temperature) {
  const asset::PointsView points = asset::view(variant.points);
  std::vector<double> value((kCells + 1) * (kCells + 1));
  const auto at = [&](int i, int j) -> double& {
    return value[static_cast<std::size_t>(i * (kCells + 1) + j)];
  };
  const auto row = [&](const char* kind, double x, double y, double a, double b) {
    fmt::print("{},{},{},{:.4f},{:.4f},{:.6g},{:.6g}\n", variant.name, temperature, kind, x, y, a, b);
  };
  for (int i = 0; i <= kCells; ++i)
    for (int j = 0; j <= kCells; ++j) {
      at(i, j) =
          ssdf::soft_distance(points, {coordinate(i), coordinate(j), 0}, temperature, ssdf::Order::kValue)
              .value;
      row("field", coordinate(i), coordinate(j), at(i, j), 0);
    }
  // The zero line, in two triangles of each cell.
  for (int i = 0; i < kCells; ++i)
    for (int j = 0; j < kCells; ++j)
      for (int half = 0; half < 2; ++half) {
        const int corners[3][2] = {{i, j}, {i + 1, j + 1}, {i + (half ? 0 : 1), j + (half ? 1 : 0)}};
        std::vector<Eigen::Vector2d> ends;
        for (int k = 0; k < 3; ++k) {
          const int *p = corners[k], *q = corners[(k + 1) % 3];
          const double a = at(p[0], p[1]), b = at(q[0], q[1]);
          if ((a < 0) == (b < 0)) continue;
          const double t = a / (a - b);
          ends.emplace_back((1 - t) * coordinate(p[0]) + t * coordinate(q[0]),
                            (1 - t) * coordinate(p[1]) + t * coordinate(q[1]));
        }
        if (ends.size() == 2) row("zero", ends[0].x(), ends[0].y(), ends[1].x(), ends[1].y());
      }
  for (std::int32_t i = 0; i < points.point_count; ++i)
    row("point", points.x[i], points.y[i], points.nx[i], points.ny[i]);
}

}  // namespace

int main() {
  const std::vector<Variant> variants = {{"4 a side", test::square_points(4)},
                                         {"8 a side", test::square_points(8)},
                                         {"32 a side", test::square_points(32)},
                                         {"wrong normal", with_wrong_normal(test::square_points(8))},
                                         {"wrong points", with_wrong_corners(8)}};
  benchmarks::write_provenance(std::cout, "beker2025_figure4_isosurface", 0, 1);
  std::cout << "points,temperature,kind,x,y,a,b\n" << std::flush;
  for (const Variant& variant : variants)
    for (const double temperature : kTemperatures) print_panel(variant, temperature);
  return 0;
}
