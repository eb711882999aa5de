#pragma once

#include <pybind11/pybind11.h>

// The parts of the compiled module abut._abut, one source file each. The functions that users call, with
// their defaults and docstrings, are Python (python/abut); those here take every argument, in order.
namespace abut::python {

void bind_status(pybind11::module_& module);
void bind_settings(pybind11::module_& module);
void bind_bodies(pybind11::module_& module);
void bind_witness(pybind11::module_& module);
void bind_distance(pybind11::module_& module);
void bind_contact(pybind11::module_& module);
void bind_soft_distance(pybind11::module_& module);
void bind_state(pybind11::module_& module);
void bind_system(pybind11::module_& module);
void bind_clearance(pybind11::module_& module);
void bind_dynamics(pybind11::module_& module);
void bind_rollout(pybind11::module_& module);
void bind_page(pybind11::module_& module);

}  // namespace abut::python
