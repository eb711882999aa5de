#include "runtime/ssdf/wrong_signs.h"

#include <cstdio>

namespace abut::ssdf {
namespace {

// The level of the asset's points that the geometry has; -1: none.
int level_of(const body::Geometry& geometry, const asset::Asset& asset) {
  for (std::size_t i = 0; i < asset.points.size(); ++i)
    if (asset.points[i].areas.data() == geometry.points().areas) return static_cast<int>(i);
  return -1;
}

}  // namespace

std::string wrong_sign_warning(const body::Geometry& geometry) {
  const asset::Asset* asset = geometry.asset();
  if (asset == nullptr) return {};
  const int level = level_of(geometry, *asset);
  const auto& measures = asset->provenance.measures;
  const auto wrong = measures.find("points" + std::to_string(level) + "_sign_wrong_percent");
  if (level < 0 || wrong == measures.end() || !(wrong->second > kWrongSignPercent)) return {};
  const auto levels = asset->provenance.parameters.find("points.levels");
  const bool finest =
      level == 0 && levels != asset->provenance.parameters.end() && levels->second.starts_with("auto");
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.2g", wrong->second);
  return std::string(geometry.name()) + ": soft distances of its " +
         std::to_string(asset->points[static_cast<std::size_t>(level)].areas.size()) +
         " points have the wrong sign at " + percent +
         " % of places beside its surface, and soft contact forces may have it too; " +
         (finest ? "a distance grid (--grid auto) holds thinner walls" : "make the asset with --quads auto");
}

}  // namespace abut::ssdf
