#include "runtime/derivative/query.h"
#include "runtime/derivative/settings.h"
#include "runtime/derivative/soft_bodies.h"
#include "runtime/witness/support.h"

namespace abut::derivative {

namespace {

using Config = SoftBodiesConfig;

constexpr const char* kWho = "estimator soft_bodies";

constexpr Setting<Config> kSettings[] = {
    {"eps", "spread over number of vertices", kMagnitude, "smoothing: temperature of the soft maximum",
     &setting<Config, &Config::eps>},
    kClampRelativeSetting<Config, &Config::clamp>,
    kClampAbsoluteSetting<Config, &Config::clamp>,
};

// Root mean square distance of the vertices from their mean, m: r for vertices spread over a sphere of radius
// r; independent of the frame.
double spread(const asset::ConvexView& hull) {
  Vec3<double> mean = Vec3<double>::Zero();
  double square = 0;
  for (std::int32_t v = 0; v < hull.vertex_count; ++v) mean += witness::core_vertex<double>(hull, v);
  mean /= hull.vertex_count;
  for (std::int32_t v = 0; v < hull.vertex_count; ++v)
    square += (witness::core_vertex<double>(hull, v) - mean).squaredNorm();
  return std::sqrt(square / hull.vertex_count);
}

class SoftBodiesEstimator final : public Estimator {
 public:
  explicit SoftBodiesEstimator(const Config& config) : config_(config) {}

  PairDerivative operator()(const body::Pair& pair) override {
    const Query query = ask(pair, "soft_bodies", query_);
    return {query.centre, pair_derivative(pair, query.centre, config_.clamp, [&](const WitnessSite& site) {
              const Mat3<double> H = soft_support(soft(site.geometry), site.n).H;
              return TangentCurvature<double>{site.T.transpose() * H * site.T, 0, {}};
            })};
  }

  SmoothedPair smoothed(const body::Pair& pair, WitnessHessian<double>* hessian) override {
    require_hulls(pair, "soft_bodies");
    const Query query = ask(pair, "soft_bodies", query_);
    const SoftHull<double> A = soft(query.A), B = soft(query.B);
    const double size = hull_size(A.hull) + hull_size(B.hull);
    const SoftWitness<double> found = soft_witness(A, B, pair.X_AB, query.centre.n);
    if (hessian != nullptr) *hessian = soft_hessian(A, B, found, pair.X_AB, size, config_.clamp);
    return {query.centre, found.witness, soft_derivative(found, pair.X_AB, size, config_.clamp)};
  }

 private:
  SoftHull<double> soft(const body::Geometry& geometry) const {
    const asset::ConvexView& hull = geometry.convex();
    return {hull, config_.eps * spread(hull) / hull.vertex_count};
  }

  Config config_;
  witness::Workspace<double> query_;
};

}  // namespace

std::span<const Setting<Config>> soft_bodies_settings() { return kSettings; }

Config soft_bodies_config(const SettingValues& values) { return config_of<Config>(kSettings, values, kWho); }

std::unique_ptr<Estimator> make_soft_bodies_estimator(const Config& config) {
  require_valid<Config>(kSettings, config, kWho);
  return std::make_unique<SoftBodiesEstimator>(config);
}

}  // namespace abut::derivative
