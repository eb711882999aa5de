#include "runtime/cli/quantity.h"

#include <algorithm>

#include "runtime/cli/point_query.h"
#include "runtime/cli/separation_quantity.h"
#include "runtime/cli/wrench_hessian_quantity.h"
#include "runtime/cli/wrench_quantity.h"
#include "runtime/core/error.h"
#include "runtime/proximity/distance_model.h"
#include "runtime/ssdf/kernel.h"

namespace abut::cli {
namespace {

std::vector<std::string_view> distance_model_names() {
  std::vector<std::string_view> names;
  for (const proximity::DistanceModelRow& row : proximity::distance_models()) names.push_back(row.name);
  return names;
}

// Throws InvalidInput unless `choice` is one of the names.
void require_choice(std::string_view choice, const std::string& option,
                    const std::vector<std::string_view>& names, const std::string& what) {
  std::string choices;
  for (const std::string_view name : names) {
    if (name == choice) return;
    choices += (choices.empty() ? "" : ", ") + std::string(name);
  }
  throw InvalidInput(option + " " + std::string(choice) + ": " + what +
                     (choices.empty() ? " has no choice of " + option.substr(2) + "s" : " knows " + choices));
}

// The option that usually gives a row's methods.
std::string method_option(const QuantityRow& row) { return row.models.empty() ? "--model" : "--method"; }

}  // namespace

const std::vector<QuantityRow>& quantities() {
  static const std::vector<QuantityRow> rows = {
      {"separation",
       "signed distance sd, witness points p1 and p2, normal n of a --model of the bodies (m, frame A); of "
       "pieces that overlap also bounds depth_lower, depth_upper of the translational depth (m), else nan",
       {},
       [](std::string_view) { return std::vector<SettingInfo>(); },
       &make_separation,
       distance_model_names(),
       true},
      {"derivative", "separation, and the derivatives of sd, p1, p2, n by a twist of B (w rad, v m; in B)",
       derivative_methods(), &derivative_settings, &make_derivative, distance_model_names(), true},
      {"wrench",
       "area of the contact patch (m^2), force fx,fy,fz (N) and torque taux,tauy,tauz (N m) on A about its "
       "origin (frame A)",
       wrench_models(), &wrench_settings, &make_wrench},
      {"wrench_derivative", "wrench, and its derivatives by a twist of B (w rad, v m; in B)", wrench_models(),
       &wrench_settings, &make_wrench_derivative},
      {"wrench_hessian",
       "force and torque on A, and their second derivatives by a twist of B (w rad, v m; in B)",
       wrench_hessian_models(), &wrench_settings, &make_wrench_hessian},
      {"smoothed_derivative",
       "separation, the same of hulls smoothed at their corners, of surfaces across contact regions or of "
       "pieces across pairs of them (soft_sd, ...), and the derivatives of the latter",
       smoothed_methods(), &derivative_settings, &make_smoothed_derivative, smoothed_models()},
      {"overlap_volume",
       "volume that the surfaces have in common, a bound of its rounding (m^3), and its derivative by a "
       "twist "
       "of B (w rad, v m; in B)",
       {},
       [](std::string_view) { return std::vector<SettingInfo>(); },
       &make_overlap_volume},
  };
  return rows;
}

void Quantity::answer(std::span<const body::Pair> pairs, Answers& answers) {
  solve(pairs);
  answers.first.assign(1, 0);
  for (std::size_t i = 0; i < pairs.size(); ++i) answers.first.push_back(answers.first.back() + rows(i));
  answers.values.resize(answers.first.back() * columns_.size());
  answers.statuses.resize(answers.first.back());
  for (std::size_t i = 0; i < pairs.size(); ++i)
    for (std::size_t row = answers.first[i]; row < answers.first[i + 1]; ++row)
      answers.statuses[row] =
          write_row(pairs[i], i, row - answers.first[i], answers.values.data() + row * columns_.size());
}

std::vector<std::string> answer_columns(const Quantity& quantity, bool twists) {
  std::vector<std::string> names = {"idx", "objA", "objB", "qw", "qx", "qy", "qz", "tx", "ty", "tz"};
  if (twists) names.insert(names.end(), {"wx", "wy", "wz", "vx", "vy", "vz"});
  names.insert(names.end(), quantity.columns().begin(), quantity.columns().end());
  names.emplace_back("status");
  return names;
}

std::vector<SettingGroup> setting_groups() {
  std::vector<SettingGroup> groups;
  const auto known = [&](const std::string& title) {
    return std::any_of(groups.begin(), groups.end(),
                       [&](const SettingGroup& group) { return group.title == title; });
  };
  const auto add = [&](const std::string& title, const std::vector<SettingInfo>& settings) {
    if (!known(title) && !settings.empty()) groups.push_back({title, settings});
  };
  // Those of the settings that the group of that title does not have.
  const auto without = [&](std::vector<SettingInfo> settings, const std::string& title) {
    for (const SettingGroup& group : groups)
      if (group.title == title)
        std::erase_if(settings, [&](const SettingInfo& setting) {
          return std::any_of(group.settings.begin(), group.settings.end(),
                             [&](const SettingInfo& other) { return other.name == setting.name; });
        });
    return settings;
  };
  for (const QuantityRow& row : quantities())
    for (const std::string_view method : row.methods)
      add("Settings of " + method_option(row) + " " + std::string(method), row.settings(method));
  for (const proximity::DistanceModelRow& row : proximity::distance_models().subspan(1))
    for (const std::string_view method : row.methods) {
      const std::string estimator = "Settings of --method " + std::string(method);
      if (known(estimator) && method != row.methods.front()) continue;
      add("Settings of --model " + std::string(row.name) +
              (method == row.methods.front() ? "" : " --method " + std::string(method)),
          without(row.settings(method), estimator));
    }
  add("Settings of --what " + std::string(kPointQuantity), describe(ssdf::soft_distance_settings()));
  return groups;
}

std::string_view default_method(std::string_view name) {
  for (const QuantityRow& row : quantities())
    if (row.name == name && !row.methods.empty()) return row.methods.front();
  return {};
}

bool has_models(std::string_view name) {
  for (const QuantityRow& row : quantities())
    if (row.name == name) return !row.models.empty();
  return false;
}

std::unique_ptr<Quantity> make_quantity(std::string_view name, std::string_view method,
                                        const QuantityOptions& options) {
  std::string known;
  const std::string what = "--what " + std::string(name);
  for (const QuantityRow& row : quantities()) {
    known += (known.empty() ? "" : ", ") + std::string(row.name);
    if (row.name != name) continue;
    if (options.all_contacts && !row.has_contacts)
      throw InvalidInput("--all-contacts: " + what +
                         " has no contact regions; take separation or derivative");
    const bool default_model =
        options.model.empty() || row.models.empty() || options.model == row.models.front();
    if (!options.model.empty()) require_choice(options.model, "--model", row.models, what);
    if (!method.empty())
      require_choice(method, options.method_option.empty() ? method_option(row) : options.method_option,
                     default_model || row.methods.empty()
                         ? row.methods
                         : proximity::find_distance_model(options.model).methods,
                     default_model ? what : what + " --model " + options.model);
    if (row.methods.empty()) require_known(options.settings, {}, what);
    if (method.empty() && default_model && !row.methods.empty())
      return row.make(row.methods.front(), options);
    return row.make(method, options);
  }
  throw InvalidInput(what + ": unknown; choose one of " + known + ", " + std::string(kPointQuantity));
}

}  // namespace abut::cli
