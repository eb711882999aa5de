#include "runtime/derivative/gumbel.h"

#include <cmath>

#include "runtime/derivative/query.h"
#include "runtime/derivative/settings.h"

namespace abut::derivative {

namespace {

using Config = GumbelEstimatorConfig;

constexpr Setting<Config> kSettings[] = {
    kRingsSetting<Config, &Config::curvature>,
    kGumbelEpsSetting<Config, &Config::curvature>,
    {"noise", "m^2", from_to(0, 1e12),
     "as published, in place of eps: temperature of products with the separation vector; 0: none",
     &setting<Config, &Config::noise>},
    kClampRelativeSetting<Config, &Config::clamp>,
    kClampAbsoluteSetting<Config, &Config::clamp>,
};

class GumbelEstimator final : public Estimator {
 public:
  explicit GumbelEstimator(const Config& config) : config_(config) {}

  PairDerivative operator()(const body::Pair& pair) override {
    const Query query = ask(pair, "gumbel", query_);
    if (config_.noise > 0) return {query.centre, published(pair, query.centre)};
    return {query.centre, gumbel_derivative(pair, query.centre, config_.curvature, config_.clamp, rings_)};
  }

 private:
  WitnessDerivative<double> published(const body::Pair& pair, const witness::Witness<double>& witness) {
    const double temperature = on_unit_normal(config_.noise, witness);
    return pair_derivative(pair, witness, config_.clamp, [&](const WitnessSite& site) {
      const asset::ConvexView& hull = site.geometry.convex();
      return ring_curvature<double>(hull, site.simplex(), site.n, site.T, config_.curvature.rings,
                                    hull_size(hull), rings_, [=](double) { return temperature; });
    });
  }

  Config config_;
  witness::Workspace<double> query_;
  RingWorkspace<double> rings_;
};

}  // namespace

std::span<const Setting<Config>> gumbel_settings() { return kSettings; }

Config gumbel_config(const SettingValues& values) {
  return config_of<Config>(kSettings, values, "estimator gumbel");
}

std::unique_ptr<Estimator> make_gumbel_estimator(const Config& config) {
  require_valid<Config>(kSettings, config, "estimator gumbel");
  return std::make_unique<GumbelEstimator>(config);
}

}  // namespace abut::derivative
