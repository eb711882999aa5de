#pragma once

#include <optional>
#include <string>

#include "preprocess/mesh/close.h"

namespace abut::preprocess {

struct MendedPart {
  std::optional<TriangleMesh> surface;  // none where no repair that a gate lets pass will do
  std::string refused;                  // then why the last repair that a gate refused was; may be empty
  bool overlapping = false;             // solids lay or reached into others, where the surface has nothing
};

// Makes the boundary of a solid out of a closed surface of diameter `diagonal`, m, that is oriented outward:
// unites solids that overlap, closes tiny tunnels, removes self-intersections. Each step that the gates of
// `parameters` do not let pass is undone.
MendedPart mend_part(const TriangleMesh& closed, const CloseParameters& parameters, double diagonal,
                     Report& report);

}  // namespace abut::preprocess
