#include "runtime/body/primitives/cone.h"

#include <cmath>
#include <numbers>

#include "runtime/body/primitives/parts.h"

namespace abut::body {

namespace {

using Shape = Cone<double>;

struct ConeParts : detail::TurnedParts<Shape, ConeParts> {
  static constexpr std::string_view name = "cone", help = "radius and half height";

  // The height is 2 h; the centre of mass is a quarter of it above the disc.
  static Solid solid(const Shape& c) {
    const double r = c.radius, height = 2 * c.half_length, volume = std::numbers::pi * r * r * height / 3;
    return {volume, std::numbers::pi * r * (r + std::hypot(r, height)), height / 4 - c.half_length,
            volume * Vec3<double>(3 * r * r / 20, 3 * r * r / 20, 3 * height * height / 80)};
  }

  static std::vector<detail::ProfilePoint> profile(const Shape& c) {
    return {{0, -c.half_length}, {c.radius, -c.half_length}, {0, c.half_length}};
  }

  // The core is the centre of the largest inscribed ball.
  static Vec3<double> deepest(const Shape& c, const Vec3<double>&) {
    const double h = c.half_length, r = c.radius;
    return {0, 0, 2 * r * h / (r + std::hypot(r, 2 * h)) - h};
  }

  // In the half plane through the point and the axis: `slope` is the signed distance from the line from the
  // rim (radius, -h) to the apex (0, h), `disc` that from the plane of the disc below.
  template <class J>
  static J distance(const Shape& cone, const J& x, const J& y, const J& z) {
    using S = decltype(z.value);
    const S h = S(cone.half_length), R = S(cone.radius), slant = std::hypot(R, 2 * h);
    const J rho = detail::length(x, y), disc = -z - J(h);
    const J slope = (2 * h / slant) * rho + (R / slant) * (z - J(h));
    const S along = (R * (R - rho.value) + 2 * h * (z.value + h)) / slant;  // from the rim
    if (slope.value <= 0 && disc.value <= 0) return slope.value > disc.value ? slope : disc;
    if (disc.value > 0 && rho.value <= R) return disc;
    if (along >= slant) return detail::length(x, y, z - J(h));
    return along >= 0 && slope.value > 0 ? slope : detail::length(rho - J(R), z + J(h));
  }
};

}  // namespace

template <>
const PrimitiveKind<Shape>& kind<Shape>() {
  static constexpr PrimitiveKind<Shape> of = detail::kind_of_parts<Shape, ConeParts>();
  return of;
}

}  // namespace abut::body
