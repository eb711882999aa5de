#pragma once

#include <optional>
#include <string>

#include "preprocess/mesh/close.h"

namespace abut::preprocess {

struct MendedPart {
  std::optional<TriangleMesh> surface;  // empty if no repair succeeds and passes the gates
  std::string refused;                  // if empty, why the last repair failed its gate; may be empty
  bool overlapping = false;             // solids overlapped or were nested; the surface has no faces inside
};

// Makes the boundary of a solid from a closed surface that is oriented outward, of size `diagonal` (m):
// unites solids that overlap, closes tiny tunnels, removes self-intersections. A step that fails the gates of
// `parameters` is undone.
MendedPart mend_part(const TriangleMesh& closed, const CloseParameters& parameters, double diagonal,
                     Report& report);

}  // namespace abut::preprocess
