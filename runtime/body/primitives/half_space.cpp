#include "runtime/body/primitives/half_space.h"

#include "runtime/body/primitives/parts.h"

namespace abut::body {

namespace {

using Shape = HalfSpace<double>;

// The half-space is unbounded: it has no mass, samples or triangles.
struct HalfSpaceParts : detail::CommonParts {
  static constexpr std::string_view name = "half_space", help = "";
  static constexpr std::string_view sizes = "";
  static constexpr std::size_t size_count = 0;

  static Shape make(std::span<const double>) { return {}; }
  static std::vector<double> sizes_of(const Shape&) { return {}; }
  static Solid solid(const Shape&) { return {0, 0, 0, Vec3<double>::Zero()}; }
  static double round_radius(const Shape&) { return 0; }
  static std::vector<SurfaceSample> samples(const Shape&, double) { return {}; }
  static TriangleMesh triangles(const Shape&, double) { return {}; }
  static Vec3<double> deepest(const Shape&, const Vec3<double>& v) { return v; }

  template <class J>
  static J distance(const Shape&, const J&, const J&, const J& z) {
    return z;
  }
};

}  // namespace

template <>
const PrimitiveKind<Shape>& kind<Shape>() {
  static constexpr PrimitiveKind<Shape> of = detail::kind_of_parts<Shape, HalfSpaceParts>();
  return of;
}

}  // namespace abut::body
