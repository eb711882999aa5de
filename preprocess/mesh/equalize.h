#pragma once

#include <vector>

#include "preprocess/mesh/change_check.h"
#include "preprocess/mesh/quadric.h"

namespace abut::preprocess {

// Evens out the triangles of a simplified surface: flips edges between nearly coplanar faces and slides
// vertices towards the middle of their neighbours as far as their quadrics (about `centre`) leave them free,
// wherever that makes the worst triangle around better and the check allows it.
void equalize(EditableMesh& mesh, ChangeCheck& check, const std::vector<Quadric>& quadrics,
              const Eigen::Vector3d& centre, int rounds);

}  // namespace abut::preprocess
