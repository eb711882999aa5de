#pragma once

#include <vector>

#include "runtime/body/primitives/kind.h"

// Surfaces of solids of revolution about z, from their profile in the half plane of radius and height.
namespace abut::body::detail {

// Parts of a length, so that needles and plates do not have more than a few thousand samples.
int parts(double length, double spacing);

// A profile from the lowest point of the axis to the highest, in pieces that meet at common nodes.
class Profile {
 public:
  explicit Profile(double spacing) : spacing_(spacing) {}

  // An arc about (0, z) between angles from the equator.
  void arc(double radius, double z, double from, double to);
  // A line, outside to the right of it.
  void line(double r0, double z0, double r1, double z1);
  // Samples around the axis.
  std::vector<SurfaceSample> turned() const;

 private:
  // A node, with the length of the profile about it.
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

// Triangles of a profile from the lowest point of the axis to the highest, both with r = 0, about the axis.
TriangleMesh turned(const std::vector<ProfilePoint>& profile, int sides);

// Samples and triangles of a solid whose profile is these points joined by lines; triangles lie within the
// deviation, in units of the radius.
std::vector<SurfaceSample> samples_of(const std::vector<ProfilePoint>& profile, double spacing);
TriangleMesh triangles_of(std::vector<ProfilePoint> profile, double deviation);

// Triangles of the hull of two unit balls about (0, 0, +-h).
TriangleMesh unit_capsule(double h, double deviation);

// Along the axes.
TriangleMesh scaled(TriangleMesh mesh, const Vec3<double>& scale);

// Length of a core, of which one that is shorter than rounding, in units of its depth, is a point: no
// needles.
double core_length(double length, double depth);

}  // namespace abut::body::detail
