#include <Eigen/Geometry>
#include <cmath>
#include <string>

#include "preprocess/index/index.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

using Real = long double;
using Vector = Eigen::Matrix<Real, 3, 1>;
using Matrix = Eigen::Matrix<Real, 3, 3>;

// Integrals of 1, x and x x' over the solid, with x relative to a reference point. Extended precision keeps
// the rounding of sums over a million triangles below that of the result.
struct Moments {
  Real volume = 0;
  Real area = 0;
  Vector first = Vector::Zero();
  Matrix second = Matrix::Zero();
};

Moments integrate(const TriangleMesh& mesh, const Eigen::Vector3d& reference) {
  Moments m;
  for (const Triangle& t : mesh.triangles) {
    const Vector a = (mesh.vertices[t[0]] - reference).cast<Real>();
    const Vector b = (mesh.vertices[t[1]] - reference).cast<Real>();
    const Vector c = (mesh.vertices[t[2]] - reference).cast<Real>();
    m.area += (b - a).cross(c - a).norm() / 2;
    // The tetrahedron (reference, a, b, c) has the volume V, the integral of x V (a + b + c) / 4, and the
    // integral of x x' V / 20 (a a' + b b' + c c' + (a + b + c)(a + b + c)').
    const Real volume = a.dot(b.cross(c)) / 6;
    const Vector sum = a + b + c;
    m.volume += volume;
    m.first += volume / 4 * sum;
    m.second +=
        volume / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  }
  return m;
}

void check_mesh(const TriangleMesh& mesh) {
  const auto size = static_cast<std::int32_t>(mesh.vertices.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (const std::int32_t v : mesh.triangles[t]) {
      if (v < 0 || v >= size || !mesh.vertices[v].allFinite())
        throw InvalidInput("mass properties: triangle " + std::to_string(t) + " has vertex " +
                           std::to_string(v) + ", which is out of range or not finite");
    }
  }
}

}  // namespace

asset::MassProperties mass_properties(const TriangleMesh& mesh) {
  check_mesh(mesh);
  if (mesh.triangles.empty()) throw InvalidInput("mass properties: no triangles");
  // The centre of the bounding box is close enough: a distant reference would cause cancellation.
  Eigen::Vector3d lo = mesh.vertices[mesh.triangles[0][0]], hi = lo;
  for (const Triangle& t : mesh.triangles) {
    for (const std::int32_t v : t) {
      lo = lo.cwiseMin(mesh.vertices[v]);
      hi = hi.cwiseMax(mesh.vertices[v]);
    }
  }
  const Eigen::Vector3d reference = (lo + hi) / 2;
  const Moments m = integrate(mesh, reference);
  if (!(m.volume > 0))
    throw InvalidInput("mass properties: the volume is " + std::to_string(static_cast<double>(m.volume)) +
                       " m^3; the surface is flat, open or inside out");
  const Vector center = m.first / m.volume;
  const Matrix second = m.second - m.volume * center * center.transpose();
  const Matrix inertia = second.trace() * Matrix::Identity() - second;
  asset::MassProperties result;
  result.volume = static_cast<double>(m.volume);
  result.area = static_cast<double>(m.area);
  for (int i = 0; i < 3; ++i) {
    result.center_of_mass[i] = static_cast<double>(reference[i] + center[i]);
    for (int j = 0; j < 3; ++j) result.inertia[3 * i + j] = static_cast<double>(inertia(i, j));
  }
  return result;
}

}  // namespace abut::preprocess
