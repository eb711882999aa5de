#include "python/source/control.h"

#include "python/source/batch.h"

namespace abut::python {
namespace {

using dynamics::Parameter;
using dynamics::StepConfig;
using dynamics::System;

std::vector<Vec6<double>> wrenches_of(const char* function, py::handle given, std::size_t bodies) {
  if (given.is_none()) return {};
  const Name name{function, "control"};
  const py::array array = numbers(name, given);
  if (array.ndim() != 2 || array.shape(0) != static_cast<py::ssize_t>(bodies) || array.shape(1) != 6)
    refuse(name, "has shape " + shape_words(array) + "; it must be (" + std::to_string(bodies) +
                     ", 6): (moment; force) on each body in the world's axes");
  std::vector<Vec6<double>> wrenches(bodies);
  for (std::size_t i = 0; i < bodies; ++i)
    for (py::ssize_t k = 0; k < 6; ++k) wrenches[i][k] = entry(array, static_cast<py::ssize_t>(i), k);
  return wrenches;
}

std::vector<double> of_joints(const Name& name, py::handle given, Eigen::Index size) {
  if (given.is_none()) return {};
  const py::array array = numbers(name, given);
  if (array.ndim() != 1 || array.shape(0) != size)
    refuse(name, "has shape " + shape_words(array) + "; it must be (" + std::to_string(size) + ",)" +
                     (size > 0 ? "" : ": no body has a joint; `control` has forces on bodies"));
  std::vector<double> values(static_cast<std::size_t>(size));
  for (py::ssize_t k = 0; k < size; ++k) values[static_cast<std::size_t>(k)] = entry(array, k);
  return values;
}

// Converts a pair of strings (quantity, body).
Parameter parameter_of(const System& system, py::handle given) {
  const Name name{"simulation", "parameters"};
  if (!py::isinstance<py::sequence>(given) || py::len(given) != 2)
    refuse_type(name, "a sequence of (quantity, name of a body)", given);
  const py::sequence pair = py::reinterpret_borrow<py::sequence>(given);
  const std::string body = text({"simulation", "parameters' body"}, pair[1]);
  const auto quantity = dynamics::find_quantity(text({"simulation", "parameters' quantity"}, pair[0]));
  for (std::size_t i = 0; i < system.body_count(); ++i) {
    if (system.body(i).name != body) continue;
    if (dynamics::of_material(quantity) && system.body(i).shapes.empty())
      refuse(name, "have a number of a material of body '" + body + "', which has no shapes");
    return {quantity, static_cast<std::int32_t>(i)};
  }
  refuse(name, "have a body '" + body + "', which the system has not");
}

}  // namespace

std::vector<Parameter> parameters_of(const System& system, py::handle given) {
  std::vector<Parameter> parameters;
  if (!py::isinstance<py::sequence>(given) || py::isinstance<py::str>(given))
    refuse_type({"simulation", "parameters"}, "a sequence of (quantity, name of a body)", given);
  for (const py::handle one : given) parameters.push_back(parameter_of(system, one));
  return parameters;
}

StepConfig config_of(const System& system, const py::dict& given) {
  constexpr const char* kWho = "simulation";
  StepConfig config;
  config.dt = number({kWho, "dt"}, given["dt"]);
  config.integrator = text({kWho, "integrator"}, given["integrator"]);
  config.solver = text({kWho, "solver"}, given["solver"]);
  config.threads = thread_count(kWho, given["threads"]);
  config.integrator_settings = settings({kWho, "integrator_settings"}, given["integrator_settings"]);
  config.solver_settings = settings({kWho, "solver_settings"}, given["solver_settings"]);
  const std::string model = given["model"].is_none() ? "vertex" : text({kWho, "model"}, given["model"]);
  config.source =
      dynamics::contact_source(model, settings({kWho, "model_settings"}, given["model_settings"]));
  config.parameters = parameters_of(system, given["parameters"]);
  dynamics::require_valid(system.scene(), config.parameters);
  return config;
}

Controls::Controls(const char* function, const System& system, py::handle wrenches, py::handle joint_force,
                   py::handle joint_target)
    : wrenches_(wrenches_of(function, wrenches, system.body_count())),
      joint_force_(of_joints({function, "joint_force"}, joint_force, system.first_v(system.body_count()))),
      joint_target_(
          of_joints({function, "joint_target"}, joint_target, system.first_q(system.body_count()))) {}

}  // namespace abut::python
