#pragma once

#include <vector>

#include "preprocess/mesh/tunnels.h"

namespace abut::preprocess {

// How a loop is cut. kRing takes out the faces around the loop: what remains lies well apart, but the surface
// moves by up to a face. kSlit duplicates the loop's vertices and draws the copies apart by less than half an
// edge: the surface moves less.
enum class Cut { kNone, kRing, kSlit };

// Cuts the mesh along each loop in the way given for it, which leaves two open rims a loop. A loop whose ring
// is no annulus is slit instead.
TriangleMesh cut_loops(const TriangleMesh& mesh, const std::vector<Loop>& loops,
                       const std::vector<Cut>& cuts);

}  // namespace abut::preprocess
