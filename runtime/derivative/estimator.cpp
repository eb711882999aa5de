#include "runtime/derivative/estimator.h"

#include <cmath>
#include <string>

#include "runtime/core/parallel.h"
#include "runtime/derivative/finite_difference.h"
#include "runtime/witness/separation.h"

namespace abut::derivative {

namespace {

// First-order Gumbel: [Montaut2022, Eqs. 27 and 28] in the unit-normal form.
class GumbelEstimator final : public Estimator {
 public:
  explicit GumbelEstimator(const Config& config) : config_(config) {}

  PairDerivative operator()(const asset::PosedPair& pair) override {
    asset::require_valid(pair, asset::kConvexPart, "gumbel");
    const asset::ConvexView &A = pair.A->convex, &B = pair.B->convex;
    PairDerivative result;
    result.witness = witness::separation<double>(A, B, pair.X_AB, query_);
    result.derivative =
        gumbel_derivative(A, B, pair.X_AB, result.witness, config_.gumbel, config_.clamp, rings_);
    return result;
  }

 private:
  Config config_;
  witness::Workspace<double> query_;
  RingWorkspace<double> rings_;
};

class FiniteDifferenceEstimator final : public Estimator {
 public:
  explicit FiniteDifferenceEstimator(const Config& config) : steps_(config.finite_difference) {}

  PairDerivative operator()(const asset::PosedPair& pair) override {
    asset::require_valid(pair, asset::kConvexPart, "finite_difference");
    const asset::ConvexView &A = pair.A->convex, &B = pair.B->convex;
    PairDerivative result;
    result.witness = witness::separation<double>(A, B, pair.X_AB, query_);
    const double length = steps_.length * (hull_size(A) + hull_size(B));
    // Started along the centre's normal, so that an ambiguous penetration keeps to the same face where it
    // can.
    const Vec3<double> guess = result.witness.n;
    result.derivative = central_differences<double>(
        result.witness, pair.X_AB, steps_.angle, length,
        [&](const Pose<double>& X_AB) { return witness::separation<double>(A, B, X_AB, query_, guess); });
    return result;
  }

 private:
  FiniteDifferenceConfig steps_;
  witness::Workspace<double> query_;
};

template <class T>
std::unique_ptr<Estimator> make(const Config& config) {
  return std::make_unique<T>(config);
}

constexpr EstimatorRow kEstimators[] = {
    {"gumbel", "first-order, soft maximum over the rings around the witness vertices", asset::kConvexPart, -1,
     false, make<GumbelEstimator>},
    {"finite_difference", "central differences of the query, M = 12", asset::kConvexPart, -1, true,
     make<FiniteDifferenceEstimator>},
};

const EstimatorRow& find_row(std::string_view name) {
  std::string known;
  for (const EstimatorRow& row : kEstimators) {
    if (row.name == name) return row;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw InvalidInput("no derivative estimator is called '" + std::string(name) + "'; there are: " + known);
}

void require_positive(double value, const char* what) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw InvalidInput(std::string("derivative: ") + what + " is " + std::to_string(value) +
                       "; it must be positive");
  }
}

}  // namespace

void validate(const Config& config) {
  if (config.gumbel.rings < 1) {
    throw InvalidInput("derivative: gumbel.rings is " + std::to_string(config.gumbel.rings) +
                       "; it must be at least 1");
  }
  require_positive(config.gumbel.eps, "gumbel.eps");
  require_positive(config.finite_difference.angle, "finite_difference.angle");
  require_positive(config.finite_difference.length, "finite_difference.length");
  require_positive(config.clamp.relative, "clamp.relative");
  require_positive(config.clamp.absolute, "clamp.absolute");
}

std::span<const EstimatorRow> estimators() { return kEstimators; }

std::unique_ptr<Estimator> make_estimator(std::string_view name, const Config& config) {
  const EstimatorRow& row = find_row(name);
  validate(config);
  return row.make(config);
}

PairDerivative witness_derivative(const asset::PosedPair& pair, std::string_view name, const Config& config) {
  return (*make_estimator(name, config))(pair);
}

BatchEstimator::BatchEstimator(std::string_view name, const Config& config, int threads)
    : needs_(find_row(name).needs) {
  estimators_.resize(threads > 0 ? threads : default_threads());
  for (auto& estimator : estimators_) estimator = make_estimator(name, config);
}

void BatchEstimator::operator()(std::span<const asset::PosedPair> pairs, std::span<PairDerivative> results) {
  if (pairs.size() != results.size()) {
    throw InvalidInput("derivative: " + std::to_string(pairs.size()) + " pairs but room for " +
                       std::to_string(results.size()) + " results");
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    try {
      asset::require_valid(pairs[i], needs_, "derivative");
    } catch (const InvalidInput& error) {
      throw InvalidInput("pair " + std::to_string(i) + ": " + error.what());
    }
  }
  parallel_for(
      static_cast<std::int64_t>(pairs.size()), static_cast<int>(estimators_.size()),
      [&](std::int64_t i, int thread) { results[i] = (*estimators_[thread])(pairs[i]); }, 16);
}

}  // namespace abut::derivative
