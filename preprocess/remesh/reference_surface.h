#pragma once

#include <span>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "runtime/asset/asset.h"

namespace abut::preprocess {

// A surface point closest to a query point, with the surface's normal.
struct FootPoint {
  Eigen::Vector3d position;    // m
  Eigen::Vector3d normal;      // of the triangle, unit, outward
  double distance = 0;         // from the query point, m
  std::int32_t triangle = -1;  // -1 if no point qualifies
};

// The closed surface that a remeshed one approximates: exact closest points, with a normal test that keeps a
// point from landing on the opposite wall, and rays through the solid.
class ReferenceSurface {
 public:
  // Throws InvalidInput for the same reasons as build_surface().
  explicit ReferenceSurface(const TriangleMesh& closed);

  // Closest point of the whole surface to p (m).
  FootPoint closest(const Eigen::Vector3d& p) const;

  // Closest point to p (m) on the triangles whose normal has a cosine of at least `cosine` with one of the
  // unit vectors `normals`, no farther than `reach` (m). The two sides of a wall face in opposite directions,
  // so the right one is found however close the other is. The search starts from the triangle `guess` (-1:
  // none): a close guess saves most of the work.
  FootPoint closest_facing(const Eigen::Vector3d& p, std::span<const Eigen::Vector3d> normals, double cosine,
                           double reach, std::int32_t guess = -1) const;

  // Length of the ray from the foot point along the inward normal to where it leaves the solid, m; infinity
  // if it finds no exit (a point outside).
  double thickness(const FootPoint& foot) const;

  // Distance from p (m) to the surface, negative inside.
  double signed_distance(const Eigen::Vector3d& p) const;

  const asset::SurfaceView& view() const { return view_; }
  const Eigen::Vector3d& normal(std::int32_t triangle) const { return normals_[triangle]; }
  double area() const { return area_; }          // m^2
  double diagonal() const { return diagonal_; }  // m

 private:
  asset::Surface surface_;
  asset::SurfaceView view_;
  std::vector<Eigen::Vector3d> normals_;
  double area_ = 0, diagonal_ = 0;
};

}  // namespace abut::preprocess
