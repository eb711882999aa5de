#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "preprocess/remesh/reference_surface.h"
#include "runtime/asset/asset.h"

namespace abut::preprocess {

struct SsdfCheckParameters {
  std::int64_t samples = 100'000;  // points within two spacings of the surface
  std::int64_t rays = 5'000;       // normals of the surface along which the zero surface is looked for
  std::uint64_t seed = 1;
};

// How well the soft signed distance of a point cloud tells inside from outside, at the default eps1.
struct SsdfCheck {
  std::int64_t judged = 0;  // samples further than a quarter of the spacing from the surface
  std::int64_t wrong = 0;   // of these: with the wrong sign
  double wrong_percent = 0;
  double offset_mean = 0;   // of the zero surface along the normal, without sign, m
  double offset_worst = 0;  // m; two spacings where none is found within that
  double lost_percent = 0;  // of the rays: none found
};

// Compares the sign of the soft signed distance with the exact one at random points: a point of the surface,
// uniform by area, plus a vector uniform in the ball of two spacings. The same numbers on any number of
// threads.
SsdfCheck check_ssdf(const asset::PointsView& points, const ReferenceSurface& surface,
                     const SsdfCheckParameters& parameters);

// The figures by name, each with its unit as suffix and `prefix` before it.
std::map<std::string, double> measures_of(const SsdfCheck& check, const std::string& prefix);

}  // namespace abut::preprocess
