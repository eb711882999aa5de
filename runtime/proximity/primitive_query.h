#pragma once

#include "runtime/distance/least_distance.h"
#include "runtime/proximity/surface_query.h"

// Signed distance of a primitive and a surface, convex or not, defined as for two surfaces (surface_query.h):
//   d = min(min over the surface of the primitive's distance, min over the primitive of the surface's).
// The first minimum is exact (least_distance.h), and so is d where the bodies are apart, where one of them is
// a half-space, and where the deepest point lies on the surface. The deepest point of the primitive is
// searched on triangles that approximate it and then on the primitive itself: the result is exact where one
// face is nearest, and elsewhere too shallow by at most the deviation of the triangles, which the lower bound
// includes.
namespace abut::proximity {

// Scratch memory of one thread.
struct PrimitiveScratch {
  distance::LeastSearch least;
  distance::DeepestSearch deepest;
};

// Whether one body is a primitive and the other is not.
bool of_primitive_and_surface(const body::Pair& pair);

// Throws InvalidInput, naming `who`, unless the pair is a primitive and a surface in a finite pose.
void require_primitive_and_surface(const body::Pair& pair, const char* who);

// Signed distance and witness of a valid pair; everything in frame A, m. The triangle index of the primitive
// is -1. Never throws.
SurfaceWitness primitive_separation(const body::Pair& pair, PrimitiveScratch& scratch);

// Derivative of the witness with respect to xi of X_AB exp(xi). Exact where the witness is a point of the
// surface. With x = x0 + U z the surface's point in the flat of its feature, f the primitive's distance, and
// g and H its gradient and Hessian, U' g = 0:
//   dz = -(U' H U)^-1 (U' H dx0 + dU' g),   dp = dx0 + U dz,   dg = H dp.
// Returns kClamped where flats are parallel, where a kink of f carries the point, and where the deepest point
// is one of the primitive, which is then held fixed in the primitive. There the points and the normal move
// with one of the equally near features, and dd is the mean of the slopes of these features with the weights
// under which their pulls along the point's flat cancel: the slope of the depth (approximate for round
// primitives, whose deepest point is found on triangles).
derivative::WitnessDerivative<double> primitive_derivative(const body::Pair& pair,
                                                           const SurfaceWitness& found);

}  // namespace abut::proximity
