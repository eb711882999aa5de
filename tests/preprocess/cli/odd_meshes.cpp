#include "odd_meshes.h"

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <numbers>

#include "command_runner.h"
#include "tests/support/shapes.h"

namespace abut::test {
using Eigen::Vector3d;
TriangleMesh parametric(int n, int m, const Seams& seams, const std::function<Vector3d(double, double)>& at) {
  TriangleMesh mesh;
  const int rows = seams.u ? n : n + 1, columns = seams.v ? m : m + 1;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      mesh.vertices.push_back(at(static_cast<double>(i) / n, static_cast<double>(j) / m));
  const auto vertex = [&](int i, int j) {
    if (i == rows && seams.turned) j = seams.v ? (m - j) % m : m - j;
    return (i % rows) * columns + j % columns;
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      const std::int32_t a = vertex(i, j), b = vertex(i + 1, j), c = vertex(i + 1, j + 1),
                         d = vertex(i, j + 1);
      mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {a, c, d}});
    }
  return mesh;
}

TriangleMesh moved(TriangleMesh mesh, const std::function<Vector3d(const Vector3d&)>& map) {
  for (Vector3d& v : mesh.vertices) v = map(v);
  return mesh;
}

TriangleMesh scaled(const TriangleMesh& mesh, double x, double y, double z) {
  return moved(mesh, [&](const Vector3d& v) { return Vector3d(x * v.x(), y * v.y(), z * v.z()); });
}

TriangleMesh shifted(const TriangleMesh& mesh, const Vector3d& by) {
  return moved(mesh, [&](const Vector3d& v) { return Vector3d(v + by); });
}

TriangleMesh turned_over(TriangleMesh mesh) {
  for (auto& t : mesh.triangles) std::swap(t[0], t[1]);
  return mesh;
}

TriangleMesh rotated(const TriangleMesh& mesh, double angle, const Vector3d& axis) {
  const Eigen::AngleAxisd turn(angle, axis.normalized());
  return moved(mesh, [&](const Vector3d& v) { return Vector3d(turn * v); });
}

TriangleMesh part_of(const TriangleMesh& mesh, const std::function<bool(std::size_t)>& keep) {
  TriangleMesh part{mesh.vertices, {}};
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f)
    if (keep(f)) part.triangles.push_back(mesh.triangles[f]);
  return part;
}

// --- one-sided ---

TriangleMesh klein_bottle(int n, int m) {
  return parametric(n, m, {true, true, true}, [](double s, double t) {
    const double u = kTurn * s, v = kTurn * (t + 0.25), r = 4 * (1 - std::cos(u) / 2);
    const bool body = s < 0.5;
    const double x =
        6 * std::cos(u) * (1 + std::sin(u)) + r * (body ? std::cos(u) * std::cos(v) : -std::cos(v));
    const double y = 16 * std::sin(u) + (body ? r * std::sin(u) * std::cos(v) : 0);
    return Vector3d(0.005 * x, 0.005 * y, 0.005 * r * std::sin(v));
  });
}

TriangleMesh klein_eight(int n, int m) {
  return parametric(n, m, {true, true, true}, [](double s, double t) {
    const double u = kTurn * s, v = kTurn * t;
    const double across = std::cos(u / 2) * std::sin(v) - std::sin(u / 2) * std::sin(2 * v);
    const double r = 0.1 + 0.04 * across;
    return Vector3d(r * std::cos(u), r * std::sin(u),
                    0.04 * (std::sin(u / 2) * std::sin(v) + std::cos(u / 2) * std::sin(2 * v)));
  });
}

TriangleMesh roman_surface() {
  return moved(sphere(1, 4), [](const Vector3d& p) {
    return Vector3d(0.1 * p.y() * p.z(), 0.1 * p.z() * p.x(), 0.1 * p.x() * p.y());
  });
}

// --- solids of cells ---

TriangleMesh cells(int n, double edge, const std::function<bool(int, int, int)>& solid) {
  const auto is_solid = [&](const Eigen::Vector3i& c) {
    return (c.array() >= 0).all() && (c.array() < n).all() && solid(c[0], c[1], c[2]);
  };
  const auto vertex = [&](const Eigen::Vector3i& c) { return (c[0] * (n + 1) + c[1]) * (n + 1) + c[2]; };
  TriangleMesh mesh;
  for (int i = 0; i < (n + 1) * (n + 1) * (n + 1); ++i)
    mesh.vertices.emplace_back(edge * Vector3d(i / (n + 1) / (n + 1), i / (n + 1) % (n + 1), i % (n + 1)));
  for (int i = 0; i < n * n * n; ++i) {
    const Eigen::Vector3i at(i / n / n, i / n % n, i % n);
    for (int side = 0; is_solid(at) && side < 6; ++side) {
      const int axis = side / 2;
      const Eigen::Vector3i out = Eigen::Vector3i::Unit(axis), y = Eigen::Vector3i::Unit((axis + 1) % 3),
                            z = Eigen::Vector3i::Unit((axis + 2) % 3);
      if (is_solid(at + (side % 2 == 1 ? 1 : -1) * out)) continue;
      const Eigen::Vector3i o = at + side % 2 * out;
      std::int32_t b = vertex(o + y), d = vertex(o + z);
      if (side % 2 == 0) std::swap(b, d);
      mesh.triangles.insert(mesh.triangles.end(),
                            {{vertex(o), b, vertex(o + y + z)}, {vertex(o), vertex(o + y + z), d}});
    }
  }
  return mesh;
}

TriangleMesh menger_sponge(int level) {
  const int n = static_cast<int>(std::lround(std::pow(3, level)));
  return cells(n, 0.1 / n, [](int i, int j, int k) {
    for (; i + j + k > 0; i /= 3, j /= 3, k /= 3)
      if ((i % 3 == 1) + (j % 3 == 1) + (k % 3 == 1) > 1) return false;
    return true;
  });
}

// --- sweeps ---

TriangleMesh tube(int n, int m, double r, const std::function<Vector3d(double)>& curve, bool closed) {
  return parametric(n, m, {closed, true, false}, [&](double s, double t) {
    const Vector3d along = (curve(s + 1e-4) - curve(s - 1e-4)).normalized();
    const Vector3d out = along.cross(Vector3d(0.1, 0.2, 1)).normalized();
    const double a = -kTurn * t;
    return Vector3d(curve(s) + r * (std::cos(a) * out + std::sin(a) * along.cross(out)));
  });
}

TriangleMesh knot(int n, int m, double r) {
  return tube(n, m, r, [](double s) {
    const double u = kTurn * s, R = 2 + std::cos(3 * u);
    return Vector3d(0.03 * R * std::cos(2 * u), 0.03 * R * std::sin(2 * u), 0.03 * std::sin(3 * u));
  });
}

TriangleMesh spiral(int turns, int n, int m, double r) {
  const auto curve = [=](double s) {
    return Vector3d(0.05 * std::cos(turns * kTurn * s), 0.05 * std::sin(turns * kTurn * s), 0.1 * s);
  };
  return tube(n, m, r, curve, false);
}

}  // namespace abut::test
