#pragma once

#include <algorithm>
#include <limits>

#include "runtime/body/body.h"
#include "runtime/derivative/pair_derivative.h"
#include "runtime/witness/pair_query.h"

// The start of every estimator: the witness of the pair, and the query itself for those that evaluate it at
// other poses. Internal to the estimators.
namespace abut::derivative {

// The query as a function of the pose. It searches along the normal found first, so that an ambiguous
// penetration stays with the same face where possible.
struct Query {
  const body::Geometry &A, &B;
  witness::Workspace<double>& workspace;
  witness::Witness<double> centre;

  witness::Witness<double> operator()(const Pose<double>& X_AB) const {
    return witness::separation(A, B, X_AB, workspace, centre.n);
  }
};

// Validates the pair and computes its witness. Throws InvalidInput as `Estimator` does.
inline Query ask(const body::Pair& pair, const char* who, witness::Workspace<double>& workspace) {
  witness::require_valid(pair, who);
  const body::Geometry &A = pair.A->geometry, &B = pair.B->geometry;
  return {A, B, workspace, witness::separation(A, B, pair.X_AB, workspace)};
}

// Step lengths of the estimators that evaluate the query at other poses. Coordinates of far bodies are
// rounded: a translation is at least `kLeastShift` of their greatest distance from A's origin, and where a
// rotation moves B by less than `kLeastTurn` of it, the change that is measured is mostly rounding.
class Steps {
 public:
  // `angle` in rad, `length` in units of the pair's size.
  Steps(double angle, double length, const Query& query, const body::Pair& pair)
      : size_(geometry_size(query.A) + geometry_size(query.B)),
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
  static constexpr double kLeastShift = 1e-8;                                         // about 2^26 roundings
  static constexpr double kLeastTurn = 1e3 * std::numeric_limits<double>::epsilon();  // 1000 roundings

  double size_, reach_;  // m; reach_: greatest distance of Bo and the witness points from A's origin
  double angle_, length_;
};

}  // namespace abut::derivative
