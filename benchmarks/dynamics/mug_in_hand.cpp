// The Franka arm of the reference data grips a YCB mug by its wall, lifts it off a pedestal and holds it for
// ten seconds, in implicit steps of 8 ms: how far the mug slips in the hand.
#include <fmt/format.h>

#include <cmath>

#include "benchmarks/support/data.h"
#include "benchmarks/support/promises.h"
#include "benchmarks/support/soft_contact.h"
#include "datasets/dataset.h"
#include "runtime/dynamics/step/simulation.h"
#include "runtime/dynamics/system/robot.h"

namespace {

using namespace abut;
using namespace dynamics;

constexpr double kStep = 8e-3;                         // s
constexpr double kGrip = 0.2, kLift = 1, kLifted = 2;  // s: when the fingers close, when it goes up
constexpr double kHeld = 3, kEnd = 13;                 // s: what is compared
constexpr double kJoints[] = {0, -0.4, 0, -2.2, 0, 1.8, 0.7853981633974483};  // rad: the hand points down
constexpr double kWay[] = {0, -0.2, 0, -0.05, 0, 0, 0};                       // rad: of the lift
constexpr double kOpen = 0.04, kClosed = -0.002;                              // m: targets of a finger

body::Geometry made(const std::string& name, const std::filesystem::path& file, int quads) {
  return body::Geometry(
      preprocess::make_asset({.name = name, .file = file, .metres_per_unit = 1, .notes = {}},
                             benchmarks::points_and_grid({quads}), {}));
}

Scene make_scene() {
  Scene scene;
  scene.gravity = {0, 0, -9.81};
  const Robot robot = read_urdf(benchmarks::require_reference("robots/franka/fer.urdf"));
  add_robot(scene, "fer", robot, {},
            [](const Mesh& mesh) { return made(mesh.file.stem().string(), mesh.file, 300); });
  for (Body& body : scene.bodies) {
    Joint& joint = body.joint->joint;
    if (joint.type == JointType::kRevolute) {
      const auto number = static_cast<std::size_t>(joint.name.back() - '1');
      body.joint->q = Eigen::VectorXd::Constant(1, kJoints[number]);
      joint.stiffness = number < 4 ? 2000 : 500;  // N m/rad
      joint.damping = number < 4 ? 100 : 30;      // N m s/rad
    } else if (joint.name == "fer/finger_joint1") {
      body.joint->q = Eigen::VectorXd::Constant(1, kOpen);
      joint.stiffness = 5000;  // N/m
      joint.damping = 100;     // N s/m
    }
  }
  scene.fixed.push_back({body::Geometry(body::Box<double>{{0.08, 0.08, 0.19}}), {}});
  scene.fixed.back().X_BS.p = {0.44, 0.04, 0.18};
  const auto mug = benchmarks::require_reference("ycb/025_mug/google_16k/textured.obj");
  Pose<double> X_WO;
  X_WO.p = {0.4387, 0.0406, 0.4067};
  scene.bodies.push_back(object_body("mug", made("mug", mug, 2000), 1100, X_WO));
  scene.set_material({.friction = 0.6});
  return scene;
}

// Targets of the joints of State::q.
std::vector<double> targets(const System& system, double time) {
  const VecX<double> start = system.initial_state().q;
  std::vector<double> result(start.begin(), start.end());
  const double share = std::clamp((time - kLift) / (kLifted - kLift), 0.0, 1.0);
  for (std::size_t i = 0; i < system.body_count(); ++i) {
    if (!system.body(i).joint) continue;
    const Joint& joint = system.body(i).joint->joint;
    double& target = result[static_cast<std::size_t>(system.first_q(i))];
    if (joint.type == JointType::kRevolute) target += share * kWay[joint.name.back() - '1'];
    if (joint.name == "fer/finger_joint1" && time >= kGrip) target = kClosed;
  }
  return result;
}

Pose<double> pose(const BodyState& state) { return {state.q_WB.toRotationMatrix(), state.p_WB}; }

int run(int, char**) {
  const Scene scene = make_scene();
  StepConfig config;
  config.dt = kStep;
  config.integrator = "implicit";
  config.source.model = "soft_potential";
  config.source.settings = {{"stiction_speed", 1e-7}};
  Simulation simulation(scene, config);
  const System& system = simulation.system();
  std::size_t finger = 0;
  while (system.body(finger).name != "fer/leftfinger") ++finger;
  const std::size_t mug = system.body_count() - 1;
  const double start_height = simulation.states()[mug].p_WB.z();
  Pose<double> X_FM;
  double slip = 0, turn = 0;
  int failed = 0;
  while (simulation.time() < kEnd) {
    const std::vector<double> now = targets(system, simulation.time());
    Control control;
    control.joint_target = now;
    failed += simulation.step(control).solver.status != Status::kOk;
    const Pose<double> X = pose(simulation.states()[finger]).inverse() * pose(simulation.states()[mug]);
    if (simulation.time() < kHeld) X_FM = X;
    slip = std::max(slip, (X.p - X_FM.p).norm());
    turn = std::max(turn, (X_FM.R.transpose() * X.R - Mat3<double>::Identity()).norm() / std::sqrt(2.0));
  }
  const double rise = simulation.states()[mug].p_WB.z() - start_height;
  fmt::print(
      "| lifted, mm | slip in {:g} s, mm | turn in the hand, mrad | steps without an answer |\n"
      "|---|---|---|---|\n| {:.1f} | {:.4f} | {:.3f} | {} |\n",
      kEnd - kHeld, 1e3 * rise, 1e3 * slip, 1e3 * turn, failed);
  benchmarks::Promises promises;
  promises.at_least("lifted, mm", 1e3 * rise, 30);
  promises.at_most("slip of the mug in the hand, mm", 1e3 * slip, 0.1);
  promises.at_most("steps without an answer", failed, 0);
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) { return abut::benchmarks::guarded("mug_in_hand", run, argc, argv); }
