// [Beker2025, Figs. 1 and 5]: the force on a small ball that moves past a fixed one, in soft-minimum contact
// and in two simulators, and the morph of a shape with eps1.
//   beker2025_figure1_figure5_force_profile force > figure5.csv && gnuplot -c force.gp figure5.csv
//   figure5.png beker2025_figure1_figure5_force_profile morph ASSET > figure1.csv && gnuplot -c morph.gp
//   figure1.csv figure1.png
// `force`: kind `line` (along y through the middle, 1 mm steps) and `plane` (the x-y plane), the force on the
// small ball in N. soft: at the defaults; softer: eps1, eps2, eps3 at 8, 1, 0.5. MuJoCo's and Bullet's are
// closed forms; where the programs are there, they are compared, and the largest difference is told.
// `morph`: the zero surface of ASSET at five values of eps1 / spacing^2, seen from one side: brightness of
// each pixel, 0 where nothing is met.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "benchmarks/paper/beker2025_figure1_figure5_force_profile/peers.h"
#include "benchmarks/paper/montaut2022/provenance.h"
#include "runtime/asset/reader.h"
#include "runtime/contact/soft_minimum.h"
#include "runtime/ssdf/primitives.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using asset::PointsView;

constexpr beker2025::Balls kBalls{0.1, 0.05, 1.0};
constexpr double kSpacing = 0.01, kTouch = kBalls.fixed_radius + kBalls.free_radius;

Vec3<double> along_centers(const Vec3<double>& p, double force) {
  const double r = p.norm();
  return r > 0 ? Vec3<double>(force / r * p) : Vec3<double>(force, 0, 0);
}

Vec3<double> soft_force(const PointsView& A, const PointsView& B, const Vec3<double>& p,
                        const contact::SoftMinimumConfig& config) {
  contact::SoftMinimum<double> found;
  contact::soft_minimum(A, B, {Mat3<double>::Identity(), p}, Vec6<double>::Zero(),
                        contact::parameters_of(config, A, B), ssdf::Order::kValue, found);
  return found.F_BBo_B.tail<3>();
}

int force_profile() {
  const asset::OrientedPoints fixed = ssdf::ball_points(kBalls.fixed_radius, kSpacing),
                              moving = ssdf::ball_points(kBalls.free_radius, kSpacing);
  const PointsView A = asset::view(fixed), B = asset::view(moving);
  const contact::SoftMinimumConfig plain;
  contact::SoftMinimumConfig softer;
  softer.eps1 = 8;
  softer.eps2 = 1;
  softer.eps3 = 0.5;
  const auto mujoco = beker2025::make_mujoco(kBalls), bullet = beker2025::make_bullet(kBalls);
  double mujoco_gap = 0, bullet_gap = 0;
  benchmarks::write_provenance(std::cout, "beker2025_figure1_figure5_force_profile force", 0, 1);
  std::cout << "kind,x,y,soft_x,soft_y,softer_x,softer_y,mujoco_x,mujoco_y,bullet_x,bullet_y\n" << std::flush;
  const auto row = [&](const char* kind, const Vec3<double>& p) {
    const Vec3<double> soft = soft_force(A, B, p, plain), more = soft_force(A, B, p, softer);
    const double depth = kTouch - p.norm();
    const Vec3<double> m = along_centers(p, beker2025::mujoco_force(kBalls, depth)),
                       b = along_centers(p, beker2025::bullet_force(kBalls, depth));
    // On the very centre each takes a direction of its own.
    if (mujoco && p.norm() > 1e-9) mujoco_gap = test::worst_of(mujoco_gap, (mujoco->force(p) - m).norm());
    if (bullet && p.norm() > 1e-9) bullet_gap = test::worst_of(bullet_gap, (bullet->force(p) - b).norm());
    fmt::print("{},{:.4f},{:.4f},{:.5g},{:.5g},{:.5g},{:.5g},{:.5g},{:.5g},{:.5g},{:.5g}\n", kind, p.x(),
               p.y(), soft.x(), soft.y(), more.x(), more.y(), m.x(), m.y(), b.x(), b.y());
  };
  for (int i = -250; i <= 250; ++i) row("line", {0, 1e-3 * i, 0});
  for (int i = -30; i <= 30; ++i)
    for (int j = -30; j <= 30; ++j) row("plane", {7e-3 * i, 7e-3 * j, 0});
  fmt::print(
      stderr, "largest difference of the closed forms from MuJoCo: {}, from Bullet: {} N of up to {:.4g} N\n",
      mujoco ? fmt::format("{:.1e}", mujoco_gap) : "not there",
      bullet ? fmt::format("{:.1e}", bullet_gap) : "not there", beker2025::mujoco_force(kBalls, kTouch));
  return mujoco_gap < 1e-6 && bullet_gap < 1e-2 ? 0 : 1;
}

// Brightness of the first zero on the ray from p along d, 0 without any within `length`.
double shade(const PointsView& points, double eps1, const Vec3<double>& p, const Vec3<double>& d,
             double length, const Vec3<double>& light) {
  const auto value = [&](double t) {
    return ssdf::soft_distance(points, p + t * d, eps1, ssdf::Order::kValue, 1e-4).value;
  };
  double outside = 0;
  for (double t = 0; t < length; t += 0.5 * points.spacing) {
    if (value(t) > 0) {
      outside = t;
      continue;
    }
    double inside = t;
    for (int i = 0; i < 12; ++i) {
      const double middle = (inside + outside) / 2;
      (value(middle) > 0 ? outside : inside) = middle;
    }
    const Vec3<double> n =
        ssdf::soft_distance(points, p + inside * d, eps1, ssdf::Order::kGradient, 1e-4).gradient.normalized();
    return 0.2 + 0.8 * std::max(0.0, n.dot(light));
  }
  return 0;
}

int morph(const std::string& file) {
  const asset::Asset object = asset::load(file);
  const PointsView points = asset::view(object).points;
  constexpr std::array kSmoothing = {ssdf::kSmoothing, 4.0, 16.0, 64.0, 256.0};
  constexpr int kPixels = 160;
  const Vec3<double> center = Vec3<double>::Map(points.blocks.center);
  const Vec3<double> toward = Vec3<double>(-0.5, 0.8, -0.45).normalized(),
                     right = toward.cross(Vec3<double>::UnitZ()).normalized(), up = right.cross(toward);
  const Vec3<double> light = (-toward - 0.5 * right + 0.7 * up).normalized();
  const double reach =
      1.1 * std::max(points.blocks.radius, points.spacing * std::sqrt(1.5 * kSmoothing.back()));
  benchmarks::write_provenance(std::cout, "beker2025_figure1_figure5_force_profile morph", 0, 1);
  std::cout << "eps1_over_spacing2,column,row,brightness\n" << std::flush;
  for (const double smoothing : kSmoothing)
    for (int i = 0; i < kPixels; ++i)
      for (int j = 0; j < kPixels; ++j) {
        const auto offset = [&](int k) { return reach * ((2 * k + 1.0) / kPixels - 1); };
        const Vec3<double> p = center - reach * toward + offset(i) * right + offset(j) * up;
        fmt::print("{},{},{},{:.3f}\n", smoothing, i, j,
                   shade(points, smoothing * points.spacing * points.spacing, p, toward, 2 * reach, light));
      }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() == 1 && arguments[0] == "force") return force_profile();
    if (arguments.size() == 2 && arguments[0] == "morph") return morph(arguments[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "beker2025_figure1_figure5_force_profile: error: {}\n", error.what());
    return 2;
  }
  fmt::print(stderr, "usage: beker2025_figure1_figure5_force_profile force | morph ASSET\n");
  return 2;
}
