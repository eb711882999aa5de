#pragma once

#include <string>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

// Problems of the spheres of an asset with a surface, by random points: a point of the solid or of its
// surface that no sphere contains, or a point of a sphere farther outside than their error says. Internal to
// verify().
std::vector<std::string> sphere_problems(const asset::Asset& asset);

}  // namespace abut::preprocess
