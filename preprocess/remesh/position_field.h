#pragma once

#include "preprocess/remesh/creased_surface.h"

namespace abut::preprocess {

// The freedom of a vertex's lattice point.
enum class Hold : std::uint8_t {
  kFree,
  kLine,   // stays on the crease through the vertex
  kPoint,  // stays at the vertex: a corner of creases or a singularity of the orientation field
};

// The hold that creases impose on each vertex: kPoint where more than two meet or one turns by more than 45
// degrees, kLine elsewhere along them. Singularities are not considered here.
std::vector<Hold> crease_holds(const CreasedSurface& surface);

// The lattice point nearest to each vertex, m, of a 4-PoSy field: square lattices in the tangent planes,
// spanned by the orientation field's axes and the wanted edge lengths, and shifted so that neighbouring
// lattices agree as well as possible. Local smoothing over a multiresolution hierarchy [Jakob et al. 2015,
// section 3.2 and 4]. `directions`: of the orientation field, one for each face.
// Differs from [Jakob2015]: creases and singularities hold lattice points.
std::vector<Eigen::Vector3d> position_field(const CreasedSurface& surface,
                                            const std::vector<Eigen::Vector3d>& directions,
                                            const std::vector<Hold>& holds, int threads);

}  // namespace abut::preprocess
