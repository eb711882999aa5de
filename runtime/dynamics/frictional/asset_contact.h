#pragma once

#include <vector>

#include "runtime/dynamics/frictional/placed_shape.h"

// Contact points of a non-convex asset with another asset, a box, cylinder, sphere or half-space.
namespace abut::dynamics {

// Points that one pair of shapes keeps at most.
inline constexpr std::size_t kMostAssetPoints = 16;

// Scratch memory of one thread.
struct AssetWorkspace {
  std::vector<std::uint32_t> seen;  // by vertex: the query that met it last
  std::uint32_t query = 0;
  std::vector<double> spread;
};

// The vertices of either surface (a box's corners, too) against the exact signed distance of the other shape:
// points with gap <= margin, thinned out to kMostAssetPoints that span the contact. Edges of two surfaces
// that cross between vertices are not seen: meshes should be as fine as what they touch.
void asset_points(const PlacedShape& A, const PlacedShape& B, double margin, AssetWorkspace& workspace,
                  std::vector<SurfacePoint>& points);

}  // namespace abut::dynamics
