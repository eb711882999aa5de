#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "benchmarks/soft_potential/scenes.h"
#include "benchmarks/soft_potential/solids.h"
#include "benchmarks/support/cup.h"
#include "runtime/core/random.h"
#include "runtime/distance/surface_distance.h"

namespace abut::soft_potential_scenes {

namespace {

constexpr int kPoses = 1000;
constexpr double kFinger = 0.008, kFingerHalf = 0.02;                // radius and half length, m
constexpr double kPeg = 0.010, kPegHalf = 0.025;                     // the peg's
constexpr double kHole = 0.011, kOuter = 0.021, kRingHalf = 0.0125;  // the ring's radii and half height, m
// Overlaps are judged whose parts push within about 45 degrees of their sum: others have no one direction.
constexpr double kEven = 0.7;
constexpr double kShallow = 1e-4, kDeep = 2e-3;  // and that are so deep, m

// Of the deepest of a body's points in a surface, m.
double depth(const asset::SurfaceView& A, const asset::PointsView& B, const Pose<double>& X_AB) {
  double deepest = 0;
  for (std::int32_t i = 0; i < B.point_count; ++i) {
    const Vec3<double> p = X_AB * Vec3<double>(B.x[i], B.y[i], B.z[i]);
    deepest = std::max(deepest, -distance::signed_distance<double>(A, p).distance);
  }
  return deepest;
}

struct Judged {
  Pose<double> X_AB;
  Vec3<double> push;  // minus the gradient of the volume of overlap, in A
};

std::vector<Vec3<double>> forces(const Contender& one, const std::vector<Judged>& poses) {  // on B, in A
  std::vector<Vec3<double>> result;
  for (const Judged& pose : poses) result.push_back(pose.X_AB.R * one.wrench(pose.X_AB).tail<3>());
  return result;
}

// The row but for its end; the number of poses within 30 degrees.
int print_angles(const std::string& scene, const Contender& one, const std::vector<Judged>& poses,
                 const std::vector<Vec3<double>>& force) {
  Angles angles;
  for (std::size_t i = 0; i < poses.size(); ++i)
    angles.degrees.push_back(angle_between(force[i], poses[i].push));
  fmt::print("| {} | {} | {} | {} | {} | {:.1f} | {:.1f} | {:.0f} |", scene, one.title, poses.size(),
             angles.within(30), angles.within(90), angles.quantile(0.5), angles.quantile(0.95),
             angles.quantile(1));
  return angles.within(30);
}

constexpr const char* kHead =
    "\n| scene (finger, quads of the mug) | law | poses | within 30 degrees | within 90 | median, degrees | "
    "95 % | largest |";

// The peg at a random place in the hole, tilted by up to 0.02 rad and pushed sideways beyond the
// clearance.
Pose<double> peg_in_hole(Random& random) {
  const double tilt = random.uniform(0, 0.02), lean = random.uniform(0, 2 * std::numbers::pi),
               towards = random.uniform(0, 2 * std::numbers::pi),
               shift = kHole - kPeg + random.uniform(5e-5, 5e-4);
  return {exp_rotation<double>({tilt * std::cos(lean), tilt * std::sin(lean), 0}) *
              exp_rotation<double>({0, 0, random.uniform(0, 2 * std::numbers::pi)}),
          {shift * std::cos(towards), shift * std::sin(towards), random.uniform(-0.005, 0.005)}};
}

}  // namespace

void handle(Promises& promises) {
  const Solid finger = rod(kFinger, kFingerHalf);
  const body::Body round{body::Geometry(body::Cylinder<double>{kFingerHalf, kFinger})},
      meshed = made("finger", mesh_of(finger));
  std::vector<Judged> poses;
  fmt::print("{}\n|---|---|---|---|---|---|---|---|\n", kHead);
  for (const int quads : {8000, 2000, 40000}) {
    const body::Body body = scanned("mug", quads);
    const asset::PointsView& points = body.geometry.points();
    if (poses.empty()) {
      const benchmarks::Cup cup(points);
      Random random(6);
      while (poses.size() < kPoses) {
        const Pose<double> X = benchmarks::finger_on_handle(points, cup, kFinger, random);
        const Overlap found = overlap(body.geometry.surface(), finger, X);
        if (!(found.even > kEven)) continue;
        const double deepest = depth(body.geometry.surface(), meshed.geometry.points(), X);
        if (deepest > kShallow && deepest < kDeep) poses.push_back({X, found.push});
      }
    }
    for (const body::Body* other : {&round, &meshed})
      for (const Contender& one : contenders(body, *other)) {
        const std::string name =
            fmt::format("{}, {}", other == &round ? "primitive" : "meshed", points.point_count);
        const int within = print_angles(name, one, poses, forces(one, poses));
        fmt::print("\n");
        std::fflush(stdout);
        if (one.potential && quads >= 8000)
          promises.at_least("finger in the handle, " + name + ", " + one.title + ", within 30 degrees",
                            within, quads == 8000 ? 980 : kPoses);
      }
  }
}

void peg(Promises& promises) {
  const Solid pin = rod(kPeg, kPegHalf);
  const preprocess::TriangleMesh ring_mesh = tube(kHole, kOuter, kRingHalf);
  const body::Body ring = made("ring", ring_mesh), pegs = made("peg", mesh_of(pin)),
                   fine_ring = made("ring", ring_mesh, kLimitQuads),
                   fine_peg = made("peg", mesh_of(pin), kLimitQuads);
  std::vector<Judged> poses;
  Random random(7);
  while (poses.size() < kPoses) {
    const Pose<double> X = peg_in_hole(random);
    poses.push_back({X, overlap(ring.geometry.surface(), pin, X).push});
  }
  std::vector<Contender> all = contenders(ring, pegs);
  all.push_back(limit(ring, pegs, fine_ring, fine_peg));
  fmt::print("{} towards the axis |\n|---|---|---|---|---|---|---|---|---|\n", kHead);
  for (const Contender& one : all) {
    const std::vector<Vec3<double>> force = forces(one, poses);
    print_angles("peg in a hole", one, poses, force);
    int back = 0;
    for (std::size_t i = 0; i < poses.size(); ++i)
      back += force[i].head<2>().dot(poses[i].X_AB.p.head<2>()) < 0 ? 1 : 0;
    fmt::print(" {} |\n", back);
    std::fflush(stdout);
    if (one.potential) promises.at_least("peg, " + one.title + ", pushed towards the axis", back, kPoses);
  }
}

}  // namespace abut::soft_potential_scenes
