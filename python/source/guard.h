#pragma once

#include <pybind11/pybind11.h>

namespace abut::python {

// Guards all functions and classes of the module, after their definition: arguments that match no overload
// raise a TypeError of one line, and no function can access objects that were never initialised.
void guard(const pybind11::module_& module);

}  // namespace abut::python
