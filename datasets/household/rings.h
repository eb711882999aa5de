#pragma once

#include <vector>

#include "datasets/household/surface.h"

// Surfaces made of a stack of circles: solids of revolution and swept tubes.
namespace abut::datasets::household {

// A circle: center + radius (cos(a) u + sin(a) v) with u, v orthonormal. Radius 0 is a pole.
struct Ring {
  Eigen::Vector3d center, u, v;
  double radius;
};

// The closed surface through the rings, from pole to pole. The number of vertices of a ring is its length
// over the spacing, so that triangles stay even from wall to pole. Faces are oriented away from the centres
// if the rings advance along u x v.
Surface skin(const std::vector<Ring>& rings, double spacing);

// A polyline in the half plane (r, z) or (radius, arc length).
using Profile = std::vector<Eigen::Vector2d>;

// Appends points at most `spacing` apart on the segment from the profile's end to `to`, including `to`.
void line_to(Profile& profile, const Eigen::Vector2d& to, double spacing);

// Appends points at most `spacing` apart on the arc about `center` from the angle `from` to `to` (radians
// from the r axis), including both ends, unless the first point repeats the profile's end.
void arc(Profile& profile, const Eigen::Vector2d& center, double radius, double from, double to,
         double spacing);

// Points at equal distances along the polyline, about `spacing` apart; keeps its ends.
Profile resample(const Profile& profile, double spacing);

// The surface of revolution about z of a profile (r, z) that starts and ends on the axis; oriented outward if
// the profile runs counter-clockwise around the solid (from the bottom along the outside to the top).
Surface revolve(const Profile& profile, double spacing);

// The volume enclosed by the profile's surface of revolution, a sum of frustums, m^3.
double revolved_volume(const Profile& profile);

}  // namespace abut::datasets::household
