#include "runtime/derivative/estimator.h"

#include <stdexcept>
#include <string>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/core/table.h"
#include "runtime/derivative/distance_weighted.h"
#include "runtime/derivative/finite_difference.h"
#include "runtime/derivative/gaussian.h"
#include "runtime/derivative/gumbel.h"
#include "runtime/derivative/polytope.h"
#include "runtime/derivative/soft_bodies.h"
#include "runtime/derivative/zeroth_order.h"
#include "runtime/witness/pair_query.h"

namespace abut::derivative {

namespace {

constexpr EstimatorRow kEstimators[] = {
    {"gumbel", "first-order, soft maximum over the rings around the witness vertices", -1,
     EstimateOf::kSmoothShape, false, false, [] { return describe(gumbel_settings()); },
     [](const SettingValues& settings) { return make_gumbel_estimator(gumbel_config(settings)); }},
    {"gaussian", "first-order, support points of normally distributed directions", -1,
     EstimateOf::kSmoothShape, false, true, [] { return describe(gaussian_settings()); },
     [](const SettingValues& settings) { return make_gaussian_estimator(gaussian_config(settings)); }},
    {"zeroth_order", "slope of the query over normally distributed poses", -1, EstimateOf::kSmoothShape,
     false, true, [] { return describe(zeroth_order_settings()); },
     [](const SettingValues& settings) {
       return make_zeroth_order_estimator(zeroth_order_config(settings));
     }},
    {"finite_difference", "central differences of the query, M = 12", -1, EstimateOf::kPolytope, false, false,
     [] { return describe(finite_difference_settings()); },
     [](const SettingValues& settings) {
       return make_finite_difference_estimator(finite_difference_config(settings));
     }},
    {"analytic", "the polytopes' own derivative in closed form", -1, EstimateOf::kPolytope, false, false,
     [] { return describe(analytic_settings()); },
     [](const SettingValues& settings) { return make_analytic_estimator(analytic_config(settings)); }},
    {"soft_bodies",
     "first-order, soft maximum over all vertices; smoothed witness points beside the exact ones", 0,
     EstimateOf::kSmoothShape, true, false, [] { return describe(soft_bodies_settings()); },
     [](const SettingValues& settings) { return make_soft_bodies_estimator(soft_bodies_config(settings)); }},
    {"distance_weighted", "first-order, means of points by how near the partner's witness point is", -1,
     EstimateOf::kNeither, false, true, [] { return describe(distance_weighted_settings()); },
     [](const SettingValues& settings) -> std::unique_ptr<Estimator> {
       return make_distance_weighted_estimator(distance_weighted_config(settings));
     }},
};

constexpr const char* kWho = "derivative";

}  // namespace

void require_hulls(const body::Pair& pair, const char* who) {
  witness::require_valid(pair, who);
  for (const body::Body* body : {pair.A, pair.B})
    if (body->geometry.primitive() != nullptr)
      throw InvalidInput(std::string(who) + ": " + body->geometry.name() +
                         " is a primitive; the answer is for hulls");
}

SmoothedPair Estimator::smoothed(const body::Pair&, WitnessHessian<double>*) {
  throw std::logic_error("this estimator offers no smoothed witness: see EstimatorRow::has_smoothed");
}

std::span<const EstimatorRow> estimators() { return kEstimators; }

const EstimatorRow& find_estimator(std::string_view name) {
  return find_row(estimators(), "derivative estimator", name);
}

std::unique_ptr<Estimator> make_estimator(std::string_view name, const SettingValues& settings) {
  return find_estimator(name).make(settings);
}

PairDerivative witness_derivative(const body::Pair& pair, std::string_view name,
                                  const SettingValues& settings) {
  return (*make_estimator(name, settings))(pair);
}

SmoothedPair smoothed_witness(const body::Pair& pair, std::string_view name, const SettingValues& settings,
                              WitnessHessian<double>* hessian) {
  return make_estimator(name, settings)->smoothed(pair, hessian);
}

BatchEstimator::BatchEstimator(std::string_view name, const SettingValues& settings, int threads) {
  estimators_.resize(threads > 0 ? threads : default_threads());
  for (auto& estimator : estimators_) estimator = make_estimator(name, settings);
}

void BatchEstimator::operator()(std::span<const body::Pair> pairs, std::span<PairDerivative> results) {
  body::require_valid_batch(pairs, results.size(), kWho,
                            [](const body::Pair& pair) { witness::require_valid(pair, kWho); });
  parallel_for(
      static_cast<std::int64_t>(pairs.size()), static_cast<int>(estimators_.size()),
      [&](std::int64_t i, int thread) { results[i] = (*estimators_[thread])(pairs[i]); },
      even_chunk(pairs.size(), estimators_.size(), 16));
}

void BatchEstimator::smoothed(std::span<const body::Pair> pairs, std::span<SmoothedPair> results,
                              std::span<WitnessHessian<double>> hessians) {
  body::require_valid_batch(pairs, results.size(), kWho,
                            [](const body::Pair& pair) { require_hulls(pair, kWho); });
  if (!hessians.empty() && hessians.size() != pairs.size())
    throw InvalidInput("derivative: " + std::to_string(pairs.size()) + " pairs but room for " +
                       std::to_string(hessians.size()) + " Hessians");
  parallel_for(
      static_cast<std::int64_t>(pairs.size()), static_cast<int>(estimators_.size()),
      [&](std::int64_t i, int thread) {
        results[i] = estimators_[thread]->smoothed(pairs[i], hessians.empty() ? nullptr : &hessians[i]);
      },
      even_chunk(pairs.size(), estimators_.size(), 16));
}

}  // namespace abut::derivative
