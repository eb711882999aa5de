#include "runtime/ssdf/primitives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <string>

#include "runtime/core/error.h"
#include "runtime/core/settings.h"

namespace abut::ssdf {

namespace {

using Vector = Vec3<double>;

void require(double value, const char* name) {
  if (!(value > 0) || !std::isfinite(value))
    throw InvalidInput("oriented points of a primitive: the " + std::string(name) + " is " +
                       number_text(value) + " m; it must be positive");
}

double steps(double length, double spacing) { return std::max(1.0, std::round(length / spacing)); }

void require_few(double count) {
  if (count > 1e7)
    throw InvalidInput("oriented points of a primitive: more than 10000000; choose a larger spacing");
}

// Makes adjacent quads share their corners: corners in the same position, up to rounding, become one vertex.
void join_corners(asset::OrientedPoints& points) {
  double size = 0;
  for (const double x : points.vertices) size = std::max(size, std::abs(x));
  std::map<std::array<std::int64_t, 3>, std::int32_t> known;
  std::vector<double> vertices;
  for (std::int32_t& corner : points.quads) {
    const double* const x = points.vertices.data() + std::ptrdiff_t(3) * corner;
    std::array<std::int64_t, 3> place;
    for (int k = 0; k < 3; ++k) place[static_cast<std::size_t>(k)] = std::llround(x[k] / size * 1e9);
    const auto [found, is_new] = known.emplace(place, static_cast<std::int32_t>(vertices.size() / 3));
    if (is_new) vertices.insert(vertices.end(), x, x + 3);
    corner = found->second;
  }
  points.vertices = std::move(vertices);
}

// Collects quads and then converts them to the arrays of an asset.
struct Builder {
  std::vector<Vector> positions, normals, corners;
  std::vector<double> areas;
  double thickness = 0;

  // Adds a quad about p, spanned by u and v (m), with its front towards u x v.
  void add(const Vector& p, const Vector& u, const Vector& v) {
    const Vector n = u.cross(v);
    positions.push_back(p);
    normals.push_back(n.normalized());
    areas.push_back(n.norm());
    for (const Vector& corner : {Vector(-u - v), Vector(u - v), Vector(u + v), Vector(v - u)})
      corners.push_back(p + corner / 2);
  }

  // Adds the rectangle p + [-1/2, 1/2] u + [-1/2, 1/2] v as a grid of quads.
  void add_grid(const Vector& p, const Vector& u, const Vector& v, double spacing) {
    const double n = steps(u.norm(), spacing), m = steps(v.norm(), spacing);
    require_few(n * m);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        add(p + ((i + 0.5) / n - 0.5) * u + ((j + 0.5) / m - 0.5) * v, u / n, v / m);
  }

  asset::OrientedPoints points() const {
    asset::OrientedPoints result;
    for (int k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < positions.size(); ++i) {
        result.positions.push_back(positions[i][k]);
        result.normals.push_back(normals[i][k]);
      }
    double total = 0, sum = 0, least = 1e300, greatest = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      total += areas[i];
      for (std::size_t k = 0; k < 4; ++k) {
        const double edge = (corners[4 * i + (k + 1) % 4] - corners[4 * i + k]).norm();
        sum += edge;
        least = std::min(least, edge);
        greatest = std::max(greatest, edge);
        result.quads.push_back(static_cast<std::int32_t>(4 * i + k));
        result.vertices.insert(result.vertices.end(), corners[4 * i + k].begin(), corners[4 * i + k].end());
      }
    }
    join_corners(result);
    const auto count = static_cast<double>(positions.size());
    result.areas = areas;
    result.thickness.assign(positions.size(), thickness);
    result.spacing = {std::sqrt(total / count), least, sum / (4 * count), greatest};
    asset::add_blocks(result);
    return result;
  }
};

}  // namespace

asset::OrientedPoints box_points(const Vec3<double>& half, double spacing) {
  require(spacing, "spacing");
  for (int k = 0; k < 3; ++k) require(half[k], "half size");
  Builder builder;
  builder.thickness = 2 * half.minCoeff();
  for (int k = 0; k < 3; ++k) {
    const Vector u = 2 * half[(k + 1) % 3] * Vector::Unit((k + 1) % 3);
    const Vector v = 2 * half[(k + 2) % 3] * Vector::Unit((k + 2) % 3);
    builder.add_grid(half[k] * Vector::Unit(k), u, v, spacing);
    builder.add_grid(-half[k] * Vector::Unit(k), v, u, spacing);
  }
  return builder.points();
}

asset::OrientedPoints ball_points(double radius, double spacing) {
  require(spacing, "spacing");
  require(radius, "radius");
  const double pi = std::numbers::pi, wanted = 4 * pi * radius * radius / (spacing * spacing);
  require_few(wanted);
  const int count = std::max(12, static_cast<int>(std::lround(wanted)));
  const double edge = std::sqrt(4 * pi * radius * radius / count);
  Builder builder;
  builder.thickness = 2 * radius;
  for (int i = 0; i < count; ++i) {
    const double z = 1 - (2 * i + 1.0) / count, a = i * pi * (3 - std::sqrt(5.0)), r = std::sqrt(1 - z * z);
    const Vector n(r * std::cos(a), r * std::sin(a), z), u = n.unitOrthogonal();
    builder.add(radius * n, edge * u, edge * n.cross(u));
  }
  return builder.points();
}

asset::OrientedPoints half_space_points(double reach, double spacing) {
  require(spacing, "spacing");
  require(reach, "reach");
  Builder builder;
  builder.thickness = 2 * reach;
  builder.add_grid(Vector::Zero(), {4 * reach, 0, 0}, {0, 4 * reach, 0}, 2 * reach);
  asset::OrientedPoints points = builder.points();
  points.spacing[0] = spacing;
  return points;
}

asset::OrientedPoints cylinder_points(double radius, double half_height, double spacing) {
  require(spacing, "spacing");
  require(radius, "radius");
  require(half_height, "half height");
  const double pi = std::numbers::pi;
  Builder builder;
  builder.thickness = 2 * std::min(radius, half_height);
  const double around = std::max(6.0, steps(2 * pi * radius, spacing)), up = steps(2 * half_height, spacing);
  require_few(around * (up + 2 * around));
  for (int i = 0; i < around; ++i) {
    const double a = 2 * pi * i / around;
    const Vector n(std::cos(a), std::sin(a), 0), t(-std::sin(a), std::cos(a), 0);
    for (int j = 0; j < up; ++j)
      builder.add(radius * n + Vector(0, 0, half_height * ((2 * j + 1.0) / up - 1)),
                  2 * pi * radius / around * t, Vector(0, 0, 2 * half_height / up));
  }
  const double rings = steps(radius, spacing);
  for (int ring = 0; ring < rings; ++ring) {
    const double inner = radius * ring / rings, outer = radius * (ring + 1) / rings, r = (inner + outer) / 2;
    const double parts = std::max(4.0, steps(2 * pi * r, spacing));
    for (int i = 0; i < parts; ++i) {
      const double a = 2 * pi * (i + 0.5) / parts;
      const Vector n(std::cos(a), std::sin(a), 0), t(-std::sin(a), std::cos(a), 0),
          u = (outer - inner) * n, v = 2 * pi * r / parts * t;
      builder.add(r * n + Vector(0, 0, half_height), u, v);
      builder.add(r * n - Vector(0, 0, half_height), v, u);
    }
  }
  return builder.points();
}

}  // namespace abut::ssdf
