#pragma once

#include <cmath>
#include <filesystem>
#include <string>

#include "runtime/cli/control_file.h"
#include "runtime/dynamics/step/simulation.h"
#include "runtime/dynamics/system/scene_file.h"

// A scene of examples/scenes with the joint targets beside it, as abut-sim runs them.
namespace abut::benchmarks {

enum class Controlled { kNothing, kJoints, kBodies };

class SceneRun {
 public:
  // `name`: of the file without .scn. `what`: NAME.csv, which goes with it, controls joints (abut-sim
  // --joint-control) or bodies (--control).
  SceneRun(const std::string& name, Controlled what, const dynamics::StepConfig& config,
           const dynamics::AssetSource& assets = {}, const std::filesystem::path& robots = {})
      : simulation_(dynamics::read_scene(file(name, ".scn"), assets, robots), config),
        forces_(what == Controlled::kBodies ? file(name, ".csv") : "", simulation_.system()),
        joints_(what == Controlled::kJoints ? file(name, ".csv") : "", simulation_.system()),
        what_(what) {}

  void step() {
    dynamics::Control now = forces_.at(simulation_.time());
    if (what_ == Controlled::kJoints) joints_.add(simulation_.time(), now);
    failed_ += simulation_.step(now).solver.status != Status::kOk;
  }
  bool done() const {
    return simulation_.time() > simulation_.scene().duration - simulation_.config().dt / 2;
  }

  const dynamics::Simulation& simulation() const { return simulation_; }
  double time() const { return simulation_.time(); }  // s
  int failed() const { return failed_; }              // steps without an answer
  std::size_t body(const std::string& name) const {
    const auto& bodies = simulation_.scene().bodies;
    const auto found =
        std::find_if(bodies.begin(), bodies.end(), [&](const dynamics::Body& b) { return b.name == name; });
    if (found == bodies.end()) throw InvalidInput("the scene has no body '" + name + "'");
    return static_cast<std::size_t>(found - bodies.begin());
  }
  Pose<double> pose(const std::string& name) const {
    const dynamics::BodyState& state = simulation_.states()[body(name)];
    return {state.q_WB.toRotationMatrix(), state.p_WB};
  }

 private:
  static std::string file(const std::string& name, const char* extension) {
    return (std::filesystem::path(ABUT_SCENES_DIR) / (name + extension)).string();
  }

  dynamics::Simulation simulation_;
  cli::ControlFile forces_;
  cli::JointControlFile joints_;
  Controlled what_;
  int failed_ = 0;
};

// Angle of a rotation, rad.
inline double turn(const Mat3<double>& R) { return Eigen::AngleAxisd(R).angle(); }

}  // namespace abut::benchmarks
