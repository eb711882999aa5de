#include "runtime/derivative/gaussian.h"

#include "runtime/derivative/query.h"
#include "runtime/derivative/settings.h"

namespace abut::derivative {

namespace {

using Config = GaussianConfig;

constexpr const char* kWho = "estimator gaussian";

constexpr Setting<Config> kSettings[] = {
    {"samples", "", from_to(3, 1e6), "directions asked", &setting<Config, &Config::samples>},
    {"eps", "angle between neighbouring facets", kMagnitude, "smoothing: standard deviation of the turns",
     &setting<Config, &Config::eps>},
    {"noise", "m", from_to(0, 1e12),
     "as published, in place of eps: standard deviation of the separation vector; 0: none",
     &setting<Config, &Config::noise>},
    {"seed", "", at_least(0), "of the samples", &setting<Config, &Config::seed>},
    kClampRelativeSetting<Config, &Config::clamp>,
    kClampAbsoluteSetting<Config, &Config::clamp>,
};

class GaussianEstimator final : public Estimator {
 public:
  explicit GaussianEstimator(const Config& config) : config_(config) {
    if (config.noise > 0)
      drawn_ = normal_samples<3>(config.seed, 0, config.samples);
    else
      even_ = even_samples(config.seed, config.samples);
  }

  PairDerivative operator()(const body::Pair& pair) override {
    const Query query = ask(pair, "gaussian", query_);
    return {query.centre, pair_derivative(pair, query.centre, config_.clamp, [&](const WitnessSite& site) {
              return curvature(site, query.centre);
            })};
  }

 private:
  TangentCurvature<double> curvature(const WitnessSite& site, const witness::Witness<double>& witness) const {
    const asset::ConvexView& hull = site.geometry.convex();
    if (config_.noise > 0)
      return published_gaussian_curvature<double>(hull, site.n, site.T,
                                                  on_unit_normal(config_.noise, witness), drawn_);
    const double angle = config_.eps * facet_angle<double>(hull, site.simplex(), site.p, site.n);
    return gaussian_curvature<double>(hull, site.n, site.T, angle, even_);
  }

  Config config_;
  std::vector<Vec2<double>> even_;
  std::vector<Vec3<double>> drawn_;
  witness::Workspace<double> query_;
};

}  // namespace

std::span<const Setting<Config>> gaussian_settings() { return kSettings; }

Config gaussian_config(const SettingValues& values) { return config_of<Config>(kSettings, values, kWho); }

std::unique_ptr<Estimator> make_gaussian_estimator(const Config& config) {
  require_valid<Config>(kSettings, config, kWho);
  return std::make_unique<GaussianEstimator>(config);
}

}  // namespace abut::derivative
