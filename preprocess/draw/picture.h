#pragma once

#include "preprocess/draw/canvas.h"
#include "runtime/asset/asset.h"

namespace abut::preprocess {

// Shows the parts of an asset side by side with captions: the surface, the convex hull, the convex pieces in
// different colours, the quads with their edges, and a cut through the tetrahedra of the finest volume in the
// colours of their extent. Absent parts are omitted.
Image picture(const asset::Asset& asset, int panel_pixels = 460);

// Shows only the surface, as a square without a caption.
Image thumbnail(const asset::AssetView& asset, int pixels);

}  // namespace abut::preprocess
