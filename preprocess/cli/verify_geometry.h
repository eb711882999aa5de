#pragma once

#include <string>
#include <vector>

#include "runtime/asset/asset.h"

// The checks that need exact predicates. Internal to verify().
namespace abut::preprocess {

// What keeps the surface from being the boundary of a solid; nothing where it is one.
std::vector<std::string> solid_problems(const asset::SurfaceView& surface);

// What keeps the piece from being a convex polytope; nothing where it is one.
std::vector<std::string> convexity_problems(const asset::ConvexView& piece);

// Largest distance by which the surface sticks out of the convex piece, m; 0 where it is inside.
double protrusion(const asset::SurfaceView& surface, const asset::ConvexView& piece);

}  // namespace abut::preprocess
