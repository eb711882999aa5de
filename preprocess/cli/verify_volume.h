#pragma once

#include <string>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

// What the volume must be consistent with.
struct VolumeContext {
  asset::SurfaceView surface;  // verified
  double distance = 0;         // m: largest allowed distance of the volume's boundary from the surface
  bool fill_voids = false;     // whether the volume fills the surface's cavities, with all that lies in them
  bool has_cores = false;      // whether its extent is 1 in a core of every connected part
};

// Checks a volume whose indices are in range; returns one line for each kind of fault, and nothing if all of
// the following holds. Tetrahedra have positive volume and are neighbours exactly where they share a face, on
// opposite sides of it. Their boundary is a closed surface free of self-intersection, within the allowed
// distance of the asset's, and encloses the same volume up to what that distance allows. The extent is in [0,
// 1], zero on the boundary, not zero at all corners of a tetrahedron there, and, if there are to be cores,
// about 1 somewhere in every connected part. (Then no tetrahedra overlap: as many contain each point as the
// boundary winds around it.) Gradients, planes, ranges and the tree follow from the mesh and the extent.
// Internal to verify().
std::vector<std::string> volume_problems(const asset::VolumeView& volume, const VolumeContext& context);

}  // namespace abut::preprocess
