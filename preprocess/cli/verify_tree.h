#pragma once

#include <cstdint>
#include <string>

#include "runtime/bvh/tree.h"

namespace abut::preprocess {

// What a tree is over: primitives of some corners each, as indices into vertices.
struct TreePrimitives {
  const char* name = "";                     // for messages: "triangle"
  const double* vertices = nullptr;          // (..., 3) m
  const std::int32_t* primitives = nullptr;  // (count, corners)
  std::int32_t count = 0;
  int corners = 0;
};

// What is wrong with a tree whose indices are in range; empty where every primitive is in one leaf, every
// node but the root has one parent, and every box contains what is below it. Internal to verify().
std::string tree_problem(const bvh::TreeView& tree, const TreePrimitives& below);

}  // namespace abut::preprocess
