#include "runtime/core/settings.h"

#include <pybind11/pybind11.h>

#include <array>
#include <string>

#include "python/source/answers.h"
#include "python/source/module.h"
#include "runtime/contact/model.h"
#include "runtime/derivative/estimator.h"
#include "runtime/dynamics/solve/contact_solver.h"
#include "runtime/dynamics/step/integrator.h"
#include "runtime/proximity/distance_model.h"
#include "runtime/ssdf/kernel.h"

namespace abut::python {
namespace {

constexpr std::array kStatuses = {Status::kOk,           Status::kTouching,  Status::kClamped,
                                  Status::kNotConverged, Status::kNoOverlap, Status::kInvalidInput};
std::array<PyObject*, kStatuses.size()> status_words{};  // members of abut.Status, never released

// [(name, unit, default, range, help), ...]
py::list rows_of(const std::vector<SettingInfo>& infos) {
  py::list rows;
  for (const SettingInfo& info : infos)
    rows.append(py::make_tuple(info.name, info.unit, info.default_value, info.range, info.help));
  return rows;
}

// {name: (summary, settings, capabilities)} of a table.
template <class Rows, class Capabilities>
py::dict table(const Rows& rows, Capabilities&& capabilities) {
  py::dict result;
  for (const auto& row : rows)
    result[py::str(std::string(row.name))] =
        py::make_tuple(std::string(row.summary), rows_of(row.settings()), capabilities(row));
  return result;
}

py::dict tables() {
  using namespace py::literals;
  const auto nothing = [](const auto&) { return py::dict(); };
  py::dict result;
  result["estimators"] = table(derivative::estimators(), [](const derivative::EstimatorRow& row) {
    return py::dict("exact_for_polytopes"_a = row.estimate_of == derivative::EstimateOf::kPolytope,
                    "has_smoothed"_a = row.has_smoothed, "sampled"_a = row.sampled);
  });
  result["models"] = table(contact::models(), [](const contact::ModelRow& row) {
    return py::dict("has_jacobian"_a = contact::has(row.offers, contact::Want::kJacobian),
                    "has_hessian"_a = contact::has(row.offers, contact::Want::kHessian),
                    "has_energy"_a = contact::has(row.offers, contact::Want::kEnergy),
                    "exact_jacobian"_a = row.exact_jacobian, "smoothness"_a = row.smoothness);
  });
  py::dict distances;  // with the settings of the first method; capabilities have those of each
  for (const proximity::DistanceModelRow& row : proximity::distance_models()) {
    py::dict methods;
    for (const std::string_view method : row.methods)
      methods[py::str(std::string(method))] = rows_of(row.settings(method));
    distances[py::str(std::string(row.name))] =
        py::make_tuple(std::string(row.summary), rows_of(row.settings(row.methods.front())),
                       py::dict("methods"_a = methods, "has_smoothed"_a = row.has_smoothed()));
  }
  result["distance_models"] = distances;
  result["integrators"] = table(dynamics::integrators(), nothing);
  result["solvers"] = table(dynamics::contact_solvers(), nothing);
  result["soft_distance"] = rows_of(describe(ssdf::soft_distance_settings()));
  return result;
}

}  // namespace

py::object status_word(Status status) {
  return py::reinterpret_borrow<py::object>(status_words.at(static_cast<std::size_t>(status)));
}

void bind_status(py::module_& module) {
  py::dict members;
  for (const Status status : kStatuses) {
    std::string word(to_string(status));
    for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    members[py::str(word)] = static_cast<int>(status);
  }
  const py::object type =
      py::module_::import("enum").attr("IntEnum")("Status", members, py::arg("module") = "abut");
  for (const Status status : kStatuses)
    status_words[static_cast<std::size_t>(status)] = type(static_cast<int>(status)).release().ptr();
  type.attr("__doc__") = "How a numerical query ended; docs/conventions.md, values of status.";
  module.attr("Status") = type;
}

void bind_settings(py::module_& module) { module.def("tables", &tables); }

}  // namespace abut::python
