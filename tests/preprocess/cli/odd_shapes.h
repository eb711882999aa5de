#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"

// Meshes that nobody means to make assets of, but somebody will; none has more than 10,000 triangles.
namespace abut::test {

struct OddShape {
  std::string name;
  preprocess::TriangleMesh mesh;
  bool keep_all = false;  // with --keep-all-components
  bool fast = false;      // in the fast tier
};
inline void PrintTo(const OddShape& shape, std::ostream* out) { *out << shape.name; }

const std::vector<OddShape>& odd_shapes();

}  // namespace abut::test
