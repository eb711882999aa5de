// What a robot arm adds to the steps of free bodies beside it: 1,000 bodies that fly without contact, and the
// same in a pile, without and with an arm of seven joints that swings three metres away, and the arm alone.
//   arm_beside_bodies [--bodies N] [--rounds N]
// Fails where the bodies move otherwise beside an arm, or where a step takes a fifth longer.
#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <vector>

#include "benchmarks/support/data.h"
#include "benchmarks/support/median.h"
#include "benchmarks/support/pile.h"
#include "benchmarks/support/processor_time.h"
#include "benchmarks/support/promises.h"
#include "runtime/dynamics/system/robot.h"

namespace {

using namespace abut;
using namespace abut::benchmark_support;

constexpr double kDt = 2e-3;       // s
constexpr double kPour = 2.0;      // s, until the bodies of the pile have met
constexpr double kFlight = 0.5;    // m between bodies that fly
constexpr int kBlock = 10;         // steps that are timed at once
constexpr double kGreatest = 1.2;  // of a step with an arm over one without

// Bodies that fall and do not meet.
Scene flight(int bodies) {
  Scene scene;
  scene.gravity = {0, 0, -9.81};
  for (int k = 0; k < bodies; ++k) {
    Body body = make_body(k);
    body.p_WB = kFlight * Vec3<double>(k % 10, k / 10 % 10, k / 100);
    body.w_WB_W = {0.3, 0.2 * (k % 3), -0.1};
    scene.bodies.push_back(body);
  }
  return scene;
}

// A chain of seven revolute joints with a ball about each link's centre of mass, which swings under gravity.
void add_arm(Scene& scene) {
  const std::size_t first =
      add_robot(scene, "arm", read_urdf(benchmarks::require_reference("arm/arm7.urdf")),
                {Mat3<double>::Identity(), {-3, 0, 3}},
                [](const Mesh&) -> body::Geometry { throw InvalidInput("the arm has no meshes"); });
  for (std::size_t i = first; i < scene.bodies.size(); ++i) {
    Body& link = scene.bodies[i];
    link.shapes.push_back({body::Geometry(body::Sphere<double>{0.06}), {}});
    if (link.joint && link.joint->joint.type == JointType::kRevolute)
      link.joint->v = Eigen::VectorXd::Constant(1, 0.5);
  }
}

// Microseconds a step, over a block of steps.
double time_block(Simulation& simulation) {
  const double start = benchmarks::processor_time();
  for (int k = 0; k < kBlock; ++k) simulation.step();
  return 1e6 * (benchmarks::processor_time() - start) / kBlock;
}

// Bodies of `without` that are not, to the bit, where they are in `with`.
int moved_otherwise(const Simulation& without, const Simulation& with) {
  int count = 0;
  for (std::size_t i = 0; i < without.states().size(); ++i)
    count += without.states()[i].p_WB != with.states()[i].p_WB ||
             without.states()[i].q_WB.coeffs() != with.states()[i].q_WB.coeffs();
  return count;
}

void compare(const char* title, Scene scene, double settle, int rounds, benchmarks::Promises& promises) {
  Scene alone;
  alone.gravity = scene.gravity;
  add_arm(alone);
  Scene both = scene;
  add_arm(both);
  std::array<Simulation, 3> simulations{Simulation(scene, {.dt = kDt}), Simulation(both, {.dt = kDt}),
                                        Simulation(alone, {.dt = kDt})};
  for (Simulation& simulation : simulations)
    while (simulation.time() < settle || simulation.steps() < kBlock) simulation.step();
  std::array<std::vector<double>, 3> times;
  std::vector<double> added;
  for (int round = 0; round < rounds; ++round) {
    for (int k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>((k + round) % 3);
      times[i].push_back(time_block(simulations[i]));
    }
    added.push_back(times[1].back() - times[0].back());
  }
  const double without = benchmarks::median(times[0]), with = benchmarks::median(times[1]),
               arm = benchmarks::median(times[2]), more = benchmarks::median(added);
  std::printf("| %s | %d | %.1f | %.1f | %.3f | %.1f | %.1f | %.2f |\n", title,
              simulations[0].report().contacts, without, with, with / without, arm, more, more / arm);
  promises.at_most(std::string(title) + ": bodies that move otherwise beside an arm",
                   moved_otherwise(simulations[0], simulations[1]), 0);
  promises.at_most(std::string(title) + ": a step with an arm over one without", with / without, kGreatest);
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{"What an arm adds to the steps of free bodies beside it."};
  int bodies = 1000, rounds = 60;
  app.add_option("--bodies", bodies, "beside the arm")->capture_default_str();
  app.add_option("--rounds", rounds, "of 10 steps of each; medians count")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  benchmarks::Promises promises;
  std::printf(
      "| %d bodies | contacts | step, us | with an arm, us | ratio | arm alone, us | added, us | added over "
      "alone |\n"
      "|---|---|---|---|---|---|---|---|\n",
      bodies);
  compare("in flight", flight(bodies), 0, rounds, promises);
  compare("in a pile", pile(bodies, bin_side(bodies)), kPour, rounds, promises);
  return promises.verdict();
} catch (const std::exception& error) {
  std::fprintf(stderr, "arm_beside_bodies: error: %s\n", error.what());
  return 1;
}
