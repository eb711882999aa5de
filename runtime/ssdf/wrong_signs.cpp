#include "runtime/ssdf/wrong_signs.h"

#include <fmt/format.h>

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
  const auto wrong = measures.find(fmt::format("points{}_sign_wrong_percent", level));
  if (level < 0 || wrong == measures.end() || !(wrong->second > kWrongSignPercent)) return {};
  const auto levels = asset->provenance.parameters.find("points.levels");
  const bool finest =
      level == 0 && levels != asset->provenance.parameters.end() && levels->second.starts_with("auto");
  return fmt::format(
      "{}: soft distances of its {} points have the wrong sign at {:.2g} % of places beside its surface, and "
      "soft contact forces may have it too; {}",
      geometry.name(), asset->points[static_cast<std::size_t>(level)].areas.size(), wrong->second,
      finest ? "a distance grid (--grid auto) holds thinner walls" : "make the asset with --quads auto");
}

}  // namespace abut::ssdf
