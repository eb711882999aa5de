#include "runtime/derivative/polytope.h"

#include "runtime/derivative/query.h"
#include "runtime/derivative/settings.h"

namespace abut::derivative {

namespace {

constexpr const char* kWho = "estimator analytic";

constexpr Setting<Clamp> kSettings[] = {kClampRelativeSetting<Clamp>, kClampAbsoluteSetting<Clamp>};

// Derivative by the kind of feature that carries each witness point: vertex, edge or face.
class AnalyticEstimator final : public Estimator {
 public:
  explicit AnalyticEstimator(const Clamp& clamp) : clamp_(clamp) {}

  PairDerivative operator()(const body::Pair& pair) override {
    const Query query = ask(pair, "analytic", query_);
    return {query.centre, pair_derivative(pair, query.centre, clamp_, [](const WitnessSite& site) {
              return polytope_curvature<double>(site.geometry.convex(), site.simplex(), site.T);
            })};
  }

 private:
  Clamp clamp_;
  witness::Workspace<double> query_;
};

}  // namespace

std::span<const Setting<Clamp>> analytic_settings() { return kSettings; }

Clamp analytic_config(const SettingValues& values) { return config_of<Clamp>(kSettings, values, kWho); }

std::unique_ptr<Estimator> make_analytic_estimator(const Clamp& clamp) {
  require_valid<Clamp>(kSettings, clamp, kWho);
  return std::make_unique<AnalyticEstimator>(clamp);
}

}  // namespace abut::derivative
