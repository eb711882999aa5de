#pragma once

#include <string>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

// What is wrong with the pieces of an asset with a surface: their tree, their adjacency, or more of them
// outside the surface, or of the solid outside of them, at random points than their errors say. Internal to
// verify().
std::vector<std::string> piece_problems(const asset::Asset& asset);

}  // namespace abut::preprocess
