#pragma once

#include <cstddef>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "preprocess/pieces/part.h"
#include "preprocess/pieces/polytope.h"
#include "runtime/asset/asset.h"

// Convex parts of what was designed from few planes: furniture, brackets, fixtures. Internal to the pieces.
namespace abut::preprocess {

struct ExactParts {
  std::vector<Polytope> polytopes;  // convex, to the tolerance; they may overlap
  std::vector<Part> parts;          // the solid as it was cut, each part in one of them
};

// Convex parts whose union is the solid, to `tolerance` (m): cut along the planes of faces that make it
// concave, as [Chazelle1984] cuts along notches, and every part then grown over the cuts that it does not
// need, so that parts overlap. None where the surface has too many planes, or more than `most` parts would be
// needed.
ExactParts exact_parts(const TriangleMesh& mesh, const asset::SurfaceView& surface, std::size_t most,
                       double tolerance);

}  // namespace abut::preprocess
