#include "runtime/body/primitives/capsule.h"

#include <cmath>
#include <numbers>

#include "runtime/body/primitives/cylinder.h"
#include "runtime/body/primitives/parts.h"
#include "runtime/body/primitives/sphere.h"

namespace abut::body {

namespace {

using Shape = Capsule<double>;

constexpr double kPi = std::numbers::pi;

struct CapsuleParts : detail::RoundParts<Shape> {
  static constexpr std::string_view name = "capsule", help = "radius and half of the axis's length";
  static constexpr int may_vanish = 1;

  // A cylinder and two half balls, whose centres of mass are 3/8 r beyond the cylinder's ends.
  static Solid solid(const Shape& c) {
    const double r = c.radius, h = c.half_length;
    const Solid side = kind<Cylinder<double>>().solid({h, r}), ball = kind<Sphere<double>>().solid({r});
    Solid sum{side.volume + ball.volume, 4 * kPi * r * (r + h), 0, side.moments + ball.moments};
    sum.moments.z() += ball.volume * (h * h + 2 * h * 3 / 8 * r);
    return sum;
  }

  static std::vector<SurfaceSample> samples(const Shape& c, double spacing) {
    const double h = c.half_length, r = c.radius;
    detail::Profile profile(spacing);
    profile.arc(r, -h, -kPi / 2, 0);
    profile.line(r, -h, r, h);
    profile.arc(r, h, 0, kPi / 2);
    return profile.turned();
  }
  static TriangleMesh triangles(const Shape& c, double deviation) {
    return detail::scaled(detail::unit_capsule(c.half_length / c.radius, deviation),
                          Vec3<double>::Constant(c.radius));
  }

  static Vec3<double> deepest(const Shape& c, const Vec3<double>& v) {
    return {0, 0, std::copysign(detail::core_length(c.half_length, c.radius), v.z())};
  }

  template <class J>
  static J distance(const Shape& capsule, const J& x, const J& y, const J& z) {
    const double h = capsule.half_length;
    const bool ends = std::abs(z.value) > h;
    const J from_core = ends ? detail::length(x, y, z - J(z.value > 0 ? h : -h)) : detail::length(x, y);
    return from_core - J(capsule.radius);
  }
};

}  // namespace

template <>
const PrimitiveKind<Shape>& kind<Shape>() {
  static constexpr PrimitiveKind<Shape> of = detail::kind_of_parts<Shape, CapsuleParts>();
  return of;
}

}  // namespace abut::body
