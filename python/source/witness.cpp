#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <string>

#include "python/source/answers.h"
#include "python/source/arguments.h"
#include "python/source/batch.h"
#include "python/source/handle_mutex.h"
#include "python/source/interruptible.h"
#include "python/source/module.h"
#include "python/source/witness_answers.h"
#include "runtime/derivative/estimator.h"
#include "runtime/witness/pair_query.h"

namespace abut::python {
namespace {

using derivative::SmoothedPair;

// Makes get(bounds) a property of separations.
template <class Get>
void define_bound(py::class_<Separations>& type, const char* name, Get get, const char* doc) {
  type.def_property_readonly(
      name,
      [get](py::handle self) {
        auto& answers = py::cast<Separations&>(self);
        answers.bounds.resize(answers.items.size());  // NaN where the model has none
        return view(self, answers.bounds, answers.many, get);
      },
      doc);
}

void bind_answers(py::module_& module) {
  auto separations = answers_class<Separations>(module, "Separation", "Witness points and signed distance.");
  const auto itself = [](auto& a) -> auto& { return a; };
  define_witness(separations, itself);
  define_simplex(separations, itself);
  define<Separations>(
      separations, "status", [](auto& a) -> auto& { return a.status; }, "(N,) Status");
  define_bound(
      separations, "depth_lower", [](auto& bounds) -> auto& { return bounds.lower; },
      "(N,) m: of pieces that overlap, no shorter translation separates them; NaN: apart, or another model");
  define_bound(
      separations, "depth_upper", [](auto& bounds) -> auto& { return bounds.upper; },
      "(N,) m: of pieces that overlap, a translation as long separates them; NaN: apart, or another model");
  for (const char* const name : {"dp1_A_dxi_B", "dp2_A_dxi_B", "dn_A_dxi_B", "dd_dxi_B"})
    separations.def_property_readonly(
        name,
        [name](py::handle) {
          require_asked(0, {kFirst, "witness_derivative gives it"}, "Separation", name);
        },
        "of witness_derivative; here it raises NotAsked");

  auto derivatives = answers_class<Answers<PairDerivative>>(
      module, "WitnessDerivative", "Witness points and their derivatives by xi of X_AB exp(xi).");
  const auto witness_of = [](auto& a) -> auto& { return a.witness; };
  define_witness(derivatives, witness_of);
  define_simplex(derivatives, witness_of);
  define_derivative(
      derivatives, [](auto& a) -> auto& { return a.derivative; }, "witness_derivative gives it");

  constexpr Asked kHessians{kSecond, "give hessian=True to smoothed_witness, of hulls"};
  auto smoothed = answers_class<Answers<Smoothed>>(module, "SmoothedWitness",
                                                   "Witness points of smoothed hulls with derivatives.");
  define_witness(
      smoothed, [](auto& a) -> auto& { return a.pair.smoothed; });
  define_derivative(
      smoothed, [](auto& a) -> auto& { return a.pair.derivative; }, "smoothed_witness gives it");
  define<Answers<Smoothed>>(
      smoothed, "exact_distance", [](auto& a) -> auto& { return a.pair.exact.distance; },
      "(N,) of the hulls themselves, m");
  define_asked<Answers<Smoothed>>(
      smoothed, "d2p1_A_dxi_B", kHessians, [](auto& a) -> auto& { return a.hessian.p1_A; }, "(N, 3, 6, 6)");
  define_asked<Answers<Smoothed>>(
      smoothed, "d2p2_A_dxi_B", kHessians, [](auto& a) -> auto& { return a.hessian.p2_A; }, "(N, 3, 6, 6)");
  define_asked<Answers<Smoothed>>(
      smoothed, "d2n_A_dxi_B", kHessians, [](auto& a) -> auto& { return a.hessian.n_A; }, "(N, 3, 6, 6)");
  define_asked<Answers<Smoothed>>(
      smoothed, "d2d_dxi_B", kHessians, [](auto& a) -> auto& { return a.hessian.d; }, "(N, 6, 6)");
}

Separations separation(py::handle A, py::handle B, py::handle X_AB, py::handle threads) {
  constexpr const char* kWho = "separation";
  const int thread_limit = thread_count(kWho, threads);
  const Pairs pairs(kWho, A, B, X_AB);
  Separations answers(pairs.all().size(), pairs.many());
  check_all(pairs.all(), kWho, pairs.many(), [](const body::Pair& p) { witness::require_valid(p, kWho); });
  if (!pairs.many()) {
    answers.items[0] = witness::separation(pairs.front());
    return answers;
  }
  witness::BatchSeparation batch(thread_limit);
  in_pieces(static_cast<std::int64_t>(answers.items.size()), [&](std::int64_t begin, std::int64_t end) {
    batch(pairs.all().subspan(begin, end - begin), std::span(answers.items).subspan(begin, end - begin));
  });
  return answers;
}

// Witness points of one pair of geometries; each query is warm-started from the previous one.
struct PairQuery {
  PairQuery(py::handle A, py::handle B) : solver(geometry("A", A), geometry("B", B)) {}

  static const body::Geometry& geometry(const char* argument, py::handle value) {
    if (py::isinstance<body::Body>(value)) return py::cast<const body::Body&>(value).geometry;
    if (!py::isinstance<body::Geometry>(value))
      refuse_type({"PairSolver", argument}, "a Body or a Geometry", value);
    return py::cast<const body::Geometry&>(value);
  }

  Separations ask(py::handle X_AB) {
    const Poses poses({"PairSolver", "X_AB"}, X_AB);
    Separations answers(poses.count(), poses.many());
    const auto ask_some = [&](std::int64_t begin, std::int64_t end) {
      const std::lock_guard lock(mutex);
      for (std::int64_t i = begin; i < end; ++i) answers.items[i] = solver(poses[i]);
    };
    if (poses.many())
      in_pieces(static_cast<std::int64_t>(poses.count()), ask_some);
    else
      ask_some(0, 1);
    return answers;
  }

  witness::PairSolver solver;
  HandleMutex mutex;
};

// An estimator with its memory. It answers one question at a time; other threads wait.
class EstimatorHandle {
 public:
  EstimatorHandle(py::handle name, py::handle given, py::handle threads)
      : name_(text({"Estimator", "estimator"}, name)),
        settings_(settings({"Estimator", "settings"}, given)),
        threads_(thread_count("Estimator", threads)),
        one_(derivative::make_estimator(name_, settings_)) {}

  Answers<PairDerivative> derivative(py::handle A, py::handle B, py::handle X_AB) {
    return answered<PairDerivative>(
        Pairs(kWho, A, B, X_AB), kWho, mutex_, [](const body::Pair& p) { witness::require_valid(p, kWho); },
        [&](const body::Pair& pair) { return (*one_)(pair); },
        [&](auto pairs, auto results) { batch()(pairs, results); });
  }

  Answers<Smoothed> smoothed(py::handle A, py::handle B, py::handle X_AB, py::handle hessian) {
    const Pairs pairs(kSmoothedWho, A, B, X_AB);
    const bool second = truth({kSmoothedWho, "hessian"}, hessian);
    if (!derivative::find_estimator(name_).has_smoothed)
      throw InvalidInput(std::string(kSmoothedWho) + ": the estimator '" + name_ + "' smooths nothing");
    Answers<Smoothed> answers(pairs.all().size(), pairs.many());
    answers.parts = second ? kFirst | kSecond : kFirst;
    check_all(pairs.all(), kSmoothedWho, pairs.many(),
              [](const body::Pair& p) { derivative::require_hulls(p, kSmoothedWho); });
    in_pieces(static_cast<std::int64_t>(answers.items.size()), [&](std::int64_t begin, std::int64_t end) {
      const std::lock_guard lock(mutex_);
      const auto size = static_cast<std::size_t>(end - begin);
      std::vector<SmoothedPair> found(size);
      std::vector<Hessian> hessians(second ? size : 0);
      batch().smoothed(pairs.all().subspan(begin, size), found, hessians);
      for (std::size_t i = 0; i < size; ++i) {
        answers.items[begin + i] = {found[i], second ? hessians[i] : absent_hessian()};
      }
    });
    return answers;
  }

  const std::string& name() const { return name_; }

 private:
  static constexpr const char* kWho = "witness_derivative";
  static constexpr const char* kSmoothedWho = "smoothed_witness";

  derivative::BatchEstimator& batch() {
    if (!batch_) batch_ = std::make_unique<derivative::BatchEstimator>(name_, settings_, threads_);
    return *batch_;
  }

  std::string name_;
  SettingValues settings_;
  int threads_;
  std::unique_ptr<derivative::Estimator> one_;
  std::unique_ptr<derivative::BatchEstimator> batch_;
  HandleMutex mutex_;
};

}  // namespace

void bind_witness(py::module_& module) {
  bind_answers(module);
  module.def("separation", &separation);
  py::class_<PairQuery>(module, "PairSolver")
      .def(py::init<py::handle, py::handle>(), py::arg("A"), py::arg("B"))
      .def("__call__", &PairQuery::ask, py::arg("X_AB"))
      .def("forget", [](PairQuery& query) {
        const std::lock_guard lock(query.mutex);
        query.solver.forget();
      });
  py::class_<EstimatorHandle>(module, "Estimator")
      .def(py::init<py::handle, py::handle, py::handle>())
      .def_property_readonly("name", &EstimatorHandle::name)
      .def("__call__", &EstimatorHandle::derivative, py::arg("A"), py::arg("B"), py::arg("X_AB"))
      .def("smoothed", &EstimatorHandle::smoothed, py::arg("A"), py::arg("B"), py::arg("X_AB"),
           py::arg("hessian"));
}

}  // namespace abut::python
