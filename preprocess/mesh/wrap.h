#pragma once

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// What a wrap replaces.
struct Wrapped {
  const TriangleMesh& input;
  const TriangleMesh&
      outer;            // the faces of the input that the wrap must stay near: those inside no other part
  double outlined = 0;  // volume that the input encloses, its holes closed by fans, m^3
};

// The last resort: an alpha wrap [Portaneri et al. 2022], coarse at first. Throws InvalidInput where it is
// further than CloseParameters::kMaxWrap from the outer faces, or would take more work than one object is
// worth.
//
// An open surface whose wrap is much larger than itself, or holds little of the volume that it outlines, has
// become a thin shell, not a solid: a warning says so, and the measures thin_shell (1),
// shell_of_outlined_percent and shell_of_hull_percent.
TriangleMesh wrap_surface(const Wrapped& what, Report& report);

}  // namespace abut::preprocess
