#include "python/source/module.h"

#include <pybind11/pybind11.h>

#include <exception>
#include <string_view>

#include "python/source/answers.h"
#include "python/source/guard.h"
#include "python/source/released.h"
#include "runtime/core/error.h"
#include "runtime/core/thread_pool.h"

namespace abut::python {
namespace {

namespace py = pybind11;

// The exceptions, which also derive from Python's own types. They live as long as the process.
struct Exceptions {
  PyObject *error, *invalid_input, *not_asked, *bad_asset, *io_error;
};
Exceptions exceptions;

PyObject* add_exception(py::module_& module, const char* name, const char* doc, const py::tuple& bases) {
  const std::string full = std::string("abut.") + name;
  PyObject* const made = PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr);
  if (made == nullptr) throw py::error_already_set();
  module.attr(name) = py::handle(made);
  return made;
}

// The message may contain a file name that is not valid UTF-8.
void raise(PyObject* type, const std::exception& error) {
  const std::string_view words = error.what();
  PyErr_SetObject(type, py::reinterpret_steal<py::object>(
                            PyUnicode_DecodeUTF8(words.data(), static_cast<py::ssize_t>(words.size()),
                                                 "backslashreplace"))
                            .ptr());
}

void bind_exceptions(py::module_& module) {
  exceptions.error = add_exception(module, "Error", "What this library raises.",
                                   py::make_tuple(py::handle(PyExc_Exception)));
  const py::handle base = exceptions.error;
  exceptions.invalid_input =
      add_exception(module, "InvalidInput", "An argument is unusable: a pose, a setting, a body.",
                    py::make_tuple(base, py::handle(PyExc_ValueError)));
  exceptions.not_asked =
      add_exception(module, "NotAsked", "An answer has no part that it was not asked for.",
                    py::make_tuple(py::handle(exceptions.invalid_input), py::handle(PyExc_AttributeError)));
  exceptions.bad_asset =
      add_exception(module, "BadAsset", "A file is damaged, or no asset, or of a schema that is not known.",
                    py::make_tuple(base, py::handle(PyExc_ValueError)));
  exceptions.io_error = add_exception(module, "IoError", "A file is missing or must not be read or written.",
                                      py::make_tuple(base, py::handle(PyExc_OSError)));
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const NotAsked& error) {
      raise(exceptions.not_asked, error);
    } catch (const InvalidInput& error) {
      raise(exceptions.invalid_input, error);
    } catch (const BadAsset& error) {
      raise(exceptions.bad_asset, error);
    } catch (const IoError& error) {
      raise(exceptions.io_error, error);
    } catch (const Error& error) {
      raise(exceptions.error, error);
    } catch (const py::cast_error&) {  // from parts of pickles
      PyErr_SetString(PyExc_TypeError, "something is not of the kind that belongs here: a damaged pickle?");
    }
  });
}

}  // namespace

PYBIND11_MODULE(_abut, module) {
  module.doc() = "The compiled part of abut; use the package.";
  module.attr("__version__") = ABUT_VERSION;
  bind_exceptions(module);
  bind_status(module);
  bind_settings(module);
  bind_bodies(module);
  bind_witness(module);
  bind_distance(module);
  bind_contact(module);
  bind_soft_distance(module);
  bind_state(module);
  bind_system(module);
  bind_clearance(module);
  bind_dynamics(module);
  bind_rollout(module);
  bind_page(module);
  watch_for_the_end();
  module.def("default_threads", &default_threads,
             "Number of threads of calls with threads=0: OMP_NUM_THREADS, or one for every processor.");
  guard(module);
}

}  // namespace abut::python
