#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/core/settings.h"

// The command line of abut-sim.
namespace abut::cli {

struct SimArguments {
  std::string scene, assets, out, stats, contact_forces, page, control, joint_control;
  std::string model = "vertex", integrator = "midpoint", solver;
  bool resume = false, every_given = false;
  std::optional<std::int64_t> steps;   // absent: the scene's duration
  double dt = 2e-3, every = 1.0 / 60;  // s
  int jobs = 1;
  SettingValues settings, integrator_settings, solver_settings;  // given: of contact model, ...
};

// Makes `app` fill `arguments`, which must outlive it.
void add_sim_options(CLI::App& app, SimArguments& arguments);

}  // namespace abut::cli
