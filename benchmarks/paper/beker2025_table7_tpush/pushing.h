#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/dynamics/step/integrator.h"

// Planar pushing of a T by a spherical finger on a spring [Beker2025, IV-C], the same in two simulators.
namespace abut::tpush {

// Targets of the finger (x, y), m, held between rows.
struct Targets {
  std::vector<std::array<double, 2>> rows;
  double interval = 0;  // s between rows

  double duration() const { return static_cast<double>(rows.size() - 1) * interval; }
  const std::array<double, 2>& at(double time) const;
};

// A file with columns t, ux, uy. Throws InvalidInput.
Targets read_targets(const std::string& file);

// Where the T stands, m and rad, along the way, and what a step took.
struct Rollout {
  std::vector<std::array<double, 3>> way;  // (x, y, angle) at the targets' rows
  double step_time = 0;                    // of the processor, s
  long steps = 0, failed = 0;              // all, and those without an answer
  bool finite = true;
};

// A T of 25 x 20 x 4 cm: `geometry` is in the frame of the body of the reference model.
dynamics::Scene scene_of(const body::Geometry& geometry, const std::array<double, 2>& finger);

Rollout push(const dynamics::Scene& scene, const Targets& targets, const dynamics::StepConfig& config);

// A page that plays the push.
void write_push_page(const dynamics::Scene& scene, const Targets& targets, const dynamics::StepConfig& config,
                     const std::filesystem::path& file);

// MuJoCo on its own model file. `integrator`: mjINT_EULER or mjINT_RK4.
Rollout push_in_mujoco(const std::string& model, const Targets& targets, int integrator, double dt);

}  // namespace abut::tpush
