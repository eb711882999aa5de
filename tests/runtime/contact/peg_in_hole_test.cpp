// A peg in a hole with clearance, pushed sideways and tilted: forces on a body that others surround, against
// exact gradients.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "preprocess/pressure/extent.h"
#include "preprocess/pressure/volume.h"
#include "preprocess/remesh/oriented_points.h"
#include "runtime/contact/pressure_energy.h"
#include "runtime/contact/soft_minimum.h"
#include "runtime/core/random.h"
#include "runtime/ssdf/primitives.h"
#include "tests/support/hulls.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;

// The hole goes through a ring about z, half as high as the peg (m).
constexpr double kPeg = 0.010, kPegHalf = 0.025, kHole = 0.011, kOuter = 0.021, kHalf = 0.0125;
constexpr double kTwoPi = 2 * std::numbers::pi;

Vec3<double> on_circle(double radius, double z, int i, int around) {
  const double angle = kTwoPi * i / around;
  return {radius * std::cos(angle), radius * std::sin(angle), z};
}

// The ring's section (radius, z), counter-clockwise in that plane, in steps of about `spacing`.
std::vector<Eigen::Vector2d> section(double spacing) {
  const std::array<Eigen::Vector2d, 4> corners = {
      {{kHole, -kHalf}, {kOuter, -kHalf}, {kOuter, kHalf}, {kHole, kHalf}}};
  std::vector<Eigen::Vector2d> profile;
  for (std::size_t k = 0; k < 4; ++k) {
    const Eigen::Vector2d from = corners[k], side = corners[(k + 1) % 4] - from;
    const int steps = std::max(1, static_cast<int>(std::lround(side.norm() / spacing)));
    for (int i = 0; i < steps; ++i) profile.emplace_back(from + side * i / steps);
  }
  return profile;
}

// The ring's quads: vertex i * profile + j is point j of the section, turned by i of `around` steps.
preprocess::QuadMesh ring_quads(double spacing, int around) {
  const std::vector<Eigen::Vector2d> profile = section(spacing);
  const auto count = static_cast<std::int32_t>(profile.size());
  preprocess::QuadMesh mesh;
  for (int i = 0; i < around; ++i)
    for (const Eigen::Vector2d& p : profile) mesh.vertices.push_back(on_circle(p.x(), p.y(), i, around));
  for (std::int32_t i = 0; i < around; ++i)
    for (std::int32_t j = 0; j < count; ++j) {
      const std::int32_t next_i = (i + 1) % around, next_j = (j + 1) % count;
      mesh.quads.push_back({i * count + j, next_i * count + j, next_i * count + next_j, i * count + next_j});
    }
  return mesh;
}

// The ring in tetrahedra: its extent is 0 on the surface and 1 on the circle in the middle of the section.
asset::Asset ring_volume(double spacing, int around) {
  const preprocess::QuadMesh quads = ring_quads(spacing, around);
  preprocess::TetrahedralMesh mesh;
  mesh.vertices = quads.vertices;
  std::vector<double> extent(mesh.vertices.size(), 0.0);
  const auto core = static_cast<std::int32_t>(mesh.vertices.size());
  for (int i = 0; i < around; ++i) {
    mesh.vertices.push_back(on_circle((kHole + kOuter) / 2, 0, i, around));
    extent.push_back(1);
  }
  const auto count = static_cast<std::int32_t>(quads.quads.size()) / around;
  for (std::size_t q = 0; q < quads.quads.size(); ++q) {
    const auto [a0, a1, b1, b0] = quads.quads[q];
    const std::int32_t i = static_cast<std::int32_t>(q) / count, c0 = core + i, c1 = core + (i + 1) % around;
    // The prism (a, b, c) from i to i + 1, cut so that neighbours meet in the same diagonals.
    for (preprocess::Tetrahedron t :
         {preprocess::Tetrahedron{c0, a0, b0, b1}, {c0, a0, a1, b1}, {c0, a1, b1, c1}}) {
      const auto p = [&](int k) { return mesh.vertices[static_cast<std::size_t>(t[k])]; };
      if (preprocess::six_volumes(p(0), p(1), p(2), p(3)) < 0) std::swap(t[1], t[2]);
      mesh.tetrahedra.push_back(t);
    }
  }
  asset::Asset result;
  result.name = "ring";
  result.volumes.push_back(
      preprocess::build_volume(mesh, preprocess::with_gradients(mesh, std::move(extent))));
  return result;
}

asset::Asset peg_volume(int around) {
  std::vector<Vec3<double>> vertices;
  test::Triangles triangles;
  for (int i = 0; i < around; ++i)
    for (const double z : {-kPegHalf, kPegHalf}) vertices.push_back(on_circle(kPeg, z, i, around));
  for (int i = 0; i < around; ++i) {
    const int a = 2 * i, b = 2 * ((i + 1) % around);
    triangles.push_back({a, b, b + 1});
    triangles.push_back({a, b + 1, a + 1});
    if (i == 0 || i == around - 1) continue;
    triangles.push_back({0, b, a});
    triangles.push_back({1, a + 1, b + 1});
  }
  return test::convex_asset(test::make_piece(vertices, triangles));
}

struct Distance {
  double value;  // signed, m
  Vec3<double> gradient;
};

// Of the peg, and of the ring without its outside, which the peg does not reach.
Distance peg_distance(const Vec3<double>& p) {
  const double across = std::hypot(p.x(), p.y()), side = across - kPeg, end = std::abs(p.z()) - kPegHalf;
  const Vec3<double> radial(p.x() / across, p.y() / across, 0), up(0, 0, std::copysign(1.0, p.z()));
  if (std::max(side, end) <= 0) return side > end ? Distance{side, radial} : Distance{end, up};
  const Vec3<double> away = std::max(side, 0.0) * radial + std::max(end, 0.0) * up;
  return {away.norm(), away.normalized()};
}

Distance ring_distance(const Vec3<double>& p) {
  const double across = std::hypot(p.x(), p.y()), side = kHole - across, end = std::abs(p.z()) - kHalf;
  const Vec3<double> inward(-p.x() / across, -p.y() / across, 0), up(0, 0, std::copysign(1.0, p.z()));
  if (std::max(side, end) <= 0) return side > end ? Distance{side, inward} : Distance{end, up};
  const Vec3<double> away = std::max(side, 0.0) * inward + std::max(end, 0.0) * up;
  return {away.norm(), away.normalized()};
}

// A random place of the peg B in the hole A: tilted, turned, moved along the hole, and then pushed sideways
// until its deepest point is up to half a millimetre in the ring.
Pose<double> random_pose(Random& random) {
  const double direction = random.uniform(0, kTwoPi), tilt = random.uniform(0, 0.06),
               depth = random.uniform(5e-5, 5e-4), z = random.uniform(-0.005, 0.005);
  const Vec3<double> axis(std::cos(direction), std::sin(direction), 0);
  const double towards = random.uniform(0, kTwoPi);
  const Vec3<double> push(std::cos(towards), std::sin(towards), 0);
  Pose<double> X;
  X.R = exp_rotation<double>(tilt * axis) * exp_rotation<double>({0, 0, random.uniform(0, kTwoPi)});
  const auto deepest = [&](double shift) {
    X.p = shift * push + Vec3<double>(0, 0, z);
    double least = 1;
    for (int i = 0; i < 36; ++i)
      for (int k = -10; k <= 10; ++k)
        least = std::min(least, ring_distance(X * on_circle(kPeg, kPegHalf * k / 10, i, 36)).value);
    return -least;
  };
  double low = 0, high = 0.003;
  for (int i = 0; i < 15; ++i) {
    const double middle = (low + high) / 2;
    (deepest(middle) < depth ? low : high) = middle;
  }
  deepest(high);
  return X;
}

// On the peg about its origin, in its frame: minus the gradient of the sum over the points of both bodies of
// area times the square of their exact depth in the other one, halved.
Vec6<double> exact_wrench(const asset::PointsView& A, const asset::PointsView& B, const Pose<double>& X_AB) {
  Vec6<double> F = Vec6<double>::Zero();
  const auto add = [&](const Vec3<double>& p_B, const Vec3<double>& force_B) {
    F.head<3>() += p_B.cross(force_B);
    F.tail<3>() += force_B;
  };
  for (std::int32_t i = 0; i < B.point_count; ++i) {
    const Vec3<double> p(B.x[i], B.y[i], B.z[i]);
    const Distance d = ring_distance(X_AB * p);
    if (d.value < 0) add(p, -B.areas[i] * d.value * (X_AB.R.transpose() * d.gradient));
  }
  const Pose<double> X_BA = X_AB.inverse();
  for (std::int32_t i = 0; i < A.point_count; ++i) {
    const Vec3<double> p = X_BA * Vec3<double>(A.x[i], A.y[i], A.z[i]);
    const Distance d = peg_distance(p);
    if (d.value < 0) add(p, A.areas[i] * d.value * d.gradient);
  }
  return F;
}

double degrees_between(const Vec6<double>& a, const Vec6<double>& b) {
  return 360 / kTwoPi * std::acos(std::clamp(a.normalized().dot(b.normalized()), -1.0, 1.0));
}

// 1,000 poses (in the fast tier 10). There is no potential whose gradient these forces are; they go its way.
// Moments count by the peg's half length.
TEST(PegInHole, SoftMinimumForcesGoAlongTheExactGradient) {
  constexpr double kSpacing = 0.001;
  const preprocess::QuadMesh quads = ring_quads(kSpacing, 84);
  const asset::OrientedPoints ring =
      preprocess::make_points(quads, preprocess::ReferenceSurface(preprocess::triangulate(quads)));
  const asset::OrientedPoints peg = ssdf::cylinder_points(kPeg, kPegHalf, kSpacing);
  const asset::PointsView A = asset::view(ring), B = asset::view(peg);
  struct Kernel {
    const char* name;
    ssdf::KernelKind kind;
    double median, worst;  // bounds, degrees
  };
  for (const Kernel& kernel :
       {Kernel{"gaussian", ssdf::KernelKind::kGaussian, 13, 60}, {"walls", ssdf::KernelKind::kWall, 7, 30}}) {
    contact::SoftMinimumConfig config;
    config.kernel = kernel.kind;
    const auto parameters = contact::parameters_of(config, A, B);
    Random random(9);
    std::vector<double> angles;
    const int poses = test::fewer_if_sanitized(test::runs(10, 100));
    for (int k = 0; k < poses; ++k) {
      const Pose<double> X = random_pose(random);
      Vec6<double> exact = exact_wrench(A, B, X);
      contact::SoftMinimum<double> found;
      contact::soft_minimum(A, B, X, Vec6<double>::Zero(), parameters, ssdf::Order::kValue, found);
      exact.head<3>() /= kPegHalf;
      found.F_BBo_B.head<3>() /= kPegHalf;
      angles.push_back(degrees_between(found.F_BBo_B, exact));
    }
    std::sort(angles.begin(), angles.end());
    const auto within = std::upper_bound(angles.begin(), angles.end(), 30.0) - angles.begin();
    std::printf("%s: %d poses, %d within 30 degrees of the gradient; median %.1f, worst %.1f degrees\n",
                kernel.name, poses, static_cast<int>(within), angles[angles.size() / 2], angles.back());
    if (poses >= 10) {
      EXPECT_LT(angles[angles.size() / 2], kernel.median);
    }
    EXPECT_LT(angles.back(), kernel.worst);
  }
}

// The same poses of polygons: -dU/dxi by differences in extended precision.
TEST(PegInHole, PressureFieldWrenchesAreTheEnergysGradient) {
  const asset::Asset ring = ring_volume(kHalf, 24), peg = peg_volume(24);
  const asset::AssetView A = asset::view(ring), B = asset::view(peg);
  contact::PressureFieldConfig config;
  config.A.modulus = 1e6;
  config.B.modulus = 3e6;
  const auto wrench = [&](const Pose<double>& X) -> Vec6<double> {
    static contact::PressureFieldWorkspace<double> workspace;
    return contact::contact_surface<double>(A.volume, B.volume, X, Vec6<double>::Zero(), config,
                                            contact::Want::kValue, workspace)
        .F_BBo_B;
  };
  EXPECT_EQ(wrench({}).norm(), 0);  // clearance
  Random random(10);
  double worst = 0;
  const int poses = test::fewer_if_sanitized(test::runs(25, 40));
  for (int k = 0; k < poses; ++k) {
    const Pose<double> X = random_pose(random);
    const Vec6<double> F = wrench(X);
    Vec6<double> expected;
    for (int i = 0; i < 6; ++i) {
      Vec6<long double> xi = Vec6<long double>::Zero();
      xi[i] = 1e-8L;
      const auto energy = [&](const Vec6<long double>& by) {
        return contact::pressure_energy<long double>(
            A.volume, B.volume, Pose<long double>(X.cast<long double>() * exp(by)), config);
      };
      expected[i] = static_cast<double>((energy(-xi) - energy(xi)) / 2e-8L);
    }
    worst = test::worst_of({worst, (F - expected).head<3>().norm() / expected.head<3>().norm(),
                            (F - expected).tail<3>().norm() / expected.tail<3>().norm()});
  }
  std::printf("%d poses: wrench off from the energy's gradient by at most %.1e\n", poses, worst);
  EXPECT_LT(worst, 1e-7);
}

}  // namespace
