#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/body/triangle_mesh.h"
#include "runtime/math/pose.h"

// Definition of a kind of primitive, in its own frame: each kind has a header with its struct and its swept
// core, and a source with its PrimitiveKind.
namespace abut::body {

// The kind of convex set whose support function the witness-point search uses; kHull is that of an asset.
enum class CoreKind : std::uint8_t { kHull, kPoint, kSegment, kBox, kPlane, kEllipsoid, kRims };

// A shape as the Minkowski sum of a core and a ball: a sphere is a point and a ball.
template <class S>
struct SweptCore {
  CoreKind kind;                   // of the core
  Vec3<S> size = Vec3<S>::Zero();  // half sizes of the core along the axes, m
  S top_radius = 0;                // upper rim of kRims, m; the lower rim's radius is size.x()
  S swept_radius = 0;              // radius of the ball, m
};

// Mass properties of a solid, at density 1, whose centre of mass lies on the z axis.
struct Solid {
  double volume;         // m^3
  double area;           // m^2
  double height;         // of the centre of mass along z, m
  Vec3<double> moments;  // integrals of x^2, y^2, z^2 about the centre of mass, m^5
};

// Signed distance of a primitive at a point Q, in the primitive's frame.
template <class S>
struct PrimitiveDistance {
  S value;                       // m, negative inside
  Vec3<S> gradient;              // unit, outward
  Mat3<S> hessian;               // 1/m, symmetric
  std::array<Mat3<S>, 3> third;  // 1/m^2: derivative of the Hessian with respect to each coordinate of Q
};

// A sample of a surface, which represents the area around it.
struct SurfaceSample {
  Vec3<double> position;  // m
  Vec3<double> normal;    // outwards, of any length
  double area;            // m^2
  // Where the surface bends at the sample: midpoints (m) and areas (m^2) of the parts of the area around it,
  // in groups of four neighbours, at most four groups. Empty elsewhere.
  std::vector<Eigen::Vector4d> parts = {};
};

// Everything that defines one kind of primitive. Its functions require valid sizes (require_valid).
template <class Shape>
struct PrimitiveKind {
  std::string_view name;                          // "cylinder", for command lines and messages
  std::string_view sizes;                         // what follows the name there, m: "R:H"
  std::string_view help;                          // what the sizes are
  std::size_t size_count;                         // how many numbers `sizes` names
  int may_vanish = -1;                            // index of the size that may be 0; -1: none
  Shape (*make)(std::span<const double> sizes);   // from sizes in that order, m
  std::vector<double> (*sizes_of)(const Shape&);  // in that order, m
  Solid (*solid)(const Shape&);                   // its mass properties
  double (*round_radius)(const Shape&);           // largest radius of its curved faces, m; 0: all are planes
  // Distance as in primitive_distance.h; the value alone is that of order 0, m.
  PrimitiveDistance<double> (*distance)(const Shape&, const Vec3<double>& p_Q, int order);
  double (*value)(const Shape&, const Vec3<double>& p_Q);  // m
  // The same in extended precision.
  PrimitiveDistance<long double> (*precise_distance)(const Shape&, const Vec3<long double>& p_Q, int order);
  long double (*precise_value)(const Shape&, const Vec3<long double>& p_Q);  // m
  std::vector<SurfaceSample> (*samples)(const Shape&, double spacing);       // about `spacing` apart, m
  TriangleMesh (*triangles)(const Shape&, double deviation);                 // as triangulate() returns them
  // Maps a surface point to its place on the core of tetrahedra.h.
  Vec3<double> (*deepest)(const Shape&, const Vec3<double>& on_surface);
};

// The definition of the kind Shape, a struct of this folder.
template <class Shape>
const PrimitiveKind<Shape>& kind();
// The same, for the kind of the given primitive.
template <class Shape>
const PrimitiveKind<Shape>& kind_of(const Shape&) {
  return kind<Shape>();
}

}  // namespace abut::body
