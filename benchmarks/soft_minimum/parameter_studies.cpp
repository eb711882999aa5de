#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "benchmarks/soft_minimum/studies.h"
#include "runtime/contact/soft_minimum.h"
#include "runtime/ssdf/primitives.h"

namespace abut::soft_minimum_studies {

namespace {

using contact::SoftMinimumConfig;

constexpr double kSpacing = 0.01;

// A box on the half-space z < 0, at height z of its bottom.
struct Scene {
  asset::OrientedPoints ground = ssdf::half_space_points(1, kSpacing),
                        box = ssdf::box_points({0.05, 0.05, 0.03}, kSpacing);
  asset::PointsView A = asset::view(ground), B = asset::view(box);

  Vec3<double> force(const SoftMinimumConfig& config, double height, const Vec3<double>& velocity) const {
    Vec6<double> V;
    V << Vec3<double>::Zero(), velocity;
    contact::SoftMinimum<double> found;
    contact::soft_minimum(A, B, {Mat3<double>::Identity(), {0, 0, height + 0.03}}, V,
                          contact::parameters_of(config, A, B), ssdf::Order::kValue, found);
    return found.F_BBo_B.tail<3>();
  }
};

void row(const char* parameter, double value, double x, double y) {
  fmt::print("{},{:g},{:.6g},{:.6g}\n", parameter, value, x, y);
}

// Soft distance on the top of a box, from its middle to its edge; in spacings.
void rounding(const Scene& scene) {
  for (const double eps1 : {0.125, 0.5, 2.0, 8.0})
    for (int i = -80; i <= 0; ++i) {
      const double t = 0.05 * i * kSpacing;
      const double value =
          ssdf::soft_distance(scene.B, {0.05 + t, 0.005, 0.03}, eps1 * kSpacing * kSpacing).value;
      row("eps1", eps1, -t / kSpacing, value / kSpacing);
    }
  const ssdf::KernelField wall(scene.B, ssdf::KernelKind::kWall, ssdf::default_eps1(scene.B));
  for (int i = -80; i <= 0; ++i) {
    const double t = 0.05 * i * kSpacing;
    row("wall", 0.5, -t / kSpacing, wall.distance<double>({0.05 + t, 0.005, 0.03}).value / kSpacing);
  }
}

// Weights in the separation distribution along the bottom of a ball that stands on the ground.
void patch(const Scene& scene) {
  const asset::OrientedPoints points = ssdf::ball_points(0.05, 0.0025);
  const asset::PointsView ball = asset::view(points);
  for (const double eps2 : {0.03, 0.1, 0.3, 1.0}) {
    SoftMinimumConfig config;
    config.eps2 = eps2;
    std::vector<contact::SeparationPoint<double>> field;
    contact::separation(scene.A, ball, {Mat3<double>::Identity(), {0, 0, 0.05}},
                        contact::parameters_of(config, scene.A, ball), field);
    std::vector<std::pair<double, double>> curve;
    double most = 0;
    for (const auto& f : field)
      if (f.body == 1) {
        curve.emplace_back(std::hypot(ball.x[f.point], ball.y[f.point]), f.weight);
        most = std::max(most, f.weight);
      }
    std::sort(curve.begin(), curve.end());
    for (const auto& [x, weight] : curve)
      if (x < 0.03) row("eps2", eps2, x / ball.spacing, weight / most);
  }
}

}  // namespace

void parameters() {
  const Scene scene;
  fmt::print("parameter,value,x,y\n");
  rounding(scene);
  patch(scene);
  const Vec3<double> still = Vec3<double>::Zero();
  for (const double eps3 : {0.01, 0.05, 0.2})
    for (int i = -40; i <= 40; ++i) {
      SoftMinimumConfig config;
      config.eps3 = eps3;
      row("eps3", eps3, 0.01 * i, scene.force(config, 1e-4 * i, still).z());
    }
  for (const double depth : {0.02, 0.05, 0.1})
    for (int i = -30; i <= 10; ++i) {
      SoftMinimumConfig config;
      config.penetration = depth;
      row("penetration", depth, -0.005 * i, scene.force(config, 5e-5 * i, still).z());
    }
  for (const double stiction : {1e-4, 1e-3, 1e-2})
    for (int i = 0; i <= 60; ++i) {
      SoftMinimumConfig config;
      config.stiction = stiction;
      const double speed = std::pow(10.0, -5 + 0.1 * i);
      const Vec3<double> f = scene.force(config, -5e-4, {speed, 0, 0});
      row("stiction", stiction, speed, -f.x() / f.z());
    }
  for (const auto law : {contact::DampingLaw::kTwiceDifferentiable, contact::DampingLaw::kPaper})
    for (const double dissipation : {0.1, 0.2})
      for (int i = -40; i <= 60; ++i) {
        SoftMinimumConfig config;
        config.damping = law;
        config.dissipation = dissipation;
        const bool paper = law == contact::DampingLaw::kPaper;
        row(paper ? "damping of the paper" : "damping", dissipation, 0.01 * i,
            scene.force(config, -5e-4, {0, 0, 0.01 * i}).z());
      }
}

}  // namespace abut::soft_minimum_studies
