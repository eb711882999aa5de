#include "runtime/body/primitives/sphere.h"

#include "runtime/body/primitives/capsule.h"
#include "runtime/body/primitives/ellipsoid.h"
#include "runtime/body/primitives/parts.h"

namespace abut::body {

namespace {

using Shape = Sphere<double>;

struct SphereParts : detail::CommonParts {
  static constexpr std::string_view name = "sphere", help = "radius";
  static constexpr std::string_view sizes = "R";
  static constexpr std::size_t size_count = 1;

  static Shape make(std::span<const double> s) { return {s[0]}; }
  static std::vector<double> sizes_of(const Shape& s) { return {s.radius}; }
  static double round_radius(const Shape& s) { return s.radius; }

  static Solid solid(const Shape& s) {
    return kind<Ellipsoid<double>>().solid({Vec3<double>::Constant(s.radius)});
  }
  static std::vector<SurfaceSample> samples(const Shape& s, double spacing) {
    return kind<Capsule<double>>().samples({0, s.radius}, spacing);
  }
  static TriangleMesh triangles(const Shape& s, double deviation) {
    return detail::scaled(detail::unit_capsule(0, deviation), Vec3<double>::Constant(s.radius));
  }
  static constexpr auto deepest = detail::centre_of<Shape>;

  template <class J>
  static J distance(const Shape& sphere, const J& x, const J& y, const J& z) {
    return detail::length(x, y, z) - J(sphere.radius);
  }
};

}  // namespace

template <>
const PrimitiveKind<Shape>& kind<Shape>() {
  static constexpr PrimitiveKind<Shape> of = detail::kind_of_parts<Shape, SphereParts>();
  return of;
}

}  // namespace abut::body
