#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

struct GridErrorParameters {
  std::int64_t samples = 20'000;
  double radius = 0;  // m: samples are at most this far from the surface
  std::uint64_t seed = 1;
};

// How far a grid's field is from the exact signed distance near the surface.
struct GridError {
  std::int64_t samples = 0, unanswered = 0;
  std::int64_t wrong = 0;         // with the wrong sign
  std::int64_t judged = 0;        // farther than a quarter of `radius` from the surface
  std::int64_t judged_wrong = 0;  // of these: with the wrong sign
  double mean = 0, worst = 0;     // absolute error, m
  double worst_wrong = 0;         // greatest distance from the surface of a wrong sign, m
};

// At random points: a point of the surface, uniform by area, plus a vector uniform in the ball of `radius`.
// Points beyond the reach of the grid count where they are answered. The same numbers on any number of
// threads.
GridError measure_grid(const asset::DistanceGridView& grid, const asset::SurfaceView& surface,
                       const GridErrorParameters& parameters);

// The figures by name, each with its unit as suffix and `prefix` before it.
std::map<std::string, double> measures_of(const GridError& error, const std::string& prefix);

}  // namespace abut::preprocess
