#pragma once

#include <optional>
#include <vector>

#include "preprocess/mesh/close.h"

namespace abut::preprocess {

struct ClosedPart {
  TriangleMesh surface;                      // as ClosedSurface has it
  TriangleMesh reference;                    // what it stands for: the part with its holes filled
  std::vector<Eigen::Vector3d> hull_points;  // vertices of the part but for those of flaps and specks it lost
  bool overlapping = false;  // solids of the reference reach into others, where the surface has nothing
};

// Makes the boundary of a solid out of one part of a welded soup, joined through vertices, as close_surface
// does. None where nothing but a wrap would do and that is not allowed.
std::optional<ClosedPart> close_part(const TriangleMesh& part, const CloseParameters& parameters,
                                     bool may_wrap, Report& report);

}  // namespace abut::preprocess
