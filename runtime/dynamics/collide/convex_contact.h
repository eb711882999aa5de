#pragma once

#include <vector>

#include "runtime/dynamics/collide/placed_shape.h"
#include "runtime/witness/separation.h"

// Contact points of two convex shapes, or of one and a half-space.
namespace abut::dynamics {

// How contacts that touch along a surface are sampled.
enum class ContactSampling {
  kVertex,  // at the corners of the common area: what may carry any load the area may
  kPatch,   // a cap on a plane at points of equal area: where pressure is even
  kPieces,  // at corners; assets touch as unions of their convex pieces
};

// Two boxes: separating axes, then the faces or edges of the best one. Appends points with gap <= margin.
void box_box_points(const PlacedShape& A, const PlacedShape& B, double margin,
                    std::vector<SurfacePoint>& points);

// Primitives in any combination but half-spaces, by their witness points.
void witness_points(const PlacedShape& A, const PlacedShape& B, double margin,
                    witness::Workspace<double>& workspace, std::vector<SurfacePoint>& points);

// A is a plane, B any other primitive.
void plane_points(const PlacedShape& A, const PlacedShape& B, double margin, ContactSampling sampling,
                  std::vector<SurfacePoint>& points);

}  // namespace abut::dynamics
