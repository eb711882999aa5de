#include "python/source/guard.h"

#include <string>
#include <string_view>
#include <vector>

namespace abut::python {
namespace {

namespace py = pybind11;

std::string type_name(py::handle value) {
  return value.is_none() ? "None" : std::string(py::str(py::type::handle_of(value).attr("__name__")));
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return "(" + text + ")";
}

// Shortens "state: abut._abut.State" to "state: State", "X_AB: handle" to "X_AB", "arg0: int" to "int".
std::string parameter(std::string_view words) {
  const std::size_t colon = words.find(": ");
  const std::string_view name = words.substr(0, colon);
  std::string_view type = colon == words.npos ? std::string_view{} : words.substr(colon + 2);
  type = type.substr(type.rfind('.') == type.npos ? 0 : type.rfind('.') + 1);
  const bool unnamed = name.substr(0, 3) == "arg", untyped = type.empty() || type == "handle";
  if (unnamed) return untyped ? "value" : std::string(type);
  return std::string(name) + (untyped ? "" : ": " + std::string(type));
}

// The parameters of a function, except self, from the line "name(self: T, state: abut._abut.State) -> R" with
// which pybind11 starts its docstring.
std::string parameters(std::string_view doc, bool method) {
  std::vector<std::string> names;
  const std::size_t open = doc.find('('), close = doc.find(") ->");
  if (open == doc.npos || close == doc.npos || doc.find("Overloaded function.") != doc.npos) return "";
  std::string_view rest = doc.substr(open + 1, close - open - 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(", ");
    names.push_back(parameter(rest.substr(0, comma)));
    rest = comma == rest.npos ? std::string_view{} : rest.substr(comma + 2);
  }
  if (method && !names.empty()) names.erase(names.begin());
  return joined(names);
}

// Adds a last overload that takes everything and reports in one line what the others take; pybind11 would
// list their C++ types.
void refuse_others(py::handle owner, const std::string& name, const py::object& function, bool method) {
  const std::string who = (method ? std::string(py::str(owner.attr("__name__"))) + "." : "") + name;
  const std::string takes = parameters(std::string(py::str(function.attr("__doc__"))), method);
  const auto refuse = [who, takes, method](const py::args& given, const py::kwargs& named) -> py::object {
    std::vector<std::string> words;
    for (std::size_t i = method ? 1 : 0; i < given.size(); ++i) words.push_back(type_name(given[i]));
    for (const auto& [key, value] : named)
      words.push_back(std::string(py::str(key)) + "=" + type_name(value));
    throw py::type_error(who + (takes.empty() ? "" : " takes " + takes + ", and") + " cannot take " +
                         joined(words));
  };
  py::options options;
  options.disable_function_signatures();
  const py::cpp_function last =
      method ? py::cpp_function(refuse, py::name(name.c_str()), py::is_method(owner), py::sibling(function))
             : py::cpp_function(refuse, py::name(name.c_str()), py::scope(owner), py::sibling(function));
  owner.attr(name.c_str()) = last;
}

// Objects whose constructor has not run (Class.__new__(Class), a subclass before super().__init__()) have no
// C++ object, and pybind11 allocates raw memory for them on use. This function replaces that allocation.
void* refuse_unmade(std::size_t) {
  throw py::type_error("this object is not initialised: its __init__ has not run");
}

// Replaces object.__reduce__, which would make a bare object of pybind11's base class and crash the process.
py::tuple reduce(const py::object& self) {
  const py::type type = py::type::of(self);
  if (!py::hasattr(type, "__setstate__"))
    throw py::type_error("cannot pickle '" + std::string(py::str(type.attr("__name__"))) + "' objects");
  return py::make_tuple(py::module_::import("copyreg").attr("__newobj__"), py::make_tuple(type),
                        self.attr("__getstate__")());
}

void guard_methods(py::handle type) {
  const auto members = py::reinterpret_steal<py::dict>(PyDict_Copy(py::dict(type.attr("__dict__")).ptr()));
  bool makes = false;  // has a constructor for Python
  for (const auto& [key, value] : members) {
    if (!PyInstanceMethod_Check(value.ptr())) continue;
    makes = makes || std::string(py::str(key)) == "__init__";
    const auto function = py::reinterpret_borrow<py::object>(PyInstanceMethod_GET_FUNCTION(value.ptr()));
    if (PyCFunction_Check(function.ptr())) refuse_others(type, std::string(py::str(key)), function, true);
  }
  if (makes) return;
  const std::string name = py::str(type.attr("__name__"));
  type.attr("__init__") = py::cpp_function(
      [name](const py::args&, const py::kwargs&) {
        throw py::type_error("a " + name + " is made by the library alone");
      },
      py::name("__init__"), py::is_method(type));
}

}  // namespace

void guard(const py::module_& module) {
  const auto members = py::reinterpret_steal<py::dict>(PyDict_Copy(module.attr("__dict__").ptr()));
  for (const auto& [key, value] : members) {
    if (PyCFunction_Check(value.ptr()))
      refuse_others(module, std::string(py::str(key)), py::reinterpret_borrow<py::object>(value), false);
    if (!py::isinstance<py::type>(value)) continue;
    auto* const type = py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr()));
    if (type == nullptr) continue;
    type->operator_new = &refuse_unmade;
    value.attr("__reduce__") = py::cpp_function(&reduce, py::name("__reduce__"), py::is_method(value));
    guard_methods(value);
  }
}

}  // namespace abut::python
