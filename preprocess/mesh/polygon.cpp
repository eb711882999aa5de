#include <fmt/format.h>

#include <Eigen/Geometry>

#include "preprocess/mesh/formats.h"

namespace abut::preprocess {
namespace {

// Ear clipping costs the cube of the corners; a polygon beyond this many corners is cut as a fan, so that no
// file can stall the reader.
constexpr std::size_t kMaxCornersForEars = 64;

using Corners = std::vector<std::int32_t>;

// Twice the polygon's area vector (Newell): normal to it on the average, even where it is neither flat nor
// convex.
Eigen::Vector3d area_vector(const Corners& corners, const TriangleMesh& mesh) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  const Eigen::Vector3d& origin = mesh.vertices[corners[0]];
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    sum += (mesh.vertices[corners[i]] - origin).cross(mesh.vertices[corners[i + 1]] - origin);
  }
  return sum;
}

double signed_area(const Triangle& t, const Eigen::Vector3d& normal, const TriangleMesh& mesh) {
  const Eigen::Vector3d& a = mesh.vertices[t[0]];
  return (mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a).dot(normal);
}

bool is_ear(const Corners& rest, std::size_t i, const Eigen::Vector3d& normal, const TriangleMesh& mesh) {
  const std::size_t n = rest.size();
  const Triangle t{rest[(i + n - 1) % n], rest[i], rest[(i + 1) % n]};
  if (signed_area(t, normal, mesh) <= 0) return false;
  for (const std::int32_t q : rest) {
    if (q == t[0] || q == t[1] || q == t[2]) continue;
    const bool inside = signed_area({t[0], t[1], q}, normal, mesh) >= 0 &&
                        signed_area({t[1], t[2], q}, normal, mesh) >= 0 &&
                        signed_area({t[2], t[0], q}, normal, mesh) >= 0;
    if (inside) return false;
  }
  return true;
}

bool fan_is_fair(const Corners& corners, const Eigen::Vector3d& normal, const TriangleMesh& mesh) {
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    if (signed_area({corners[0], corners[i], corners[i + 1]}, normal, mesh) <= 0) return false;
  }
  return true;
}

void append_ears(Corners rest, const Eigen::Vector3d& normal, TriangleMesh& mesh) {
  while (rest.size() > 3) {
    std::size_t ear = 0;  // where there is none (a polygon that crosses itself) any corner serves
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (is_ear(rest, i, normal, mesh)) {
        ear = i;
        break;
      }
    }
    const std::size_t n = rest.size();
    mesh.triangles.push_back({rest[(ear + n - 1) % n], rest[ear], rest[(ear + 1) % n]});
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  mesh.triangles.push_back({rest[0], rest[1], rest[2]});
}

}  // namespace

std::string too_many_corners(std::size_t corners) {
  return fmt::format(
      "has {} corners, and no face may have more than {}: cut it into triangles (the modeller's "
      "option to triangulate faces on export)",
      corners, kMaxFaceCorners);
}

void append_polygon(const Corners& corners, TriangleMesh& mesh) {
  if (corners.size() > 3 && corners.size() <= kMaxCornersForEars) {
    bool known = true;
    for (const std::int32_t c : corners) known = known && static_cast<std::size_t>(c) < mesh.vertices.size();
    if (known) {
      const Eigen::Vector3d normal = area_vector(corners, mesh);
      if (!fan_is_fair(corners, normal, mesh)) return append_ears(corners, normal, mesh);
    }
  }
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    mesh.triangles.push_back({corners[0], corners[i], corners[i + 1]});
  }
}

}  // namespace abut::preprocess
