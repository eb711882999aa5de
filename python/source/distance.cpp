#include "runtime/proximity/distance_model.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <string>
#include <type_traits>

#include "python/source/batch.h"
#include "python/source/handle_mutex.h"
#include "python/source/module.h"
#include "python/source/witness_answers.h"
#include "runtime/contact/model.h"
#include "runtime/proximity/overlap_volume.h"
#include "runtime/proximity/surface_query.h"

namespace abut::python {
namespace {

using proximity::Contact;
using proximity::OverlapVolume;

// The contact regions of all pairs, pair after pair.
struct Regions : Answers<Contact> {
  using Answers::Answers;
  std::vector<std::int64_t> offsets;  // (N + 1); pair i: offsets[i] to offsets[i + 1]
};

// A distance model with its memory. It answers one question at a time; other threads wait.
class DistanceModelHandle {
 public:
  DistanceModelHandle(py::handle name, py::handle method, py::handle given, py::handle threads)
      : name_(text({"DistanceModel", "model"}, name)),
        method_(method.is_none() ? std::string() : text({"DistanceModel", "method"}, method)),
        settings_(settings({"DistanceModel", "settings"}, given)),
        threads_(thread_count("DistanceModel", threads)),
        one_(proximity::make_distance_model(name_, method_, settings_)) {}

  const std::string& name() const { return name_; }

  Separations separation(py::handle A, py::handle B, py::handle X_AB) {
    const auto found = [&]<class Result>(std::type_identity<Result>) {
      return Separations(ask<Result>(
          "separation", Pairs("separation", A, B, X_AB),
          [&](const body::Pair& pair) -> Result { return one_->separation(pair); },
          [&](auto pairs, auto results) { batch().separations(pairs, results); }));
    };
    return proximity::find_distance_model(name_).bounds_translational_depth
               ? found(std::type_identity<proximity::Separation>())
               : found(std::type_identity<Witness>());
  }

  Answers<PairDerivative> derivative(py::handle A, py::handle B, py::handle X_AB) {
    return ask<PairDerivative>(
        "witness_derivative", Pairs("witness_derivative", A, B, X_AB),
        [&](const body::Pair& pair) { return one_->derivative(pair); },
        [&](auto pairs, auto results) { batch().derivatives(pairs, results); });
  }

  Answers<Smoothed> smoothed(py::handle A, py::handle B, py::handle X_AB, py::handle hessian) {
    const Pairs pairs(kSmoothedWho, A, B, X_AB);
    if (!proximity::find_distance_model(name_).has_smoothed())
      throw InvalidInput(std::string(kSmoothedWho) + ": the distance model '" + name_ +
                         "' has no smoothed form" +
                         (name_ == "hull" ? " of its own; abut.smoothed_witness(model='hull') and "
                                            "Estimator('soft_bodies') have it"
                                          : ""));
    if (truth({kSmoothedWho, "hessian"}, hessian))
      throw InvalidInput(std::string(kSmoothedWho) + ": the distance model '" + name_ +
                         "' has no second derivatives; leave hessian out");
    Answers<Smoothed> answers = ask<Smoothed>(
        kSmoothedWho, pairs,
        [&](const body::Pair& pair) -> Smoothed {
          return {one_->smoothed(pair), absent_hessian()};
        },
        [&](auto some, auto results) {
          std::vector<derivative::SmoothedPair> found(some.size());
          batch().smoothed(some, found);
          for (std::size_t i = 0; i < found.size(); ++i) results[i] = {found[i], absent_hessian()};
        },
        &proximity::DistanceModel::require_smoothable);
    answers.parts = kFirst;
    return answers;
  }

  std::unique_ptr<Regions> regions(py::handle A, py::handle B, py::handle X_AB, py::handle margin,
                                   py::handle derivatives) {
    const double reach = number({kRegionsWho, "margin"}, margin);
    contact::require_margin(kRegionsWho, reach);
    const bool first = truth({kRegionsWho, "derivatives"}, derivatives);
    const Pairs pairs(kRegionsWho, A, B, X_AB);
    check(kRegionsWho, pairs);
    std::vector<std::vector<Contact>> each(pairs.all().size());
    in_pieces(static_cast<std::int64_t>(each.size()), [&](std::int64_t begin, std::int64_t end) {
      const std::lock_guard lock(mutex_);
      batch().contacts(pairs.all().subspan(begin, end - begin), reach, first,
                       std::span(each).subspan(begin, end - begin));
    });
    std::vector<std::int64_t> offsets{0};
    for (const std::vector<Contact>& of_pair : each)
      offsets.push_back(offsets.back() + static_cast<std::int64_t>(of_pair.size()));
    auto regions = std::make_unique<Regions>(static_cast<std::size_t>(offsets.back()), true);
    for (std::size_t i = 0; i < each.size(); ++i)
      std::copy(each[i].begin(), each[i].end(), regions->items.begin() + offsets[i]);
    regions->parts = first ? kFirst : 0;
    if (!first)
      for (Contact& contact : regions->items) contact.pair.derivative.status = contact.pair.witness.status;
    regions->offsets = std::move(offsets);
    return regions;
  }

 private:
  static constexpr const char* kSmoothedWho = "smoothed_witness";
  static constexpr const char* kRegionsWho = "all_contacts";

  void check(const char* who, const Pairs& pairs) const {
    check_all(pairs.all(), who, pairs.many(),
              [&](const body::Pair& pair) { one_->require_valid(pair, who); });
  }

  template <class Result, class One, class Batch>
  Answers<Result> ask(const char* who, const Pairs& pairs, One&& one, Batch&& many,
                      void (proximity::DistanceModel::*require)(const body::Pair&, const char*)
                          const = &proximity::DistanceModel::require_valid) {
    return answered<Result>(
        pairs, who, mutex_, [&](const body::Pair& pair) { ((*one_).*require)(pair, who); }, one, many);
  }

  proximity::BatchDistanceModel& batch() {
    if (!batch_)
      batch_ = std::make_unique<proximity::BatchDistanceModel>(name_, method_, settings_, threads_);
    return *batch_;
  }

  std::string name_, method_;
  SettingValues settings_;
  int threads_;
  std::unique_ptr<proximity::DistanceModel> one_;
  std::unique_ptr<proximity::BatchDistanceModel> batch_;
  HandleMutex mutex_;
};

void bind_regions(py::module_& module) {
  auto type = answers_class<Regions>(module, "ContactRegions",
                                     "Contact regions of pairs, in A; K of all together, of a pair the "
                                     "nearest first.");
  define_witness(
      type, [](auto& c) -> auto& { return c.pair.witness; });
  define_derivative(
      type, [](auto& c) -> auto& { return c.pair.derivative; }, "give derivatives=True to all_contacts");
  define<Regions>(
      type, "feature_A", [](auto& c) -> auto& { return c.feature_A; },
      "(K,) what of A carries p1: the same from pose to pose while it does");
  define<Regions>(
      type, "feature_B", [](auto& c) -> auto& { return c.feature_B; }, "(K,) what of B carries p2");
  type.def_property_readonly(
      "offsets", [](py::handle self) { return view(self, py::cast<Regions&>(self).offsets, true); },
      "(N + 1,) regions of pair i: offsets[i] to offsets[i + 1]");
}

Answers<OverlapVolume> overlap_volume(py::handle A, py::handle B, py::handle X_AB, py::handle threads) {
  constexpr const char* kWho = "overlap_volume";
  const int thread_limit = thread_count(kWho, threads);
  const Pairs pairs(kWho, A, B, X_AB);
  Answers<OverlapVolume> answers(pairs.all().size(), pairs.many());
  check_all(pairs.all(), kWho, pairs.many(),
            [](const body::Pair& pair) { proximity::require_surfaces(pair, kWho); });
  in_pieces(static_cast<std::int64_t>(answers.items.size()), [&](std::int64_t begin, std::int64_t end) {
    proximity::overlap_volumes(pairs.all().subspan(begin, end - begin),
                               std::span(answers.items).subspan(begin, end - begin), thread_limit);
  });
  return answers;
}

void bind_overlap_volume(py::module_& module) {
  auto type = answers_class<Answers<OverlapVolume>>(module, "OverlapVolume",
                                                    "Volume that the surfaces of pairs have in common.");
  define<Answers<OverlapVolume>>(
      type, "volume", [](auto& a) -> auto& { return a.volume; }, "(N,) m^3");
  define<Answers<OverlapVolume>>(
      type, "error", [](auto& a) -> auto& { return a.error; }, "(N,) m^3: of rounding, no more");
  define<Answers<OverlapVolume>>(
      type, "dvolume_dxi_B", [](auto& a) -> auto& { return a.dvolume_dxi_B; },
      "(N, 6) by the twist of B, in B: m^3/rad, m^2");
  define<Answers<OverlapVolume>>(
      type, "status", [](auto& a) -> auto& { return a.status; }, "(N,) Status");
  module.def("overlap_volume", &overlap_volume);
}

}  // namespace

void bind_distance(py::module_& module) {
  bind_regions(module);
  bind_overlap_volume(module);
  py::class_<DistanceModelHandle>(module, "DistanceModel")
      .def(py::init<py::handle, py::handle, py::handle, py::handle>())
      .def_property_readonly("name", &DistanceModelHandle::name)
      .def("__call__", &DistanceModelHandle::derivative, py::arg("A"), py::arg("B"), py::arg("X_AB"))
      .def("separation", &DistanceModelHandle::separation, py::arg("A"), py::arg("B"), py::arg("X_AB"))
      .def("smoothed", &DistanceModelHandle::smoothed, py::arg("A"), py::arg("B"), py::arg("X_AB"),
           py::arg("hessian"))
      .def("_all_contacts", &DistanceModelHandle::regions);
}

}  // namespace abut::python
