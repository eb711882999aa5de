#pragma once

#include <string>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

// What is wrong with the spheres of an asset with a surface: a point of the solid or of its surface that none
// holds, or a point of theirs farther outside than their error says, of random ones. Internal to verify().
std::vector<std::string> sphere_problems(const asset::Asset& asset);

}  // namespace abut::preprocess
