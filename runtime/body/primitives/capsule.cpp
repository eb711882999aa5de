#include "runtime/body/primitives/capsule.h"

#include <numbers>

#include "runtime/body/primitives/closed_form.h"
#include "runtime/body/primitives/cylinder.h"
#include "runtime/body/primitives/revolution.h"
#include "runtime/body/primitives/sphere.h"

namespace abut::body {

namespace {

using Shape = Capsule<double>;

constexpr double kPi = std::numbers::pi;

// A cylinder and two halves of a ball, whose centres of mass are 3/8 r beyond its ends.
Solid solid(const Shape& c) {
  const double r = c.radius, h = c.half_length;
  const Cylinder<double> cylinder{h, r};
  const Sphere<double> sphere{r};
  const Solid side = kind_of(cylinder).solid(cylinder), ball = kind_of(sphere).solid(sphere);
  Solid sum{side.volume + ball.volume, 4 * kPi * r * (r + h), 0, side.moments + ball.moments};
  sum.moments.z() += ball.volume * (h * h + 2 * h * 3 / 8 * r);
  return sum;
}

std::vector<SurfaceSample> samples(const Shape& c, double spacing) {
  const double h = c.half_length, r = c.radius;
  detail::Profile profile(spacing);
  profile.arc(r, -h, -kPi / 2, 0);
  profile.line(r, -h, r, h);
  profile.arc(r, h, 0, kPi / 2);
  return profile.turned();
}

struct Distance {
  template <class J>
  static J at(const Shape& capsule, const J& x, const J& y, const J& z) {
    const double h = capsule.half_length;
    const bool ends = std::abs(z.value) > h;
    const J from_core = ends ? detail::length(x, y, z - J(z.value > 0 ? h : -h)) : detail::length(x, y);
    return from_core - J(capsule.radius);
  }
};

constexpr PrimitiveKind<Shape> kCapsule = {
    .name = "capsule",
    .sizes = "R:H",
    .help = "radius and half of the axis's length",
    .size_count = 2,
    .may_vanish = 1,
    .make =
        [](std::span<const double> s) {
          return Shape{s[1], s[0]};
        },
    .sizes_of = [](const Shape& c) -> std::vector<double> {
      return {c.radius, c.half_length};
    },
    .solid = solid,
    .round_radius = [](const Shape& c) { return c.radius; },
    .distance = detail::distance<double, Shape, Distance>,
    .precise_distance = detail::distance<long double, Shape, Distance>,
    .samples = samples,
    .triangles =
        [](const Shape& c, double deviation) {
          return detail::scaled(detail::unit_capsule(c.half_length / c.radius, deviation),
                                Vec3<double>::Constant(c.radius));
        },
    .deepest = [](const Shape& c, const Vec3<double>& v) -> Vec3<double> {
      return {0, 0, std::copysign(detail::core_length(c.half_length, c.radius), v.z())};
    },
};

}  // namespace

template <>
const PrimitiveKind<Shape>& kind<Shape>() {
  return kCapsule;
}

}  // namespace abut::body
