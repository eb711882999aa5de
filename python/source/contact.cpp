#include <pybind11/pybind11.h>

#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "python/source/answers.h"
#include "python/source/arguments.h"
#include "python/source/batch.h"
#include "python/source/handle_mutex.h"
#include "python/source/interruptible.h"
#include "python/source/module.h"
#include "runtime/contact/model.h"
#include "runtime/core/parallel.h"

namespace abut::python {
namespace {

using contact::ContactPoint;
using contact::ContactPointDerivative;
using contact::PairWrench;
using contact::Want;
using contact::WrenchHessian;

// Wrenches, with Hessians if requested.
struct Wrenches : Answers<PairWrench> {
  using Answers::Answers;
  Room<WrenchHessian> hessians;
};

// The contact points of all pairs, pair after pair.
struct ContactPoints {
  std::vector<ContactPoint> points;
  std::vector<ContactPointDerivative> derivatives;  // empty if not requested
  std::vector<std::int64_t> offsets;                // (N + 1); pair i: offsets[i] to offsets[i + 1]
  std::vector<Status> statuses;
  bool many = false;
};

constexpr Asked kJacobians{kFirst, "wrench_derivative gives it"};
constexpr Asked kEnergy{kPotential, "give energy=True to wrench or wrench_derivative"};
constexpr Asked kHessians{kSecond, "wrench_hessian gives it"};
constexpr Asked kPointDerivatives{kFirst, "give derivatives=True to contact_points"};

// The parts of a wrench that `want` contains.
Part parts_of(Want want) {
  return (has(want, Want::kJacobian) ? kFirst : 0u) | (has(want, Want::kHessian) ? kSecond : 0u) |
         (has(want, Want::kEnergy) ? kPotential : 0u);
}

// A contact model with its memory. It answers one question at a time; other threads wait.
class ModelHandle {
 public:
  ModelHandle(py::handle name, py::handle given, py::handle threads)
      : name_(text({"Model", "model"}, name)),
        settings_(settings({"Model", "settings"}, given)),
        threads_(thread_count("Model", threads)),
        one_(contact::make_model(name_, settings_)) {}

  const std::string& name() const { return name_; }

  std::unique_ptr<Wrenches> wrench(py::handle A, py::handle B, py::handle X_AB, py::handle V_AB_B,
                                   int wants) {
    const auto want = static_cast<Want>(wants);
    const char* const who = has(want, Want::kHessian)    ? "wrench_hessian"
                            : has(want, Want::kJacobian) ? "wrench_derivative"
                                                         : "wrench";
    const Pairs pairs(who, A, B, X_AB, V_AB_B);
    require_offered(want, who);
    const std::size_t count = pairs.all().size();
    auto answers = std::make_unique<Wrenches>(count, pairs.many());
    answers->parts = parts_of(want);
    if (has(want, Want::kHessian)) answers->hessians.resize(count);
    WrenchHessian* const hessian = answers->hessians.empty() ? nullptr : answers->hessians.data();
    if (!pairs.many()) {
      const Released release;
      const std::lock_guard lock(mutex_);
      answers->items[0] = one_->wrench(pairs.front(), want, hessian);
      return answers;
    }
    check_all(pairs.all(), who, true, [&](const body::Pair& pair) { one_->require_valid(pair); });
    in_pieces(static_cast<std::int64_t>(count), [&](std::int64_t begin, std::int64_t end) {
      const std::lock_guard lock(mutex_);
      if (!batch_) batch_ = std::make_unique<contact::BatchModel>(name_, settings_, threads_);
      const auto size = static_cast<std::size_t>(end - begin);
      std::span<WrenchHessian> room(answers->hessians);
      batch_->wrenches(pairs.all().subspan(begin, size), std::span(answers->items).subspan(begin, size), want,
                       room.empty() ? room : room.subspan(begin, size));
    });
    return answers;
  }

  ContactPoints points(py::handle A, py::handle B, py::handle X_AB, py::handle margin,
                       py::handle derivatives) {
    const double reach = number({"contact_points", "margin"}, margin);
    contact::require_margin("contact_points", reach);
    const Want want = truth({"contact_points", "derivatives"}, derivatives) ? Want::kJacobian : Want::kValue;
    const Pairs pairs("contact_points", A, B, X_AB);
    check_all(pairs.all(), "contact_points", pairs.many(),
              [&](const body::Pair& pair) { one_->require_valid(pair); });
    const std::size_t count = pairs.all().size();
    std::vector<ContactPoints> each(count);
    in_pieces(static_cast<std::int64_t>(count), [&](std::int64_t begin, std::int64_t end) {
      const std::lock_guard lock(mutex_);
      make_each();
      parallel_for(end - begin, static_cast<int>(each_.size()), [&](std::int64_t i, int thread) {
        const contact::Constraints found = each_[thread]->constraints(pairs.all()[begin + i], reach, want);
        each[begin + i] = {{found.points.begin(), found.points.end()},
                           {found.derivatives.begin(), found.derivatives.end()},
                           {},
                           {found.status},
                           false};
      });
    });
    ContactPoints all;
    all.many = pairs.many();
    all.offsets.push_back(0);
    for (const ContactPoints& part : each) {
      all.points.insert(all.points.end(), part.points.begin(), part.points.end());
      all.derivatives.insert(all.derivatives.end(), part.derivatives.begin(), part.derivatives.end());
      all.offsets.push_back(static_cast<std::int64_t>(all.points.size()));
      all.statuses.push_back(part.statuses.front());
    }
    return all;
  }

 private:
  void require_offered(Want want, const char* who) const {
    for (const auto& [one, word] :
         {std::pair{Want::kHessian, "Hessian"}, std::pair{Want::kEnergy, "energy"}}) {
      if (!has(want, one) || has(contact::find_model(name_).offers, one)) continue;
      std::string others;
      for (const contact::ModelRow& row : contact::models())
        if (has(row.offers, one)) others += (others.empty() ? "" : ", ") + std::string(row.name);
      throw InvalidInput(std::string(who) + ": the contact model '" + name_ + "' offers no " + word +
                         "; these do: " + others);
    }
  }

  void make_each() {
    if (!each_.empty()) return;
    each_.resize(static_cast<std::size_t>(threads_ > 0 ? threads_ : default_threads()));
    for (auto& made : each_) made = contact::make_model(name_, settings_);
  }

  std::string name_;
  SettingValues settings_;
  int threads_;
  std::unique_ptr<contact::Model> one_;
  std::unique_ptr<contact::BatchModel> batch_;
  std::vector<std::unique_ptr<contact::Model>> each_;
  HandleMutex mutex_;
};

void bind_wrenches(py::module_& module) {
  auto type = answers_class<Wrenches>(module, "Wrench", "Contact wrenches on B about Bo, in B.");
  define<Wrenches>(
      type, "F_BBo_B", [](auto& a) -> auto& { return a.F_BBo_B; }, "(N, 6) (tau; f), N m and N");
  define_asked<Wrenches>(
      type, "dF_dxi_B", kJacobians, [](auto& a) -> auto& { return a.dF_dxi_B; },
      "(N, 6, 6) by xi of X_AB exp(xi), V_AB_B held");
  define_asked<Wrenches>(
      type, "dF_dV_AB_B", kJacobians, [](auto& a) -> auto& { return a.dF_dV_AB_B; },
      "(N, 6, 6) by the twist, X_AB held");
  define_asked<Wrenches>(
      type, "energy", kEnergy, [](auto& a) -> auto& { return a.energy; }, "(N,) J");
  define<Wrenches>(
      type, "area", [](auto& a) -> auto& { return a.area; }, "(N,) of the patch, m^2; NaN: none");
  define<Wrenches>(
      type, "status", [](auto& a) -> auto& { return a.status; }, "(N,) Status");
  type.def_property_readonly(
      "d2F",
      [](py::handle self) {
        auto& wrenches = py::cast<Wrenches&>(self);
        require_asked(wrenches.parts, kHessians, "Wrench", "d2F");
        if (wrenches.hessians.size() != wrenches.items.size())
          throw InvalidInput("the pickle is of another version of abut");
        return view(self, wrenches.hessians, wrenches.many);
      },
      "(N, 6, 12, 12) by (xi; V_AB_B), symmetric");
}

void bind_contact_points(py::module_& module) {
  py::class_<ContactPoints> type(module, "ContactPoints",
                                 "Contact points of pairs, in A; K of all together.");
  const auto point = [&](const char* name, auto get, const char* doc) {
    type.def_property_readonly(
        name, [get](py::handle self) { return view(self, py::cast<ContactPoints&>(self).points, true, get); },
        doc);
  };
  point(
      "p_AC", [](auto& c) -> auto& { return c.p_AC; }, "(K, 3) midway between the surfaces, m");
  point(
      "n_A", [](auto& c) -> auto& { return c.n_A; }, "(K, 3) unit normal from A to B");
  point(
      "gap", [](auto& c) -> auto& { return c.gap; }, "(K,) along n, m: negative when penetrating");
  point(
      "area", [](auto& c) -> auto& { return c.area; }, "(K,) m^2; 0: a point");
  point(
      "feature", [](auto& c) -> auto& { return c.feature; }, "(K,) the same from pose to pose");
  const auto derivative = [&](const char* name, auto get, const char* doc) {
    type.def_property_readonly(
        name,
        [get, name](py::handle self) {
          auto& contacts = py::cast<ContactPoints&>(self);
          require_asked(contacts.derivatives.size() == contacts.points.size() ? kAllParts : 0,
                        kPointDerivatives, "ContactPoints", name);
          return view(self, contacts.derivatives, true, get);
        },
        doc);
  };
  derivative(
      "dp_dxi_B", [](auto& d) -> auto& { return d.dp_dxi_B; }, "(K, 3, 6) m/rad, 1");
  derivative(
      "dn_dxi_B", [](auto& d) -> auto& { return d.dn_dxi_B; }, "(K, 3, 6) 1/rad, 1/m");
  derivative(
      "dgap_dxi_B", [](auto& d) -> auto& { return d.dgap_dxi_B; }, "(K, 6) m/rad, 1");
  type.def_property_readonly(
      "offsets", [](py::handle self) { return view(self, py::cast<ContactPoints&>(self).offsets, true); },
      "(N + 1,) points of pair i: offsets[i] to offsets[i + 1]");
  type.def_property_readonly(
      "status",
      [](py::handle self) {
        auto& contacts = py::cast<ContactPoints&>(self);
        return view(self, contacts.statuses, contacts.many);
      },
      "(N,) Status of each pair");
  type.def("__len__", [](const ContactPoints& contacts) { return contacts.points.size(); });
  type.def("__deepcopy__", [](const ContactPoints& contacts, py::handle) { return contacts; });
  type.def(py::pickle(
      [](const ContactPoints& contacts) {
        return py::make_tuple(contacts.many, to_bytes(contacts.points), to_bytes(contacts.derivatives),
                              to_bytes(contacts.offsets), to_bytes(contacts.statuses));
      },
      [](const py::tuple& pickled) {
        ContactPoints contacts;
        contacts.many = py::cast<bool>(pickled[0]);
        from_bytes(pickled[1], contacts.points);
        from_bytes(pickled[2], contacts.derivatives);
        from_bytes(pickled[3], contacts.offsets);
        from_bytes(pickled[4], contacts.statuses);
        if (!contacts.many && contacts.statuses.size() != 1)
          throw InvalidInput("the pickle is of another version of abut");
        return contacts;
      }));
}

}  // namespace

void bind_contact(py::module_& module) {
  bind_wrenches(module);
  bind_contact_points(module);
  module.attr("WANT_VALUE") = static_cast<int>(Want::kValue);
  module.attr("WANT_JACOBIAN") = static_cast<int>(Want::kJacobian);
  module.attr("WANT_HESSIAN") = static_cast<int>(Want::kHessian);
  module.attr("WANT_ENERGY") = static_cast<int>(Want::kEnergy);
  py::class_<ModelHandle>(module, "Model")
      .def(py::init<py::handle, py::handle, py::handle>())
      .def_property_readonly("name", &ModelHandle::name)
      .def("_wrench", &ModelHandle::wrench)
      .def("_contact_points", &ModelHandle::points);
}

}  // namespace abut::python
