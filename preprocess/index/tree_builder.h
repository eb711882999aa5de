#pragma once

#include "runtime/bvh/build.h"

namespace abut::preprocess {

using bvh::Box;
using bvh::build_tree;
using bvh::BuiltTree;

}  // namespace abut::preprocess
