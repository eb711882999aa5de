#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/body/body.h"
#include "runtime/core/settings.h"
#include "runtime/derivative/witness_derivative.h"
#include "runtime/witness/witness.h"

// The estimators of witness-point derivatives behind one table. To add one, write a file with its settings
// and a class derived from `Estimator`, and add a row in estimator.cpp; contract tests, command lines and
// benchmarks iterate over the table. What an estimator estimates is the curvature of hulls; the curvature of
// primitives is known exactly.
//
//   const derivative::PairDerivative d = derivative::witness_derivative({&mug, &box, X_AB});
//   auto deep = derivative::make_estimator("gumbel", {{"rings", 5}});
namespace abut::derivative {

// Witness of one pair and its derivative. The status of the result is `derivative.status`.
struct PairDerivative {
  witness::Witness<double> witness;      // in A's frame
  WitnessDerivative<double> derivative;  // with respect to the pose of B in A
};

// Result of an estimator that smooths the bodies themselves: the witness of the exact hulls, the witness of
// the smoothed bodies, and the derivative of the latter.
struct SmoothedPair {
  witness::Witness<double> exact, smoothed;  // of the hulls; of the smoothed bodies
  WitnessDerivative<double> derivative;      // of `smoothed`
};

// Throws InvalidInput, naming `who`, if witness queries refuse the pair or if one of its bodies is a
// primitive.
void require_hulls(const body::Pair& pair, const char* who);

// A reusable solver. It keeps its scratch memory, so that after the first call it allocates nothing for
// assets no larger. Not thread-safe: use one per thread. A result does not depend on earlier calls.
class Estimator {
 public:
  virtual ~Estimator() = default;

  // Computes the witness points of the pair and their derivative. Throws InvalidInput if a part of an asset
  // that the estimator needs is absent, a number of the pair is not finite, its rotation matrix is not a
  // rotation, or both bodies are half-spaces.
  virtual PairDerivative operator()(const body::Pair& pair) = 0;

  // Computes the smoothed witness of two hulls with its first derivatives and, if `hessian` is not null, its
  // second derivatives. Throws InvalidInput as `operator()` does and also for a primitive; throws
  // std::logic_error if the estimator has no smoothed witness (`EstimatorRow::has_smoothed`).
  virtual SmoothedPair smoothed(const body::Pair& pair, WitnessHessian<double>* hessian = nullptr);
};

// What the estimates of dp1, dp2 and dn converge to as the estimator's smoothing tends to zero. (dd is that
// of the polytopes for every estimator.)
enum class EstimateOf {
  kPolytope,     // the derivatives of the polytope's own witness points
  kSmoothShape,  // the derivatives for the smooth shape that the polytope approximates
  kNeither,
};

// One row of the table: an estimator and its properties.
struct EstimatorRow {
  std::string_view name;     // for command lines
  std::string_view summary;  // one line, human-readable
  // Number of continuous derivatives that the *estimate* has as a function of the pose, on hulls, where the
  // witness points are unique. -1: it may jump.
  int smoothness;
  EstimateOf estimate_of;  // what the estimate converges to
  bool has_smoothed;       // offers Estimator::smoothed
  // True: random numbers enter, so that the result depends on the axes in which the bodies are described, by
  // as much as it depends on the seed.
  bool sampled;
  std::vector<SettingInfo> (*settings)();  // as text; the typed struct is in the estimator's own header
  // Makes the estimator with the given settings and defaults for the others. Throws InvalidInput for a
  // setting that is unknown or out of range.
  std::unique_ptr<Estimator> (*make)(const SettingValues& settings);
};

// Returns all rows in a fixed order; the first is the default.
std::span<const EstimatorRow> estimators();

// Returns the row of that name. Throws InvalidInput, listing the existing estimators, for an unknown name.
const EstimatorRow& find_estimator(std::string_view name);

// Makes an estimator by name with `settings`, and defaults for the others. Throws as `find_estimator` and
// `EstimatorRow::make` do.
std::unique_ptr<Estimator> make_estimator(std::string_view name, const SettingValues& settings = {});

// One-shot form: makes the estimator and evaluates it once. Throws as `make_estimator` and `Estimator` do.
PairDerivative witness_derivative(const body::Pair& pair, std::string_view name = "gumbel",
                                  const SettingValues& settings = {});

// One-shot form of Estimator::smoothed.
SmoothedPair smoothed_witness(const body::Pair& pair, std::string_view name = "soft_bodies",
                              const SettingValues& settings = {}, WitnessHessian<double>* hessian = nullptr);

// Evaluates many pairs on several threads; results are bit-identical for any number of threads. Keeps one
// estimator per thread.
class BatchEstimator {
 public:
  // `threads` = 0: one per core. Throws as `make_estimator` does.
  explicit BatchEstimator(std::string_view name = "gumbel", const SettingValues& settings = {},
                          int threads = 0);

  // Writes the result for pairs[i] to results[i]. Throws InvalidInput before any work if the spans differ in
  // length or a pair is invalid; the message names the pair.
  void operator()(std::span<const body::Pair> pairs, std::span<PairDerivative> results);

  // The same for `Estimator::smoothed`; also writes hessians[i], unless that span is empty.
  void smoothed(std::span<const body::Pair> pairs, std::span<SmoothedPair> results,
                std::span<WitnessHessian<double>> hessians = {});

 private:
  std::vector<std::unique_ptr<Estimator>> estimators_;
};

}  // namespace abut::derivative
