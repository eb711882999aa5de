#pragma once

#include "preprocess/draw/canvas.h"
#include "runtime/asset/asset.h"

namespace abut::preprocess {

// What is in an asset, side by side: the surface, its convex hull with the hull's edges, and the quads of
// its points with theirs.
Image picture(const asset::AssetView& asset, int panel_pixels = 640);

}  // namespace abut::preprocess
