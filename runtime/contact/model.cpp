#include "runtime/contact/model.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "runtime/contact/point.h"
#include "runtime/contact/pressure_field.h"
#include "runtime/contact/soft_minimum.h"
#include "runtime/core/parallel.h"

namespace abut::contact {

namespace {

constexpr std::string_view kSeparationSettings[] = {"eps1", "eps2", "kernel", "tolerance"};

constexpr ModelRow kModels[] = {
    {"point",
     "convex hulls, one spring or constraint at the witness points",
     asset::kConvexPart,
     true,
     true,
     -1,
     false,
     [] { return describe(point_settings()); },
     {},
     [](const SettingValues& settings) { return make_point_model(point_config(settings)); }},
    {"pressure_field",
     "tetrahedra with pressure fields, pressing where their pressures are equal",
     asset::kVolumePart,
     true,
     true,
     0,
     true,
     [] { return std::vector<SettingInfo>(); },
     {},
     [](const SettingValues& settings) {
       require_known(settings, {}, "pressure_field");
       return make_pressure_field_model();
     }},
    {"soft_minimum", "oriented points, pushed by the planes of the other body's, softly the deepest",
     asset::kPointsPart, true, true, 2, true, [] { return describe(soft_minimum_settings()); },
     kSeparationSettings,
     [](const SettingValues& settings) { return make_soft_minimum_model(soft_minimum_config(settings)); }},
};

}  // namespace

PairWrench Model::wrench(const asset::PosedPair&, const Vec6<double>&, const Vec6<double>&, Want) {
  throw std::logic_error("this contact model offers no wrench: see ModelRow::has_wrench");
}

Constraints Model::constraints(const asset::PosedPair&, double) {
  throw std::logic_error("this contact model offers no constraints: see ModelRow::has_constraints");
}

PairWrench without_overflow(const PairWrench& wrench) {
  if (wrench.F_BBo_B.allFinite() && wrench.dF_dxi_B.allFinite() && wrench.dF_dV_AB_B.allFinite())
    return wrench;
  PairWrench none;
  const double nan = std::nan("");
  none.F_BBo_B.setConstant(nan);
  none.dF_dxi_B.setConstant(nan);
  none.dF_dV_AB_B.setConstant(nan);
  none.energy = none.area = nan;
  none.status = Status::kInvalidInput;
  return none;
}

void require_finite(const char* who, const Vec6<double>& V_A, const Vec6<double>& V_B) {
  if (!V_A.allFinite())
    throw InvalidInput(std::string(who) + ": the twist V_A has an entry that is NaN or infinite");
  if (!V_B.allFinite())
    throw InvalidInput(std::string(who) + ": the twist V_B has an entry that is NaN or infinite");
}

void require_margin(const char* who, double margin) {
  if (!(margin >= 0) || !std::isfinite(margin)) {
    throw InvalidInput(std::string(who) + ": the margin is " + std::to_string(margin) +
                       " m; it must be 0 or more");
  }
}

std::span<const ModelRow> models() { return kModels; }

const ModelRow& find_model(std::string_view name) {
  std::string known;
  for (const ModelRow& row : kModels) {
    if (row.name == name) return row;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw InvalidInput("no contact model is called '" + std::string(name) + "'; there are: " + known);
}

std::unique_ptr<Model> make_model(std::string_view name, const SettingValues& settings) {
  return find_model(name).make(settings);
}

PairWrench contact_wrench(std::string_view model, const asset::PosedPair& pair, const Vec6<double>& V_A,
                          const Vec6<double>& V_B, Want want) {
  return make_model(model)->wrench(pair, V_A, V_B, want);
}

std::vector<ContactPoint> contact_points(std::string_view model, const asset::PosedPair& pair,
                                         double margin) {
  const std::unique_ptr<Model> made = make_model(model);
  const Constraints found = made->constraints(pair, margin);
  return {found.points.begin(), found.points.end()};
}

BatchModel::BatchModel(std::string_view model, int threads, const SettingValues& settings) {
  models_.resize(threads > 0 ? threads : default_threads());
  for (auto& made : models_) made = make_model(model, settings);
}

void BatchModel::wrenches(std::span<const MovingPair> pairs, std::span<PairWrench> results, Want want) {
  if (pairs.size() != results.size()) {
    throw InvalidInput("contact: " + std::to_string(pairs.size()) + " pairs but room for " +
                       std::to_string(results.size()) + " results");
  }
  const auto answer = [&](std::int64_t i, int thread) {
    try {
      results[i] = models_[thread]->wrench(pairs[i].pair, pairs[i].V_A, pairs[i].V_B, want);
    } catch (const InvalidInput& error) {
      throw InvalidInput("pair " + std::to_string(i) + ": " + error.what());
    }
  };
  parallel_for(static_cast<std::int64_t>(pairs.size()), static_cast<int>(models_.size()), answer, 16);
}

}  // namespace abut::contact
