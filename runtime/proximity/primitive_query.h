#pragma once

#include "runtime/distance/least_distance.h"
#include "runtime/proximity/surface_query.h"

// Signed distance of a primitive and a surface, convex or not, as of two surfaces (surface_query.h):
//   d = min(min over the surface of the primitive's distance, min over the primitive of the surface's).
// The first is exact (least_distance.h), and with it d where the bodies are apart, where a half-space is one
// of them, and where the deepest point is one of the surface. That of the primitive is looked for on the
// triangles that stand for it and then on the primitive itself: exact where one face is nearest, elsewhere
// less deep by no more than the triangles are off; the lower bound says how much.
namespace abut::proximity {

// Scratch of a thread.
struct PrimitiveScratch {
  distance::LeastSearch least;
  distance::DeepestSearch deepest;
};

// Whether one body is a primitive and the other one none.
bool of_primitive_and_surface(const body::Pair& pair);

// Throws InvalidInput, naming `who`, for a pair that is not such in a finite pose.
void require_primitive_and_surface(const body::Pair& pair, const char* who);

// Of a valid pair; everything in frame A, m. The triangle of the primitive is -1. Never throws.
SurfaceWitness primitive_separation(const body::Pair& pair, PrimitiveScratch& scratch);

// Of a point of the surface, exact. With x = x0 + U z the surface's point in the flat of its feature, f the
// primitive's distance, g and H its derivatives, U' g = 0:
//   dz = -(U' H U)^-1 (U' H dx0 + dU' g),   dp = dx0 + U dz,   dg = H dp.
// kClamped: flats are parallel, a kink of f carries the point, or the deepest point is one of the primitive:
// then it is held in it. There the points and the normal move with one of the features that are as near, and
// dd is the mean of theirs under which their pulls along the point's flat cancel: the slope of the depth (of
// round primitives, whose deepest point is found on triangles, about).
derivative::WitnessDerivative<double> primitive_derivative(const body::Pair& pair,
                                                           const SurfaceWitness& found);

}  // namespace abut::proximity
