#pragma once

#include <algorithm>
#include <cmath>

#include "runtime/core/settings.h"
#include "runtime/derivative/gumbel.h"
#include "runtime/derivative/witness_derivative.h"

// Settings shared by several estimators and models. `path` is the chain of members that leads from Config to
// its GumbelConfig or Clamp.
namespace abut::derivative {

template <class Config, auto... path>
inline constexpr Setting<Config> kRingsSetting = {"rings", "edges", at_least(1),
                                                  "neighbourhood of the witness points on the hull",
                                                  &setting<Config, path..., &GumbelConfig::rings>};
template <class Config, auto... path>
inline constexpr Setting<Config> kGumbelEpsSetting = {"eps", "mean depth of the neighbourhood", kMagnitude,
                                                      "smoothing: temperature of the soft maximum",
                                                      &setting<Config, path..., &GumbelConfig::eps>};
template <class Config, auto... path>
inline constexpr Setting<Config> kClampRelativeSetting = {"clamp_relative", "", kMagnitude,
                                                          "least eigenvalue of d I + H, over |d| + trace H",
                                                          &setting<Config, path..., &Clamp::relative>};
template <class Config, auto... path>
inline constexpr Setting<Config> kClampAbsoluteSetting = {"clamp_absolute", "size of the pair", kMagnitude,
                                                          "the same, over the size",
                                                          &setting<Config, path..., &Clamp::absolute>};

// Returns the default Config overridden by `values`. Throws as `apply` does.
template <class Config>
Config config_of(std::span<const Setting<Config>> table, const SettingValues& values, const char* who) {
  Config config;
  apply(table, values, config, who);
  return config;
}

// Converts the published noise, which acts on the separation vector of length |d|, to the unit normal: a
// deviation of the vector (m) to an angle, a temperature of products with it (m^2) to one of depths (m). The
// divisor is at least 1e-14 m, so that the result is finite at touching.
inline double on_unit_normal(double noise, const witness::Witness<double>& witness) {
  return noise / std::max(std::abs(witness.distance), 1e-14);
}

}  // namespace abut::derivative
