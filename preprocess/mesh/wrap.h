#pragma once

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// The surface that a wrap replaces.
struct Wrapped {
  const TriangleMesh& input;
  const TriangleMesh&
      outer;            // faces of the input that the wrap must stay close to: those inside no other part
  double outlined = 0;  // volume that the input encloses with its holes closed by fans, m^3
};

// Replaces the surface by an alpha wrap [Portaneri et al. 2022], coarse at first: the last resort of repair.
// Throws InvalidInput if the wrap is farther than CloseParameters::kMaxWrap from the outer faces, or does not
// bound a solid.
//
// If the wrap of an open surface is much larger than the surface, or holds little of the volume that the
// surface outlines, it is a thin shell rather than a solid: a warning reports that, and the measures
// thin_shell (1), shell_of_outlined_percent and shell_of_hull_percent are set.
TriangleMesh wrap_surface(const Wrapped& what, Report& report);

}  // namespace abut::preprocess
