#pragma once

#include "preprocess/remesh/creased_surface.h"

namespace abut::preprocess {

// What a vertex's lattice point is free to do.
enum class Hold : std::uint8_t {
  kFree,
  kLine,   // stays on the crease through the vertex
  kPoint,  // stays at the vertex: a corner of creases or a singularity of the orientation field
};

// What the creases ask of each vertex: kPoint where more than two meet or one turns by more than 45 degrees,
// kLine elsewhere along them. Singularities are not seen here.
std::vector<Hold> crease_holds(const CreasedSurface& surface);

// The point nearest to each vertex of a 4-PoSy field: of the square lattices that the orientation field's
// axes and the wanted edge lengths span in the tangent planes, shifted so that neighbours' lattices agree as
// far as they can. Local smoothing over a multiresolution hierarchy [Jakob et al. 2015, section 3.2 and 4].
// `directions`: of the orientation field, one a face.
// Differs from [Jakob2015]: lattices are held by creases and singularities.
std::vector<Eigen::Vector3d> position_field(const CreasedSurface& surface,
                                            const std::vector<Eigen::Vector3d>& directions,
                                            const std::vector<Hold>& holds, int threads);

}  // namespace abut::preprocess
