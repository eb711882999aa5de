#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/body/triangle_mesh.h"
#include "runtime/math/pose.h"

// What a primitive is made of, in its own frame: each kind has a header with its struct and its core, and a
// source with its PrimitiveKind.
namespace abut::body {

// What a shape is searched for witness points as; kHull: an asset's.
enum class CoreKind : std::uint8_t { kHull, kPoint, kSegment, kBox, kPlane, kEllipsoid, kRims };

// A shape as a core and a ball that are summed (Minkowski): a sphere is a point and a ball.
template <class S>
struct SweptCore {
  CoreKind kind;                   // of the core
  Vec3<S> size = Vec3<S>::Zero();  // half sizes of the core along the axes, m
  S top_radius = 0;                // of kRims: of the upper rim, m; the lower one's is size.x()
  S swept_radius = 0;              // of the ball, m
};

// Mass properties of a solid whose centre of mass lies on z.
struct Solid {
  double volume;         // m^3
  double area;           // m^2
  double height;         // of the centre of mass on z, m
  Vec3<double> moments;  // int x^2, int y^2, int z^2 about the centre of mass, m^5
};

// Signed distance of a primitive at a point Q, in the primitive's frame.
template <class S>
struct PrimitiveDistance {
  S value;                       // m, negative inside
  Vec3<S> gradient;              // unit, outward
  Mat3<S> hessian;               // 1/m, symmetric
  std::array<Mat3<S>, 3> third;  // 1/m^2: derivative of the Hessian by each coordinate of Q
};

// A point of a surface, for all of the surface about it.
struct SurfaceSample {
  Vec3<double> position;  // m
  Vec3<double> normal;    // outwards, of any length
  double area;            // m^2
};

// What is known of one kind of primitive. Functions take sizes that are valid (require_valid).
template <class Shape>
struct PrimitiveKind {
  std::string_view name;                          // "cylinder", for command lines and messages
  std::string_view sizes;                         // what follows the name there, m: "R:H"
  std::string_view help;                          // what the sizes are
  std::size_t size_count;                         // how many numbers `sizes` names
  int may_vanish = -1;                            // the size that may be 0; -1: none
  Shape (*make)(std::span<const double> sizes);   // of sizes in that order, m
  std::vector<double> (*sizes_of)(const Shape&);  // in that order, m
  Solid (*solid)(const Shape&);                   // its mass properties
  double (*round_radius)(const Shape&);           // largest of its curved faces, m; 0: all are planes
  // As primitive_distance.h has it.
  PrimitiveDistance<double> (*distance)(const Shape&, const Vec3<double>& p_Q, int order);
  double (*value)(const Shape&, const Vec3<double>& p_Q);  // of order 0, m
  // The same.
  PrimitiveDistance<long double> (*precise_distance)(const Shape&, const Vec3<long double>& p_Q, int order);
  long double (*precise_value)(const Shape&, const Vec3<long double>& p_Q);  // m
  std::vector<SurfaceSample> (*samples)(const Shape&, double spacing);       // about `spacing` apart, m
  TriangleMesh (*triangles)(const Shape&, double deviation);                 // as tessellation.h has them
  Vec3<double> (*deepest)(const Shape&, const Vec3<double>& on_surface);  // place on the core of tetrahedra.h
};

// That of a struct of this folder.
template <class Shape>
const PrimitiveKind<Shape>& kind();
// That of a primitive.
template <class Shape>
const PrimitiveKind<Shape>& kind_of(const Shape&) {
  return kind<Shape>();
}

}  // namespace abut::body
