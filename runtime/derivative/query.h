#pragma once

#include <algorithm>
#include <limits>

#include "runtime/body/body.h"
#include "runtime/derivative/pair_derivative.h"
#include "runtime/witness/pair_query.h"

// What the estimators begin with: the witness of the pair, and the query that some ask again at other poses.
namespace abut::derivative {

// A function of the pose: along the normal found, so that an ambiguous penetration keeps to the same face
// where it can.
struct Query {
  const body::Geometry &A, &B;
  witness::Workspace<double>& workspace;
  witness::Witness<double> centre;

  witness::Witness<double> operator()(const Pose<double>& X_AB) const {
    return witness::separation(A, B, X_AB, workspace, centre.n);
  }
};

// Throws InvalidInput as Estimator does.
inline Query ask(const body::Pair& pair, const char* who, witness::Workspace<double>& workspace) {
  witness::require_valid(pair, who);
  const body::Geometry &A = pair.A->geometry, &B = pair.B->geometry;
  return {A, B, workspace, witness::separation(A, B, pair.X_AB, workspace)};
}

// Of the estimators that ask the query at other poses. Coordinates of far bodies are rounded: a shift is at
// least kLeastShift of them, and where a turn moves B by less than kLeastTurn of them, what it moves is
// mostly rounding.
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
  static constexpr double kLeastShift = 1e-8;                                         // 2^26 roundings
  static constexpr double kLeastTurn = 1e3 * std::numeric_limits<double>::epsilon();  // 1000 roundings

  double size_, reach_;  // m; reach_: the largest distance from A's origin
  double angle_, length_;
};

}  // namespace abut::derivative
