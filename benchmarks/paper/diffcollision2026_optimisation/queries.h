#pragma once

#include <functional>
#include <memory>
#include <string>

#include "benchmarks/paper/diffcollision2026_optimisation/problems.h"
#include "runtime/derivative/estimator.h"

namespace abut::benchmarks {

// Answers to one problem, pose after pose.
class Query {
 public:
  virtual ~Query() = default;
  virtual witness::Witness<double> witness(const Pose<double>& X_AB) = 0;
  virtual derivative::PairDerivative derivative(const Pose<double>& X_AB) = 0;
  // Whether the surfaces cross, which may be told sooner than how deep.
  virtual bool crossing(const Pose<double>& X_AB) { return witness(X_AB).distance < 0; }
};

using MakeQuery = std::function<std::unique_ptr<Query>(const TargetProblem&)>;

// Of the table of distance models.
MakeQuery table_query(const std::string& model, const std::string& method,
                      const SettingValues& settings = {});

// Derivatives by patches of the bodies' surfaces (runtime/proximity/patch_derivative.h): the reach about each
// witness point is its distance from its target, at least 0.01 of the longest side of the body; the greatest
// radius of curvature the square root of the loss, at least 2 mm.
MakeQuery patch_query(Shape shape);

// Derivatives by [Chen2025] as published: `distance_weighted` with noise 1 m, of pieces the nearest pair's,
// and the reach about each witness point twice its distance from its target, at least 1 cm.
MakeQuery published_query(Shape shape);

}  // namespace abut::benchmarks
