#include "runtime/ssdf/soft_distances.h"

#include <pybind11/pybind11.h>

#include <cmath>

#include "python/source/answers.h"
#include "python/source/arguments.h"
#include "python/source/batch.h"
#include "python/source/module.h"
#include "python/source/released.h"

namespace abut::python {
namespace {

using SoftAnswers = Answers<ssdf::SoftDistance<double>>;

// Soft distances from one geometry, prepared once. Thread-safe.
class SoftDistanceHandle {
 public:
  SoftDistanceHandle(py::handle geometry, py::handle given, py::handle threads)
      : threads_(thread_count(kWho, threads)),
        distances_(geometry_of(geometry), ssdf::soft_distance_config(settings({kWho, "settings"}, given))) {}

  SoftAnswers ask(py::handle points, py::handle order) const {
    const std::int64_t number = whole_number({kWho, "order"}, order, 0);
    if (number > static_cast<std::int64_t>(ssdf::Order::kHessian)) refuse({kWho, "order"}, "is more than 2");
    const auto wanted = static_cast<ssdf::Order>(number);
    const Vectors given({kWho, "points"}, points, 3);
    std::vector<Vec3<double>> p_GQ(given.count());
    for (std::size_t i = 0; i < p_GQ.size(); ++i) {
      p_GQ[i] = {given(i, 0), given(i, 1), given(i, 2)};
      if (p_GQ[i].allFinite()) continue;
      const std::string at = "points" + (given.many() ? "[" + std::to_string(i) + "]" : std::string());
      refuse({kWho, at.c_str()}, "has a coordinate that is NaN or infinite");
    }
    SoftAnswers answers(p_GQ.size(), given.many());
    if (given.many()) {
      // In one piece: neighbouring points are answered together.
      const Released release;
      distances_(p_GQ, wanted, answers.items, threads_);
    } else {
      answers.items[0] = distances_(p_GQ[0], wanted);
    }
    for (auto& answer : answers.items) {  // pickles contain all bytes
      if (wanted < ssdf::Order::kGradient) answer.gradient.setConstant(std::nan(""));
      if (wanted < ssdf::Order::kHessian) answer.hessian.setConstant(std::nan(""));
    }
    answers.parts =
        (wanted >= ssdf::Order::kGradient ? kFirst : 0u) | (wanted >= ssdf::Order::kHessian ? kSecond : 0u);
    return answers;
  }

 private:
  static constexpr const char* kWho = "soft_distance";

  static body::Geometry geometry_of(py::handle value) {
    if (py::isinstance<body::Body>(value)) return py::cast<const body::Body&>(value).geometry;
    if (!py::isinstance<body::Geometry>(value))
      refuse_type({kWho, "geometry"}, "a Geometry or a Body", value);
    return py::cast<const body::Geometry&>(value);
  }

  int threads_;
  ssdf::SoftDistances distances_;
};

}  // namespace

void bind_soft_distance(py::module_& module) {
  auto type = answers_class<SoftAnswers>(module, "SoftDistance", "Soft signed distances of points.");
  define<SoftAnswers>(
      type, "value", [](auto& a) -> auto& { return a.value; }, "(N,) m, negative inside");
  define_asked<SoftAnswers>(
      type, "gradient", {kFirst, "give order=1 to soft_distance"},
      [](auto& a) -> auto& { return a.gradient; }, "(N, 3) not unit");
  define_asked<SoftAnswers>(
      type, "hessian", {kSecond, "give order=2 to soft_distance"}, [](auto& a) -> auto& { return a.hessian; },
      "(N, 3, 3) 1/m");
  define<SoftAnswers>(
      type, "status", [](auto& a) -> auto& { return a.status; }, "(N,) Status");
  py::class_<SoftDistanceHandle>(module, "SoftDistances")
      .def(py::init<py::handle, py::handle, py::handle>())
      .def("_ask", &SoftDistanceHandle::ask);
}

}  // namespace abut::python
