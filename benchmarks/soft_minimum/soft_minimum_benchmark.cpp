// Figures of the soft signed distance and of soft-minimum contact, one table per study, as CSV.
//   soft_minimum_benchmark ssdf ASSETS OBJECT            queries per second
//   soft_minimum_benchmark pair ASSETS OBJECT OBJECT     wrench, Jacobian, Hessian against the dense sum
//   soft_minimum_benchmark accuracy ASSETS [POINTS]      every pair of neighbours in the folder against the
//   dense sum
//                                                        in extended precision
//   soft_minimum_benchmark scaling                       cost from 500 to 100,000 points
//   soft_minimum_benchmark regions                       cost with one, four, sixteen contact regions
//   soft_minimum_benchmark separated ASSETS OBJECT OBJECT   cost of a pair that does not touch
//   soft_minimum_benchmark push ASSETS MUG BOX [SAMPLES.csv]   sideways forces of all contact models, as a
//   table soft_minimum_benchmark kernels ASSETS | zero ASSETS | handle ASSETS MUG | rim | parameters      see
//   studies.h
// Times are processor times of one thread, the least of several repetitions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <numbers>

#include "benchmarks/soft_minimum/studies.h"
#include "runtime/asset/reader.h"
#include "runtime/cli/asset_folder.h"
#include "runtime/contact/soft_minimum.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using asset::PointsView;
using contact::SoftMinimum;
using contact::SoftMinimumParameters;
using ssdf::Order;

constexpr Order kOrders[] = {Order::kValue, Order::kGradient, Order::kHessian};
const Vec6<double> kMotion = (Vec6<double>() << 0.3, -0.2, 0.1, 0.02, 0.01, -0.03).finished();

// Seconds of processor time of one call: the least over repetitions of runs long enough to be measured.
double seconds(const std::function<void()>& call) {
  const auto now = [] {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  int count = 1;
  double best = 1e300;
  for (int repetition = 0; repetition < 7;) {
    const double start = now();
    for (int i = 0; i < count; ++i) call();
    const double took = now() - start;
    if (took < 0.02) {
      count *= 4;
      continue;
    }
    best = std::min(best, took / count);
    ++repetition;
    if (took > 0.3) break;  // the dense sum
  }
  return best;
}

Mat3<double> random_rotation(Random& random) {
  const double w = random.normal(), x = random.normal(), y = random.normal(), z = random.normal();
  return rotation_from_quaternion(w, x, y, z);
}

// Moves B along the line of centres until the soft distance of the pair is `distance`.
Pose<double> in_contact(const PointsView& A, const PointsView& B, const Mat3<double>& R_AB,
                        const Vec3<double>& direction, double distance) {
  SoftMinimumParameters<double> with = contact::parameters_of({}, A, B);
  with.tolerance = 1e-3;
  const auto center = [](const PointsView& p) {
    return Vec3<double>(p.blocks.center[0], p.blocks.center[1], p.blocks.center[2]);
  };
  double inside = 0, outside = 2 * (A.blocks.radius + B.blocks.radius);
  Pose<double> X_AB;
  for (int i = 0; i < 40; ++i) {
    const double t = (inside + outside) / 2;
    X_AB = {R_AB, center(A) + t * direction - R_AB * center(B)};
    SoftMinimum<double> found;
    contact::soft_minimum(A, B, X_AB, Vec6<double>::Zero(), with, Order::kValue, found);
    (found.distance < distance ? inside : outside) = t;
  }
  return X_AB;
}

void ssdf_rates(const PointsView& points, const std::string& name) {
  Random random(1);
  std::vector<Vec3<double>> p;
  for (int i = 0; i < 20000; ++i) {
    const auto k = static_cast<std::int32_t>(random.below(points.point_count));
    const double t = random.uniform(-2, 2) * points.spacing;
    p.emplace_back(points.x[k] + t * points.nx[k], points.y[k] + t * points.ny[k],
                   points.z[k] + t * points.nz[k]);
  }
  std::vector<ssdf::SoftDistance<double>> results(p.size());
  fmt::print("object,points,tolerance,derivatives,queries_per_second\n");
  for (const double tolerance : {1e-6, 1e-12})
    for (const Order order : kOrders) {
      const double time = seconds(
          [&] { ssdf::soft_distances(points, p, ssdf::default_eps1(points), order, results, tolerance, 1); });
      fmt::print("{},{},{},{},{:.0f}\n", name, points.point_count, tolerance, int(order),
                 double(p.size()) / time);
    }
}

void pair_cost(const std::string& name, const PointsView& A, const PointsView& B, const Pose<double>& X_AB,
               bool dense) {
  const SoftMinimumParameters<double> with = contact::parameters_of({}, A, B);
  SoftMinimum<double> found;
  double cost[4] = {0, 0, 0, std::nan("")};
  for (const Order order : kOrders)
    cost[int(order)] = seconds([&] { contact::soft_minimum(A, B, X_AB, kMotion, with, order, found); });
  double gap = std::nan("");
  if (dense) {
    SoftMinimumParameters<double> all = with;
    all.tolerance = 0;
    SoftMinimum<double> reference;
    cost[3] = seconds([&] { contact::soft_minimum(A, B, X_AB, kMotion, all, Order::kValue, reference); });
    gap = (found.F_BBo_B - reference.F_BBo_B).norm() / reference.F_BBo_B.norm();
  }
  std::vector<contact::SeparationPoint<double>> field;
  contact::separation(A, B, X_AB, with, field);
  fmt::print("{},{},{},{:.3e},{:.2f},{:.2f},{:.3e},{:.1f},{:.1e},{}\n", name, A.point_count, B.point_count,
             cost[0], cost[1] / cost[0], cost[2] / cost[0], cost[3], cost[3] / cost[0], gap, field.size());
}
constexpr std::string_view kPairHeader =
    "pair,points_A,points_B,wrench_s,jacobian_ratio,hessian_ratio,dense_s,dense_ratio,relative_gap,points_in_"
    "contact\n";

void pair_rates(const PointsView& A, const PointsView& B) {
  fmt::print(kPairHeader);
  Random random(2);
  for (int i = 0; i < 3; ++i) {
    const Mat3<double> R = random_rotation(random);
    const Vec3<double> direction =
        Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
    const double spacing = std::min(A.spacing, B.spacing);
    for (const double depth : {0.0, 0.5})
      pair_cost(fmt::format("pose{} depth {} spacings", i, depth), A, B,
                in_contact(A, B, R, direction, -depth * spacing), true);
  }
}

// From touching to a metre apart.
void separated_rates(const PointsView& A, const PointsView& B) {
  fmt::print(kPairHeader);
  for (const double gap : {0.0, 0.002, 0.01, 0.05, 0.2, 1.0})
    for (int i = 0; i < 3; ++i) {
      Random random(7, i);
      const Mat3<double> R = random_rotation(random);
      const Vec3<double> direction =
          Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
      Pose<double> X_AB = in_contact(A, B, R, direction, 0.0);
      X_AB.p += gap * direction;
      pair_cost(fmt::format("{} m apart", gap), A, B, X_AB, false);
    }
}

// Oriented points spread over spheres, `count` in all.
asset::OrientedPoints balls(const std::vector<Vec3<double>>& centers, double radius, int count) {
  asset::OrientedPoints points;
  const int each = count / static_cast<int>(centers.size());
  std::vector<Vec3<double>> x, n;
  for (const Vec3<double>& center : centers)
    for (int i = 0; i < each; ++i) {
      const double z = 1 - (2 * i + 1.0) / each, a = i * std::numbers::pi * (3 - std::sqrt(5.0));
      const double r = std::sqrt(1 - z * z);
      n.emplace_back(r * std::cos(a), r * std::sin(a), z);
      x.emplace_back(center + radius * n.back());
    }
  for (int k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < x.size(); ++i) {
      points.positions.push_back(x[i][k]);
      points.normals.push_back(n[i][k]);
    }
  points.areas.assign(x.size(), 4 * std::numbers::pi * radius * radius / each);
  points.thickness.assign(x.size(), 2 * radius);
  points.spacing = {std::sqrt(points.areas[0]), 0, 0, 0};
  asset::add_blocks(points);
  return points;
}

// Two balls of 10 and 6 cm, as deep in each other as the spring is soft, at growing resolution.
void scaling() {
  fmt::print(kPairHeader);
  for (const int count : {500, 1000, 2000, 4000, 8000, 16000, 32000, 64000, 100000}) {
    const asset::OrientedPoints A = balls({Vec3<double>::Zero()}, 0.05, count),
                                B = balls({Vec3<double>::Zero()}, 0.03, count);
    const PointsView a = asset::view(A), b = asset::view(B);
    Random random(3);
    pair_cost(fmt::format("balls {}", count), a, b,
              in_contact(a, b, random_rotation(random), Vec3<double>(1, 2, 2).normalized(), 0.0), false);
  }
}

// A square of 4 x 4 balls of which 1, 4 or all 16 stand on a flat grid of others.
void regions() {
  fmt::print(kPairHeader);
  for (const int touching : {1, 4, 16}) {
    std::vector<Vec3<double>> upper, lower;
    for (int i = 0; i < 16; ++i) {
      const Vec3<double> at(0.03 * (i % 4), 0.03 * (i / 4), 0);
      const bool low = touching == 16 || (touching == 4 && i % 4 < 2 && i / 4 < 2) || i == 0;
      upper.push_back(at + Vec3<double>(0, 0, low ? 0 : 0.008));
      lower.push_back(at);
    }
    const asset::OrientedPoints A = balls(lower, 0.01, 16000), B = balls(upper, 0.01, 16000);
    const PointsView a = asset::view(A), b = asset::view(B);
    pair_cost(fmt::format("regions {}", touching), a, b, {Mat3<double>::Identity(), {0.0, 0.0, 0.0199}},
              false);
  }
}

// Sums of the absolute values of the terms of the soft distance, lengths counted as sqrt(eps1) at least
// (runtime/ssdf/field.h).
std::array<long double, 3> scales(const PointsView& points, const Vec3<long double>& p, long double eps1) {
  using S = long double;
  S nearest2 = 1e300L, total = 0;
  for (int i = 0; i < points.point_count; ++i)
    nearest2 = std::min(nearest2, (p - ssdf::internal::position<S>(points, i)).squaredNorm());
  std::vector<S> weights(points.point_count);
  Vec3<S> mean = Vec3<S>::Zero();
  for (int i = 0; i < points.point_count; ++i) {
    const Vec3<S> from = ssdf::internal::position<S>(points, i) - p;
    total += weights[i] = std::exp((nearest2 - from.squaredNorm()) / eps1);
    mean += weights[i] * from;
  }
  mean /= total;
  std::array<S, 3> sums = {0, 0, 0};
  const S least = std::sqrt(eps1);
  for (int i = 0; i < points.point_count; ++i) {
    const Vec3<S> from = ssdf::internal::position<S>(points, i) - p;
    const S w = weights[i] / total, r = from.norm() + least, a = 2 / eps1 * (from - mean).norm() + 1 / least;
    sums[0] += w * r;
    sums[1] += w * (1 + r * a);
    sums[2] += w * (2 * a + 2 * r * a * a);
  }
  return sums;
}

// Points of the field: in and around the object.
void accuracy(const std::string& folder, int count) {
  cli::AssetFolder assets(folder);
  const std::vector<std::string> names = assets.names();
  fmt::print(
      "object,other,points,ssdf_points,value_error,gradient_error,hessian_error,wrench_error,jacobian_"
      "error\n");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string &name = names[i], &other = names[(i + 1) % names.size()];
    const PointsView A = assets[name].points(), B = assets[other].points();
    const double eps1 = ssdf::default_eps1(A);
    Random random(4, i);
    std::array<double, 3> worst = {0, 0, 0};
    for (int k = 0; k < count; ++k) {
      Vec3<double> p(random.normal(), random.normal(), random.normal());
      p = Vec3<double>::Map(A.blocks.center) + 0.5 * A.blocks.radius * p;
      if (k % 2) {
        const auto j = static_cast<std::int32_t>(random.below(A.point_count));
        p = Vec3<double>(A.x[j], A.y[j], A.z[j]) +
            random.uniform(-3, 3) * A.spacing * Vec3<double>(A.nx[j], A.ny[j], A.nz[j]);
      }
      const auto found = ssdf::soft_distance(A, p, eps1);
      const auto dense = ssdf::soft_distance_dense<long double>(A, p.cast<long double>(), eps1);
      const auto scale = scales(A, p.cast<long double>(), eps1);
      worst[0] = test::worst_of(worst[0], double(std::abs(found.value - dense.value) / scale[0]));
      worst[1] = test::worst_of(
          worst[1], double((found.gradient.cast<long double>() - dense.gradient).norm() / scale[1]));
      worst[2] = test::worst_of(
          worst[2], double((found.hessian.cast<long double>() - dense.hessian).norm() / scale[2]));
    }
    const Pose<double> X_AB = in_contact(
        A, B, random_rotation(random),
        Vec3<double>(random.normal(), random.normal(), random.normal()).normalized(), -0.3 * A.spacing);
    const SoftMinimumParameters<double> with = contact::parameters_of({}, A, B);
    SoftMinimum<double> found;
    contact::soft_minimum(A, B, X_AB, kMotion, with, Order::kGradient, found);
    SoftMinimumParameters<long double> all = with.cast<long double>();
    all.tolerance = 0;
    SoftMinimum<long double> dense;
    contact::soft_minimum_scalar(A, B, X_AB.cast<long double>(), kMotion.cast<long double>().eval(), all,
                                 Order::kGradient, dense);
    const double wrench =
        double((found.F_BBo_B.cast<long double>() - dense.F_BBo_B).norm() / dense.F_BBo_B.norm());
    const double jacobian =
        double((found.jacobian.cast<long double>() - dense.jacobian).norm() / dense.jacobian.norm());
    fmt::print("{},{},{},{},{:.1e},{:.1e},{:.1e},{:.1e},{:.1e}\n", name, other, A.point_count, count,
               worst[0], worst[1], worst[2], wrench, jacobian);
    std::fflush(stdout);
  }
}

int run(const std::vector<std::string>& arguments) {
  const std::string study = arguments.empty() ? "" : arguments[0];
  if (study == "ssdf" && arguments.size() == 3) {
    cli::AssetFolder assets(arguments[1]);
    ssdf_rates(assets[arguments[2]].points(), arguments[2]);
  } else if (study == "pair" && arguments.size() == 4) {
    cli::AssetFolder assets(arguments[1]);
    pair_rates(assets[arguments[2]].points(), assets[arguments[3]].points());
  } else if (study == "separated" && arguments.size() == 4) {
    cli::AssetFolder assets(arguments[1]);
    separated_rates(assets[arguments[2]].points(), assets[arguments[3]].points());
  } else if (study == "kernels" && arguments.size() == 2) {
    soft_minimum_studies::kernels(arguments[1]);
  } else if (study == "zero" && arguments.size() == 2) {
    soft_minimum_studies::zero_surface(arguments[1]);
  } else if (study == "handle" && arguments.size() == 3) {
    soft_minimum_studies::handle(arguments[1], arguments[2]);
  } else if (study == "rim" && arguments.size() == 1) {
    soft_minimum_studies::rim();
  } else if (study == "push" && (arguments.size() == 4 || arguments.size() == 5)) {
    soft_minimum_studies::push(arguments[1], arguments[2], arguments[3],
                               arguments.size() == 5 ? arguments[4] : "");
  } else if (study == "parameters" && arguments.size() == 1) {
    soft_minimum_studies::parameters();
  } else if (study == "accuracy" && (arguments.size() == 2 || arguments.size() == 3)) {
    accuracy(arguments[1], arguments.size() == 3 ? std::stoi(arguments[2]) : 10000);
  } else if (study == "scaling" && arguments.size() == 1) {
    scaling();
  } else if (study == "regions" && arguments.size() == 1) {
    regions();
  } else {
    fmt::print(
        stderr,
        "usage: soft_minimum_benchmark ssdf ASSETS OBJECT | pair ASSETS OBJECT OBJECT | accuracy ASSETS "
        "[POINTS] | scaling | regions | separated ASSETS OBJECT OBJECT | kernels ASSETS | zero ASSETS | "
        "handle ASSETS MUG | push ASSETS MUG BOX [SAMPLES.csv] | rim | parameters\n"
        "ASSETS: a folder of assets with quads, from abut-preprocess DATASET ASSETS --quads 2000\n");
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "soft_minimum_benchmark: error: {}\n", error.what());
    return 2;
  }
}
