#pragma once

#include "runtime/body/primitives/closed_form.h"
#include "runtime/body/primitives/revolution.h"

// Building blocks of a PrimitiveKind: each source writes a struct of static members named like those of
// PrimitiveKind, inherits the common ones from here, and turns it into a table by kind_of_parts().
namespace abut::body::detail {

// Default of most kinds: no size may vanish.
struct CommonParts {
  static constexpr int may_vanish = -1;
};

// Members of kinds with a radius and a half length along z.
template <class Shape>
struct RoundParts : CommonParts {
  static constexpr std::string_view sizes = "R:H";
  static constexpr std::size_t size_count = 2;
  static Shape make(std::span<const double> s) { return {s[1], s[0]}; }
  static std::vector<double> sizes_of(const Shape& shape) { return {shape.radius, shape.half_length}; }
  static double round_radius(const Shape& shape) { return shape.radius; }
};

// Members of such kinds whose surface is Parts::profile(shape) revolved about z.
template <class Shape, class Parts>
struct TurnedParts : RoundParts<Shape> {
  static std::vector<SurfaceSample> samples(const Shape& shape, double spacing) {
    return samples_of(Parts::profile(shape), spacing);
  }
  static TriangleMesh triangles(const Shape& shape, double deviation) {
    return triangles_of(Parts::profile(shape), deviation);
  }
};

// Members of kinds with one size along each axis, in `member`.
template <class Shape, auto member>
struct AxesParts : CommonParts {
  static constexpr std::string_view sizes = "X:Y:Z";
  static constexpr std::size_t size_count = 3;
  static Shape make(std::span<const double> s) { return {{s[0], s[1], s[2]}}; }
  static std::vector<double> sizes_of(const Shape& shape) {
    return {(shape.*member).begin(), (shape.*member).end()};
  }
};

// The core of a sphere and an ellipsoid, `deepest` of their kinds: the centre.
template <class Shape>
Vec3<double> centre_of(const Shape&, const Vec3<double>&) {
  return Vec3<double>::Zero();
}

template <class Shape, class Parts>
constexpr PrimitiveKind<Shape> kind_of_parts() {
  return {Parts::name,
          Parts::sizes,
          Parts::help,
          Parts::size_count,
          Parts::may_vanish,
          Parts::make,
          Parts::sizes_of,
          Parts::solid,
          Parts::round_radius,
          distance<double, Shape, Parts>,
          value<double, Shape, Parts>,
          distance<long double, Shape, Parts>,
          value<long double, Shape, Parts>,
          Parts::samples,
          Parts::triangles,
          Parts::deepest};
}

}  // namespace abut::body::detail
