#include "preprocess/cli/verify_volume.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "preprocess/cli/verify_geometry.h"
#include "preprocess/mesh/shells.h"
#include "preprocess/pressure/extent.h"
#include "runtime/distance/surface_distance.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

// Relative tolerance where the same quantity is computed in another order.
constexpr double kRounding = 1e-9;
constexpr double kRoomForRounding = 1e-6;  // over the object's size

// The faces of a tetrahedron, opposite each corner, oriented as seen from outside.
constexpr int kOutward[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

// The boundary of a volume: the faces that belong to one tetrahedron only.
struct Boundary {
  std::vector<double> vertices;          // (..., 3) m, only those of the faces
  std::vector<std::int32_t> triangles;   // (..., 3), oriented outward
  std::vector<std::int32_t> tetrahedra;  // the one behind each triangle

  asset::SurfaceView view() const {
    asset::SurfaceView result;
    result.vertices = vertices.data();
    result.triangles = triangles.data();
    result.vertex_count = static_cast<std::int32_t>(vertices.size() / 3);
    result.triangle_count = static_cast<std::int32_t>(tetrahedra.size());
    return result;
  }
};

double area_of(const asset::SurfaceView& s) {
  double sum = 0;
  for (std::int32_t t = 0; t < s.triangle_count; ++t) {
    const std::array<Vector3d, 3> p = {distance::internal::corner<double>(s, t, 0),
                                       distance::internal::corner<double>(s, t, 1),
                                       distance::internal::corner<double>(s, t, 2)};
    sum += (p[1] - p[0]).cross(p[2] - p[0]).norm() / 2;
  }
  return sum;
}

// Volume that the surface encloses, with or without its cavities, m^3.
double volume_within(const asset::SurfaceView& s, bool fill_voids) {
  TriangleMesh mesh;
  for (std::int32_t v = 0; v < s.vertex_count; ++v)
    mesh.vertices.emplace_back(Vector3d::Map(s.vertices + std::ptrdiff_t(3) * v));
  for (std::int32_t t = 0; t < s.triangle_count; ++t)
    mesh.triangles.push_back({s.triangles[3 * t], s.triangles[3 * t + 1], s.triangles[3 * t + 2]});
  const Components parts = find_components(mesh);
  const std::vector<double> volumes = part_volumes(mesh, parts);
  if (!fill_voids) return std::accumulate(volumes.begin(), volumes.end(), 0.0);
  const std::vector<char> outermost = outermost_solids(mesh, parts);
  double sum = 0;
  for (std::size_t part = 0; part < volumes.size(); ++part) sum += outermost[part] ? volumes[part] : 0;
  return sum;
}

class VolumeVerifier {
 public:
  VolumeVerifier(const asset::VolumeView& v, const VolumeContext& context) : v_(v), context_(context) {
    const Eigen::Map<const Eigen::Matrix3Xd> all(v.vertices, 3, v.vertex_count);
    size_ = v.vertex_count > 0 ? (all.rowwise().maxCoeff() - all.rowwise().minCoeff()).norm() : 0;
  }

  std::vector<std::string> problems() {
    if (v_.tetrahedron_count == 0) return {"has no tetrahedra"};
    using Check = std::string (VolumeVerifier::*)();
    // The later checks assume that the first two pass.
    for (const Check check : {&VolumeVerifier::tetrahedra, &VolumeVerifier::neighbours})
      if (std::string problem = (this->*check)(); !problem.empty()) return {problem};
    boundary_ = find_boundary();
    std::vector<std::string> found = solid_problems(boundary_.view());
    for (std::string& problem : found) problem.insert(0, "the boundary ");
    for (const Check check : {&VolumeVerifier::shape, &VolumeVerifier::extent, &VolumeVerifier::gradients,
                              &VolumeVerifier::planes, &VolumeVerifier::ranges, &VolumeVerifier::tree_ranges})
      if (std::string problem = (this->*check)(); !problem.empty()) found.push_back(problem);
    return found;
  }

 private:
  Vector3d point(std::int32_t t, int k) const {
    return Vector3d::Map(v_.vertices + 3 * v_.tetrahedra[4 * t + k]);
  }
  double extent_at(std::int32_t t, int k) const { return v_.extent[v_.tetrahedra[4 * t + k]]; }
  double volume(std::int32_t t) const {
    const Vector3d a = point(t, 0);
    return (point(t, 1) - a).cross(point(t, 2) - a).dot(point(t, 3) - a) / 6;
  }

  std::string tetrahedra() {
    for (std::int32_t t = 0; t < v_.tetrahedron_count; ++t)
      if (!(volume(t) > 0)) return fmt::format("tetrahedra: {} has no positive volume", t);
    std::vector<bool> used(static_cast<std::size_t>(v_.vertex_count));
    for (std::int32_t i = 0; i < 4 * v_.tetrahedron_count; ++i) used[v_.tetrahedra[i]] = true;
    const auto unused = std::find(used.begin(), used.end(), false);
    if (unused != used.end())
      return fmt::format("vertices: {} belongs to no tetrahedron", unused - used.begin());
    return "";
  }

  // Whether two tetrahedra see a face with the same orientation.
  bool on_one_side(std::int32_t slot, std::int32_t other) const {
    std::array<std::int32_t, 3> a{}, b{};
    for (std::size_t i = 0; i < 3; ++i) {
      a[i] = v_.tetrahedra[slot - slot % 4 + kOutward[slot % 4][i]];
      b[i] = v_.tetrahedra[other - other % 4 + kOutward[other % 4][i]];
    }
    std::rotate(b.begin(), std::find(b.begin(), b.end(), a[0]), b.end());
    return a == b;
  }

  // Checks neighbours by sorted faces: across (a, b, c) lies the tetrahedron that has the face from the other
  // side.
  std::string neighbours() {
    struct Face {
      std::array<std::int32_t, 3> corners;
      std::int32_t slot;
      bool operator<(const Face& other) const { return corners < other.corners; }
    };
    std::vector<Face> faces;
    for (std::int32_t slot = 0; slot < 4 * v_.tetrahedron_count; ++slot) {
      Face face{{}, slot};
      for (std::size_t i = 0; i < 3; ++i)
        face.corners[i] = v_.tetrahedra[slot - slot % 4 + kOutward[slot % 4][i]];
      std::sort(face.corners.begin(), face.corners.end());
      faces.push_back(face);
    }
    std::sort(faces.begin(), faces.end());
    for (std::size_t i = 0; i < faces.size();) {
      std::size_t end = i + 1;
      while (end < faces.size() && faces[end].corners == faces[i].corners) ++end;
      if (end - i > 2)
        return fmt::format("tetrahedra: {} and {} others have one face", faces[i].slot / 4, end - i - 1);
      for (std::size_t j = i; j < end; ++j) {
        const std::int32_t expected = end - i == 2 ? faces[i + end - 1 - j].slot / 4 : -1;
        if (expected >= 0 && on_one_side(faces[i].slot, faces[i + 1].slot))
          return fmt::format("tetrahedra: {} and {} are on the same side of the face that they share",
                             faces[i].slot / 4, faces[i + 1].slot / 4);
        if (v_.neighbours[faces[j].slot] != expected)
          return fmt::format("neighbours: tetrahedron {}, face {} is wrong", faces[j].slot / 4,
                             faces[j].slot % 4);
      }
      i = end;
    }
    return "";
  }

  Boundary find_boundary() const {
    Boundary result;
    std::vector<std::int32_t> place(static_cast<std::size_t>(v_.vertex_count), -1);
    for (std::int32_t slot = 0; slot < 4 * v_.tetrahedron_count; ++slot) {
      if (v_.neighbours[slot] >= 0) continue;
      result.tetrahedra.push_back(slot / 4);
      for (const int k : kOutward[slot % 4]) {
        const std::int32_t vertex = v_.tetrahedra[slot - slot % 4 + k];
        std::int32_t& at = place[static_cast<std::size_t>(vertex)];
        if (at < 0) {
          at = static_cast<std::int32_t>(result.vertices.size() / 3);
          result.vertices.insert(result.vertices.end(), v_.vertices + 3 * vertex,
                                 v_.vertices + 3 * vertex + 3);
        }
        result.triangles.push_back(at);
      }
    }
    return result;
  }

  // Two solids whose surfaces are nowhere farther than h apart differ only within h of both.
  std::string shape() {
    const asset::SurfaceView boundary = boundary_.view();
    const double h = context_.distance + kRoomForRounding * size_;
    for (std::int32_t i = 0; i < boundary.vertex_count; ++i) {
      const double distance = std::abs(
          distance::signed_distance<double>(context_.surface, Vector3d::Map(boundary.vertices + 3 * i))
              .distance);
      if (!(distance <= h))
        return fmt::format("the boundary is {:.3g} m from the surface, more than the {:.3g} m allowed",
                           distance, h);
    }
    const double expected = volume_within(context_.surface, context_.fill_voids);
    double own = 0;
    for (std::int32_t t = 0; t < v_.tetrahedron_count; ++t) own += volume(t);
    if (!(std::abs(own - expected) <= h * (area_of(boundary) + area_of(context_.surface))))
      return fmt::format("the volume is {:.6g} m^3 where the surface encloses {:.6g} m^3", own, expected);
    return "";
  }

  std::string extent() {
    for (std::int32_t i = 0; i < v_.vertex_count; ++i)
      if (!(v_.extent[i] >= 0 && v_.extent[i] <= 1))
        return fmt::format("extent: vertex {} is outside [0, 1]", i);
    for (std::size_t i = 0; i < boundary_.tetrahedra.size(); ++i) {
      const std::int32_t t = boundary_.tetrahedra[i];
      double most = 0;
      for (int k = 0; k < 4; ++k) most = std::max(most, extent_at(t, k));
      if (!(most > 0)) return fmt::format("extent: zero all over tetrahedron {} at the surface", t);
    }
    for (std::int32_t slot = 0; slot < 4 * v_.tetrahedron_count; ++slot)
      for (const int k : kOutward[slot % 4])
        if (v_.neighbours[slot] < 0 && extent_at(slot / 4, k) != 0)
          return fmt::format("extent: vertex {} is on the surface and not zero",
                             v_.tetrahedra[slot - slot % 4 + k]);
    return context_.has_cores ? cores() : "";
  }

  std::string cores() {
    std::vector<char> seen(static_cast<std::size_t>(v_.tetrahedron_count), 0);
    for (std::int32_t first = 0; first < v_.tetrahedron_count; ++first) {
      if (seen[static_cast<std::size_t>(first)]) continue;
      double most = 0;
      std::vector<std::int32_t> stack = {first};
      seen[static_cast<std::size_t>(first)] = 1;
      while (!stack.empty()) {
        const std::int32_t t = stack.back();
        stack.pop_back();
        for (int k = 0; k < 4; ++k) {
          most = std::max(most, extent_at(t, k));
          const std::int32_t next = v_.neighbours[4 * t + k];
          if (next < 0 || seen[static_cast<std::size_t>(next)]) continue;
          seen[static_cast<std::size_t>(next)] = 1;
          stack.push_back(next);
        }
      }
      if (!(most >= kLeastCoreExtent))
        return fmt::format(
            "extent: the part of tetrahedron {} reaches {:.3g}, not 1, and hardly presses: make the asset "
            "again",
            first, most);
    }
    return "";
  }

  // Least distance of a corner from the opposite face, m.
  double least_height(std::int32_t t) const {
    double largest_face = 0;
    for (const auto& face : kOutward) {
      const Vector3d a = point(t, face[0]);
      largest_face = std::max(largest_face, (point(t, face[1]) - a).cross(point(t, face[2]) - a).norm() / 2);
    }
    return 3 * volume(t) / largest_face;
  }

  // Checks that the extent changes along every edge as the gradient says. A corner's extent of 1 contributes
  // 1 over the corner's height to the gradient, so that a gradient is at most four times the largest of
  // these, and the tolerance does not grow beyond that.
  std::string gradients() {
    for (std::int32_t t = 0; t < v_.tetrahedron_count; ++t) {
      const Vector3d g = Vector3d::Map(v_.gradients + 3 * t);
      if (!(g.lpNorm<Eigen::Infinity>() <= 4 / least_height(t)))
        return fmt::format("gradients: tetrahedron {} has the wrong one", t);
      for (int k = 1; k < 4; ++k) {
        const Vector3d edge = point(t, k) - point(t, 0);
        const double change = extent_at(t, k) - extent_at(t, 0);
        if (!(std::abs(g.dot(edge) - change) <= kRounding * (1 + g.norm() * edge.norm())))
          return fmt::format("gradients: tetrahedron {} has the wrong one", t);
      }
    }
    return "";
  }

  // Checks that the corners of a face lie on its plane and the fourth corner is inside.
  std::string planes() {
    for (std::int32_t slot = 0; slot < 4 * v_.tetrahedron_count; ++slot) {
      const double* plane = v_.face_planes + 4 * slot;
      const Vector3d n = Vector3d::Map(plane);
      bool wrong = !(std::abs(n.norm() - 1) <= kRounding);
      for (int k = 0; k < 4; ++k) {
        const double height = n.dot(point(slot / 4, k)) + plane[3];
        wrong = wrong || (k == slot % 4 ? !(height > 0) : !(std::abs(height) <= kRounding * size_));
      }
      if (wrong) return fmt::format("face_planes: tetrahedron {}, face {} is wrong", slot / 4, slot % 4);
    }
    return "";
  }

  std::string ranges() {
    for (std::int32_t t = 0; t < v_.tetrahedron_count; ++t) {
      const auto [lo, hi] = std::minmax({extent_at(t, 0), extent_at(t, 1), extent_at(t, 2), extent_at(t, 3)});
      if (v_.extent_ranges[2 * t] != lo || v_.extent_ranges[2 * t + 1] != hi)
        return fmt::format("extent_ranges: tetrahedron {} has the wrong one", t);
    }
    return "";
  }

  // Checks that the range of a child contains those below it, and is no wider than rounding to single
  // precision requires.
  std::string tree_ranges() {
    constexpr int kWidth = bvh::kWidth;
    for (std::int32_t slot = 0; slot < kWidth * v_.tree.nodes; ++slot) {
      const std::int32_t count = v_.tree.counts[slot], child = v_.tree.children[slot];
      if (count < 0) continue;
      double lo = 2, hi = -1;
      for (std::int32_t t = child; t < child + count; ++t) {
        lo = std::min(lo, v_.extent_ranges[2 * t]);
        hi = std::max(hi, v_.extent_ranges[2 * t + 1]);
      }
      for (int k = 0; count == 0 && k < kWidth; ++k) {
        if (v_.tree.counts[child * kWidth + k] < 0) continue;
        lo = std::min<double>(lo, v_.tree_extent_ranges[child * 2 * kWidth + k]);
        hi = std::max<double>(hi, v_.tree_extent_ranges[child * 2 * kWidth + kWidth + k]);
      }
      const float* stored = v_.tree_extent_ranges + slot / kWidth * 2 * kWidth + slot % kWidth;
      const double below = lo - stored[0], above = stored[kWidth] - hi;
      if (!(below >= 0 && below <= 1e-6 && above >= 0 && above <= 1e-6))
        return fmt::format("tree: node {}, child {} has the wrong range of extents", slot / kWidth,
                           slot % kWidth);
    }
    return "";
  }

  const asset::VolumeView& v_;
  const VolumeContext& context_;
  double size_ = 0;
  Boundary boundary_;
};

}  // namespace

std::vector<std::string> volume_problems(const asset::VolumeView& volume, const VolumeContext& context) {
  return VolumeVerifier(volume, context).problems();
}

}  // namespace abut::preprocess
