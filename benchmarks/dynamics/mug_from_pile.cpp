// The Franka arm of the reference data lifts a YCB mug out of a pile of jacks and rings, in rigid contact
// with friction and steps of 2 to 8 ms: whether the mug is up, and what it slips in the hand.
//   mug_from_pile [STEP [PAGE]]    STEP: s; PAGE: a web page that plays the motion
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/support/data.h"
#include "benchmarks/support/pile.h"
#include "benchmarks/support/promises.h"
#include "benchmarks/support/soft_contact.h"
#include "datasets/dataset.h"
#include "runtime/dynamics/step/scene_page.h"
#include "runtime/dynamics/system/robot.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using namespace dynamics;

constexpr double kGrip = 1.5, kLift = 2.2, kLifted = 4;  // s: when the fingers close, when it goes up
constexpr double kHeld = 4.5, kEnd = 8;                  // s: what is compared
constexpr double kClosed = -0.002;                       // m: target of a finger
constexpr double kTable = 0.37;                          // m: height
constexpr int kPile = 16;
const Vec3<double> kMug{0.4387, 0.0406, 0.4067};  // of the object's frame, m

// Joints 2, 4 and 6 (rad) that carry the hand straight up, every 3 cm: solved from the arm's geometry.
constexpr std::array<std::array<double, 3>, 6> kWay{{{0, 0, 0},
                                                     {0.0019, 0.07809, -0.07619},
                                                     {0.01076, 0.16268, -0.15193},
                                                     {0.02652, 0.25432, -0.2278},
                                                     {0.04935, 0.35389, -0.30454},
                                                     {0.07971, 0.46277, -0.38306}}};

constexpr double kJoints[] = {0, -0.4, 0, -2.2, 0, 1.8, 0.7853981633974483};  // rad
constexpr double kOpen = 0.04;                                                // m, of a finger

void add_franka(Scene& scene) {
  const Robot robot = read_urdf(benchmarks::require_reference("robots/franka/fer.urdf"));
  add_robot(scene, "fer", robot, {}, [](const Mesh& mesh) {
    return benchmarks::made_asset(mesh.file.stem().string(), mesh.file, 300);
  });
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
}

body::Geometry mug_asset(int quads) {
  return benchmarks::made_asset("mug", benchmarks::require_reference("ycb/025_mug/google_16k/textured.obj"),
                                quads);
}

// Targets of State::q: the joints where they start, moved by `way` (rad, of joint number 0 to 6), and the
// finger's.
std::vector<double> franka_targets(const System& system, const std::function<double(int)>& way,
                                   double finger) {
  const Eigen::VectorXd start = system.initial_state().q;
  std::vector<double> result(start.begin(), start.end());
  for (std::size_t i = 0; i < system.body_count(); ++i) {
    if (!system.body(i).joint) continue;
    const Joint& joint = system.body(i).joint->joint;
    double& target = result[static_cast<std::size_t>(system.first_q(i))];
    if (joint.type == JointType::kRevolute) target += way(joint.name.back() - '1');
    if (joint.name == "fer/finger_joint1") target = finger;
  }
  return result;
}

Pose<double> pose_of(const BodyState& state) { return {state.q_WB.toRotationMatrix(), state.p_WB}; }

// What body M moves in the frame of F, from the last pose on that is noted as its first.
struct Slip {
  Pose<double> X_FM;
  double shift = 0, turn = 0;  // the most, m and rad

  void note(const BodyState& F, const BodyState& M, bool first) {
    const Pose<double> X = pose_of(F).inverse() * pose_of(M);
    if (first) X_FM = X;
    shift = std::max(shift, (X.p - X_FM.p).norm());
    turn = std::max(turn, (X_FM.R.transpose() * X.R - Mat3<double>::Identity()).norm() / std::sqrt(2.0));
  }
};

std::size_t body_named(const System& system, const std::string& name) {
  std::size_t i = 0;
  while (system.body(i).name != name) ++i;
  return i;
}

Shape fixed_box(const Vec3<double>& half, const Vec3<double>& p_W) {
  Shape shape{body::Geometry(body::Box<double>{half}), {}};
  shape.X_BS.p = p_W;
  return shape;
}

// A table with a rim, the mug under the hand, and jacks and rings that fall in two rounds about it.
Scene make_scene() {
  Scene scene;
  scene.gravity = {0, 0, -9.81};
  add_franka(scene);
  const Vec3<double> middle(0.47, 0.05, 0);
  scene.fixed.push_back(fixed_box({0.27, 0.3, kTable / 2}, middle + Vec3<double>(0, 0, kTable / 2)));
  for (const double side : {-1.0, 1.0}) {
    scene.fixed.push_back(
        fixed_box({0.27, 0.01, 0.05}, middle + Vec3<double>(0, 0.29 * side, kTable + 0.05)));
    scene.fixed.push_back(fixed_box({0.01, 0.3, 0.05}, middle + Vec3<double>(0.26 * side, 0, kTable + 0.05)));
  }
  scene.bodies.push_back(object_body("mug", mug_asset(2000), 1100, {Mat3<double>::Identity(), kMug}));
  for (int k = 0; k < kPile; ++k) {
    Body body = benchmark_support::make_body(k);
    const double angle = 2 * std::numbers::pi * (k + (k >= kPile / 2 ? 0.5 : 0)) / (kPile / 2);
    const double radius = k < kPile / 2 ? 0.15 : 0.17, height = k < kPile / 2 ? 0.08 : 0.2;
    body.p_WB = Vec3<double>(0.43, 0.04, kTable + height) +
                radius * Vec3<double>(std::cos(angle), std::sin(angle), 0);
    const Eigen::Quaterniond q(Eigen::AngleAxisd(0.7 * k + 0.4, Vec3<double>(1, k, 0.5).normalized()));
    body.q_WB = {q.w(), q.x(), q.y(), q.z()};
    scene.bodies.push_back(body);
  }
  scene.set_material({.friction = 0.6});
  return scene;
}

// How far joint 2, 4 or 6 is from where it starts.
double way_of(int joint, double time) {
  if (joint % 2 == 0 || joint > 5) return 0;
  const double at = std::clamp((time - kLift) / (kLifted - kLift), 0.0, 1.0) * (kWay.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), kWay.size() - 2);
  const auto k = static_cast<std::size_t>(joint / 2);
  return kWay[below][k] + (at - static_cast<double>(below)) * (kWay[below + 1][k] - kWay[below][k]);
}

int run(int argc, char** argv) {
  StepConfig config;
  config.dt = argc > 1 ? std::stod(argv[1]) : 4e-3;
  Simulation simulation(make_scene(), config);
  const System& system = simulation.system();
  const std::size_t finger = body_named(system, "fer/leftfinger"), mug = body_named(system, "mug");
  const double start_height = simulation.states()[mug].p_WB.z();
  Slip slip, pulled;  // once it is up; from when the hand begins to go up
  Recording recording;
  double deep = 0, last = 0, rise = 0, residual = 0;
  int contacts = 0, far_from_law = 0, beside = 0;
  while (simulation.time() < kEnd) {
    const double time = simulation.time();
    if (simulation.steps() % 5 == 0) recording.add_frame(simulation);
    const std::vector<double> now = franka_targets(
        system, [&](int joint) { return way_of(joint, time); }, time >= kGrip ? kClosed : kOpen);
    last = simulation.report().kinetic + simulation.report().potential;
    const StepReport& report = simulation.step({.joint_target = now});
    const double gain = report.kinetic + report.potential - last;
    rise += std::max(0.0, gain - report.control_work - report.stabilisation_work);
    residual = std::max(residual, report.solver.residual);
    far_from_law += report.solver.residual > kGreatestResidual;
    contacts = std::max(contacts, report.contacts);
    if (time > 1) deep = std::max(deep, report.penetration);
    slip.note(simulation.states()[finger], simulation.states()[mug], time < kHeld);
    pulled.note(simulation.states()[finger], simulation.states()[mug], time < kLift);
  }
  recording.add_frame(simulation);
  for (std::size_t i = mug + 1; i < system.body_count(); ++i)
    beside += simulation.states()[i].p_WB.z() > kTable + 0.15;
  if (argc > 2) write_scene_page(simulation.scene(), recording, argv[2]);
  const double up = simulation.states()[mug].p_WB.z() - start_height;
  fmt::print(
      "| step, ms | contacts | lifted, mm | of {} others along | slip as it is pulled out, mm | then in {:g} "
      "s, "
      "mm | turn then, mrad | greatest depth, mm | greatest residual | energy from nowhere, J |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n"
      "| {:g} | {} | {:.1f} | {} | {:.2f} | {:.4f} | {:.3f} | {:.3f} | {:.2g} | {:.1g} |\n",
      kPile, kEnd - kHeld, 1e3 * config.dt, contacts, 1e3 * up, beside, 1e3 * pulled.shift, 1e3 * slip.shift,
      1e3 * slip.turn, 1e3 * deep, residual, rise);
  benchmarks::Promises promises;
  promises.at_least("lifted, mm", 1e3 * up, 130);
  promises.at_most("slip of the mug as it is pulled out, mm", 1e3 * pulled.shift, 5);
  promises.at_most("slip of the mug in the hand then, mm", 1e3 * slip.shift, 0.1);
  promises.at_most("greatest depth, mm", 1e3 * deep, 1);
  promises.at_most("steps far from the law of contact", far_from_law, 0);
  promises.at_most("energy from nowhere, J", rise, 1e-6);
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) { return abut::benchmarks::guarded("mug_from_pile", run, argc, argv); }
