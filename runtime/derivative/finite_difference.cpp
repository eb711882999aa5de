#include "runtime/derivative/finite_difference.h"

#include "runtime/derivative/query.h"
#include "runtime/derivative/settings.h"

namespace abut::derivative {

namespace {

using Config = FiniteDifferenceConfig;

constexpr const char* kWho = "estimator finite_difference";

constexpr Setting<Config> kSettings[] = {
    {"angle", "rad", kMagnitude, "step of the turns", &setting<Config, &Config::angle>},
    {"length", "size of the pair", kMagnitude, "step of the shifts", &setting<Config, &Config::length>},
};

class FiniteDifferenceEstimator final : public Estimator {
 public:
  explicit FiniteDifferenceEstimator(const Config& config) : config_(config) {}

  PairDerivative operator()(const body::Pair& pair) override {
    const Query query = ask(pair, "finite_difference", query_);
    const Steps steps(config_.angle, config_.length, query, pair);
    return {query.centre, steps.checked(central_differences<double>(query.centre, pair.X_AB, config_.angle,
                                                                    steps.length(), query))};
  }

 private:
  Config config_;
  witness::Workspace<double> query_;
};

}  // namespace

std::span<const Setting<Config>> finite_difference_settings() { return kSettings; }

Config finite_difference_config(const SettingValues& values) {
  return config_of<Config>(kSettings, values, kWho);
}

std::unique_ptr<Estimator> make_finite_difference_estimator(const Config& config) {
  require_valid<Config>(kSettings, config, kWho);
  return std::make_unique<FiniteDifferenceEstimator>(config);
}

}  // namespace abut::derivative
