#include "datasets/household/shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "datasets/household/box.h"
#include "datasets/household/rings.h"
#include "runtime/core/parallel.h"

namespace abut::datasets::household {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr std::size_t kTriangles = 16900;  // a few are removed with the slivers

// A box of biscuits.
Shape make_box() {
  const Eigen::Vector3d size(0.060, 0.158, 0.210);
  return {"001_box", box(size, {16, 42, 57}), size.prod(), 0};
}

// A tin with a sharp rim that extends 2 mm below the bottom and 3 mm above the lid.
Shape make_can() {
  constexpr double kSpacing = 0.00195, kHeight = 0.102, kOuter = 0.0335, kInner = 0.031;
  Profile profile{{0, 0.002}};
  line_to(profile, {kInner, 0.002}, kSpacing);
  line_to(profile, {kInner, 0}, kSpacing);
  line_to(profile, {kOuter, 0}, kSpacing);
  line_to(profile, {kOuter, kHeight}, kSpacing);
  line_to(profile, {kInner, kHeight}, kSpacing);
  line_to(profile, {kInner, kHeight - 0.003}, kSpacing);
  line_to(profile, {0, kHeight - 0.003}, kSpacing);
  const double volume = kPi * (kOuter * kOuter * kHeight - kInner * kInner * 0.005);
  return {"002_can", revolve(profile, kSpacing), volume, 0};
}

// Body, shoulder r(z) = mean + swing cos(pi t) for t in [0, 1], neck, cap; solid, like a scan of a full
// bottle.
Shape make_bottle() {
  constexpr double kSpacing = 0.00205, kBody = 0.030, kNeck = 0.0125, kCap = 0.0145;
  constexpr double kMean = (kBody + kNeck) / 2, kSwing = (kBody - kNeck) / 2;
  Profile profile{{0, 0}};
  line_to(profile, {kBody, 0}, kSpacing);
  line_to(profile, {kBody, 0.115}, kSpacing);
  Profile shoulder;
  for (int k = 0; k <= 1000; ++k)
    shoulder.emplace_back(kMean + kSwing * std::cos(kPi * k / 1000), 0.115 + 0.035 * k / 1000);
  for (const Eigen::Vector2d& p : resample(shoulder, kSpacing))
    if ((p - profile.back()).norm() > 0.1 * kSpacing) profile.push_back(p);
  line_to(profile, {kNeck, 0.158}, kSpacing);
  line_to(profile, {kCap, 0.158}, kSpacing);
  line_to(profile, {kCap, 0.178}, kSpacing);
  line_to(profile, {0, 0.178}, kSpacing);
  const double volume = kPi * (kBody * kBody * 0.115 + (kMean * kMean + kSwing * kSwing / 2) * 0.035 +
                               kNeck * kNeck * 0.008 + kCap * kCap * 0.020);
  return {"003_bottle", revolve(profile, kSpacing), volume, 0};
}

// The part of a spherical shell inside a cone about the downward axis, with a rounded rim: 1.5 mm thick
// everywhere.
Shape make_bowl() {
  constexpr double kSpacing = 0.00288, kWall = 0.0015, kOuter = 0.0857, kDepth = 0.055;
  constexpr double kInner = kOuter - kWall, kMiddle = kOuter - kWall / 2;
  const Eigen::Vector2d center(0, kOuter);
  const double opening = std::acos(1 - kDepth / kOuter);  // from the downward axis to the rim
  const double rim = opening - kPi / 2;                   // as an angle from the r axis
  Profile profile;
  arc(profile, center, kOuter, -kPi / 2, rim, kSpacing);
  arc(profile, center + kMiddle * Eigen::Vector2d(std::cos(rim), std::sin(rim)), kWall / 2, rim, rim + kPi,
      kWall / 4);
  arc(profile, center, kInner, rim, -kPi / 2, kSpacing);
  // Shell: a share (1 - cos opening) / 2 of the volume between the spheres. Rim: half a disc of radius w/2
  // revolved about z, with its centroid 2 w / (3 pi) beyond the middle of the rim, along the cone's normal
  // (Pappus).
  const double shell = 2 * kPi / 3 * (std::pow(kOuter, 3) - std::pow(kInner, 3)) * (1 - std::cos(opening));
  const double centroid = kMiddle * std::sin(opening) + 2 * kWall / (3 * kPi) * std::cos(opening);
  const double half_disc = kPi * kWall * kWall / 8;
  return {"004_bowl", revolve(profile, kSpacing), shell + 2 * kPi * centroid * half_disc, 0};
}

// A tube whose spine is a circular arc and whose radius is rho(t), rho(t)^2 = rho0^2 (1 - (2 t - 1)^4).
Shape make_banana() {
  constexpr double kSpacing = 0.00155, kSpine = 0.11, kRadius = 0.0185, kAngle = 1.7;
  constexpr double kLength = kSpine * kAngle;
  Profile dense;  // (radius, arc length)
  constexpr int kSteps = 20000;
  for (int k = 0; k <= kSteps; ++k) {
    const double t =
        0.5 - 0.5 * std::cos(kPi * k / kSteps);  // denser at the ends, where the radius changes steeply
    dense.emplace_back(kRadius * std::sqrt(std::max(0.0, 1 - std::pow(2 * t - 1, 4))), kLength * t);
  }
  std::vector<Ring> rings;
  for (const Eigen::Vector2d& p : resample(dense, kSpacing)) {
    const double a = p.y() / kSpine - kAngle / 2;
    const Eigen::Vector3d radial(std::sin(a), -std::cos(a), 0), tangent(std::cos(a), std::sin(a), 0);
    rings.push_back({kSpine * radial, radial, tangent.cross(radial), p.x()});
  }
  rings.front().radius = rings.back().radius = 0;
  // Pappus: the sections' centroids lie on the spine. The integral of 1 - (2 t - 1)^4 over [0, 1] is 4/5.
  return {"006_banana", skin(rings, kSpacing), 0.8 * kPi * kRadius * kRadius * kLength, 0};
}

Shape make_implicit(const char* name, double (*field)(const Eigen::Vector3d&), const Grid& grid, int genus) {
  const Extraction extraction = extract(field, grid);
  return {name, simplify(extraction.surface, kTriangles, field, grid.spacing), extraction.volume, genus};
}

Shape make_mug() {
  return make_implicit("005_mug", mug_field, {{-0.044, -0.044, -0.003}, {0.077, 0.044, 0.089}, 0.0014}, 1);
}

Shape make_clamp() {
  return make_implicit("007_clamp", clamp_field, {{-0.012, -0.037, -0.118}, {0.084, 0.037, 0.074}, 0.0012},
                       0);
}

Shape make_scissors() {
  return make_implicit("008_scissors", scissors_field,
                       {{-0.112, -0.058, -0.008}, {0.098, 0.058, 0.008}, 0.0007}, 2);
}

}  // namespace

std::vector<Shape> make_shapes() {
  using Maker = Shape (*)();
  constexpr std::array<Maker, 8> kMakers{make_box, make_can,    make_bottle, make_bowl,
                                         make_mug, make_banana, make_clamp,  make_scissors};
  std::vector<Shape> shapes(kMakers.size());
  parallel_for(static_cast<std::int64_t>(kMakers.size()), 0,
               [&](std::int64_t i, int) { shapes[i] = kMakers[i](); });
  return shapes;
}

}  // namespace abut::datasets::household
