#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/body/body.h"
#include "runtime/core/settings.h"
#include "runtime/derivative/witness_derivative.h"
#include "runtime/witness/witness.h"

// The estimators of witness-point derivatives, behind one table. To add one: a file with its settings and a
// class derived from Estimator, and a row in estimator.cpp; contract tests, command lines and benchmarks
// iterate the table. What they estimate is the curvature of hulls; that of primitives is known.
//
//   const derivative::PairDerivative d = derivative::witness_derivative({&mug, &box, X_AB});
//   auto deep = derivative::make_estimator("gumbel", {{"rings", 5}});
namespace abut::derivative {

// Value and derivative of one pair. The status is the derivative's.
struct PairDerivative {
  witness::Witness<double> witness;      // in A's frame
  WitnessDerivative<double> derivative;  // by the pose of B in A
};

// Of rows that smooth the bodies: the hulls' own witness, that of the smoothed bodies, and the derivative of
// the latter.
struct SmoothedPair {
  witness::Witness<double> exact, smoothed;  // of the hulls; of the bodies that stand for them
  WitnessDerivative<double> derivative;      // of `smoothed`
};

// Throws InvalidInput, naming `who`, for a pair that witness queries refuse and for one with a primitive.
void require_hulls(const body::Pair& pair, const char* who);

// A reusable solver: keeps its workspace, so that after the first call (with assets no larger) it allocates
// nothing. One per thread. Answers do not depend on what was asked before.
class Estimator {
 public:
  virtual ~Estimator() = default;

  // Witness points of the pair and their derivative. Throws InvalidInput if a part that the estimator needs
  // is absent, a number of the pair is not finite, its rotation is none, or both are half-spaces.
  virtual PairDerivative operator()(const body::Pair& pair) = 0;

  // Smoothed witness of two hulls with its first and, where there is room for them, second derivatives.
  // Throws as the above does and for a primitive, and std::logic_error for a row that has none.
  virtual SmoothedPair smoothed(const body::Pair& pair, WitnessHessian<double>* hessian = nullptr);
};

// What dp1, dp2 and dn converge to as an estimator's smoothing goes to nothing. (dd is the polytope's own for
// every row.)
enum class EstimateOf {
  kPolytope,     // the derivatives of the polytope's own witness points
  kSmoothShape,  // those of the smooth shape that the polytope approximates
  kNeither,
};

// What the table says of an estimator.
struct EstimatorRow {
  std::string_view name;     // for command lines
  std::string_view summary;  // one line for people
  // Number of continuous derivatives that the *estimate* has as a function of the pose, on hulls, where the
  // witness points are unique. -1: it may jump.
  int smoothness;
  EstimateOf estimate_of;  // what the estimate converges to
  bool has_smoothed;       // offers Estimator::smoothed
  // True: drawn samples enter, so that the answer depends on the axes that the bodies are described in, by as
  // much as it depends on the seed.
  bool sampled;
  std::vector<SettingInfo> (*settings)();  // made from words; as numbers they are in the row's own header
  // With the given settings, the others at their defaults. Throws InvalidInput for an unknown setting and for
  // one out of range.
  std::unique_ptr<Estimator> (*make)(const SettingValues& settings);
};

// All rows, in a fixed order; the first is the default.
std::span<const EstimatorRow> estimators();

// Row by name. Throws InvalidInput, naming the estimators that there are, for an unknown one.
const EstimatorRow& find_estimator(std::string_view name);

// Estimator by name, with its default settings but for those given. Throws as find_estimator and
// EstimatorRow::make.
std::unique_ptr<Estimator> make_estimator(std::string_view name, const SettingValues& settings = {});

// One-shot form: makes the estimator, asks once. Throws as make_estimator and Estimator do.
PairDerivative witness_derivative(const body::Pair& pair, std::string_view name = "gumbel",
                                  const SettingValues& settings = {});

// One-shot form of Estimator::smoothed.
SmoothedPair smoothed_witness(const body::Pair& pair, std::string_view name = "soft_bodies",
                              const SettingValues& settings = {}, WitnessHessian<double>* hessian = nullptr);

// Many pairs on several threads, the same bits for any number of them. Keeps one estimator per thread.
class BatchEstimator {
 public:
  // `threads` 0: one per core. Throws as make_estimator.
  explicit BatchEstimator(std::string_view name = "gumbel", const SettingValues& settings = {},
                          int threads = 0);

  // results[i] answers pairs[i]. Throws InvalidInput before any work if the spans differ in length or a pair
  // is invalid; the message names the pair.
  void operator()(std::span<const body::Pair> pairs, std::span<PairDerivative> results);

  // The same for Estimator::smoothed; hessians[i] too, unless the span is empty.
  void smoothed(std::span<const body::Pair> pairs, std::span<SmoothedPair> results,
                std::span<WitnessHessian<double>> hessians = {});

 private:
  std::vector<std::unique_ptr<Estimator>> estimators_;
};

}  // namespace abut::derivative
