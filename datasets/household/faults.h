#pragma once

#include <vector>

#include "datasets/household.h"
#include "datasets/household/surface.h"

// Adds typical faults of real scans to a sound surface. Functions that place several faults keep them apart
// and return how many they placed.
namespace abut::datasets::household {

// Gives each of up to six charts (faces by the main direction of their normal) its own vertices, as texture
// seams do; returns the number of vertices added.
int duplicate_seam_vertices(Surface& surface);

// At an edge: fills the slit between its two faces with two coincident opposite faces, whose tip lies below
// the surface, and two collapsed faces.
int add_flaps(Surface& surface, int count);

// Removes all faces around a vertex.
int add_holes(Surface& surface, int count);

void turn_inside_out(Surface& surface);

// Adds a small ball next to the object's bounding box.
void add_blob(Surface& surface, double radius);

// At an edge: makes two dents that reach under each other, so that their sides cross.
int add_self_intersections(Surface& surface, int count);

// Makes a tunnel with triangular cross-section through a wall of at most `wall` thickness, m.
int add_tunnels(Surface& surface, int count, double wall);

void scale(Surface& surface, double factor);

}  // namespace abut::datasets::household
