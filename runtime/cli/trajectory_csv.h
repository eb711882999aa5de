#pragma once

#include <string>
#include <vector>

#include "runtime/core/output_file.h"
#include "runtime/dynamics/step/simulation.h"

namespace abut::cli {

// Writes poses and velocities of a simulation's bodies, one row per body and time: step, time (s), body,
// position (m), quaternion (w, x, y, z), velocity (m/s), angular velocity (rad/s), all in the world's axes,
// with enough digits to be read back exactly. A body's frame lies in its centre of mass along its principal
// axes, even where the scene gives the frame of an object; docs/conventions.md explains how to recover the
// latter.
class TrajectoryCsv {
 public:
  explicit TrajectoryCsv(const std::string& path);  // "-": standard output; throws IoError
  void write(const dynamics::Simulation& simulation);
  void finish() { file_.finish(); }

 private:
  OutputFile file_;
};

// Writes the contact forces of a simulation's last step, one row per pair of bodies and time: step, time (s),
// bodies A (dynamics::kWorld for the fixed shapes) and B, number of contacts, force on B (N) and its moment
// about B's centre of mass (N m), in the world's axes. There are none before the first step.
class ContactForcesCsv {
 public:
  explicit ContactForcesCsv(const std::string& path);  // "-": standard output; throws IoError
  void write(const dynamics::Simulation& simulation);
  void finish() { file_.finish(); }

 private:
  OutputFile file_;
  std::vector<dynamics::ContactForce> forces_;
};

// Writes one row per step: contacts, the solver's iterations and residual, energies, the accumulated works of
// control and stabilisation (J), greatest penetration depth (m; nan for contact models as forces), the
// longest stable step (s; inf where the step was stable), and the number of substeps.
class StatisticsCsv {
 public:
  explicit StatisticsCsv(const std::string& path);
  void write(const dynamics::Simulation& simulation);
  void finish() { file_.finish(); }

 private:
  OutputFile file_;
  double control_work_ = 0, work_ = 0;
};

}  // namespace abut::cli
