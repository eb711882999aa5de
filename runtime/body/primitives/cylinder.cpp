#include "runtime/body/primitives/cylinder.h"

#include <numbers>

#include "runtime/body/primitives/closed_form.h"
#include "runtime/body/primitives/revolution.h"

namespace abut::body {

namespace {

using Shape = Cylinder<double>;

Solid solid(const Shape& c) {
  const double r = c.radius, h = c.half_length, volume = 2 * std::numbers::pi * r * r * h;
  return {volume, 2 * std::numbers::pi * r * (r + 2 * h), 0,
          volume * Vec3<double>(r * r / 4, r * r / 4, h * h / 3)};
}

std::vector<SurfaceSample> samples(const Shape& c, double spacing) {
  const double h = c.half_length, r = c.radius;
  detail::Profile profile(spacing);
  profile.line(0, -h, r, -h);
  profile.line(r, -h, r, h);
  profile.line(r, h, 0, h);
  return profile.turned();
}

TriangleMesh triangles(const Shape& c, double deviation) {
  const int sides = detail::sides_of_circle(deviation);
  const double r = c.radius * detail::corner_radius(sides), h = c.half_length;
  return detail::turned({{0, -h}, {r, -h}, {r, h}, {0, h}}, sides);
}

// A segment of the axis, or of a flat one a disc.
Vec3<double> deepest(const Shape& c, const Vec3<double>& v) {
  const double h = c.half_length, r = c.radius;
  if (h >= r) return {0, 0, std::copysign(detail::core_length(h - r, r), v.z())};
  const double share = detail::core_length(r - h, h) / r;
  return {share * v.x(), share * v.y(), 0};
}

struct Distance {
  template <class J>
  static J at(const Shape& cylinder, const J& x, const J& y, const J& z) {
    return detail::corner(detail::length(x, y) - J(cylinder.radius), detail::beyond(z, cylinder.half_length));
  }
};

constexpr PrimitiveKind<Shape> kCylinder = {
    .name = "cylinder",
    .sizes = "R:H",
    .help = "radius and half height",
    .size_count = 2,
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
    .triangles = triangles,
    .deepest = deepest,
};

}  // namespace

template <>
const PrimitiveKind<Shape>& kind<Shape>() {
  return kCylinder;
}

}  // namespace abut::body
