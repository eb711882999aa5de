#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "benchmarks/soft_potential/scenes.h"
#include "benchmarks/soft_potential/solids.h"
#include "runtime/contact/model.h"
#include "runtime/core/random.h"

namespace abut::soft_potential_scenes {

namespace {

constexpr int kPoses = 1000;
constexpr double kDegree = std::numbers::pi / 180;

Vec3<double> random_turn(Random& random, double largest) {
  return {random.uniform(-largest, largest), random.uniform(-largest, largest),
          random.uniform(-largest, largest)};
}

// B at a random place, and how deep the two edges are in one another, m.
using RandomPose = std::function<Pose<double>(Random&, double depth)>;

// Bar on bar, each along its z with an edge towards the other, at 30 to 150 degrees; B leans by up to 15.
Pose<double> crossing_bars(Random& random, double depth, double half) {
  const Vec3<double> edge = Vec3<double>(1, 1, 0).normalized();
  const double angle = random.uniform(30, 150) * kDegree;
  const Vec3<double> across = edge.cross(Vec3<double>::UnitZ()),
                     axis = std::cos(angle) * Vec3<double>::UnitZ() + std::sin(angle) * across;
  Mat3<double> from, to;
  from << edge, Vec3<double>::UnitZ(), edge.cross(Vec3<double>::UnitZ());
  to << -edge, axis, (-edge).cross(axis);
  Pose<double> X;
  X.R = exp_rotation<double>(random_turn(random, 15 * kDegree)) * to * from.transpose();
  const Vec3<double> on_A(half, half, random.uniform(-0.04, 0.04)),
      on_B(half, half, random.uniform(-0.04, 0.04));
  X.p = on_A - depth * edge - X.R * on_B;
  return X;
}

// A knife with its edge at x = -0.02 on the side of a rod, at 30 to 150 degrees; it leans by up to 10.
Pose<double> knife_on_rod(Random& random, double depth, double radius) {
  const double angle = random.uniform(30, 150) * kDegree;
  Pose<double> X;
  X.R = exp_rotation<double>(random_turn(random, 10 * kDegree)) * exp_rotation<double>({angle, 0, 0});
  const Vec3<double> on_A(radius - depth, 0, random.uniform(-0.02, 0.02)),
      on_B(-0.02, 0, random.uniform(-0.03, 0.03));
  X.p = on_A - X.R * on_B;
  return X;
}

// The rows of a scene. `promised`: how many poses the potential has within 30 degrees; 0: not promised.
void directions(const char* scene, const std::vector<Contender>& all, const asset::SurfaceView& surface_A,
                const Solid& solid_B, const RandomPose& pose, int promised, Promises& promises) {
  const double spacing = finer_spacing(*all[0].A, *all[0].B);
  const double bands[] = {0, 0.1 * spacing, 0.2 * spacing, 1};
  for (const Contender& one : all) {
    Angles angles, in_band[3];
    int none = 0;
    Random random(41);
    for (int i = 0; i < kPoses; ++i) {
      const double depth = random.uniform(5e-5, 1e-3);
      const Pose<double> X = pose(random, depth);
      const Vec3<double> f = X.R * one.wrench(X).tail<3>();
      const double angle = angle_between(f, overlap(surface_A, solid_B, X).push);
      none += f.norm() > 0 ? 0 : 1;
      angles.degrees.push_back(angle);
      for (int k = 0; k < 3; ++k)
        if (depth >= bands[k] && depth < bands[k + 1]) in_band[k].degrees.push_back(angle);
    }
    fmt::print("| {} | {} | {} | {} |", scene, one.title, angles.within(30), none);
    for (const Angles& band : in_band)
      fmt::print(" {:.1f} |", 100.0 * band.within(30) / double(band.degrees.size()));
    fmt::print(" {:.1f} | {:.1f} | {:.0f} |\n", angles.quantile(0.5), angles.quantile(0.99),
               angles.quantile(1));
    std::fflush(stdout);
    if (one.potential && promised > 0)
      promises.at_least(std::string(scene) + ", " + one.title + ", within 30 degrees", angles.within(30),
                        promised);
  }
}

}  // namespace

void edges(Promises& promises) {
  constexpr double kHalf = 0.01, kRadius = 0.01;
  fmt::print(
      "\n| scene | law | within 30 degrees of 1000 | no force | depth below 0.1 spacings, % | 0.1 to 0.2, % "
      "| "
      "above, % | median, degrees | 99 % | largest |\n|---|---|---|---|---|---|---|---|---|---|\n");
  const body::Body primitive_bar{body::Geometry(body::Box<double>{{kHalf, kHalf, 0.06}})};
  const auto compare = [&](const char* scene, const Solid& solid_A, const Solid& solid_B, int promised,
                           const RandomPose& pose, const body::Body* primitive) {
    const auto pair = [&](int quads) {
      return std::pair{made("a", mesh_of(solid_A), quads, 6000), made("b", mesh_of(solid_B), quads, 6000)};
    };
    const auto [A, B] = pair(2000);
    const auto [fine_A, fine_B] = pair(kLimitQuads);
    std::vector<Contender> all = contenders(A, B);
    all.push_back(limit(A, B, fine_A, fine_B));
    all.push_back({"pressure field", false, {}, contact::make_model("pressure_field"), &A, &B});
    if (primitive != nullptr)
      all.push_back({"soft potential, primitives",
                     true,
                     {},
                     contact::make_model("soft_potential"),
                     primitive,
                     primitive});
    directions(scene, all, A.geometry.surface(), solid_B, pose, promised, promises);
  };
  const Solid bar = box({kHalf, kHalf, 0.06}), rods = rod(kRadius, 0.04),
              knife = prism({{-0.02, 0}, {0.02, -0.007}, {0.02, 0.007}}, 0.05);
  compare(
      "bars edge on edge", bar, bar, kPoses,
      [&](Random& random, double depth) { return crossing_bars(random, depth, kHalf); }, &primitive_bar);
  compare(
      "knife on rod", rods, knife, 0,
      [&](Random& random, double depth) { return knife_on_rod(random, depth, kRadius); }, nullptr);
}

}  // namespace abut::soft_potential_scenes
