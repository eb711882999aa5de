#include "runtime/contact/model.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "runtime/contact/point.h"
#include "runtime/contact/pressure_field.h"
#include "runtime/contact/soft_minimum.h"
#include "runtime/contact/soft_potential.h"
#include "runtime/core/parallel.h"
#include "runtime/core/table.h"

namespace abut::contact {

namespace {

constexpr std::string_view kSeparationSettings[] = {"eps1", "eps2", "kernel", "tolerance"};
constexpr std::string_view kFieldSettings[] = {"field"};

constexpr ModelRow kModels[] = {
    {"pressure_field",
     "tetrahedra with pressure fields, pressing where their pressures are equal",
     body::kVolumePart,
     Want::kJacobian | Want::kEnergy,
     0,
     true,
     true,
     true,
     [] { return describe(pressure_field_settings()); },
     {},
     [](const SettingValues& settings) {
       return make_pressure_field_model(pressure_field_config(settings));
     }},
    {"soft_potential",
     "points of either surface in the other's soft distance, by a potential: upright at edges",
     body::kPointsPart, Want::kJacobian | Want::kHessian | Want::kEnergy, 2, true, true, true,
     [] { return describe(soft_potential_settings()); }, kFieldSettings,
     [](const SettingValues& settings) {
       return make_soft_potential_model(soft_potential_config(settings));
     }},
    {"soft_minimum", "points pushed by the other body's planes or exact distance, softly the deepest",
     body::kPointsPart, Want::kJacobian | Want::kHessian, 2, true, true, true,
     [] { return describe(soft_minimum_settings()); }, kSeparationSettings,
     [](const SettingValues& settings) { return make_soft_minimum_model(soft_minimum_config(settings)); }},
    {"point",
     "convex bodies, one spring or constraint at the witness points",
     body::kConvexPart,
     Want::kJacobian | Want::kEnergy,
     -1,
     true,
     true,
     false,
     [] { return describe(point_settings()); },
     {},
     [](const SettingValues& settings) { return make_point_model(point_config(settings)); }},
};

}  // namespace

PairWrench Model::wrench(const body::Pair&, Want, WrenchHessian*) {
  throw std::logic_error("this contact model offers no wrench: see ModelRow::has_wrench");
}

Constraints Model::constraints(const body::Pair&, double, Want) {
  throw std::logic_error("this contact model offers no constraints: see ModelRow::has_constraints");
}

PairWrench without_overflow(const PairWrench& wrench, Want want, WrenchHessian* hessian) {
  const bool wants_second = has(want, Want::kHessian) && hessian != nullptr;
  bool finite = wrench.F_BBo_B.allFinite();
  if (has(want, Want::kJacobian))
    finite = finite && wrench.dF_dxi_B.allFinite() && wrench.dF_dV_AB_B.allFinite();
  if (wants_second)
    for (const auto& component : *hessian) finite = finite && component.allFinite();
  if (has(want, Want::kEnergy)) finite = finite && !std::isinf(wrench.energy);  // NaN: there is none
  if (finite) return wrench;
  if (wants_second)
    for (auto& component : *hessian) component.setConstant(kNotAsked);
  return invalid_wrench();
}

Constraints without_overflow(const Constraints& constraints) {
  const auto finite = [](const ContactPoint& c) {
    return c.p_AC.allFinite() && c.n_A.allFinite() && std::isfinite(c.gap) && std::isfinite(c.area);
  };
  const auto finite_slopes = [](const ContactPointDerivative& d) {
    return d.dp_dxi_B.allFinite() && d.dn_dxi_B.allFinite() && d.dgap_dxi_B.allFinite();
  };
  if (std::ranges::all_of(constraints.points, finite) &&
      std::ranges::all_of(constraints.derivatives, finite_slopes))
    return constraints;
  return {{}, Status::kInvalidInput, {}};
}

PairWrench invalid_wrench() {
  PairWrench none;
  none.F_BBo_B.setConstant(kNotAsked);
  none.status = Status::kInvalidInput;
  return none;
}

void require_room(Want want, bool offered, const WrenchHessian* hessian) {
  if (!has(want, Want::kHessian)) return;
  if (!offered) throw std::logic_error("this contact model offers no Hessian: see ModelRow::offers");
  if (hessian == nullptr) throw std::logic_error("a Hessian is wanted but no room is given for it");
}

void require_margin(const char* who, double margin) {
  if (!(margin >= 0) || !std::isfinite(margin)) {
    throw InvalidInput(std::string(who) + ": the margin is " + number_text(margin) +
                       " m; it must be 0 or more");
  }
}

std::span<const ModelRow> models() { return kModels; }

const ModelRow& find_model(std::string_view name) { return find_row(models(), "contact model", name); }

std::unique_ptr<Model> make_model(std::string_view name, const SettingValues& settings) {
  return find_model(name).make(settings);
}

PairWrench contact_wrench(std::string_view model, const body::Pair& pair, const SettingValues& settings,
                          Want want, WrenchHessian* hessian) {
  return make_model(model, settings)->wrench(pair, want, hessian);
}

std::vector<ContactPoint> contact_points(std::string_view model, const body::Pair& pair, double margin,
                                         const SettingValues& settings) {
  const std::unique_ptr<Model> made = make_model(model, settings);
  const Constraints found = made->constraints(pair, margin);
  if (found.status == Status::kInvalidInput)
    throw InvalidInput("contact points: sizes or positions are beyond what numbers hold");
  return {found.points.begin(), found.points.end()};
}

BatchModel::BatchModel(std::string_view model, const SettingValues& settings, int threads) {
  models_.resize(threads > 0 ? threads : default_threads());
  for (auto& made : models_) made = make_model(model, settings);
}

void BatchModel::wrenches(std::span<const body::Pair> pairs, std::span<PairWrench> results, Want want,
                          std::span<WrenchHessian> hessians) {
  const auto check = [&](const body::Pair& pair) { models_.front()->require_valid(pair); };
  body::require_valid_batch(pairs, results.size(), "contact", check);
  if (has(want, Want::kHessian) && hessians.size() != pairs.size())
    throw InvalidInput("contact: " + std::to_string(pairs.size()) + " pairs but room for " +
                       std::to_string(hessians.size()) + " Hessians");
  const auto answer = [&](std::int64_t i, int thread) {
    WrenchHessian* const hessian = has(want, Want::kHessian) ? &hessians[i] : nullptr;
    results[i] = models_[thread]->wrench(pairs[i], want, hessian);
  };
  parallel_for(static_cast<std::int64_t>(pairs.size()), static_cast<int>(models_.size()), answer,
               even_chunk(pairs.size(), models_.size(), 16));
}

}  // namespace abut::contact
