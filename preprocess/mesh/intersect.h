#pragma once

#include "preprocess/mesh/editable_mesh.h"

namespace abut::preprocess {

// Whether two triangles, given by vertex numbers and corners, have any point in common other than the
// vertices whose numbers they share. Exact for the given coordinates; touching counts. The triangles must not
// be degenerate.
bool meet_improperly(const Triangle& s, const Corners& corners_s, const Triangle& t,
                     const Corners& corners_t);

}  // namespace abut::preprocess
