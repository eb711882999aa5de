#include "preprocess/tetrahedralize/tetrahedral_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace abut::preprocess {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

// Smallest and largest dihedral angle, radians.
std::pair<double, double> dihedral_range(const std::array<Eigen::Vector3d, 4>& p) {
  std::array<Eigen::Vector3d, 4> n;
  for (int k = 0; k < 4; ++k) {
    const auto& f = kFaces[k];
    n[k] = (p[f[1]] - p[f[0]]).cross(p[f[2]] - p[f[0]]).normalized();
  }
  double lo = std::numbers::pi, hi = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j) {
      // By the half-angle, which is accurate for small and for flat angles: normals point inward, so they are
      // opposite where the angle is zero.
      const double angle = 2 * std::atan2((n[i] + n[j]).norm(), (n[i] - n[j]).norm());
      lo = std::min(lo, angle);
      hi = std::max(hi, angle);
    }
  return {lo, hi};
}

std::array<std::int32_t, 3> sorted(std::int32_t a, std::int32_t b, std::int32_t c) {
  std::array<std::int32_t, 3> key{a, b, c};
  std::sort(key.begin(), key.end());
  return key;
}

void measure_surface(const TetrahedralMesh& mesh, TetrahedralQuality& result) {
  std::vector<std::pair<std::array<std::int32_t, 3>, bool>> faces;
  for (const Tetrahedron& t : mesh.tetrahedra) {
    const bool flat = mesh.is_flat(t);
    for (const auto& f : kFaces)
      if (mesh.on_surface(t[f[0]]) && mesh.on_surface(t[f[1]]) && mesh.on_surface(t[f[2]]))
        faces.emplace_back(sorted(t[f[0]], t[f[1]], t[f[2]]), flat);
  }
  std::sort(faces.begin(), faces.end());
  std::size_t surface = 0, flat = 0;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (i + 1 < faces.size() && faces[i].first == faces[i + 1].first) {
      ++i;  // shared by two tetrahedra
      continue;
    }
    ++surface;
    if (faces[i].second) ++flat;
  }
  result.surface_triangles = surface;
  result.flat_surface_share = surface == 0 ? 0 : static_cast<double>(flat) / static_cast<double>(surface);
}

}  // namespace

bool TetrahedralMesh::is_flat(const Tetrahedron& t) const {
  return std::all_of(t.begin(), t.end(), [&](std::int32_t v) { return on_surface(v); });
}

double smallest_sine(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
                     const Eigen::Vector3d& d) {
  const Eigen::Vector3d ab = b - a, ac = c - a, ad = d - a, bc = c - b, bd = d - b, cd = d - c;
  const double volume = ab.cross(ac).dot(ad);
  // Twice the areas of the faces opposite a, b, c, d.
  const double fa = bc.cross(bd).norm(), fb = ac.cross(ad).norm(), fc = ab.cross(ad).norm(),
               fd = ab.cross(ac).norm();
  // sin = 6 V |edge| / (product of twice the areas of the two faces at the edge), V: volume
  const double largest = std::max({fc * fd / ab.norm(), fb * fd / ac.norm(), fb * fc / ad.norm(),
                                   fa * fd / bc.norm(), fa * fc / bd.norm(), fa * fb / cd.norm()});
  return largest > 0 ? volume / largest : 0;
}

TetrahedralQuality measure(const TetrahedralMesh& mesh) {
  TetrahedralQuality result;
  if (mesh.tetrahedra.empty()) return result;
  std::vector<double> smallest;
  std::size_t flat = 0;
  for (const Tetrahedron& t : mesh.tetrahedra) {
    const auto [lo, hi] =
        dihedral_range({mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], mesh.vertices[t[3]]});
    smallest.push_back(lo * kDegrees);
    result.max_dihedral = std::max(result.max_dihedral, hi * kDegrees);
    if (mesh.is_flat(t)) ++flat;
  }
  std::sort(smallest.begin(), smallest.end());
  result.min_dihedral = smallest.front();
  result.p1_dihedral = smallest[smallest.size() / 100];
  result.flat_share = static_cast<double>(flat) / static_cast<double>(smallest.size());
  measure_surface(mesh, result);
  return result;
}

}  // namespace abut::preprocess
