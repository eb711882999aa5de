#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/distance/depth_balance.h"

// The deepest point of one surface within another.
namespace abut::distance {

// The deepest point of the surface `inner` within `outer` and its nearest point of `outer`, in the outer
// surface's frame.
struct DeepestPoint {
  double depth =
      0;  // m: exact distance of the point from `outer`; 0 if no point is inside, or none deeper than asked
  double bound = 0;  // m: upper bound; if `complete`, at most kDepthGap depth + kLeastGap size above `depth`
  Vec3<double> point = Vec3<double>::Zero(), nearest = Vec3<double>::Zero();  // m
  Vec3<double> normal = Vec3<double>::Zero();             // of `outer` at `nearest`, unit, outward
  std::int32_t triangle_inner = -1, triangle_outer = -1;  // of `point` and `nearest`; -1: none
  Vec3<double> weight_inner = Vec3<double>::Zero();       // barycentric
  Feature feature_outer = Feature::kFace;                 // of `triangle_outer`, has `nearest`
  bool complete = true;                                   // false: the search ended at its limit of steps
  bool equalled = false;                                  // another point elsewhere is as deep within kTie
  std::int32_t steps = 0;  // number of point distances, tests and cuts of parts
};

inline constexpr double kDepthGap = 1e-6;       // relative to the depth
inline constexpr double kLeastGap = 1e-10;      // relative to the size, that of both surfaces' boxes
inline constexpr double kEqualDepth = 1e-12;    // relative to the size
inline constexpr double kTie = 1e-9;            // relative to the depth: depths that count as equal
inline constexpr double kEqualFeature = 2e-13;  // relative to the size: features equally near to a point
inline constexpr double kSamePlace = 1e-4;      // relative to the depth; with kSameSpot added, one place
inline constexpr double kSameSpot = 1e-8;       // relative to the size; see kSamePlace
inline constexpr std::int32_t kMaxDepthSteps = 10'000;  // per surface: some hundredths of a second

// Searches for the deepest point of one closed surface within another. Among points whose depths differ by
// at most kEqualDepth of the size plus rounding, the one with the lowest number is returned: vertices have
// their own numbers, other points follow in the order of their triangles. Parts whose bounds are equal in
// single precision are searched in the order of their creation. Rounding, such as that of another frame,
// therefore does not choose the point.
//
// Method: branch and bound over the boxes of `inner`, its triangles and their parts, greatest bound first.
// On a part the depth is at most that of a corner plus the distance to the farthest other corner, and at
// most the greatest distance of its corners from any one triangle of `outer` [Tang2009]. A part is cut where
// two triangles of `outer` are equally far, so that faces, walls parallel to the part included, have exact
// bounds after few cuts. It is also cut along the plane that touches `outer` at the point nearest to the
// part's outermost corner, which separates what is outside. A part that is outside and does not meet `outer`
// is discarded. If the surfaces are copies of one another, no point is deeper than the distance that it has
// been moved. If several features are equally near to the deepest point, it is then refined to the exact
// point. Keeps its scratch memory: use one per thread.
class DeepestSearch {
 public:
  // X_OI: pose of the inner surface in the outer's frame. Both surfaces must be closed. `least` (m): only
  // deeper points are searched for. Ends after `limit` steps.
  DeepestPoint operator()(const asset::SurfaceView& inner, const asset::SurfaceView& outer,
                          const Pose<double>& X_OI, double least = 0, std::int32_t limit = kMaxDepthSteps);

  // Continues a search that was not complete, until it has taken `limit` steps in all.
  DeepestPoint resume(double least, std::int32_t limit);

  // Searches only these triangles of the inner surface.
  DeepestPoint operator()(const asset::SurfaceView& inner, const asset::SurfaceView& outer,
                          const Pose<double>& X_OI, double least, std::span<const std::int32_t> triangles);

 private:
  static constexpr int kCutsPerHalving = 3;

  struct Corner {
    Vec3<double> p, weight;  // in the outer's frame, m; barycentric
    double depth;            // m, negative outside
    std::int32_t nearest;    // nearest triangle of `outer`
  };
  struct Part {
    double bound;       // m
    std::int32_t node;  // of the inner surface's tree; -1: a part of a triangle
    std::int32_t triangle;
    std::int32_t middle;   // additional triangle of `outer` to compute bounds with; -1: none
    std::int32_t farther;  // the triangle of `outer` that gives `bound`; -1: none
    int worst;             // corner that is farthest from `farther`
    int halvings_due;      // number of cuts until the next halving
    float rank;            // `bound` in single precision; the greatest is searched first
    std::uint32_t order;   // of creation; among equal ranks the lowest is searched first
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
  double greatest_ = 0;    // m: greatest depth found, or the depth to exceed
  double worthwhile_ = 0;  // m: parts whose bound is not greater are not searched
  double size_ = 0;        // m: of both surfaces' bounding balls
  double kept_ = 0;  // m: parts with at least this bound are kept, since they may hold an equally deep point
  double tiny_ = 0;  // m
  double rounding_ = 0;      // m: of distances between points and triangles
  double moved_ = 0;         // m: of a copy of `outer`, bound on its points' motion; else infinite
  double equal_ = 0;         // m: depths that differ by less count as equal
  std::int64_t number_ = 0;  // number of the deepest point (`number_of`)
  std::uint32_t parts_ = 0;  // number of parts made in this search
  std::int32_t steps_ = 0;
  DeepestPoint best_;
  std::vector<Part> heap_;
  std::vector<Corner> vertices_;      // vertices of `inner` evaluated so far, by index
  std::vector<std::uint64_t> asked_;  // by vertex: the number of the search that evaluated it
  std::uint64_t search_ = 0;
};

}  // namespace abut::distance
