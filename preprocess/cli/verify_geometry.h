#pragma once

#include <string>
#include <vector>

#include "runtime/asset/asset.h"

// The checks that need exact predicates. Internal to verify().
namespace abut::preprocess {

// What keeps the surface from being the boundary of a solid; empty if it is one.
std::vector<std::string> solid_problems(const asset::SurfaceView& surface);

// What keeps the piece from being a convex polytope; empty if it is one.
std::vector<std::string> convexity_problems(const asset::ConvexView& piece);

// Largest distance by which the surface protrudes from the convex piece, m; 0 if it is inside.
double protrusion(const asset::SurfaceView& surface, const asset::ConvexView& piece);

}  // namespace abut::preprocess
