#include "runtime/body/primitives/half_space.h"

#include "runtime/body/primitives/closed_form.h"

namespace abut::body {

namespace {

using Shape = HalfSpace<double>;

struct Distance {
  template <class J>
  static J at(const Shape&, const J&, const J&, const J& z) {
    return z;
  }
};

// Without end: no mass, samples or triangles.
constexpr PrimitiveKind<Shape> kHalfSpace = {
    .name = "half_space",
    .sizes = "",
    .help = "",
    .size_count = 0,
    .make = [](std::span<const double>) { return Shape{}; },
    .sizes_of = [](const Shape&) { return std::vector<double>(); },
    .solid = [](const Shape&) -> Solid {
      return {0, 0, 0, Vec3<double>::Zero()};
    },
    .round_radius = [](const Shape&) { return 0.0; },
    .distance = detail::distance<double, Shape, Distance>,
    .precise_distance = detail::distance<long double, Shape, Distance>,
    .samples = [](const Shape&, double) { return std::vector<SurfaceSample>(); },
    .triangles = [](const Shape&, double) { return TriangleMesh(); },
    .deepest = [](const Shape&, const Vec3<double>& v) { return v; },
};

}  // namespace

template <>
const PrimitiveKind<Shape>& kind<Shape>() {
  return kHalfSpace;
}

}  // namespace abut::body
