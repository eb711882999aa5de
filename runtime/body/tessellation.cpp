#include "runtime/body/tessellation.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "runtime/bvh/build.h"
#include "runtime/core/error.h"

namespace abut::body {

namespace {

using Mesh = TriangleMesh;

asset::Surface in_tree_order(const Mesh& mesh) {
  std::vector<bvh::Box> boxes;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3<double>&p = mesh.vertices[a], &q = mesh.vertices[b], &r = mesh.vertices[c];
    boxes.push_back({p.cwiseMin(q).cwiseMin(r), p.cwiseMax(q).cwiseMax(r)});
  }
  bvh::BuiltTree built = bvh::build_tree(boxes);
  asset::Surface surface;
  for (const std::int32_t t : built.order)
    surface.triangles.insert(surface.triangles.end(), mesh.triangles[t].begin(), mesh.triangles[t].end());
  for (const Vec3<double>& v : mesh.vertices)
    surface.vertices.insert(surface.vertices.end(), v.begin(), v.end());
  surface.tree = std::move(built.tree);
  return surface;
}

Mesh box(const Vec3<double>& half) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.emplace_back((i & 1) != 0 ? half.x() : -half.x(), (i & 2) != 0 ? half.y() : -half.y(),
                               (i & 4) != 0 ? half.z() : -half.z());
  mesh.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  return mesh;
}

struct ProfilePoint {
  double r, z;
};

// Turns a profile from the lowest point of the axis to the highest, both with r = 0, around the axis.
Mesh turned(const std::vector<ProfilePoint>& profile, int sides) {
  Mesh mesh;
  const auto rows = static_cast<std::int32_t>(profile.size()) - 2;
  for (std::int32_t row = 1; row <= rows; ++row)
    for (int i = 0; i < sides; ++i) {
      const double angle = 2 * std::numbers::pi * i / sides;
      mesh.vertices.emplace_back(profile[row].r * std::cos(angle), profile[row].r * std::sin(angle),
                                 profile[row].z);
    }
  const auto bottom = static_cast<std::int32_t>(mesh.vertices.size()), top = bottom + 1;
  mesh.vertices.emplace_back(0, 0, profile.front().z);
  mesh.vertices.emplace_back(0, 0, profile.back().z);
  const auto at = [&](std::int32_t row, int i) { return row * sides + i % sides; };
  for (int i = 0; i < sides; ++i) {
    mesh.triangles.push_back({bottom, at(0, i + 1), at(0, i)});
    for (std::int32_t row = 0; row + 1 < rows; ++row) {
      mesh.triangles.push_back({at(row, i), at(row, i + 1), at(row + 1, i + 1)});
      mesh.triangles.push_back({at(row, i), at(row + 1, i + 1), at(row + 1, i)});
    }
    mesh.triangles.push_back({top, at(rows - 1, i), at(rows - 1, i + 1)});
  }
  return mesh;
}

// Half the angle of a unit circle's segment whose chord lies by `sagitta` inside.
double half_angle(double sagitta) { return std::acos(1 - sagitta); }

// Sides of a circle within half of the deviation on either side of it, and where its corners then lie.
int sides_of_circle(double deviation) {
  return std::max(6, static_cast<int>(std::ceil(std::numbers::pi / half_angle(deviation))));
}
double corner_radius(int sides) { return 2 / (1 + std::cos(std::numbers::pi / sides)); }

// A ball of radius 1 about (0, 0, +-h), hull of both. Facets of a ball have a sagitta from either direction:
// each gets half.
Mesh capsule(double h, double deviation) {
  const int sides = sides_of_circle(deviation / 2), quarter = (sides + 3) / 4;
  const double step = std::numbers::pi / 2 / quarter;
  const double sagitta = 2 - std::cos(std::numbers::pi / sides) - std::cos(step / 2);
  const double r = 1 / (1 - sagitta / 2);
  std::vector<ProfilePoint> profile;
  for (int i = 0; i <= quarter; ++i) profile.push_back({r * std::sin(i * step), -h - r * std::cos(i * step)});
  for (int i = h > 0 ? quarter : quarter - 1; i >= 0; --i)
    profile.push_back({r * std::sin(i * step), h + r * std::cos(i * step)});
  return turned(profile, sides);
}

Mesh scaled(Mesh mesh, const Vec3<double>& scale) {
  for (Vec3<double>& v : mesh.vertices) v = v.cwiseProduct(scale);
  return mesh;
}

struct Tessellate {
  double deviation;

  Mesh operator()(const Sphere<double>& s) const {
    return scaled(capsule(0, deviation), Vec3<double>::Constant(s.radius));
  }
  Mesh operator()(const Ellipsoid<double>& e) const { return scaled(capsule(0, deviation), e.semi_axes); }
  Mesh operator()(const Box<double>& b) const { return box(b.half); }
  Mesh operator()(const Capsule<double>& c) const {
    return scaled(capsule(c.half_length / c.radius, deviation), Vec3<double>::Constant(c.radius));
  }
  Mesh operator()(const Cylinder<double>& c) const {
    const int sides = sides_of_circle(deviation);
    const double r = c.radius * corner_radius(sides), h = c.half_length;
    return turned({{0, -h}, {r, -h}, {r, h}, {0, h}}, sides);
  }
  Mesh operator()(const Cone<double>& c) const {
    const int sides = sides_of_circle(deviation);
    return turned(
        {{0, -c.half_length}, {c.radius * corner_radius(sides), -c.half_length}, {0, c.half_length}}, sides);
  }
  Mesh operator()(const HalfSpace<double>&) const { return {}; }
};

}  // namespace

void require_deviation(double deviation) {
  if (!(deviation >= kLeastDeviation && deviation <= kGreatestDeviation))
    throw InvalidInput("primitive: the deviation of its triangles must be from 1e-5 to 0.5 of the radius");
}

TriangleMesh triangulate(const Primitive& primitive, double deviation) {
  require_valid(primitive);
  if (std::holds_alternative<HalfSpace<double>>(primitive))
    throw InvalidInput("half_space: it has no surface of triangles");
  require_deviation(deviation);
  return std::visit(Tessellate{deviation}, primitive);
}

asset::Surface tessellate(const Primitive& primitive, double deviation) {
  return in_tree_order(triangulate(primitive, deviation));
}

}  // namespace abut::body
