#pragma once

#include <string>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

// What the volume must agree with.
struct VolumeContext {
  asset::SurfaceView surface;  // sound
  double distance = 0;         // m: how far the volume's boundary may be from the surface
  bool fill_voids = false;     // the volume has neither the surface's cavities nor what lies in them
  bool has_cores = false;      // its extent is 1 in a core of every connected part
};

// What keeps a volume whose indices are in range from being right, a line for each kind of fault; nothing
// where all of this holds. Tetrahedra have positive volume and are neighbours exactly where they share a
// face, on either side of it; their boundary is a closed surface free of self-intersection, as near to the
// asset's as it may be, and encloses its volume but for what that distance allows. The extent is in [0, 1],
// zero on the boundary, not zero all over a tetrahedron there, and about 1 somewhere in every connected part
// where there are to be cores. (Then no tetrahedra overlap: around each point are as many as the boundary
// winds around it.) Gradients, planes, ranges and the tree follow from all that. Internal to verify().
std::vector<std::string> volume_problems(const asset::VolumeView& volume, const VolumeContext& context);

}  // namespace abut::preprocess
