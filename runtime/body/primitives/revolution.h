#pragma once

#include <vector>

#include "runtime/body/primitives/kind.h"

// Surfaces of solids of revolution about z, from their profiles in the half plane of radius r and height z.
namespace abut::body::detail {

// Number of parts of a length that are about `spacing` long, at least 1 and at most kSampleCount, so that
// needles and plates do not get more than a few thousand samples.
int parts(double length, double spacing);

// A profile from the lowest point of the axis to the highest, sampled piece by piece; consecutive pieces
// share a node.
class Profile {
 public:
  explicit Profile(double spacing) : spacing_(spacing) {}

  // Appends an arc about (0, z) between two angles from the equator, rad.
  void arc(double radius, double z, double from, double to);
  // Appends a line; the outside is to the right of its direction.
  void line(double r0, double z0, double r1, double z1);
  // Returns the samples of the profile revolved about the axis.
  std::vector<SurfaceSample> turned() const;

 private:
  // A node of the profile, its normal, and the length of the profile that it represents.
  struct Node {
    double r, z, nr, nz, share;
  };

  template <class At>
  void piece(double length, At&& at);

  double spacing_;
  std::vector<Node> nodes_;
};

struct ProfilePoint {
  double r, z;  // m
};

// Triangulates the surface of revolution of a profile from the lowest point of the axis to the highest, both
// with r = 0.
TriangleMesh turned(const std::vector<ProfilePoint>& profile, int sides);

// Samples and triangles of a solid whose profile is the polyline through these points; the triangles are
// within `deviation`, in units of the radius.
std::vector<SurfaceSample> samples_of(const std::vector<ProfilePoint>& profile, double spacing);
TriangleMesh triangles_of(std::vector<ProfilePoint> profile, double deviation);

// Triangles of the convex hull of two unit balls about (0, 0, +-h).
TriangleMesh unit_capsule(double h, double deviation);

// Returns the mesh scaled along the axes.
TriangleMesh scaled(TriangleMesh mesh, const Vec3<double>& scale);

// Returns the length of a core, or 0 (a point) if it is within rounding of 0 in units of the core's depth,
// which avoids needle-shaped tetrahedra.
double core_length(double length, double depth);

}  // namespace abut::body::detail
