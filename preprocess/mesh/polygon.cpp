#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "preprocess/mesh/formats.h"

namespace abut::preprocess {
namespace {

using Corners = std::vector<std::int32_t>;

// Twice the polygon's area vector (Newell): its average normal, even if it is neither flat nor convex.
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

bool fan_is_fair(const Corners& corners, const Eigen::Vector3d& normal, const TriangleMesh& mesh) {
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    if (signed_area({corners[0], corners[i], corners[i + 1]}, normal, mesh) <= 0) return false;
  }
  return true;
}

// The corners of a polygon as a ring from which ears are cut one by one. The corner that blocks each ear is
// remembered and searched again only if it is gone or a neighbour has changed, so that the cost is about the
// square of the number of corners. Pathological faces exceed kMaxWork and are from then on cut without a
// search.
class Ring {
 public:
  Ring(const Corners& corners, const Eigen::Vector3d& normal, const TriangleMesh& mesh)
      : corners_(corners), normal_(normal), mesh_(mesh), size_(corners.size()) {
    for (std::size_t i = 0; i < size_; ++i) {
      previous_.push_back((i + size_ - 1) % size_);
      next_.push_back((i + 1) % size_);
    }
    blocker_.assign(size_, kUnknown);
  }

  std::size_t size() const { return size_; }

  // Cuts the first ear; if there is none (a polygon that intersects itself) any corner serves.
  Triangle take_ear() {
    std::size_t ear = first_;
    for (std::size_t i = first_, k = 0; k < size_; ++k, i = next_[i]) {
      if (!is_ear(i)) continue;
      ear = i;
      break;
    }
    return take(ear);
  }

  Triangle rest() const { return triangle(first_); }

 private:
  static constexpr std::size_t kMaxWork = 1'000'000'000;  // some seconds
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1), kNone = kUnknown - 1,
                               kGone = kUnknown - 2;

  Triangle triangle(std::size_t i) const { return {corners_[previous_[i]], corners_[i], corners_[next_[i]]}; }

  bool is_ear(std::size_t i) {
    const std::size_t known = blocker_[i];
    if (known == kUnknown || (known != kNone && blocker_[known] == kGone)) blocker_[i] = find_blocker(i);
    return blocker_[i] == kNone;
  }

  // A corner inside the triangle at corner i; i itself if that triangle is degenerate or reversed.
  std::size_t find_blocker(std::size_t i) {
    const Triangle t = triangle(i);
    if (signed_area(t, normal_, mesh_) <= 0) return i;
    for (std::size_t k = next_[next_[i]]; k != previous_[i] && work_ < kMaxWork; k = next_[k], ++work_) {
      const std::int32_t q = corners_[k];
      const bool inside = signed_area({t[0], t[1], q}, normal_, mesh_) >= 0 &&
                          signed_area({t[1], t[2], q}, normal_, mesh_) >= 0 &&
                          signed_area({t[2], t[0], q}, normal_, mesh_) >= 0;
      if (inside && !is_at_corner(q, t)) return k;
    }
    return kNone;
  }

  // Whether a vertex coincides with a corner of a triangle: a face with a hole passes its connecting cut
  // twice.
  bool is_at_corner(std::int32_t q, const Triangle& t) const {
    return std::any_of(t.begin(), t.end(),
                       [&](std::int32_t v) { return mesh_.vertices[q] == mesh_.vertices[v]; });
  }

  Triangle take(std::size_t i) {
    const Triangle ear = triangle(i);
    next_[previous_[i]] = next_[i];
    previous_[next_[i]] = previous_[i];
    blocker_[previous_[i]] = blocker_[next_[i]] = kUnknown;
    blocker_[i] = kGone;
    if (i == first_) first_ = next_[i];
    --size_;
    return ear;
  }

  const Corners& corners_;
  const Eigen::Vector3d normal_;
  const TriangleMesh& mesh_;
  std::vector<std::size_t> previous_, next_, blocker_;
  std::size_t first_ = 0, size_, work_ = 0;  // work_: corners examined
};

void append_ears(const Corners& corners, const Eigen::Vector3d& normal, TriangleMesh& mesh) {
  Ring ring(corners, normal, mesh);
  while (ring.size() > 3) mesh.triangles.push_back(ring.take_ear());
  mesh.triangles.push_back(ring.rest());
}

}  // namespace

std::string too_many_corners(std::size_t corners) {
  return fmt::format(
      "has {} corners, and no face may have more than {}: cut it into triangles (the modeller's "
      "option to triangulate faces on export)",
      corners, kMaxFaceCorners);
}

void append_polygon(const Corners& corners, TriangleMesh& mesh) {
  if (corners.size() > 3) {
    const Eigen::Vector3d normal = area_vector(corners, mesh);
    if (!fan_is_fair(corners, normal, mesh)) return append_ears(corners, normal, mesh);
  }
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    mesh.triangles.push_back({corners[0], corners[i], corners[i + 1]});
  }
}

void Polygons::add(const Corners& corners, TriangleMesh& mesh) {
  const std::size_t number = added_++;
  const std::int32_t last = *std::max_element(corners.begin(), corners.end());
  if (static_cast<std::size_t>(last) < mesh.vertices.size()) return append_polygon(corners, mesh);
  numbers_.push_back(number);
  first_corners_.push_back(corners_.size());
  corners_.insert(corners_.end(), corners.begin(), corners.end());
}

std::optional<Polygons::Missing> Polygons::missing(const TriangleMesh& mesh) const {
  for (std::size_t c = 0; c < corners_.size(); ++c) {
    if (static_cast<std::size_t>(corners_[c]) < mesh.vertices.size()) continue;
    const auto polygon = std::upper_bound(first_corners_.begin(), first_corners_.end(), c) - 1;
    return Missing{numbers_[static_cast<std::size_t>(polygon - first_corners_.begin())], corners_[c]};
  }
  return std::nullopt;
}

void Polygons::cut_rest(TriangleMesh& mesh) const {
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const auto from = corners_.begin() + static_cast<std::ptrdiff_t>(first_corners_[i]),
               to = i + 1 < numbers_.size()
                        ? corners_.begin() + static_cast<std::ptrdiff_t>(first_corners_[i + 1])
                        : corners_.end();
    append_polygon({from, to}, mesh);
  }
}

}  // namespace abut::preprocess
