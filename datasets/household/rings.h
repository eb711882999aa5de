#pragma once

#include <vector>

#include "datasets/household/surface.h"

// Surfaces that are a stack of circles: solids of revolution and swept tubes.
namespace abut::datasets::household {

// A circle: center + radius (cos(a) u + sin(a) v) with u, v orthonormal. Radius 0 makes a pole.
struct Ring {
  Eigen::Vector3d center, u, v;
  double radius;
};

// The closed surface through the rings, from pole to pole. Every ring gets as many vertices as its length has
// room for at the given spacing, so that triangles stay even from wall to pole. Faces look away from the
// centres where the rings advance along u x v.
Surface skin(const std::vector<Ring>& rings, double spacing);

// A polyline in the half plane (r, z) or (radius, arc length).
using Profile = std::vector<Eigen::Vector2d>;

// Appends points at most `spacing` apart on the segment from the profile's end to `to`, `to` included.
void line_to(Profile& profile, const Eigen::Vector2d& to, double spacing);

// Appends points at most `spacing` apart on the arc about `center` from the angle `from` to `to` (radians
// against the r axis), both ends included; a first point that repeats the profile's end is left out.
void arc(Profile& profile, const Eigen::Vector2d& center, double radius, double from, double to,
         double spacing);

// Points of the polyline that are equally far apart along it, about `spacing`; keeps its ends.
Profile resample(const Profile& profile, double spacing);

// The surface of revolution about z of a profile (r, z) that starts and ends on the axis, oriented outward
// where the profile runs around the solid counter-clockwise (from the bottom outside to the top).
Surface revolve(const Profile& profile, double spacing);

// The volume inside the profile's surface of revolution, a sum of frustums, m^3.
double revolved_volume(const Profile& profile);

}  // namespace abut::datasets::household
