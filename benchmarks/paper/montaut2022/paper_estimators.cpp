#include "benchmarks/paper/montaut2022/paper_estimators.h"

#include <string>

#include "runtime/core/random.h"
#include "runtime/derivative/estimator.h"
#include "runtime/derivative/pair_derivative.h"

namespace abut::benchmarks {

namespace {

std::uint64_t drawn(std::uint64_t seed, std::uint64_t iteration) { return Random(seed, iteration).bits(); }

// m in units of the pair's size.
double in_sizes(double length, const body::Pair& pair) {
  return length / (derivative::geometry_size(pair.A->geometry) + derivative::geometry_size(pair.B->geometry));
}

}  // namespace

Differentiator paper_finite_difference(double eps) {
  return [=](const body::Pair& pair, std::uint64_t) {
    const SettingValues settings = {{"angle", eps}, {"length", in_sizes(eps, pair)}};
    return derivative::witness_derivative(pair, "finite_difference", settings).derivative;
  };
}

Differentiator paper_zeroth_order(int samples, double eps, std::uint64_t seed, bool control_variate) {
  return [=](const body::Pair& pair, std::uint64_t iteration) {
    const SettingValues settings = {{"samples", samples},
                                    {"angle", eps},
                                    {"length", in_sizes(eps, pair)},
                                    {"form", control_variate ? "control_variate" : "published"},
                                    {"seed", drawn(seed, iteration)}};
    return derivative::witness_derivative(pair, "zeroth_order", settings).derivative;
  };
}

Differentiator paper_gaussian(int samples, double eps, std::uint64_t seed) {
  return [=](const body::Pair& pair, std::uint64_t iteration) {
    const SettingValues settings = {{"samples", samples}, {"noise", eps}, {"seed", drawn(seed, iteration)}};
    return derivative::witness_derivative(pair, "gaussian", settings).derivative;
  };
}

Differentiator paper_gumbel(int rings, double eps) {
  return table_estimator("gumbel", {{"rings", rings}, {"noise", eps}});
}

Differentiator table_estimator(const char* name, const SettingValues& settings) {
  return [name = std::string(name), settings](const body::Pair& pair, std::uint64_t) {
    return derivative::witness_derivative(pair, name, settings).derivative;
  };
}

}  // namespace abut::benchmarks
