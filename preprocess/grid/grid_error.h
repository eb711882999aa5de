#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

struct GridErrorParameters {
  std::int64_t samples = 20'000;
  double radius = 0;  // largest distance of samples from the surface, m
  std::uint64_t seed = 1;
};

// Difference between a grid's field and the exact signed distance near the surface.
struct GridError {
  std::int64_t samples = 0, unanswered = 0;
  std::int64_t wrong = 0;         // with the wrong sign
  std::int64_t judged = 0;        // farther than a quarter of `radius` from the surface
  std::int64_t judged_wrong = 0;  // of these: with the wrong sign
  double mean = 0, worst = 0;     // absolute error, m
  double worst_wrong = 0;         // largest distance from the surface of a sample with the wrong sign, m
};

// Measures the error at random points: a point of the surface, uniform by area, plus a vector uniform in the
// ball of `radius`. Points beyond the grid's reach count if the grid answers them. Deterministic: the same
// numbers on any number of threads.
GridError measure_grid(const asset::DistanceGridView& grid, const asset::SurfaceView& surface,
                       const GridErrorParameters& parameters);

// The values by name, each with its unit as suffix and `prefix` before it.
std::map<std::string, double> measures_of(const GridError& error, const std::string& prefix);

}  // namespace abut::preprocess
