#pragma once

#include "runtime/core/settings.h"
#include "runtime/derivative/gumbel.h"
#include "runtime/derivative/witness_derivative.h"

// Rows of settings that several models share. `path` leads from Config to the GumbelConfig or Clamp.
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

}  // namespace abut::derivative
