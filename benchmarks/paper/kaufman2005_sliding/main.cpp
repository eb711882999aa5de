// The small experiments of the paper, in both modes beside Coulomb's exact answers: a box that slides to
// rest, a ball that goes from sliding to rolling, a ball that runs through a loop. Fails where the coupled
// mode is off.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "benchmarks/support/promises.h"
#include "runtime/dynamics/step/simulation.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

constexpr double kGravity = 9.81;

Shape shape(const body::Primitive& primitive) { return {body::Geometry(primitive), {}}; }

Scene flat(double mu, Body body) {
  Scene scene;
  scene.gravity = {0, 0, -kGravity};
  scene.fixed.push_back(shape(body::HalfSpace<double>{}));
  scene.bodies.push_back(std::move(body));
  scene.set_material({.friction = mu});
  return scene;
}

Body ball(double radius, const Vec3<double>& p, const Vec3<double>& v) {
  Body result;
  result.name = "ball";
  result.mass = 1;
  result.inertia.setConstant(0.4 * radius * radius);
  result.p_WB = p;
  result.v_WB = v;
  result.shapes.push_back(shape(body::Sphere<double>{radius}));
  return result;
}

// name: "coupled", our integrator and solver; "published", the paper's.
Simulation start(const Scene& scene, const std::string& name, double dt = 2e-3) {
  StepConfig config;
  if (name == "published") config.integrator = "published";
  config.solver = name;
  config.dt = dt;
  return Simulation(scene, config);
}

// The way to rest, m.
double slide(const char* name) {
  Body box;
  box.name = "box";
  box.mass = 1;
  box.inertia = {0.0042, 0.0042, 0.0067};
  box.p_WB = {0, 0, 0.05};
  box.v_WB = {2, 0, 0};
  box.shapes.push_back(shape(body::Box<double>{{0.1, 0.1, 0.05}}));
  Simulation simulation = start(flat(0.3, box), name);
  while (simulation.time() < 2) simulation.step();
  std::printf("  %-10s box at 2 m/s, mu 0.3: %.4f m in 2 s    (Coulomb: %.4f)\n", name,
              simulation.states()[0].p_WB.x(), 4 / (2 * 0.3 * kGravity));
  return simulation.states()[0].p_WB.x();
}

// The speed at which it rolls, m/s.
double roll(const char* name) {
  Simulation simulation = start(flat(0.3, ball(0.1, {0, 0, 0.1}, {2, 0, 0})), name);
  double rolling_at = 0;
  while (simulation.time() < 1) {
    simulation.step();
    const double slip = simulation.states()[0].v_WB.x() - 0.1 * simulation.angular_velocity(0).y();
    if (rolling_at == 0 && slip < 1e-6) rolling_at = simulation.time();
  }
  std::printf("  %-10s ball at 2 m/s, mu 0.3: rolls after %.3f s at %.4f m/s    (Coulomb: %.3f, %.4f)\n",
              name, rolling_at, simulation.states()[0].v_WB.x(), 2.0 * 2 / 7 / (0.3 * kGravity), 2.0 * 5 / 7);
  return simulation.states()[0].v_WB.x();
}

// Thin boxes along a circle of radius 0.5 m about (0, 0, 0.5), in the x-z plane. Whether
// the ball keeps to them.
bool loop(const char* name, double speed) {
  constexpr int kSides = 180;
  constexpr double kRadius = 0.5, kBall = 0.05;
  Scene scene;
  scene.gravity = {0, 0, -kGravity};
  for (int k = 0; k < kSides; ++k) {
    const double angle = 2 * std::numbers::pi * (k + 0.5) / kSides;
    Shape side = shape(body::Box<double>{{kRadius * std::tan(std::numbers::pi / kSides) * 1.02, 0.2, 0.01}});
    side.X_BS.R = exp_rotation<double>({0, -angle, 0});
    side.X_BS.p = {(kRadius + 0.01) * std::sin(angle), 0, kRadius - (kRadius + 0.01) * std::cos(angle)};
    scene.fixed.push_back(side);
  }
  Body body = ball(kBall, {0, 0, kBall}, {speed, 0, 0});
  body.w_WB_W = {0, speed / kBall, 0};
  scene.bodies.push_back(body);
  scene.set_material({.friction = 1});
  Simulation simulation = start(scene, name, 5e-4);
  double highest = 0, turned = 0, last = 0, off = 0;  // off: greatest distance from the track
  while (simulation.time() < 1.5 && turned < 2 * std::numbers::pi) {
    simulation.step();
    const Vec3<double>& p = simulation.states()[0].p_WB;
    const double angle = std::atan2(p.x(), kRadius - p.z());
    turned += std::remainder(angle - last, 2 * std::numbers::pi);
    last = angle;
    highest = std::max(highest, p.z());
    off = test::worst_of(off, kRadius - kBall - std::hypot(p.x(), p.z() - kRadius));
  }
  std::printf("  %-10s ball in a loop at %.1f m/s: %s, as high as %.3f m\n", name, speed,
              off < 0.1 * kBall ? "keeps to the track" : "falls off the track", highest);
  return off < 0.1 * kBall;
}

}  // namespace

int main() {
  std::printf("commit %s, flags %s\n", ABUT_COMMIT, ABUT_FLAGS);
  benchmarks::Promises promises;
  for (const char* name : {"coupled", "published"}) {
    const double way = slide(name), speed = roll(name);
    // A rolling ball goes round from sqrt(27/7 g (R - r)) = 4.13 m/s on.
    const bool slow = loop(name, 3.7), fast = loop(name, 4.6);
    if (std::string(name) != "coupled") continue;
    promises.at_most("way of the box off from Coulomb's, share", std::abs(way / (4 / (0.6 * kGravity)) - 1),
                     2e-3);
    promises.at_most("speed of rolling off from Coulomb's, share", std::abs(speed / (10.0 / 7) - 1), 1e-3);
    promises.at_most("keeps to the loop at 3.7 m/s", slow, 0);
    promises.at_least("keeps to the loop at 4.6 m/s", fast, 1);
  }
  std::printf("  exact: rolling without slip it needs %.3f m/s at the lowest point\n",
              std::sqrt(27.0 / 7 * kGravity * 0.45));
  return promises.verdict();
}
