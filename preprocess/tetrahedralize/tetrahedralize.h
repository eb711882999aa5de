#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <span>

#include "preprocess/mesh/mesh.h"
#include "preprocess/tetrahedralize/tetrahedral_mesh.h"
#include "runtime/core/error.h"

namespace abut::preprocess {

// Limits of TetGen, which runs in a child process of its own: on some input it crashes, even in its cleanup,
// or never terminates.
struct TetrahedralizeLimits {
  double timeout_seconds = 300;
  std::size_t memory_bytes = std::size_t{4} << 30;  // address space, including the caller's
};

// Thrown if TetGen reached a limit: another attempt on the same or a finer surface would take as long again.
class LimitReached : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

// Constrained Delaunay tetrahedralization of the solid within a closed surface [Si2015]. It preserves every
// triangle of the surface; the points `inside` (m, strictly inside) become vertices, and so may a few
// additional points that are needed to recover the surface. Regions outside by the surface's orientation
// (voids) stay empty. Throws InvalidInput if the surface is empty, not closed, intersects itself or encloses
// nothing, and if TetGen fails or crashes; LimitReached, naming the limit, if TetGen reaches one. Throws
// std::bad_alloc if the caller's own memory limit is the lower one and is reached, IoError if TetGen is
// killed from outside.
TetrahedralMesh tetrahedralize(const TriangleMesh& surface, std::span<const Eigen::Vector3d> inside,
                               const TetrahedralizeLimits& limits = {});

// Replaces TetGen in the child process; for tests of how failures are handled.
using Mesher = std::function<TetrahedralMesh(const TriangleMesh&, std::span<const Eigen::Vector3d>)>;
TetrahedralMesh tetrahedralize_with(const Mesher& mesher, const TriangleMesh& surface,
                                    std::span<const Eigen::Vector3d> inside,
                                    const TetrahedralizeLimits& limits);

}  // namespace abut::preprocess
