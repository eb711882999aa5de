#pragma once

#include "runtime/body/primitives/closed_form.h"
#include "runtime/body/primitives/revolution.h"

// How a PrimitiveKind is written: a struct of its parts, static members that have its members' names.
namespace abut::body::detail {

// What most have: no size may vanish.
struct CommonParts {
  static constexpr int may_vanish = -1;
};

// Of a radius and a half length along z.
template <class Shape>
struct RoundParts : CommonParts {
  static constexpr std::string_view sizes = "R:H";
  static constexpr std::size_t size_count = 2;
  static Shape make(std::span<const double> s) { return {s[1], s[0]}; }
  static std::vector<double> sizes_of(const Shape& shape) { return {shape.radius, shape.half_length}; }
  static double round_radius(const Shape& shape) { return shape.radius; }
};

// ... whose surface is Parts::profile(shape) turned about z.
template <class Shape, class Parts>
struct TurnedParts : RoundParts<Shape> {
  static std::vector<SurfaceSample> samples(const Shape& shape, double spacing) {
    return samples_of(Parts::profile(shape), spacing);
  }
  static TriangleMesh triangles(const Shape& shape, double deviation) {
    return triangles_of(Parts::profile(shape), deviation);
  }
};

// Of a size along each axis, `member`.
template <class Shape, auto member>
struct AxesParts : CommonParts {
  static constexpr std::string_view sizes = "X:Y:Z";
  static constexpr std::size_t size_count = 3;
  static Shape make(std::span<const double> s) { return {{s[0], s[1], s[2]}}; }
  static std::vector<double> sizes_of(const Shape& shape) {
    return {(shape.*member).begin(), (shape.*member).end()};
  }
};

// Of a ball, stretched or not.
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
