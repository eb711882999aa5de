#include <fmt/format.h>

#include <cmath>

#include "benchmarks/soft_potential/scenes.h"
#include "benchmarks/soft_potential/solids.h"
#include "benchmarks/support/data.h"
#include "runtime/contact/soft_potential.h"
#include "runtime/dynamics/step/simulation.h"
#include "runtime/dynamics/system/scene_file.h"

namespace abut::soft_potential_scenes {

namespace {

using dynamics::Scene;

Scene reference_scene(const std::string& name) {
  return dynamics::read_scene(benchmarks::require_reference("scenes/" + name + ".scn").string(),
                              [](const std::string& asset) -> body::Geometry {
                                throw InvalidInput("the scene has an asset: " + asset);
                              });
}

// Puts the scene's first body to rest on its first fixed shape, which it stands on upright: at the height
// where contact carries its weight.
void settle(Scene& scene, const benchmarks::Law& law) {
  const auto model = contact::make_model(law.model, law.settings);
  const dynamics::Shape &floor = scene.fixed[0], &shape = scene.bodies[0].shapes[0];
  const body::Body A{floor.geometry, floor.material}, B{shape.geometry, shape.material};
  double &z = scene.bodies[0].p_WB.z(), weight = -scene.bodies[0].mass * scene.gravity.z();
  double low = z - 1e-3, high = z + 0.01;
  for (int i = 0; i < 50; ++i) {
    z = (low + high) / 2;
    const Pose<double> X_WB{Mat3<double>::Identity(), scene.bodies[0].p_WB};
    const Pose<double> X_AB = floor.X_BS.inverse() * X_WB * shape.X_BS;
    const contact::PairWrench w = model->wrench({&A, &B, X_AB}, contact::Want::kValue);
    const Vec3<double> f = floor.X_BS.R * (X_AB.R * w.F_BBo_B.tail<3>());
    (f.z() > weight ? low : high) = z;
  }
}

dynamics::Simulation simulation(Scene scene, const benchmarks::Law& law, double dt) {
  settle(scene, law);
  dynamics::StepConfig config;
  config.dt = dt, config.integrator = "implicit";
  config.source = {.model = law.model, .settings = law.settings};
  return dynamics::Simulation(scene, config);
}

constexpr double kStep = 5e-4;  // s

// Time until the coin moves no faster than friction sticks, s: below that it rocks on undamped, and is at
// rest within milliseconds but for that.
double stop_time(Scene scene, const body::Geometry& coin, const benchmarks::Law& law) {
  constexpr double kRadius = 0.05, kRest = contact::SoftPotentialConfig{}.stiction_speed;  // m, m/s
  scene.bodies[0].shapes[0].geometry = coin;
  dynamics::Simulation run = simulation(std::move(scene), law, kStep);
  while (run.time() < 1) {
    run.step();
    if (run.states()[0].v_WB.head<2>().norm() + kRadius * std::abs(run.angular_velocity(0).z()) < kRest)
      break;
  }
  return run.time();
}

// Friction by the way that a box slides from rest on a slope in some seconds, over Coulomb's.
double friction_by_way(const Scene& scene, const benchmarks::Law& law, double seconds) {
  dynamics::Simulation run = simulation(scene, law, kStep);
  const double from = run.states()[0].p_WB.x();
  while (run.time() < seconds - kStep / 2) run.step();
  const double way = run.states()[0].p_WB.x() - from, t = run.time(),
               acceleration = 2 * way / (t * (t + kStep)),  // of backward Euler's sum
      mu = (scene.gravity.x() - acceleration) / -scene.gravity.z();
  return mu / scene.bodies[0].shapes[0].material.friction;
}

}  // namespace

void friction(Promises& promises) {
  const body::Body coin = made("coin", mesh_of(rod(0.05, 0.005))),
                   block = made("block", mesh_of(box({0.1, 0.1, 0.05}))),
                   slab = made("slab", mesh_of(box({0.25, 0.06, 0.02}))),
                   small = made("small", mesh_of(box({0.03, 0.03, 0.02})));
  Scene long_slope = reference_scene("a_slip");
  long_slope.bodies[0].shapes[0].geometry = block.geometry;
  Scene short_slope = long_slope;  // the small box on the slab, 0.3 m
  short_slope.fixed[0].geometry = slab.geometry;
  short_slope.fixed[0].X_BS = {};
  dynamics::Body& body = short_slope.bodies[0];
  body.shapes[0].geometry = small.geometry;
  body.p_WB = {-0.17, 0.003, 0.04};
  body.inertia = Vec3<double>(1300, 1300, 1800) * 1e-6 / 3;  // of 1 kg
  fmt::print(
      "\n| scene | exact | potential, points | off, % | potential, grid | off, % "
      "|\n|---|---|---|---|---|---|\n");
  const auto row = [&](const std::string& scene, double exact, double bound, auto&& measure) {
    fmt::print("| {} | {:.3f} |", scene, exact);
    for (const benchmarks::Law& law : benchmarks::kLaws) {
      if (std::string_view(law.model) != "soft_potential") continue;
      const double found = measure(law), off = 100 * (found / exact - 1);
      fmt::print(" {:.4f} | {:+.2f} |", found, off);
      std::fflush(stdout);
      promises.at_most(scene + ", " + law.title + ", off, %", std::abs(off), bound);
    }
    fmt::print("\n");
  };
  row("friction of a box on a slope, 2 s, over mu N", 1, 0.5,
      [&](const benchmarks::Law& law) { return friction_by_way(long_slope, law, 2); });
  row("friction of a box on a meshed slab, 0.6 s", 1, 0.5,
      [&](const benchmarks::Law& law) { return friction_by_way(short_slope, law, 0.6); });
  for (const auto& [name, time] : {std::pair{"b_coin_spin", 0.382}, {"b_coin_slide_spin", 0.342}}) {
    row(fmt::format("{}, s", name), time, 3, [&, scene = reference_scene(name)](const benchmarks::Law& law) {
      return stop_time(scene, coin.geometry, law);
    });
  }
}

}  // namespace abut::soft_potential_scenes
