#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "benchmarks/soft_potential/scenes.h"
#include "benchmarks/soft_potential/solids.h"
#include "runtime/contact/model.h"
#include "runtime/contact/soft_potential.h"
#include "tests/support/worst_of.h"

namespace abut::soft_potential_scenes {

namespace {

const Vec3<double> kBase(0.06, 0.05, 0.02), kTop(0.03, 0.03, 0.02);  // half sizes, m

struct Place {
  const char* name;
  double x, y, turn;  // of the upper box on the lower, m and rad
};
const Place kPlaces[] = {{"centred", 0, 0, 0},
                         {"overhanging", 0.045, 0, 0},
                         {"turned", 0.003, 0.002, std::numbers::pi / 6},
                         {"at the edge", 0.03, 0.004, 0}};

Pose<double> stacked(const Place& place, double depth) {
  return {exp_rotation<double>({0, 0, place.turn}), {place.x, place.y, kBase.z() + kTop.z() - depth}};
}

// The part of the upper box's underside that the lower box carries: its area (m^2) and its centre in the
// frame of the upper box (m).
struct Footprint {
  double area;
  Vec3<double> center;
};
Footprint footprint(const Place& place) {
  // Of the places above only those that are not turned overhang.
  double low_x = -kTop.x(), high_x = kTop.x(), low_y = -kTop.y(), high_y = kTop.y();
  if (place.turn == 0) {
    low_x = std::max(low_x, -kBase.x() - place.x), high_x = std::min(high_x, kBase.x() - place.x);
    low_y = std::max(low_y, -kBase.y() - place.y), high_y = std::min(high_y, kBase.y() - place.y);
  }
  return {(high_x - low_x) * (high_y - low_y), {(low_x + high_x) / 2, (low_y + high_y) / 2, -kTop.z()}};
}

// What a law's even pressure is at a depth, Pa: that of the potential, or of the published force per area.
double even_pressure(const contact::SoftPotentialConfig& config, double eps3, double depth) {
  const double u = depth / eps3;
  return config.stiffness * eps3 * std::log1p(std::exp(u)) / (1 + std::exp(-u));
}

// Moment about `p`, along x and y, and force upward, all in the frame of B.
Vec3<double> load_of(const Vec6<double>& F, const Vec3<double>& p) {
  const Vec3<double> moment = F.head<3>() - p.cross(F.tail<3>());
  return {moment.x(), moment.y(), F[5]};
}

// Tilt (degrees) of the upper box at rest under a load (N) through `p`; NaN where there is no rest. Newton's
// method on moments and force by tilts and height.
double tilt_at_rest(const Contender& one, Pose<double> X, const Vec3<double>& p, double load) {
  for (int i = 0; i < 40; ++i) {
    const contact::PairWrench w = one.model->wrench({one.A, one.B, X}, contact::Want::kJacobian);
    const Vec3<double> off = load_of(w.F_BBo_B, p) - Vec3<double>(0, 0, load);
    if (std::abs(off.z()) < 1e-8 * load && off.head<2>().norm() < 1e-9 * load)
      return 180 / std::numbers::pi * std::acos(std::min(1.0, X.R(2, 2)));
    Mat3<double> slope;
    for (int k = 0; k < 3; ++k) slope.col(k) = load_of(w.dF_dxi_B.col(k == 2 ? 5 : k), p);
    const Vec3<double> step = slope.fullPivLu().solve(-off);
    Vec6<double> xi = Vec6<double>::Zero();
    xi.head<2>() = step.head<2>();
    xi[5] = step.z();
    X = X *
        exp<double>(xi * std::min(1.0, 5e-4 / std::max(std::abs(step.z()), 0.04 * step.head<2>().norm())));
  }
  return std::nan("");
}

constexpr double kDepths[] = {1e-4, 2e-4, 5e-4, 1e-3, 1.5e-3};  // m; the first at 10 kPa

// At the least and at the greatest depth.
struct Row {
  double pressure[2];   // relative error of the force beside the law's even pressure
  double center[2];     // of pressure, off by so many spacings
  double tilt[2];       // at rest, degrees
  double sideways = 0;  // over normal, at any depth
};

Row measure(const Contender& one, const Place& place, double spacing) {
  Row row;
  const double eps3 =
      one.potential
          ? contact::potential_pair(contact::soft_potential_config(one.settings), {one.A, one.B, {}}).law.eps3
          : std::nan("");
  const Footprint under = footprint(place);
  for (const double depth : kDepths) {
    const Pose<double> X = stacked(place, depth);
    const Vec6<double> F = one.wrench(X);
    const double even = even_pressure({}, eps3, depth) * under.area;
    row.sideways = test::worst_of(row.sideways, std::hypot(F[3], F[4]) / std::abs(F[5]));
    const int end = depth == kDepths[0] ? 0 : 1;  // the last stays
    row.pressure[end] = F[5] / even - 1;
    row.center[end] = load_of(F, under.center).head<2>().norm() / std::abs(F[5]) / spacing;
    row.tilt[end] = tilt_at_rest(one, X, under.center, one.potential ? even : F[5]);
  }
  return row;
}

}  // namespace

void boxes(Promises& promises) {
  const body::Body base = made("base", mesh_of(box(kBase))), top = made("top", mesh_of(box(kTop))),
                   fine_base = made("base", mesh_of(box(kBase)), kLimitQuads),
                   fine_top = made("top", mesh_of(box(kTop)), kLimitQuads);
  const double spacing = finer_spacing(base, top);
  std::vector<Contender> all = contenders(base, top);
  all.push_back(limit(base, top, fine_base, fine_top));
  const body::Body primitive_base{body::Geometry(body::Box<double>{kBase})},
      primitive_top{body::Geometry(body::Box<double>{kTop})};
  all.push_back({"soft potential, primitives",
                 true,
                 {},
                 contact::make_model("soft_potential"),
                 &primitive_base,
                 &primitive_top});
  fmt::print("\nboxes of {} and {} quads, spacings {:.2f} and {:.2f} mm; {} to {} mm deep\n",
             base.geometry.points().point_count, top.geometry.points().point_count,
             1e3 * base.geometry.points().spacing, 1e3 * spacing, 1e3 * kDepths[0],
             1e3 * std::end(kDepths)[-1]);
  fmt::print(
      "\n| place | law | force beside the even pressure at 0.1 mm, % | at 1.5 mm | centre of pressure off at "
      "0.1 mm, spacings | at "
      "1.5 mm | tilt at rest at 0.1 mm, degrees | at 1.5 mm | sideways over normal |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  for (const Place& place : kPlaces)
    for (const Contender& one : all) {
      const Row row = measure(
          one, place, one.A == &primitive_base ? finer_spacing(primitive_base, primitive_top) : spacing);
      fmt::print("| {} | {} | {} | {:.3f} | {:.3f} | {:.4f} | {:.4f} | {:.4f} |\n", place.name, one.title,
                 one.potential
                     ? fmt::format("{:+.2f} | {:+.2f}", 100 * row.pressure[0], 100 * row.pressure[1])
                     : "|",
                 row.center[0], row.center[1], row.tilt[0], row.tilt[1], row.sideways);
      std::fflush(stdout);
      if (!one.potential || one.A == &primitive_base) continue;
      const std::string what = fmt::format("box on box, {}, {}, at 0.1 mm, ", place.name, one.title);
      promises.at_most(what + "force off the even pressure, %", 100 * std::abs(row.pressure[0]), 2);
      promises.at_most(what + "centre of pressure off, spacings", row.center[0], 0.1);
      promises.at_most(what + "tilt at rest, degrees", row.tilt[0], 0.05);
    }
}

}  // namespace abut::soft_potential_scenes
