#include "preprocess/draw/cut.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

// Large enough for a vessel to be cut from rim to bottom instead of across, too small for a flat object to be
// cut across.
constexpr double kUprightBonus = 2.6;
const Color kOutline(0.12F, 0.12F, 0.14F);

struct Corner {
  Vector3d point;
  double extent;
};
using Tetrahedron = std::array<Corner, 4>;

Tetrahedron tetrahedron(const asset::VolumeView& v, std::int32_t t) {
  Tetrahedron result;
  for (std::size_t k = 0; k < 4; ++k) {
    const std::int32_t i = v.tetrahedra[4 * t + static_cast<std::int32_t>(k)];
    result[k] = {Vector3d::Map(v.vertices + 3 * i), v.extent[i]};
  }
  return result;
}

// Intersection of the edge from a to b with the plane; a and b lie on different sides.
Corner between(const Corner& a, const Corner& b, const CutPlane& plane) {
  const double height_a = plane.normal.dot(a.point) - plane.offset,
               height_b = plane.normal.dot(b.point) - plane.offset;
  const double s = height_a / (height_a - height_b);
  return {a.point + s * (b.point - a.point), a.extent + s * (b.extent - a.extent)};
}

// The part of a polygon inside the half-space: the corners kept, and those added by the cut.
std::vector<Corner> clip(const std::vector<Corner>& polygon, const CutPlane& plane) {
  std::vector<Corner> kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Corner &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const bool a_in = plane.normal.dot(a.point) <= plane.offset,
               b_in = plane.normal.dot(b.point) <= plane.offset;
    if (a_in) kept.push_back(a);
    if (a_in != b_in) kept.push_back(between(a, b, plane));
  }
  return kept;
}

// The cut through a tetrahedron: empty, a triangle or a quadrilateral, in order.
std::vector<Corner> cut(const Tetrahedron& tet, const CutPlane& plane) {
  std::vector<std::size_t> below, above;
  for (std::size_t k = 0; k < 4; ++k)
    (plane.normal.dot(tet[k].point) <= plane.offset ? below : above).push_back(k);
  std::vector<Corner> corners;
  // Order the pairs (below, above) so that consecutive ones share a vertex.
  for (std::size_t i = 0; i < below.size(); ++i)
    for (std::size_t j = 0; j < above.size(); ++j)
      corners.push_back(between(tet[below[i]], tet[above[i % 2 == 0 ? j : above.size() - 1 - j]], plane));
  return corners;
}

double area(const std::vector<Corner>& polygon) {
  Vector3d sum = Vector3d::Zero();
  for (std::size_t i = 2; i < polygon.size(); ++i)
    sum += (polygon[i - 1].point - polygon[0].point).cross(polygon[i].point - polygon[0].point);
  return sum.norm() / 2;
}

}  // namespace

CutPlane choose_cut(const asset::VolumeView& volume, const Vector3d& toward) {
  double mass = 0;
  Vector3d center = Vector3d::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  for (std::int32_t t = 0; t < volume.tetrahedron_count; ++t) {
    const Tetrahedron tet = tetrahedron(volume, t);
    const Vector3d middle = (tet[0].point + tet[1].point + tet[2].point + tet[3].point) / 4;
    const double weight =
        (tet[1].point - tet[0].point).cross(tet[2].point - tet[0].point).dot(tet[3].point - tet[0].point) / 6;
    mass += weight;
    center += weight * middle;
    second += weight * middle * middle.transpose();
  }
  center /= mass;
  second -= mass * center * center.transpose();
  const Eigen::Matrix3d axes = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(second).eigenvectors();
  CutPlane best;
  double best_score = -1;
  for (int k = 0; k < 3; ++k) {
    const Vector3d normal = (axes.col(k).dot(toward) < 0 ? -1 : 1) * axes.col(k);
    const CutPlane plane{normal, normal.dot(center)};
    double score = 0;
    for (std::int32_t t = 0; t < volume.tetrahedron_count; ++t)
      score += area(cut(tetrahedron(volume, t), plane));
    if (std::abs(normal.z()) < std::sqrt(0.5)) score *= kUprightBonus;
    if (score <= best_score) continue;
    best_score = score;
    best = plane;
  }
  return best;
}

void draw_cut(Canvas& canvas, const asset::VolumeView& volume, const CutPlane& plane, const Color& color) {
  constexpr int kOutward[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  for (std::int32_t t = 0; t < volume.tetrahedron_count; ++t) {
    const Tetrahedron tet = tetrahedron(volume, t);
    for (std::size_t k = 0; k < 4; ++k) {
      if (volume.neighbours[4 * t + static_cast<std::int32_t>(k)] >= 0) continue;
      std::vector<Corner> face;
      for (const int corner : kOutward[k]) face.push_back(tet[static_cast<std::size_t>(corner)]);
      face = clip(face, plane);
      for (std::size_t i = 2; i < face.size(); ++i) {
        const Vector3d corners[3] = {face[0].point, face[i - 1].point, face[i].point};
        canvas.triangle(corners, color);
      }
    }
    const std::vector<Corner> section = cut(tet, plane);
    for (std::size_t i = 2; i < section.size(); ++i) {
      const Vector3d corners[3] = {section[0].point, section[i - 1].point, section[i].point};
      const double values[3] = {section[0].extent, section[i - 1].extent, section[i].extent};
      canvas.scalar_triangle(corners, values);
    }
    for (std::size_t i = 0; i < section.size(); ++i)
      canvas.line(section[i].point, section[(i + 1) % section.size()].point, kOutline, 0.3, 1e-3);
  }
}

}  // namespace abut::preprocess
