#include "runtime/derivative/zeroth_order.h"

#include "runtime/derivative/query.h"
#include "runtime/derivative/settings.h"

namespace abut::derivative {

namespace {

using Config = ZerothOrderConfig;

constexpr const char* kWho = "estimator zeroth_order";
constexpr std::string_view kForms[] = {"least_squares", "control_variate", "published"};  // ZerothOrderForm

constexpr Setting<Config> kSettings[] = {
    {"samples", "", from_to(7, 1e6), "poses asked", &setting<Config, &Config::samples>},  // fewer: no slope
    {"angle", "rad", kMagnitude, "standard deviation of the turns", &setting<Config, &Config::angle>},
    {"length", "size of the pair", kMagnitude, "standard deviation of the shifts",
     &setting<Config, &Config::length>},
    {"form", "", {}, "slope by least squares, or of drawn samples", choice<Config, &Config::form>(kForms)},
    {"seed", "", at_least(0), "of the samples", &setting<Config, &Config::seed>},
};

class ZerothOrderEstimator final : public Estimator {
 public:
  explicit ZerothOrderEstimator(const Config& config)
      : config_(config),
        samples_(config.form == ZerothOrderForm::kLeastSquares
                     ? whitened_samples<6>(config.seed, 0, config.samples)
                     : normal_samples<6>(config.seed, 0, config.samples)) {}

  PairDerivative operator()(const body::Pair& pair) override {
    const Query query = ask(pair, "zeroth_order", query_);
    const Steps steps(config_.angle, config_.length, query, pair);
    return {query.centre, steps.checked(zeroth_order<double>(query.centre, pair.X_AB, config_.angle,
                                                             steps.length(), samples_, query, config_.form))};
  }

 private:
  Config config_;
  std::vector<Vec6<double>> samples_;
  witness::Workspace<double> query_;
};

}  // namespace

std::span<const Setting<Config>> zeroth_order_settings() { return kSettings; }

Config zeroth_order_config(const SettingValues& values) { return config_of<Config>(kSettings, values, kWho); }

std::unique_ptr<Estimator> make_zeroth_order_estimator(const Config& config) {
  require_valid<Config>(kSettings, config, kWho);
  return std::make_unique<ZerothOrderEstimator>(config);
}

}  // namespace abut::derivative
