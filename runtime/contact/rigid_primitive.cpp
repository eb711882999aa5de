#include "runtime/contact/rigid_primitive.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "runtime/bvh/build.h"
#include "runtime/core/error.h"
#include "runtime/witness/core.h"

namespace abut::contact {

namespace {

struct Mesh {
  std::vector<Vec3<double>> vertices;
  std::vector<std::array<std::int32_t, 3>> triangles;  // counter-clockwise seen from outside
};

[[noreturn]] void refuse(const char* what) { throw InvalidInput(std::string("rigid primitive: ") + what); }

asset::Asset to_asset(const Mesh& mesh) {
  std::vector<bvh::Box> boxes;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3<double>&p = mesh.vertices[a], &q = mesh.vertices[b], &r = mesh.vertices[c];
    boxes.push_back({p.cwiseMin(q).cwiseMin(r), p.cwiseMax(q).cwiseMax(r)});
  }
  bvh::BuiltTree built = bvh::build_tree(boxes);
  asset::Asset result;
  asset::Surface& surface = result.surfaces.emplace_back();
  for (const std::int32_t t : built.order)
    surface.triangles.insert(surface.triangles.end(), mesh.triangles[t].begin(), mesh.triangles[t].end());
  for (const Vec3<double>& v : mesh.vertices)
    surface.vertices.insert(surface.vertices.end(), v.begin(), v.end());
  surface.tree = std::move(built.tree);
  return result;
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

// Half the angle of a circle's segment whose chord lies by `sagitta` inside.
double half_angle(double radius, double sagitta) { return std::acos(1 - sagitta / radius); }

void require_deviation(double radius, double deviation) {
  if (!(deviation >= 1e-6 && deviation <= radius / 2))
    refuse("the deviation must be from 1e-6 m to half of the radius");
}

// Sides of a circle within half of the deviation on either side of it, and where its corners then lie.
int sides_of_circle(double radius, double deviation) {
  return std::max(6, static_cast<int>(std::ceil(std::numbers::pi / half_angle(radius, deviation))));
}
double corner_radius(double radius, double half_angle) { return 2 * radius / (1 + std::cos(half_angle)); }

Mesh cylinder(const witness::Cylinder<double>& shape, double deviation) {
  require_deviation(shape.radius, deviation);
  const int sides = sides_of_circle(shape.radius, deviation);
  const double r = corner_radius(shape.radius, std::numbers::pi / sides), h = shape.half_length;
  return turned({{0, -h}, {r, -h}, {r, h}, {0, h}}, sides);
}

// Facets of a ball have a sagitta from either direction: each gets half.
Mesh capsule(const witness::Capsule<double>& shape, double deviation) {
  require_deviation(shape.radius, deviation);
  const int sides = sides_of_circle(shape.radius, deviation / 2), quarter = (sides + 3) / 4;
  const double step = std::numbers::pi / 2 / quarter;
  const double sagitta = 2 - std::cos(std::numbers::pi / sides) - std::cos(step / 2);
  const double r = shape.radius / (1 - sagitta / 2);
  std::vector<ProfilePoint> profile;
  for (int i = 0; i <= quarter; ++i)
    profile.push_back({r * std::sin(i * step), -shape.half_length - r * std::cos(i * step)});
  for (int i = shape.half_length > 0 ? quarter : quarter - 1; i >= 0; --i)
    profile.push_back({r * std::sin(i * step), shape.half_length + r * std::cos(i * step)});
  return turned(profile, sides);
}

}  // namespace

asset::Asset rigid_primitive(const RigidPrimitive& shape, double deviation) {
  if (!std::visit([](const auto& s) { return witness::Core<double>(s).usable(); }, shape))
    refuse("its sizes must be positive and finite");
  if (const auto* s = std::get_if<witness::Box<double>>(&shape)) return to_asset(box(s->half));
  if (const auto* s = std::get_if<witness::Cylinder<double>>(&shape))
    return to_asset(cylinder(*s, deviation));
  return to_asset(capsule(std::get<witness::Capsule<double>>(shape), deviation));
}

}  // namespace abut::contact
