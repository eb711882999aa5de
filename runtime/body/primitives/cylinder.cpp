#include "runtime/body/primitives/cylinder.h"

#include <cmath>
#include <numbers>

#include "runtime/body/primitives/parts.h"

namespace abut::body {

namespace {

using Shape = Cylinder<double>;

struct CylinderParts : detail::TurnedParts<Shape, CylinderParts> {
  static constexpr std::string_view name = "cylinder", help = "radius and half height";

  static Solid solid(const Shape& c) {
    const double r = c.radius, h = c.half_length, volume = 2 * std::numbers::pi * r * r * h;
    return {volume, 2 * std::numbers::pi * r * (r + 2 * h), 0,
            volume * Vec3<double>(r * r / 4, r * r / 4, h * h / 3)};
  }

  static std::vector<detail::ProfilePoint> profile(const Shape& c) {
    const double h = c.half_length, r = c.radius;
    return {{0, -h}, {r, -h}, {r, h}, {0, h}};
  }

  // The core is a segment of the axis, or a disc if the cylinder is flat.
  static Vec3<double> deepest(const Shape& c, const Vec3<double>& v) {
    const double h = c.half_length, r = c.radius;
    if (h >= r) return {0, 0, std::copysign(detail::core_length(h - r, r), v.z())};
    const double share = detail::core_length(r - h, h) / r;
    return {share * v.x(), share * v.y(), 0};
  }

  template <class J>
  static J distance(const Shape& cylinder, const J& x, const J& y, const J& z) {
    return detail::corner(detail::length(x, y) - J(cylinder.radius), detail::beyond(z, cylinder.half_length));
  }
};

}  // namespace

template <>
const PrimitiveKind<Shape>& kind<Shape>() {
  static constexpr PrimitiveKind<Shape> of = detail::kind_of_parts<Shape, CylinderParts>();
  return of;
}

}  // namespace abut::body
