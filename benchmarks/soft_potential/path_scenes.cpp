#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "benchmarks/soft_potential/scenes.h"
#include "benchmarks/soft_potential/solids.h"
#include "runtime/contact/soft_potential.h"
#include "runtime/contact/soft_potential/scratch.h"
#include "runtime/core/random.h"
#include "tests/support/worst_of.h"

namespace abut::soft_potential_scenes {

namespace {

using contact::Want;

Vec3<double> random_direction(Random& random) {
  return Vec3<double>{random.normal(), random.normal(), random.normal()}.normalized();
}

// A closed path: about the start it shifts by up to 2 kShift and turns by up to kTurn.
struct Path {
  static constexpr double kShift = 1e-3, kTurn = 0.02;  // m, rad
  Pose<double> start;
  Vec3<double> a, b, axis;

  Pose<double> pose(double t) const {
    return {start.R * exp_rotation<double>(kTurn * std::sin(t) * axis),
            start.p + kShift * (std::sin(t) * a + (1 - std::cos(t)) * b)};
  }
  Vec6<double> twist(double t) const {  // by t, in the moved frame
    Vec6<double> V;
    V << kTurn * std::cos(t) * axis, pose(t).R.transpose() * (kShift * (std::cos(t) * a + std::sin(t) * b));
    return V;
  }
};

// Work of a law around a path, by Gauss and Legendre's rule of four nodes in equal intervals; and the
// greatest difference of what was done by then.
struct Work {
  double total = 0, swing = 0;
};
Work work(const Contender& one, const Path& path, int intervals) {
  constexpr double kNodes[] = {0.3399810435848563, 0.8611363115940526},
                   kWeights[] = {0.6521451548625461, 0.3478548451374538};
  Work result;
  double low = 0, high = 0;
  const double half = std::numbers::pi / intervals;
  for (int i = 0; i < intervals; ++i) {
    for (int k = 0; k < 2; ++k)
      for (const double side : {-1.0, 1.0}) {
        const double t = half * (2 * i + 1 + side * kNodes[k]);
        result.total += half * kWeights[k] * one.wrench(path.pose(t)).dot(path.twist(t));
      }
    low = std::min(low, result.total), high = std::max(high, result.total);
  }
  result.swing = high - low;
  return result;
}

double peak_energy(const Contender& one, const Path& path) {
  double peak = 0;
  for (int i = 0; i < 16; ++i)
    peak = std::max(
        peak,
        one.model->wrench({one.A, one.B, path.pose(i * std::numbers::pi / 8)}, Want::kValue | Want::kEnergy)
            .energy);
  return peak;
}

using Extended = long double;

contact::SoftPotential<Extended> extended(const contact::PotentialPair<double>& pair,
                                          const Vec6<Extended>& xi) {
  contact::PotentialPair<Extended> moved{};
  moved.A = pair.A, moved.B = pair.B;
  moved.X_AB = pair.X_AB.cast<Extended>() * exp<Extended>(xi);
  moved.V_AB_B.setZero();
  const auto& law = pair.law;
  moved.law.stiffness = law.stiffness, moved.law.eps3 = law.eps3, moved.law.faded = law.faded;
  moved.law.stiction = law.stiction;
  moved.share_A = pair.share_A, moved.share_B = pair.share_B;
  moved.grid_A = pair.grid_A, moved.grid_B = pair.grid_B;
  contact::SoftPotential<Extended> result;
  contact::PotentialScratch<Extended> scratch;
  soft_potential_extended(moved, ssdf::Order::kValue, scratch, result);
  return result;
}

// Largest gap of the wrench and minus the slope of the energy (differences of the fourth order in extended
// precision), over the wrench; lengths count by `size` (m).
double gap_to_slope(const Contender& one, const contact::SoftPotentialConfig& config, const Pose<double>& X,
                    double size) {
  const auto pair = contact::potential_pair(config, {one.A, one.B, X});
  const Vec6<double> F = one.wrench(X);
  double gap = 0, whole = 0;
  for (int d = 0; d < 6; ++d) {
    const Extended h = d < 3 ? 1e-6L : 1e-7L;
    const auto energy = [&](Extended step) {
      Vec6<Extended> xi = Vec6<Extended>::Zero();
      xi[d] = step;
      return extended(pair, xi).energy;
    };
    const double slope = double((8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)),
                 unit = d < 3 ? 1 / size : 1;
    gap = test::worst_of(gap, unit * std::abs(F[d] + slope));
    whole = test::worst_of(whole, unit * std::abs(F[d]));
  }
  return gap / whole;
}

}  // namespace

void closed_paths(Promises& promises) {
  const body::Body mug = scanned("mug"), banana = scanned("banana");
  const Pose<double> start = benchmarks::in_contact(mug.geometry, banana.geometry, 100);
  constexpr int kPaths = 3, kIntervals[] = {100, 200, 400};
  fmt::print(
      "\nmug and banana, {} closed paths; work over the peak energy (soft minimum: over the greatest work "
      "along the path)\n\n| law | {} intervals of 4 nodes | {} | {} | wrench + dU over the wrench |\n"
      "|---|---|---|---|---|\n",
      kPaths, kIntervals[0], kIntervals[1], kIntervals[2]);
  for (const Contender& one : contenders(mug, banana)) {
    Random random(8);
    double worst[3] = {}, gap = 0;
    for (int i = 0; i < kPaths; ++i) {
      const Path path{start, random_direction(random), random_direction(random), random_direction(random)};
      for (int k = 0; k < 3; ++k) {
        const Work done = work(one, path, kIntervals[k]);
        worst[k] =
            std::max(worst[k], std::abs(done.total) / (one.potential ? peak_energy(one, path) : done.swing));
      }
      if (one.potential)
        for (const double t : {0.5, 2.0, 4.0})
          gap = test::worst_of(
              gap, gap_to_slope(one, contact::soft_potential_config(one.settings), path.pose(t), 0.05));
    }
    fmt::print("| {} | {:.1e} | {:.1e} | {:.1e} | {} |\n", one.title, worst[0], worst[1], worst[2],
               one.potential ? fmt::format("{:.1e}", gap) : "");
    std::fflush(stdout);
    if (!one.potential) continue;
    promises.at_most("closed paths, " + one.title + ", work over the peak energy", worst[2], 1e-9);
    promises.at_most("closed paths, " + one.title + ", wrench + dU over the wrench", gap, 1e-9);
  }
}

void ripple(Promises& promises) {
  constexpr double kRadius = 0.02;
  constexpr int kPlaces = 200;
  const body::Body plate = made("plate", mesh_of(box({0.05, 0.05, 0.005}))),
                   ball{body::Geometry(body::Sphere<double>{kRadius})},
                   meshed = made("ball", mesh_of(ball.geometry.surface()));
  const double s = plate.geometry.points().spacing;
  fmt::print(
      "\nball of 20 mm on a plate with {} quads, spacing {:.2f} mm: ripple of the normal force (half of the "
      "range over the mean) in {} places, %; sideways over normal\n\n"
      "| ball | law | 0.05 spacings deep | 0.1 | 0.2 | 0.4 | largest sideways "
      "|\n|---|---|---|---|---|---|---|\n",
      plate.geometry.points().point_count, 1e3 * s, kPlaces);
  for (const body::Body* other : {&ball, &meshed})
    for (const Contender& one : contenders(plate, *other)) {
      fmt::print("| {} | {} |", other == &ball ? "primitive" : "meshed", one.title);
      double sideways = 0;
      for (const double depth : {0.05, 0.1, 0.2, 0.4}) {
        Random random(9);
        double least = 1e300, most = 0;
        for (int i = 0; i < kPlaces; ++i) {
          const Pose<double> X{
              exp_rotation<double>(random.uniform(0, 3) * random_direction(random)),
              {random.uniform(-0.02, 0.02), random.uniform(-0.02, 0.02), 0.005 + kRadius - depth * s}};
          const Vec3<double> f = X.R * one.wrench(X).tail<3>();
          least = std::min(least, f.z()), most = std::max(most, f.z());
          sideways = test::worst_of(sideways, f.head<2>().norm() / std::abs(f.z()));
        }
        const double share = 100 * (most - least) / (most + least);
        fmt::print(" {:.2f} |", share);
        if (one.potential && (other == &ball || depth >= 0.2))
          promises.at_most(fmt::format("ripple, {}, {} ball, {} spacings deep, %", one.title,
                                       other == &ball ? "primitive" : "meshed", depth),
                           share, 1);
      }
      fmt::print(" {:.4f} |\n", sideways);
      std::fflush(stdout);
    }
}

namespace {

// The Hessian by pose; turns and moments count by 0.05 m.
Eigen::VectorXd hessian(const Contender& one, const Pose<double>& X) {
  constexpr double kSize = 0.05;
  contact::WrenchHessian H;
  one.model->wrench({one.A, one.B, X}, Want::kJacobian | Want::kHessian, &H);
  Eigen::VectorXd all(216);
  for (int row = 0, at = 0; row < 6; ++row)
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < 6; ++k)
        all[at++] = H[static_cast<std::size_t>(row)](i, k) /
                    ((row < 3 ? kSize : 1) * (i < 3 ? kSize : 1) * (k < 3 ? kSize : 1));
  return all;
}

// Of a path of 1 mm and 0.02 rad: the difference of the Hessians at both ends of an interval over the largest
// on the way, where it is largest by halving kHalvings times; at some of the lengths on the way.
constexpr int kParts = 8, kHalvings = 18, kTold = 6;
void largest_jump(const Contender& one, const Pose<double>& start, const Vec6<double>& xi,
                  std::array<double, kHalvings / kTold>& jumps) {
  std::vector<Eigen::VectorXd> at;
  double size = 0, from = 0, length = 1.0 / kParts, widest = -1;
  const auto ask = [&](double t) { return hessian(one, start * exp<double>(t * xi)); };
  for (int i = 0; i <= kParts; ++i) {
    at.push_back(ask(double(i) / kParts));
    size = std::max(size, at.back().norm());
  }
  Eigen::VectorXd low, high;
  for (int i = 0; i < kParts; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if ((at[k + 1] - at[k]).norm() <= widest) continue;
    widest = (at[k + 1] - at[k]).norm();
    low = at[k], high = at[k + 1], from = i * length;
  }
  if (!(size > 0)) return;
  for (int k = 1; k <= kHalvings; ++k) {
    length /= 2;
    const Eigen::VectorXd middle = ask(from + length);
    if ((middle - low).norm() > (high - middle).norm()) {
      high = middle;
    } else {
      low = middle, from += length;
    }
    if (k % kTold != 0) continue;
    double& jump = jumps[static_cast<std::size_t>(k / kTold - 1)];
    jump = test::worst_of(jump, (high - low).norm() / size);
  }
}

}  // namespace

void hessians(Promises& promises) {
  constexpr int kPaths = 1000;
  const body::Body mug = scanned("mug"), banana = scanned("banana");
  const Pose<double> start = benchmarks::in_contact(mug.geometry, banana.geometry, 12);
  fmt::print(
      "\nmug and banana, {} random paths of 1 mm and 0.02 rad: largest difference of Hessians over the "
      "largest on "
      "the path, where it is largest, between poses so far apart\n\n| law | 2 um | 30 nm | 0.5 nm "
      "|\n|---|---|---|---|\n",
      kPaths);
  for (const Contender& one : contenders(mug, banana)) {
    if (!one.potential) continue;
    std::array<double, kHalvings / kTold> jumps{};
    Random random(10);
    for (int i = 0; i < kPaths; ++i) {
      Vec6<double> xi;
      xi << 0.02 * random_direction(random), 1e-3 * random_direction(random);
      largest_jump(one, start, xi, jumps);
    }
    fmt::print("| {} | {:.1e} | {:.1e} | {:.1e} |\n", one.title, jumps[0], jumps[1], jumps[2]);
    std::fflush(stdout);
    if (one.title.find("points") != std::string::npos)
      promises.at_most("Hessians, " + one.title + ", largest difference within 0.5 nm", jumps[2], 1e-3);
  }
}

}  // namespace abut::soft_potential_scenes
