#include "benchmarks/paper/beker2025_table7_tpush/pushing.h"

#include <cmath>
#include <ctime>
#include <fstream>
#include <sstream>

#include "runtime/core/error.h"
#include "runtime/dynamics/step/scene_page.h"
#include "tests/support/massless_link.h"

namespace abut::tpush {

using dynamics::Body;
using dynamics::JointType;

namespace {

double processor_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// A link that slides or turns above the last one.
Body& carry(dynamics::Scene& scene, const std::string& name, int parent, JointType type,
            const Vec3<double>& axis, double damping) {
  Body& body = scene.bodies.emplace_back(test::massless_link(name, parent, type, axis, damping));
  if (parent < 0) body.joint->joint.X_PJ.p = {0, 0, 0.02};
  return body;
}

}  // namespace

const std::array<double, 2>& Targets::at(double time) const {
  const auto row = static_cast<std::size_t>(std::floor(time / interval + 1e-9));
  return rows[std::min(row, rows.size() - 1)];
}

Targets read_targets(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  Targets targets;
  std::vector<double> times;
  for (std::getline(in, line); std::getline(in, line);) {
    std::istringstream row(line);
    double t = 0, x = 0, y = 0;
    char comma = 0;
    if (!(row >> t >> comma >> x >> comma >> y)) throw InvalidInput(file + ": not three numbers: " + line);
    times.push_back(t);
    targets.rows.push_back({x, y});
  }
  if (times.size() < 2) throw InvalidInput(file + ": has no rows");
  targets.interval = times[1] - times[0];
  return targets;
}

dynamics::Scene scene_of(const body::Geometry& geometry, const std::array<double, 2>& finger) {
  constexpr double kTable = 4, kTurning = 0.02;    // N s/m, N m s/rad: of the viscous table on the T
  constexpr double kFinger = 12.6, kSpring = 200;  // N s/m, N/m
  const Vec3<double> x = Vec3<double>::UnitX(), y = Vec3<double>::UnitY(), z = Vec3<double>::UnitZ();
  dynamics::Scene scene;
  carry(scene, "tx", -1, JointType::kPrismatic, x, kTable);
  carry(scene, "ty", 0, JointType::kPrismatic, y, kTable);
  Body& T = carry(scene, "tz", 1, JointType::kRevolute, z, kTurning);
  T.mass = 0.5;
  T.inertia = {1.8e-3, 1.8e-3, 3.2552083e-3};  // about z: of a bar and a stem, the others do not matter
  T.shapes.push_back({geometry, {}});
  Body& fx = carry(scene, "fx", -1, JointType::kPrismatic, x, kFinger);
  fx.joint->joint.stiffness = kSpring;
  fx.joint->q = Eigen::VectorXd::Constant(1, finger[0]);
  Body& fy = carry(scene, "fy", 3, JointType::kPrismatic, y, kFinger);
  fy.joint->joint.stiffness = kSpring;
  fy.joint->q = Eigen::VectorXd::Constant(1, finger[1]);
  fy.mass = 0.2;
  fy.inertia.setConstant(3.2e-5);
  fy.shapes.push_back({body::Geometry(body::Sphere<double>{0.02}), {}});
  scene.set_material({.friction = 0.4});
  return scene;
}

Rollout push(const dynamics::Scene& scene, const Targets& targets, const dynamics::StepConfig& config) {
  const dynamics::System system(scene);
  const auto integrator = dynamics::make_integrator(system, config);
  dynamics::State state = system.initial_state();
  Rollout rollout;
  const auto steps_per_control = std::lround(targets.interval / config.dt);
  const auto steps = std::lround(targets.duration() / config.dt);
  const double start = processor_time();
  long k = 0;
  for (; k < steps && rollout.finite; ++k) {
    if (k % steps_per_control == 0) rollout.way.push_back({state.q[0], state.q[1], state.q[2]});
    const auto& target = targets.at(static_cast<double>(k) * config.dt);
    const double joint_target[] = {0, 0, 0, target[0], target[1]};
    dynamics::Control control;
    control.joint_target = joint_target;
    try {
      rollout.failed += integrator->step(state, control).status() != Status::kOk ? 1 : 0;
    } catch (const InvalidInput&) {
      rollout.finite = false;
    }
  }
  rollout.step_time = (processor_time() - start) / static_cast<double>(k);
  rollout.steps = k;
  rollout.way.push_back({state.q[0], state.q[1], state.q[2]});
  return rollout;
}

void write_push_page(const dynamics::Scene& scene, const Targets& targets, const dynamics::StepConfig& config,
                     const std::filesystem::path& file) {
  dynamics::Simulation simulation(scene, config);
  dynamics::Recording recording;
  recording.set_scene(simulation);
  for (const auto& [x, y] : targets.rows) {
    const double target[] = {0, 0, 0, x, y};
    dynamics::Control control;
    control.joint_target = target;
    recording.add_frame(simulation);
    for (int k = 0; k < std::lround(targets.interval / config.dt); ++k) simulation.step(control);
  }
  recording.add_frame(simulation);
  recording.set_end(simulation);
  dynamics::write_scene_page(scene, recording, file);
}

}  // namespace abut::tpush
