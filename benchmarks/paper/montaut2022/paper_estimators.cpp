#include "benchmarks/paper/montaut2022/paper_estimators.h"

#include <string>

#include "runtime/derivative/estimator.h"
#include "runtime/derivative/pair_derivative.h"

namespace abut::benchmarks {

namespace {

using Derivative = derivative::WitnessDerivative<double>;

Derivative ask(const Problem& problem, const Pose<double>& X_AB, std::string_view name,
               const SettingValues& settings) {
  return derivative::witness_derivative({&problem.body_A, &problem.body_B, X_AB}, name, settings).derivative;
}

std::uint64_t drawn(std::uint64_t seed, std::uint64_t stream) { return Random(seed, stream).bits(); }

// m in units of the pair's size.
double in_sizes(double length, const Problem& problem) {
  return length / (derivative::hull_size(problem.A) + derivative::hull_size(problem.B));
}

}  // namespace

Differentiator paper_finite_difference(double eps) {
  return
      [=](const Problem& problem, const Pose<double>& X_AB, const witness::Witness<double>&, std::uint64_t) {
        return ask(problem, X_AB, "finite_difference", {{"angle", eps}, {"length", in_sizes(eps, problem)}});
      };
}

Differentiator paper_zeroth_order(int samples, double eps, std::uint64_t seed, bool control_variate) {
  return [=](const Problem& problem, const Pose<double>& X_AB, const witness::Witness<double>&,
             std::uint64_t stream) {
    return ask(problem, X_AB, "zeroth_order",
               {{"samples", samples},
                {"angle", eps},
                {"length", in_sizes(eps, problem)},
                {"form", control_variate ? "control_variate" : "published"},
                {"seed", drawn(seed, stream)}});
  };
}

Differentiator paper_gaussian(int samples, double eps, std::uint64_t seed) {
  return [=](const Problem& problem, const Pose<double>& X_AB, const witness::Witness<double>&,
             std::uint64_t stream) {
    return ask(problem, X_AB, "gaussian",
               {{"samples", samples}, {"noise", eps}, {"seed", drawn(seed, stream)}});
  };
}

Differentiator paper_gumbel(int rings, double eps) {
  return table_estimator("gumbel", {{"rings", rings}, {"noise", eps}});
}

Differentiator table_estimator(const char* name, const SettingValues& settings) {
  return [name = std::string(name), settings](const Problem& problem, const Pose<double>& X_AB,
                                              const witness::Witness<double>&,
                                              std::uint64_t) { return ask(problem, X_AB, name, settings); };
}

}  // namespace abut::benchmarks
