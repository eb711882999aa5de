#pragma once

#include <optional>
#include <vector>

#include "preprocess/mesh/close.h"

namespace abut::preprocess {

struct ClosedPart {
  TriangleMesh surface;                      // see ClosedSurface::surface
  TriangleMesh reference;                    // the surface to compare it with: the part with its holes filled
  std::vector<Eigen::Vector3d> hull_points;  // the part's vertices, without those of removed flaps and specks
  bool overlapping = false;  // solids of the reference overlap; the surface has no faces inside
};

// Makes the boundary of a solid from one part of a welded soup (faces connected through vertices), by the
// steps of close_surface. Empty if only a wrap would succeed and `may_wrap` is false.
std::optional<ClosedPart> close_part(const TriangleMesh& part, const CloseParameters& parameters,
                                     bool may_wrap, Report& report);

}  // namespace abut::preprocess
