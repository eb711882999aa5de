#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <span>

#include "preprocess/mesh/mesh.h"
#include "preprocess/tetrahedralize/tetrahedral_mesh.h"
#include "runtime/core/error.h"

namespace abut::preprocess {

// TetGen runs in a child process of its own: on some input it crashes, also in its own cleanup, or never
// ends.
struct TetrahedralizeLimits {
  double timeout_seconds = 300;
  std::size_t memory_bytes = std::size_t{4} << 30;  // address space, the caller's included
};

// TetGen reached a limit: another try on the same or a finer surface would only take as long again.
class LimitReached : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

// Constrained Delaunay tetrahedra of the solid within a closed surface [Si2015]: every triangle of the
// surface is kept, `inside` (m, strictly inside) become vertices, and so may a few points that the surface
// needs to be kept. Regions that the surface's orientation calls outside (voids) stay empty. Throws
// InvalidInput where the surface is empty, not closed, crosses itself or encloses nothing, and where TetGen
// fails or crashes, LimitReached where it reaches a limit: the message says which. Throws std::bad_alloc
// where the caller's own limit of memory is the lower one, and is reached, IoError where TetGen is killed
// from outside.
TetrahedralMesh tetrahedralize(const TriangleMesh& surface, std::span<const Eigen::Vector3d> inside,
                               const TetrahedralizeLimits& limits = {});

// What the child does in place of TetGen; for tests of what happens when it fails.
using Mesher = std::function<TetrahedralMesh(const TriangleMesh&, std::span<const Eigen::Vector3d>)>;
TetrahedralMesh tetrahedralize_with(const Mesher& mesher, const TriangleMesh& surface,
                                    std::span<const Eigen::Vector3d> inside,
                                    const TetrahedralizeLimits& limits);

}  // namespace abut::preprocess
