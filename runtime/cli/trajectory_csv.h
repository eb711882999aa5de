#pragma once

#include <string>

#include "runtime/core/output_file.h"
#include "runtime/dynamics/step/simulation.h"

namespace abut::cli {

// Poses and velocities of a simulation's bodies, one row per body and time: step, time (s), body, position
// (m), quaternion (w, x, y, z), velocity (m/s), angular velocity (rad/s), all in the world's axes, in digits
// that read back as the same numbers. A body's frame lies in its centre of mass along its principal axes,
// also where the scene gives the frame of an object: docs/conventions.md tells how to have that back.
class TrajectoryCsv {
 public:
  explicit TrajectoryCsv(const std::string& path);  // "-": standard output; throws IoError
  void write(const dynamics::Simulation& simulation);
  void finish() { file_.finish(); }

 private:
  OutputFile file_;
};

// One row per step: contacts, the solver's iterations and residual, energies, the works of the control and of
// the stabilisation so far (J), greatest depth (m; nan of contact models as forces), the longest stable step
// (s; inf where the step was stable).
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
