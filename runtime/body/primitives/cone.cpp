#include "runtime/body/primitives/cone.h"

#include <numbers>

#include "runtime/body/primitives/closed_form.h"
#include "runtime/body/primitives/revolution.h"

namespace abut::body {

namespace {

using Shape = Cone<double>;

// Height 2 h, its centre of mass a quarter above the disc.
Solid solid(const Shape& c) {
  const double r = c.radius, height = 2 * c.half_length, volume = std::numbers::pi * r * r * height / 3;
  return {volume, std::numbers::pi * r * (r + std::hypot(r, height)), height / 4 - c.half_length,
          volume * Vec3<double>(3 * r * r / 20, 3 * r * r / 20, 3 * height * height / 80)};
}

std::vector<SurfaceSample> samples(const Shape& c, double spacing) {
  detail::Profile profile(spacing);
  profile.line(0, -c.half_length, c.radius, -c.half_length);
  profile.line(c.radius, -c.half_length, 0, c.half_length);
  return profile.turned();
}

TriangleMesh triangles(const Shape& c, double deviation) {
  const int sides = detail::sides_of_circle(deviation);
  const double r = c.radius * detail::corner_radius(sides), h = c.half_length;
  return detail::turned({{0, -h}, {r, -h}, {0, h}}, sides);
}

// The centre of the greatest ball inside.
Vec3<double> deepest(const Shape& c, const Vec3<double>&) {
  const double h = c.half_length, r = c.radius;
  return {0, 0, 2 * r * h / (r + std::hypot(r, 2 * h)) - h};
}

// In the plane of the point and the axis: the slope from the rim (radius, -h) to the apex (0, h), and the
// disc below.
struct Distance {
  template <class J>
  static J at(const Shape& cone, const J& x, const J& y, const J& z) {
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

constexpr PrimitiveKind<Shape> kCone = {
    .name = "cone",
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
  return kCone;
}

}  // namespace abut::body
