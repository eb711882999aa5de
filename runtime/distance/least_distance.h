#pragma once

#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/body/primitive.h"
#include "runtime/distance/tangent_planes.h"
#include "runtime/distance/triangle_pair.h"

// The point of a surface with the least signed distance from a primitive.
namespace abut::distance {

struct LeastPoint {
  double distance = 0;                         // m, negative within the primitive
  double bound = 0;                            // m: lower bound of the distance of all points
  Vec3<double> point = Vec3<double>::Zero();   // in the primitive's frame, m
  Vec3<double> normal = Vec3<double>::Zero();  // unit, outward, of the primitive: the distance's gradient
  std::int32_t triangle = -1;
  Vec3<double> weight =
      Vec3<double>::Zero();  // barycentric, exactly 0 for corners that do not carry the point
  bool complete = true;      // false: ended at its limit of steps
  std::int32_t steps = 0;    // number of point distances computed
};

inline constexpr std::int32_t kMaxLeastSteps = 20'000;  // some thousandths of a second

// Finds the point of a surface with the least signed distance from a primitive. The signed distance f of a
// convex solid is a convex function, so that over a box or a triangle it is at least its tangent plane at
// the centre c: f(c) + g . (x - c), g the gradient there. The search is a branch and bound over the tree's
// boxes and parts of triangles, least bound first, to 1e-14 of the size. The minimum over a triangle is
// found by Newton's method along its features, and proved by the tangent plane there or, where f has a kink,
// by several tangent planes together [Kelley1960]. Keeps its scratch memory: use one per thread.
class LeastSearch {
 public:
  // X_PS: pose of the surface in the primitive's frame.
  LeastPoint operator()(const body::Primitive& primitive, const asset::SurfaceView& surface,
                        const Pose<double>& X_PS);

 private:
  struct Part {
    double bound;       // m
    std::int32_t node;  // -1: a part of a triangle
    std::int32_t triangle;
    bool whole;  // the part is the whole triangle
    Vec3<double> corner[3], weight[3];
  };
  void open(std::int32_t node);
  void add(Part part);
  void push(const Part& part);
  void consider(const Vec3<double>& p, std::int32_t triangle, const Vec3<double>& weight, double distance);
  // A point of a triangle, in the primitive's frame.
  struct Place {
    Vec3<double> weight, point, slope;
    double distance, below;  // m; below: how far the tangent plane falls within the triangle, at most 0
  };
  Place solve(std::int32_t triangle, const Vec3<double>& begun);
  bool step_beside(std::int32_t& triangle, Place& at);
  void polish();
  Vec3<double> newton(const Triangle<double>& t, Vec3<double> weight, int skip);
  double cut(const Part& part);

  const body::Primitive* primitive_ = nullptr;
  asset::SurfaceView surface_;
  Pose<double> X_PS_;
  double tolerance_ = 0;  // m
  double equal_ = 0;      // m: difference of distances that counts as none
  LeastPoint best_;
  std::vector<Part> heap_;
  TangentPlanes planes_;
};

}  // namespace abut::distance
