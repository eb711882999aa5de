#include "runtime/body/primitives/sphere.h"

#include "runtime/body/primitives/capsule.h"
#include "runtime/body/primitives/closed_form.h"
#include "runtime/body/primitives/ellipsoid.h"
#include "runtime/body/primitives/revolution.h"

namespace abut::body {

namespace {

using Shape = Sphere<double>;

Ellipsoid<double> as_ellipsoid(const Shape& s) { return {Vec3<double>::Constant(s.radius)}; }

struct Distance {
  template <class J>
  static J at(const Shape& sphere, const J& x, const J& y, const J& z) {
    return detail::length(x, y, z) - J(sphere.radius);
  }
};

constexpr PrimitiveKind<Shape> kSphere = {
    .name = "sphere",
    .sizes = "R",
    .help = "radius",
    .size_count = 1,
    .make = [](std::span<const double> s) { return Shape{s[0]}; },
    .sizes_of = [](const Shape& s) -> std::vector<double> { return {s.radius}; },
    .solid =
        [](const Shape& s) {
          const Ellipsoid<double> e = as_ellipsoid(s);
          return kind_of(e).solid(e);
        },
    .round_radius = [](const Shape& s) { return s.radius; },
    .distance = detail::distance<double, Shape, Distance>,
    .precise_distance = detail::distance<long double, Shape, Distance>,
    .samples =
        [](const Shape& s, double spacing) {
          const Capsule<double> ball{0, s.radius};
          return kind_of(ball).samples(ball, spacing);
        },
    .triangles =
        [](const Shape& s, double deviation) {
          return detail::scaled(detail::unit_capsule(0, deviation), Vec3<double>::Constant(s.radius));
        },
    .deepest = [](const Shape&, const Vec3<double>&) -> Vec3<double> { return Vec3<double>::Zero(); },
};

}  // namespace

template <>
const PrimitiveKind<Shape>& kind<Shape>() {
  return kSphere;
}

}  // namespace abut::body
