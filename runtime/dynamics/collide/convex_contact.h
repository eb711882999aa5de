#pragma once

#include <vector>

#include "runtime/dynamics/collide/placed_shape.h"
#include "runtime/witness/separation.h"

// Contact points of two convex primitives, or of one and a half-space.
namespace abut::dynamics {

// How a contact along a surface is sampled by points.
enum class ContactSampling {
  kVertex,  // at the corners of the contact area, which can carry any load that the area can
  kPatch,   // as kVertex, but the disc of a cylinder or cone on a plane at points of equal area, for uniform
            // pressure
  kPieces,  // at corners; assets touch as unions of their convex pieces
};

// Appends the contact points with gap <= margin, m, of two boxes: finds the best separating axis, then clips
// its faces or takes the closest points of its edges.
void box_box_points(const PlacedShape& A, const PlacedShape& B, double margin,
                    std::vector<SurfacePoint>& points);

// Appends the contact points with gap <= margin, m, of any two primitives but half-spaces, from
// their witness points and the features that face each other.
void witness_points(const PlacedShape& A, const PlacedShape& B, double margin,
                    witness::Workspace<double>& workspace, std::vector<SurfacePoint>& points);

// Appends the contact points with gap <= margin, m, of a half-space A and any other primitive B.
void plane_points(const PlacedShape& A, const PlacedShape& B, double margin, ContactSampling sampling,
                  std::vector<SurfacePoint>& points);

}  // namespace abut::dynamics
