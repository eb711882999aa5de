#pragma once

#include <vector>

#include "runtime/body/primitives/kind.h"

// Surfaces of solids of revolution about z, from their profiles in the half plane of radius r and height z.
namespace abut::body::detail {

// Number of parts of a length that are about `spacing` long, at least 1 and at most kSampleCount, so that
// needles and plates do not get more than a few thousand samples.
int parts(double length, double spacing);

// Appends nu x nv parts of a sample's area, 2 x 2 a group; at(u, v) is the part's midpoint and area. nu and
// nv are even.
template <class At>
void add_parts(SurfaceSample& sample, int nu, int nv, At&& at) {
  for (int u = 0; u < nu; u += 2)
    for (int v = 0; v < nv; v += 2)
      for (int i = 0; i < 4; ++i) sample.parts.push_back(at(u + i / 2, v + i % 2));
}

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
  // What a node represents of the piece on one of its sides.
  struct Side {
    double nr = 0, nz = 0;  // unit normal; the profile's direction is (-nz, nr)
    double share = 0;       // length, m
  };
  // A node of the profile; an end of a piece has one side only until the next piece begins there.
  struct Node {
    double r, z;  // m
    Side before, after;

    double share() const { return before.share + after.share; }  // m
    bool bends() const;
  };

  template <class At>
  void piece(double length, At&& at);
  // Adds to a sample of a node the parts within the angle `width` about `angle`, rad.
  static void add_sector(SurfaceSample& sample, const Node& node, double angle, double width, int count);

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
