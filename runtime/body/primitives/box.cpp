#include "runtime/body/primitives/box.h"

#include <cmath>

#include "runtime/body/primitives/parts.h"

namespace abut::body {

namespace {

using Shape = Box<double>;

// Adds the parts of what a node on an edge or at a corner represents of its face across an axis: along
// another axis, 4 of a length about the node, 2 of one that ends there.
void add_face(SurfaceSample& sample, int across, const double (&share)[3]) {
  const int axes[2] = {(across + 1) % 3, (across + 2) % 3};
  const int count[2] = {sample.normal[axes[0]] != 0 ? 2 : 4, sample.normal[axes[1]] != 0 ? 2 : 4};
  detail::add_parts(sample, count[0], count[1], [&](int u, int v) {
    Eigen::Vector4d part;
    part << sample.position, share[axes[0]] * share[axes[1]] / (count[0] * count[1]);
    const int at[2] = {u, v};
    for (int i = 0; i < 2; ++i) {
      const double end = sample.normal[axes[i]];
      part[axes[i]] +=
          share[axes[i]] * ((at[i] + 0.5) / count[i] * (end != 0 ? -end : 1) - (end != 0 ? 0 : 0.5));
    }
    return part;
  });
}

// Sample at node (i, j, k) of a grid with `parts` parts along each axis; the node is on a face, an edge or a
// corner.
SurfaceSample node(const Shape& box, const int (&parts)[3], const int (&at)[3]) {
  SurfaceSample sample{Vec3<double>::Zero(), Vec3<double>::Zero(), 0, {}};
  double share[3];  // length that the node represents along each axis, m
  for (int k = 0; k < 3; ++k) {
    const bool end = at[k] == 0 || at[k] == parts[k];
    sample.position[k] = box.half[k] * (2.0 * at[k] / parts[k] - 1);
    sample.normal[k] = end ? (at[k] == 0 ? -1 : 1) : 0;
    share[k] = 2 * box.half[k] / parts[k] * (end ? 0.5 : 1);
  }
  for (int k = 0; k < 3; ++k)
    if (sample.normal[k] != 0) sample.area += share[(k + 1) % 3] * share[(k + 2) % 3];
  if (sample.normal.squaredNorm() > 1)
    for (int k = 0; k < 3; ++k)
      if (sample.normal[k] != 0) add_face(sample, k, share);
  return sample;
}

struct BoxParts : detail::AxesParts<Shape, &Shape::half> {
  static constexpr std::string_view name = "box", help = "half sizes";

  static Solid solid(const Shape& box) {
    const Vec3<double>& h = box.half;
    const double volume = 8 * h.prod();
    return {volume, 8 * (h.x() * h.y() + h.y() * h.z() + h.z() * h.x()), 0, volume / 3 * h.cwiseAbs2()};
  }
  static double round_radius(const Shape&) { return 0; }

  // The nodes of a grid on the six faces.
  static std::vector<SurfaceSample> samples(const Shape& box, double spacing) {
    int n[3];
    for (int k = 0; k < 3; ++k) n[k] = detail::parts(2 * box.half[k], spacing);
    std::vector<SurfaceSample> result;
    for (int i = 0; i <= n[0]; ++i)
      for (int j = 0; j <= n[1]; ++j) {
        const bool side = i == 0 || i == n[0] || j == 0 || j == n[1];
        for (int k = 0; k <= n[2]; k += side ? 1 : n[2]) result.push_back(node(box, n, {i, j, k}));
      }
    return result;
  }

  static TriangleMesh triangles(const Shape& box, double) {
    const Vec3<double>& half = box.half;
    TriangleMesh mesh;
    for (int i = 0; i < 8; ++i)
      mesh.vertices.emplace_back((i & 1) != 0 ? half.x() : -half.x(), (i & 2) != 0 ? half.y() : -half.y(),
                                 (i & 4) != 0 ? half.z() : -half.z());
    mesh.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                      {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    return mesh;
  }

  // The core is the box whose half sizes are the excesses over the smallest half size.
  static Vec3<double> deepest(const Shape& box, const Vec3<double>& v) {
    const double depth = box.half.minCoeff();
    Vec3<double> p;
    for (int k = 0; k < 3; ++k) p[k] = std::copysign(detail::core_length(box.half[k] - depth, depth), v[k]);
    return p;
  }

  template <class J>
  static J distance(const Shape& box, const J& x, const J& y, const J& z) {
    using detail::beyond, detail::corner;
    return corner(corner(beyond(x, box.half.x()), beyond(y, box.half.y())), beyond(z, box.half.z()));
  }
};

}  // namespace

template <>
const PrimitiveKind<Shape>& kind<Shape>() {
  static constexpr PrimitiveKind<Shape> of = detail::kind_of_parts<Shape, BoxParts>();
  return of;
}

}  // namespace abut::body
