#pragma once

#include <string>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

// Problems of the pieces of an asset with a surface: in their tree or adjacency, or if random points show
// that they reach farther outside the surface, or leave out more of the solid, than their errors say.
// Internal to verify().
std::vector<std::string> piece_problems(const asset::Asset& asset);

}  // namespace abut::preprocess
