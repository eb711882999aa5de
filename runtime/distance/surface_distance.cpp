#include "runtime/distance/surface_distance.h"

#include <string>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"

namespace abut::distance {

void signed_distances(const asset::SurfaceView& surface, std::span<const Vec3<double>> points,
                      std::span<SurfaceDistance<double>> results, int threads) {
  if (points.size() != results.size())
    throw InvalidInput("signed distances: " + std::to_string(points.size()) + " points but room for " +
                       std::to_string(results.size()) + " results");
  constexpr std::int64_t kChunk = 64;
  parallel_for(
      static_cast<std::int64_t>(points.size()), threads,
      [&](std::int64_t i, int) { results[i] = signed_distance<double>(surface, points[i]); }, kChunk);
}

}  // namespace abut::distance
