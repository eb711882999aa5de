#pragma once

#include <vector>

#include "python/source/arguments.h"
#include "runtime/dynamics/step/integrator.h"

// Converts the controls and settings of steps from Python to the types of the library.
namespace abut::python {

// Parameters from a sequence of (quantity, name of a body). Does not check their current values, which may be
// ones without a derivative, such as 0.
std::vector<dynamics::Parameter> parameters_of(const dynamics::System& system, py::handle given);

dynamics::StepConfig config_of(const dynamics::System& system, const py::dict& given);

// Wrenches on bodies, forces and targets of joints; each may be None.
class Controls {
 public:
  Controls(const char* function, const dynamics::System& system, py::handle wrenches, py::handle joint_force,
           py::handle joint_target);
  dynamics::Control control() const { return {wrenches_, joint_force_, joint_target_}; }

 private:
  std::vector<Vec6<double>> wrenches_;
  std::vector<double> joint_force_, joint_target_;
};

}  // namespace abut::python
