#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/distance/depth_balance.h"

// The deepest point of one surface within another.
namespace abut::distance {

// A point of the surface `inner` and the nearest of `outer`, in the outer surface's frame.
struct DeepestPoint {
  double depth = 0;  // m: exact distance of the point from `outer`; 0: no point is inside
  double bound = 0;  // m: no point is deeper; at most kDepthGap depth + kLeastGap size more, or !complete
  Vec3<double> point = Vec3<double>::Zero(), nearest = Vec3<double>::Zero();  // m
  Vec3<double> normal = Vec3<double>::Zero();             // of `outer` at the nearest point, outward
  std::int32_t triangle_inner = -1, triangle_outer = -1;  // that have the points; -1: none
  Vec3<double> weight_inner = Vec3<double>::Zero();       // barycentric
  Feature feature_outer = Feature::kFace;                 // that has the nearest point
  bool complete = true;                                   // false: ended at its limit of steps
  bool equalled = false;   // another point, not in the same place, is as deep but for kTie
  std::int32_t steps = 0;  // distances of points, tests and cuts of parts
};

inline constexpr double kDepthGap = 1e-6;       // of the depth
inline constexpr double kLeastGap = 1e-10;      // of the size, that of both surfaces' boxes
inline constexpr double kEqualDepth = 1e-12;    // of the size
inline constexpr double kTie = 1e-9;            // of the depth: depths that are one
inline constexpr double kEqualFeature = 2e-13;  // of the size: features that are equally near to a point
inline constexpr double kSamePlace = 1e-4;      // of the depth, and kSameSpot of the size: one place
inline constexpr double kSameSpot = 1e-8;       // of the size: see kSamePlace
inline constexpr std::int32_t kMaxDepthSteps = 10'000;  // of either surface: some hundredths of a second

// Of points whose depths differ by no more than kEqualDepth of the size and rounding that of the lowest
// number counts: vertices by theirs, then points by their triangle; and parts whose bounds are one in single
// precision are searched in the order in which they were made. So rounding, as of another frame, does not
// choose.
//
// Branch and bound over the boxes of `inner`, its triangles and their parts, greatest bound first: on a part
// the depth is at most that of a corner plus the way to the others, and at most the greatest distance of its
// corners from any one triangle of `outer` [Tang2009]. A part is cut where two triangles of `outer` are
// equally far, so that faces have exact bounds after few cuts, walls that are parallel to the part included,
// and from what is outside beyond the plane that touches `outer` where it is nearest to the outermost corner;
// a part outside that does not meet `outer` is left out. Of a surface's copy that is moved no point is deeper
// than it has been moved. Where the deepest point is that at which several features are equally near, it is
// then moved there. Keeps its memory: one per thread.
class DeepestSearch {
 public:
  // X_OI: pose of the inner surface in the outer's frame. Both closed. `least`: a depth (m) that only deeper
  // points are of interest beyond. Ends after `limit` steps.
  DeepestPoint operator()(const asset::SurfaceView& inner, const asset::SurfaceView& outer,
                          const Pose<double>& X_OI, double least = 0, std::int32_t limit = kMaxDepthSteps);

  // Goes on with a search that was not complete, to a further limit.
  DeepestPoint resume(double least, std::int32_t limit);

  // On these triangles of the inner surface alone.
  DeepestPoint operator()(const asset::SurfaceView& inner, const asset::SurfaceView& outer,
                          const Pose<double>& X_OI, double least, std::span<const std::int32_t> triangles);

 private:
  static constexpr int kCutsPerHalving = 3;

  struct Corner {
    Vec3<double> p, weight;  // in the outer's frame, m; barycentric
    double depth;            // m, negative outside
    std::int32_t nearest;    // triangle of `outer`
  };
  struct Part {
    double bound;       // m
    std::int32_t node;  // of the inner's tree, -1: a part of a triangle
    std::int32_t triangle;
    std::int32_t middle;   // a further triangle of `outer` to bound by
    std::int32_t farther;  // the triangle that `bound` is by, -1: none
    int worst;             // corner that is farthest from it
    int halvings_due;      // cuts until the next halving
    float rank;            // of its bound: the greatest is searched first
    std::uint32_t order;   // of the parts of a search: of those of one rank the first
    Corner corner[3];
  };

  void start(const asset::SurfaceView& inner, const asset::SurfaceView& outer, const Pose<double>& X_OI,
             double least);
  DeepestPoint search(std::int32_t limit);
  void find_equal();
  bool equals(const Part& part) const;
  bool in_place(const Part& part) const;
  bool near_best(const Vec3<double>& p) const;
  void divide(const Part& part);
  void raise(double depth);
  float rank(double bound) const { return static_cast<float>(bound / size_); }
  void push(const Part& part);
  Part pop();
  void open(const Part& node);
  void add_triangle(std::int32_t triangle);
  std::int32_t walk(std::int32_t from, const Vec3<double>& p) const;
  void add_part(Part part);
  void halve(const Part& part);
  bool outside(const Part& part);
  bool cut(const Part& part);
  bool cut_between(const Part& part, std::int32_t farther, std::int32_t nearer);
  bool cut_off(const Part& part);
  template <class Function>
  bool cut_where(const Part& part, double scale, Function&& difference, std::int32_t positive,
                 std::int32_t negative);
  Corner between(const Part& part, int i, int j, double share);
  Corner vertex(std::int32_t triangle, int k, std::int32_t near);
  Corner corner(const Vec3<double>& p, const Vec3<double>& weight, std::int32_t triangle, std::int32_t near);
  void set_bound(Part& part) const;
  TrianglePoint<double> closest_on(std::int32_t triangle, const Vec3<double>& p) const;
  std::int64_t number_of(std::int32_t triangle, const Vec3<double>& weight) const;
  double distance_to(std::int32_t triangle, const Vec3<double>& p) const;
  void polish();
  void name_heaviest(const NearFeatures& near, const FlatBasis& flat);

  asset::SurfaceView inner_, outer_;
  Pose<double> X_OI_;
  double greatest_ = 0;      // m: depth found, or asked to be exceeded
  double worthwhile_ = 0;    // m: parts that are not deeper are left out
  double size_ = 0;          // m: of both surfaces' boxes
  double kept_ = 0;          // m: parts that may hold a point as deep
  double tiny_ = 0;          // m
  double rounding_ = 0;      // m: of distances of points from triangles
  double moved_ = 0;         // m: of a copy of `outer` no point has been moved farther
  double equal_ = 0;         // m: depths that are one
  std::int64_t number_ = 0;  // of the point that is the deepest
  std::uint32_t parts_ = 0;  // of this search
  std::int32_t steps_ = 0;
  DeepestPoint best_;
  std::vector<Part> heap_;
  std::vector<Corner> vertices_;      // of `inner`, asked before
  std::vector<std::uint64_t> asked_;  // by vertex: the search in which it was
  std::uint64_t search_ = 0;
};

}  // namespace abut::distance
