#pragma once

#include "preprocess/mesh/editable_mesh.h"

namespace abut::preprocess {

// Whether two triangles, given by vertex numbers and corners, meet in anything but the vertices whose numbers
// they share. Exact for the coordinates as they are; touching counts. The triangles must not be degenerate.
bool meet_improperly(const Triangle& s, const Corners& corners_s, const Triangle& t,
                     const Corners& corners_t);

}  // namespace abut::preprocess
