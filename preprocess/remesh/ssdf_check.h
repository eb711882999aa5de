#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "preprocess/remesh/reference_surface.h"
#include "runtime/asset/asset.h"

namespace abut::preprocess {

struct SsdfCheckParameters {
  std::int64_t samples = 100'000;  // points within two spacings of the surface
  std::int64_t rays = 5'000;       // surface normals along which the zero level is searched
  std::uint64_t seed = 1;
};

// Accuracy of the sign and zero level of a point cloud's soft signed distance at the default eps1.
struct SsdfCheck {
  std::int64_t judged = 0;  // samples farther than a quarter of the spacing from the surface
  std::int64_t wrong = 0;   // of these: with the wrong sign
  double wrong_percent = 0;
  double offset_mean = 0;   // mean distance of the zero level along the normal, unsigned, m
  double offset_worst = 0;  // m; two spacings if the zero level is not found within that distance
  double lost_percent = 0;  // of the rays: zero level not found
};

// Compares the sign of the soft signed distance with the exact sign at random points: a point of the surface,
// uniform by area, plus a vector uniform in a ball with a radius of two spacings. Deterministic: the same
// numbers on any number of threads.
SsdfCheck check_ssdf(const asset::PointsView& points, const ReferenceSurface& surface,
                     const SsdfCheckParameters& parameters);

// The values by name, each with its unit as suffix and `prefix` before it.
std::map<std::string, double> measures_of(const SsdfCheck& check, const std::string& prefix);

}  // namespace abut::preprocess
