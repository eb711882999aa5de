#pragma once

#include <vector>

#include "python/source/arguments.h"
#include "runtime/dynamics/step/integrator.h"

// What Python gives to steps, as the library takes it.
namespace abut::python {

// Of (quantity, name of a body). What they are now may be any numbers, such as 0, by which there is no
// derivative.
std::vector<dynamics::Parameter> parameters_of(const dynamics::System& system, py::handle given);

dynamics::StepConfig config_of(const dynamics::System& system, const py::dict& given);

// Wrenches on bodies, forces and targets of joints, each None for none.
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
