#pragma once

#include <vector>

#include "datasets/household.h"
#include "datasets/household/surface.h"

// What goes wrong in real scans, put into a sound surface on purpose. The functions that place several faults
// keep them apart and return how many they placed.
namespace abut::datasets::household {

// Gives each of up to six charts (faces by the main direction of their normal) vertices of its own, as
// texture seams do; returns the number of vertices added.
int duplicate_seam_vertices(Surface& surface);

// At an edge: the slit between its two faces is filled by two coincident opposite faces with a tip below the
// surface and two collapsed faces.
int add_flaps(Surface& surface, int count);

// Removes all faces of a vertex.
int add_holes(Surface& surface, int count);

void turn_inside_out(Surface& surface);

// A small ball beside the object's bounding box.
void add_blob(Surface& surface, double radius);

// At an edge: two dents that reach under each other, so that their sides cross.
int add_self_intersections(Surface& surface, int count);

// A tunnel of triangular section through a wall that is at most `wall` thick, m.
int add_tunnels(Surface& surface, int count, double wall);

void scale(Surface& surface, double factor);

}  // namespace abut::datasets::household
