#pragma once

#include <memory>

#include "preprocess/index/index.h"
#include "preprocess/mesh/close.h"
#include "runtime/core/random.h"
#include "runtime/proximity/surface_query.h"
#include "tests/support/shapes.h"

// Surfaces of scanned objects, as the pipeline closes and stores them.
namespace abut::test {

// Names of some in tests/support/shapes.h's folder: a mug with its handle, a thin curved one, two with many
// details.
inline constexpr const char* kScanned[] = {"025_mug", "011_banana", "035_power_drill", "051_large_clamp"};

// Null where the reference data are absent; made once.
inline const asset::Surface* scanned_surface(const std::string& object) {
  static std::map<std::string, std::unique_ptr<asset::Surface>> made;
  auto [place, added] = made.try_emplace(object);
  if (added)
    if (const auto mesh = welded_ycb(object)) {
      preprocess::Report report;
      place->second = std::make_unique<asset::Surface>(
          preprocess::build_surface(preprocess::close_surface(*mesh, {}, report).surface));
    }
  return place->second.get();
}

inline Vec3<double> normal_vector(Random& random) {
  return {random.normal(), random.normal(), random.normal()};
}

inline proximity::SurfaceWitness ask(const asset::Surface& A, const asset::Surface& B,
                                     const Pose<double>& X_AB) {
  static proximity::SurfaceScratch scratch;
  return proximity::surface_separation(view(A), view(B), X_AB, scratch);
}

}  // namespace abut::test
