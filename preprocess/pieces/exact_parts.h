#pragma once

#include <cstddef>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "preprocess/pieces/part.h"
#include "preprocess/pieces/polytope.h"
#include "runtime/asset/asset.h"

// Convex parts of objects designed from few planes: furniture, brackets, fixtures. Internal to the pieces.
namespace abut::preprocess {

struct ExactParts {
  std::vector<Polytope> polytopes;  // convex within the tolerance; they may overlap
  std::vector<Part> parts;          // the solid as it was cut, each part inside one polytope
};

// Convex parts whose union is the solid, within `tolerance` (m): the solid is cut along the planes of faces
// that make it concave, as [Chazelle1984] cuts along notches, and every part is then grown across the cuts
// that it does not need, so that parts overlap. Empty if the surface has too many planes, or more than `most`
// parts would be needed.
ExactParts exact_parts(const TriangleMesh& mesh, const asset::SurfaceView& surface, std::size_t most,
                       double tolerance);

}  // namespace abut::preprocess
