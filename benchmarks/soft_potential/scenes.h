#pragma once

#include <string>

#include "benchmarks/support/promises.h"

// Scenes of contact by soft distances, each a table on the standard output: the potential with both fields at
// its default settings, beside the published soft minimum.
namespace abut::soft_potential_scenes {

using benchmarks::Promises;

// Two square bars that cross edge on edge, and a knife edge on a rod: direction of the force against minus
// the gradient of the volume of overlap.
void edges(Promises& promises);

// A box on a box: pressure, centre of pressure, tilt at rest, sideways force.
void boxes(Promises& promises);

// A finger in the mug's handle; a peg in a hole: direction of the force.
void handle(Promises& promises);
void peg(Promises& promises);

// Wrong signs of the points' field near every object, beside those of the quads' own exact distance; how far
// from the surface there are any.
void signs(Promises& promises);

// Work around closed paths, force against the energy's gradient, continuity of the Hessian.
void closed_paths(Promises& promises);
void hessians(Promises& promises);

// A ball that slides and rolls over a plate.
void ripple(Promises& promises);

// Friction on a slope, spinning coins.
void friction(Promises& promises);

// One pair on one thread and on two, by the clock.
void threads(Promises& promises);

// Processor time against contact area and against resolution, as CSV for scene_cost.gp.
void cost(Promises& promises);

}  // namespace abut::soft_potential_scenes
