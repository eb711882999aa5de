#pragma once

#include <pybind11/pybind11.h>

namespace abut::python {

// Of all functions and classes of the module, once they are there: arguments that none of a function's forms
// takes are a TypeError of one line, and nothing reaches into objects that were never made.
void guard(const pybind11::module_& module);

}  // namespace abut::python
