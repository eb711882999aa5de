#pragma once

#include <vector>

#include "preprocess/mesh/change_check.h"
#include "preprocess/mesh/quadric.h"

namespace abut::preprocess {

// Makes the triangles of a simplified surface more even: flips edges between nearly coplanar faces and moves
// vertices towards the mean of their neighbours within the freedom that their quadrics (about `centre`)
// leave, wherever that improves the worst triangle of the patch and the check allows it.
void equalize(EditableMesh& mesh, ChangeCheck& check, const std::vector<Quadric>& quadrics,
              const Eigen::Vector3d& centre, int rounds);

}  // namespace abut::preprocess
