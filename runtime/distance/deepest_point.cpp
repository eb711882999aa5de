#include "runtime/distance/deepest_point.h"

#include <algorithm>
#include <cmath>

#include "runtime/bvh/overlap.h"
#include "runtime/distance/surface_distance.h"

namespace abut::distance {

DeepestPoint DeepestSearch::operator()(const asset::SurfaceView& inner, const asset::SurfaceView& outer,
                                       const Pose<double>& X_OI, double least) {
  start(inner, outer, X_OI, least);
  if (!bvh::far_apart(inner.tree, outer.tree, X_OI)) {
    Part root{};
    root.bound = std::numeric_limits<double>::infinity();
    push(root);
  }
  return search();
}

DeepestPoint DeepestSearch::operator()(const asset::SurfaceView& inner, const asset::SurfaceView& outer,
                                       const Pose<double>& X_OI, double least,
                                       std::span<const std::int32_t> triangles) {
  start(inner, outer, X_OI, least);
  for (const std::int32_t triangle : triangles) add_triangle(triangle);
  return search();
}

void DeepestSearch::start(const asset::SurfaceView& inner, const asset::SurfaceView& outer,
                          const Pose<double>& X_OI, double least) {
  inner_ = inner;
  outer_ = outer;
  X_OI_ = X_OI;
  best_ = {};
  best_.depth = least;
  queries_ = 0;
  heap_.clear();
  tiny_ = kLeastGap * (bvh::ball_of(inner.tree).radius + bvh::ball_of(outer.tree).radius);
  worthwhile_ = least * (1 + kDepthGap) + tiny_;
}

DeepestPoint DeepestSearch::search() {
  while (!heap_.empty() && heap_.front().bound > worthwhile_) {
    if (queries_ >= kMaxDepthQueries) {
      best_.complete = false;
      break;
    }
    const Part part = pop();
    if (part.node >= 0)
      open(part);
    else
      halve(part);
  }
  best_.bound = best_.complete ? worthwhile_ : heap_.front().bound;
  if (best_.triangle_inner < 0) best_.depth = 0;
  return best_;
}

void DeepestSearch::push(const Part& part) {
  if (!(part.bound > worthwhile_)) return;
  heap_.push_back(part);
  std::push_heap(heap_.begin(), heap_.end(), [](const Part& a, const Part& b) { return a.bound < b.bound; });
}

DeepestSearch::Part DeepestSearch::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), [](const Part& a, const Part& b) { return a.bound < b.bound; });
  const Part part = heap_.back();
  heap_.pop_back();
  return part;
}

void DeepestSearch::open(const Part& node) {
  const bvh::TreeView& tree = inner_.tree;
  const float* bounds = tree.bounds + std::ptrdiff_t(node.node) * 6 * bvh::kWidth;
  for (int c = 0; c < bvh::kWidth; ++c) {
    const std::int32_t slot = node.node * bvh::kWidth + c, count = tree.counts[slot];
    if (count < 0) continue;
    if (count > 0) {
      for (std::int32_t t = 0; t < count; ++t) add_triangle(tree.children[slot] + t);
      continue;
    }
    Vec3<double> low, high;
    for (int k = 0; k < 3; ++k)
      low[k] = bounds[k * bvh::kWidth + c], high[k] = bounds[(3 + k) * bvh::kWidth + c];
    const Vec3<double> center = X_OI_ * Vec3<double>(low / 2 + high / 2);
    ++queries_;
    Part child{};
    child.node = tree.children[slot];
    child.bound =
        (high / 2 - low / 2).norm() * (1 + 1e-12) - signed_distance<double>(outer_, center).distance;
    push(child);
  }
}

void DeepestSearch::add_triangle(std::int32_t triangle) {
  Part part{};
  part.node = -1;
  part.triangle = triangle;
  Vec3<double> middle = Vec3<double>::Zero();
  for (int k = 0; k < 3; ++k) {
    const Vec3<double> p = X_OI_ * internal::corner<double>(inner_, triangle, k);
    part.corner[k] = corner(p, Vec3<double>::Unit(k), triangle);
    middle += p / 3;
  }
  part.middle = corner(middle, Vec3<double>::Constant(1.0 / 3), triangle).nearest;
  add_part(part);
}

// A point of the inner surface: perhaps the deepest.
DeepestSearch::Corner DeepestSearch::corner(const Vec3<double>& p, const Vec3<double>& weight,
                                            std::int32_t triangle) {
  ++queries_;
  const SurfaceDistance<double> found = signed_distance<double>(outer_, p);
  if (-found.distance > best_.depth) {
    best_.depth = -found.distance;
    best_.point = p;
    best_.nearest = found.closest;
    best_.normal = found.gradient;
    best_.triangle_inner = triangle;
    best_.triangle_outer = found.triangle;
    best_.feature_outer = found.feature;
    best_.weight_inner = weight;
    worthwhile_ = best_.depth * (1 + kDepthGap) + tiny_;
  }
  return {p, weight, -found.distance, found.triangle};
}

void DeepestSearch::add_part(Part part) {
  part.bound = bound_of(part);
  push(part);
}

double DeepestSearch::bound_of(const Part& part) const {
  double bound = std::numeric_limits<double>::infinity();
  for (const Corner& c : part.corner) {
    double way = 0;
    for (const Corner& other : part.corner) way = std::max(way, (other.p - c.p).norm());
    bound = std::min(bound, c.depth + way);
  }
  if (!(bound > worthwhile_)) return bound;
  const std::int32_t by[4] = {part.corner[0].nearest, part.corner[1].nearest, part.corner[2].nearest,
                              part.middle};
  for (int f = 0; f < 4; ++f) {
    if (by[f] < 0 || std::find(by, by + f, by[f]) != by + f) continue;
    double greatest2 = 0;
    for (const Corner& c : part.corner) {
      const TrianglePoint<double> nearest = closest_on_triangle<double>(
          internal::corner<double>(outer_, by[f], 0), internal::corner<double>(outer_, by[f], 1),
          internal::corner<double>(outer_, by[f], 2), c.p);
      greatest2 = std::max(greatest2, nearest.distance2);
    }
    bound = std::min(bound, std::sqrt(greatest2));
  }
  return bound;
}

// Across its longest edge.
void DeepestSearch::halve(const Part& part) {
  int longest = 0;
  double length2 = -1;
  for (int k = 0; k < 3; ++k) {
    const double edge2 = (part.corner[(k + 1) % 3].p - part.corner[k].p).squaredNorm();
    if (edge2 > length2) length2 = edge2, longest = k;
  }
  const Corner &a = part.corner[longest], &b = part.corner[(longest + 1) % 3];
  const Corner middle = corner((a.p + b.p) / 2, (a.weight + b.weight) / 2, part.triangle);
  Part half = part;
  half.corner[longest] = middle;
  add_part(half);
  half = part;
  half.corner[(longest + 1) % 3] = middle;
  add_part(half);
}

}  // namespace abut::distance
