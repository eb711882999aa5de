#include "runtime/derivative/estimator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/derivative/finite_difference.h"
#include "runtime/derivative/pair_derivative.h"
#include "runtime/derivative/polytope.h"
#include "runtime/derivative/settings.h"
#include "runtime/witness/pair_query.h"

namespace abut::derivative {

namespace {

double pair_size(const body::Pair& pair) {
  return geometry_size(pair.A->geometry) + geometry_size(pair.B->geometry);
}

// The query that all rows begin with, and a function of the pose for those that ask it again: along the
// normal found, so that an ambiguous penetration keeps to the same face where it can.
struct Query {
  const body::Geometry &A, &B;
  witness::Workspace<double>& workspace;
  witness::Witness<double> centre;

  witness::Witness<double> operator()(const Pose<double>& X_AB) const {
    return witness::separation(A, B, X_AB, workspace, centre.n);
  }
};

Query ask(const body::Pair& pair, const char* who, witness::Workspace<double>& workspace) {
  witness::require_valid(pair, who);
  const body::Geometry &A = pair.A->geometry, &B = pair.B->geometry;
  return {A, B, workspace, witness::separation(A, B, pair.X_AB, workspace)};
}

// Of the estimators that ask the query at other poses. Coordinates of far bodies are rounded: a shift is at
// least kLeastShift of them, and where a turn moves B by less than kLeastTurn of them, what it moves is
// mostly rounding.
constexpr double kLeastShift = 1e-8;                                         // 2^26 roundings
constexpr double kLeastTurn = 1e3 * std::numeric_limits<double>::epsilon();  // 1000 roundings

class Steps {
 public:
  // `angle` in rad, `length` in units of the pair's size.
  Steps(double angle, double length, const Query& query, const body::Pair& pair)
      : size_(pair_size(pair)),
        reach_(
            std::max({pair.X_AB.p.stableNorm(), query.centre.p1.stableNorm(), query.centre.p2.stableNorm()})),
        angle_(angle),
        length_(std::max(length * size_, kLeastShift * reach_)) {}

  double length() const { return length_; }  // m
  WitnessDerivative<double> checked(WitnessDerivative<double> derivative) const {
    if (derivative.status != Status::kInvalidInput && angle_ * size_ < kLeastTurn * reach_)
      derivative.status = Status::kNotConverged;
    return derivative;
  }

 private:
  double size_, reach_;  // m; reach_: the largest distance from A's origin
  double angle_, length_;
};

// First-order Gumbel: [Montaut2022, Eqs. 27 and 28] in the unit-normal form.
class GumbelEstimator final : public Estimator {
 public:
  explicit GumbelEstimator(const Config& config) : config_(config) {}

  PairDerivative operator()(const body::Pair& pair) override {
    const Query query = ask(pair, "gumbel", query_);
    return {query.centre, gumbel_derivative(pair, query.centre, config_.gumbel, config_.clamp, rings_)};
  }

 private:
  Config config_;
  witness::Workspace<double> query_;
  RingWorkspace<double> rings_;
};

// First-order Gaussian: [Montaut2022, Eq. 26] in the unit-normal form.
class GaussianEstimator final : public Estimator {
 public:
  explicit GaussianEstimator(const Config& config)
      : config_(config), samples_(even_samples(config.gaussian.seed, config.gaussian.samples)) {}

  PairDerivative operator()(const body::Pair& pair) override {
    const Query query = ask(pair, "gaussian", query_);
    return {query.centre, pair_derivative(pair, query.centre, config_.clamp, [&](const WitnessSite& site) {
              const asset::ConvexView& hull = site.geometry.convex();
              const double angle =
                  config_.gaussian.eps * facet_angle<double>(hull, site.simplex(), site.p, site.n);
              return gaussian_curvature<double>(hull, site.n, site.T, angle, samples_);
            })};
  }

 private:
  Config config_;
  std::vector<Vec2<double>> samples_;
  witness::Workspace<double> query_;
};

// Zeroth-order Gaussian: [Montaut2022, Eq. 6].
class ZerothOrderEstimator final : public Estimator {
 public:
  explicit ZerothOrderEstimator(const Config& config)
      : config_(config.zeroth_order), samples_(whitened_samples<6>(config_.seed, 0, config_.samples)) {}

  PairDerivative operator()(const body::Pair& pair) override {
    const Query query = ask(pair, "zeroth_order", query_);
    const Steps steps(config_.angle, config_.length, query, pair);
    return {query.centre, steps.checked(zeroth_order<double>(query.centre, pair.X_AB, config_.angle,
                                                             steps.length(), samples_, query))};
  }

 private:
  ZerothOrderConfig config_;
  std::vector<Vec6<double>> samples_;
  witness::Workspace<double> query_;
};

// Analytic: the polytopes' own derivative, by the kind of feature that carries each witness point.
class AnalyticEstimator final : public Estimator {
 public:
  explicit AnalyticEstimator(const Config& config) : clamp_(config.clamp) {}

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

class FiniteDifferenceEstimator final : public Estimator {
 public:
  explicit FiniteDifferenceEstimator(const Config& config) : config_(config.finite_difference) {}

  PairDerivative operator()(const body::Pair& pair) override {
    const Query query = ask(pair, "finite_difference", query_);
    const Steps steps(config_.angle, config_.length, query, pair);
    return {query.centre, steps.checked(central_differences<double>(query.centre, pair.X_AB, config_.angle,
                                                                    steps.length(), query))};
  }

 private:
  FiniteDifferenceConfig config_;
  witness::Workspace<double> query_;
};

template <class T>
std::unique_ptr<Estimator> make(const Config& config) {
  return std::make_unique<T>(config);
}

template <auto... path>
constexpr auto kMember = &setting<Config, path...>;

constexpr Range kSamplesOfTurns = from_to(3, 1e6), kSamplesOfPoses = from_to(7, 1e6);  // fewer give no slope

constexpr Setting<Config> kGumbelSettings[] = {
    kRingsSetting<Config, &Config::gumbel>,
    kGumbelEpsSetting<Config, &Config::gumbel>,
    kClampRelativeSetting<Config, &Config::clamp>,
    kClampAbsoluteSetting<Config, &Config::clamp>,
};
constexpr Setting<Config> kGaussianSettings[] = {
    {"samples", "", kSamplesOfTurns, "directions asked",
     kMember<&Config::gaussian, &GaussianConfig::samples>},
    {"eps", "angle between neighbouring facets", kMagnitude, "smoothing: standard deviation of the turns",
     kMember<&Config::gaussian, &GaussianConfig::eps>},
    {"seed", "", at_least(0), "of the samples", kMember<&Config::gaussian, &GaussianConfig::seed>},
    kClampRelativeSetting<Config, &Config::clamp>,
    kClampAbsoluteSetting<Config, &Config::clamp>,
};
constexpr Setting<Config> kZerothOrderSettings[] = {
    {"samples", "", kSamplesOfPoses, "poses asked",
     kMember<&Config::zeroth_order, &ZerothOrderConfig::samples>},
    {"angle", "rad", kMagnitude, "standard deviation of the turns",
     kMember<&Config::zeroth_order, &ZerothOrderConfig::angle>},
    {"length", "size of the pair", kMagnitude, "standard deviation of the shifts",
     kMember<&Config::zeroth_order, &ZerothOrderConfig::length>},
    {"seed", "", at_least(0), "of the samples", kMember<&Config::zeroth_order, &ZerothOrderConfig::seed>},
};
constexpr Setting<Config> kFiniteDifferenceSettings[] = {
    {"angle", "rad", kMagnitude, "step of the turns",
     kMember<&Config::finite_difference, &FiniteDifferenceConfig::angle>},
    {"length", "size of the pair", kMagnitude, "step of the shifts",
     kMember<&Config::finite_difference, &FiniteDifferenceConfig::length>},
};
constexpr Setting<Config> kAnalyticSettings[] = {
    kClampRelativeSetting<Config, &Config::clamp>,
    kClampAbsoluteSetting<Config, &Config::clamp>,
};

constexpr EstimatorRow kEstimators[] = {
    {"gumbel", "first-order, soft maximum over the rings around the witness vertices", -1, false, false,
     kGumbelSettings, make<GumbelEstimator>},
    {"gaussian", "first-order, support points of normally distributed directions", -1, false, true,
     kGaussianSettings, make<GaussianEstimator>},
    {"zeroth_order", "slope of the query over normally distributed poses", -1, false, true,
     kZerothOrderSettings, make<ZerothOrderEstimator>},
    {"finite_difference", "central differences of the query, M = 12", -1, true, false,
     kFiniteDifferenceSettings, make<FiniteDifferenceEstimator>},
    {"analytic", "the polytopes' own derivative in closed form", -1, true, false, kAnalyticSettings,
     make<AnalyticEstimator>},
};

std::string who(const EstimatorRow& row) { return "estimator " + std::string(row.name); }

}  // namespace

const EstimatorRow& find_estimator(std::string_view name) {
  std::string known;
  for (const EstimatorRow& row : kEstimators) {
    if (row.name == name) return row;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw InvalidInput("no derivative estimator is called '" + std::string(name) + "'; there are: " + known);
}

void validate(const Config& config) {
  for (const EstimatorRow& row : kEstimators) require_valid(row.settings, config, who(row));
}

Config estimator_config(std::string_view name, const SettingValues& values) {
  const EstimatorRow& row = find_estimator(name);
  Config config;
  apply(row.settings, values, config, who(row));
  return config;
}

std::span<const EstimatorRow> estimators() { return kEstimators; }

std::unique_ptr<Estimator> make_estimator(std::string_view name, const Config& config) {
  const EstimatorRow& row = find_estimator(name);
  validate(config);
  return row.make(config);
}

PairDerivative witness_derivative(const body::Pair& pair, std::string_view name, const Config& config) {
  return (*make_estimator(name, config))(pair);
}

BatchEstimator::BatchEstimator(std::string_view name, const Config& config, int threads) {
  estimators_.resize(threads > 0 ? threads : default_threads());
  for (auto& estimator : estimators_) estimator = make_estimator(name, config);
}

void BatchEstimator::operator()(std::span<const body::Pair> pairs, std::span<PairDerivative> results) {
  constexpr const char* kWho = "derivative";
  body::require_valid_batch(pairs, results.size(), kWho,
                            [](const body::Pair& pair) { witness::require_valid(pair, kWho); });
  parallel_for(
      static_cast<std::int64_t>(pairs.size()), static_cast<int>(estimators_.size()),
      [&](std::int64_t i, int thread) { results[i] = (*estimators_[thread])(pairs[i]); }, 16);
}

}  // namespace abut::derivative
