#include "preprocess/remesh/reference_surface.h"

#include <cmath>
#include <limits>

#include "preprocess/index/index.h"
#include "preprocess/mesh/weld.h"
#include "runtime/bvh/traversal.h"
#include "runtime/distance/surface_distance.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;
constexpr double kStart = 1e-12;  // length of a ray that has not left its origin, relative to the diagonal
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Calls leaf(first, count) for every leaf whose box the ray from `origin` along `direction` meets before
// `reach`; the callback may reduce `reach`.
template <class Leaf>
void visit_ray(const bvh::TreeView& tree, const Vec3& origin, const Vec3& direction, double& reach,
               Leaf&& leaf) {
  // Boxes are already rounded outward; a relative margin covers the rounding of the slab test itself.
  constexpr double kMargin = 1e-9;
  const auto meets = [&](const Vec3& low, const Vec3& high) {
    double enter = 0, leave = reach;
    for (int k = 0; k < 3; ++k) {
      const double lo = low[k] - origin[k], hi = high[k] - origin[k];
      if (direction[k] == 0) {
        if (lo > 0 || hi < 0) leave = -1;
        continue;
      }
      const double a = lo / direction[k], b = hi / direction[k];
      enter = std::max(enter, std::min(a, b));
      leave = std::min(leave, std::max(a, b));
    }
    return !(enter > leave + kMargin * std::abs(leave));
  };
  bvh::visit_boxes(tree, meets, leaf);
}

// Ray parameter at which the ray meets the triangle; infinity if it does not.
double hit(const Vec3& origin, const Vec3& direction, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, cross = direction.cross(ac);
  const double determinant = ab.dot(cross);
  if (determinant == 0) return kInfinity;
  const Vec3 from = origin - a;
  const double u = from.dot(cross) / determinant;
  const Vec3 other = from.cross(ab);
  const double v = direction.dot(other) / determinant;
  if (u < 0 || v < 0 || u + v > 1) return kInfinity;
  return ac.dot(other) / determinant;
}

}  // namespace

ReferenceSurface::ReferenceSurface(const TriangleMesh& closed)
    : surface_(build_surface(closed)), view_(asset::view(surface_)) {
  normals_.reserve(closed.triangles.size());
  for (std::int32_t t = 0; t < view_.triangle_count; ++t)
    normals_.push_back(distance::internal::face_normal<double>(view_, t));
  area_ = preprocess::area(closed);
  diagonal_ = closed.diagonal();
}

FootPoint ReferenceSurface::closest(const Vec3& p) const {
  const auto found = distance::signed_distance<double>(view_, p);
  return {found.closest, normals_[found.triangle], std::abs(found.distance), found.triangle};
}

FootPoint ReferenceSurface::closest_facing(const Vec3& p, std::span<const Vec3> normals, double cosine,
                                           double reach, std::int32_t guess) const {
  const auto faces_one = [&](std::int32_t t) {
    for (const Vec3& n : normals)
      if (normals_[t].dot(n) >= cosine) return true;
    return false;
  };
  FootPoint foot{p, Vec3::Zero(), reach, -1};
  double bound = reach * reach;
  const auto consider = [&](std::int32_t t) {
    if (!faces_one(t)) return;
    const auto candidate = distance::closest_on_triangle<double>(
        distance::internal::corner<double>(view_, t, 0), distance::internal::corner<double>(view_, t, 1),
        distance::internal::corner<double>(view_, t, 2), p);
    if (!(candidate.distance2 < bound)) return;
    bound = candidate.distance2;
    foot = {candidate.closest, normals_[t], std::sqrt(bound), t};
  };
  if (guess >= 0) consider(guess);
  bvh::visit_nearest<double>(view_.tree, p, bound, [&](std::int32_t first, std::int32_t count, double&) {
    for (std::int32_t t = first; t < first + count; ++t) consider(t);
  });
  return foot;
}

double ReferenceSurface::thickness(const FootPoint& foot) const {
  const Vec3 direction = -foot.normal;
  double reach = 2 * diagonal_;
  bool found = false;
  visit_ray(view_.tree, foot.position, direction, reach, [&](std::int32_t first, std::int32_t count) {
    for (std::int32_t t = first; t < first + count; ++t) {
      // The ray leaves the solid through a triangle whose normal points along it.
      if (t == foot.triangle || !(normals_[t].dot(direction) > 0)) continue;
      const Vec3 a = distance::internal::corner<double>(view_, t, 0),
                 b = distance::internal::corner<double>(view_, t, 1),
                 c = distance::internal::corner<double>(view_, t, 2);
      const double s = hit(foot.position, direction, a, b, c);
      if (!(s >= 0 && s < reach)) continue;
      // In the bottom of a sharp groove the ray starts on the other side of it.
      if (s < kStart * diagonal_ && direction.dot((a + b + c) / 3 - foot.position) < 0) continue;
      reach = std::abs(s);  // avoids minus zero
      found = true;
    }
  });
  if (found) return reach;
  return kInfinity;
}

double ReferenceSurface::signed_distance(const Vec3& p) const {
  return distance::signed_distance<double>(view_, p).distance;
}

}  // namespace abut::preprocess
