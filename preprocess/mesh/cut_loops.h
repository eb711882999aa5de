#pragma once

#include <vector>

#include "preprocess/mesh/tunnels.h"

namespace abut::preprocess {

// How a loop is cut. kRing removes the faces around the loop: the two new rims lie well apart, but the
// surface moves by up to the size of a face. kSlit duplicates the loop's vertices and draws the copies apart
// by less than half an edge: the surface moves less.
enum class Cut { kNone, kRing, kSlit };

// Cuts the mesh along each loop in the given way; each cut leaves two open rims. A loop whose ring of faces
// is not an annulus is slit instead.
TriangleMesh cut_loops(const TriangleMesh& mesh, const std::vector<Loop>& loops,
                       const std::vector<Cut>& cuts);

}  // namespace abut::preprocess
