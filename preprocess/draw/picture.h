#pragma once

#include "preprocess/draw/canvas.h"
#include "runtime/asset/asset.h"

namespace abut::preprocess {

// What is in an asset, side by side with captions: the surface, the convex hull, the convex pieces in
// colours and the quads with their edges, and a cut through the tetrahedra of the finest volume in the
// colours of their extent. Parts that are absent are left out.
Image picture(const asset::Asset& asset, int panel_pixels = 460);

// The surface alone, a square without a caption.
Image thumbnail(const asset::AssetView& asset, int pixels);

}  // namespace abut::preprocess
