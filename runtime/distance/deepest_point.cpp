#include "runtime/distance/deepest_point.h"

#include <algorithm>
#include <cmath>

#include "runtime/bvh/overlap.h"
#include "runtime/distance/surface_distance.h"

namespace abut::distance {
namespace {

constexpr std::int32_t kStepsForEqual = 1 << 8;      // steps after the search, if an equal point is known
constexpr std::int32_t kMaxStepsForEqual = 1 << 12;  // the same, until one is found
constexpr double kReachRounding = 1e-9;
constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();  // relative to the coordinates
constexpr double kPolishReach = 1e-4;  // relative to the depth: features that may be equally near

// Whether part a is searched after part b.
template <class Part>
bool later(const Part& a, const Part& b) {
  return a.rank < b.rank || (a.rank == b.rank && a.order > b.order);
}

// Barycentric coordinates of a point in a triangle's plane.
Vec3<double> weights_in(const Triangle<double>& t, const Vec3<double>& p) {
  const Vec3<double> ab = t[1] - t[0], ac = t[2] - t[0], ap = p - t[0], normal = ab.cross(ac);
  const double b = normal.dot(ap.cross(ac)) / normal.squaredNorm(),
               c = normal.dot(ab.cross(ap)) / normal.squaredNorm();
  return {1 - b - c, b, c};
}

}  // namespace

DeepestPoint DeepestSearch::operator()(const asset::SurfaceView& inner, const asset::SurfaceView& outer,
                                       const Pose<double>& X_OI, double least, std::int32_t limit) {
  start(inner, outer, X_OI, least);
  if (!bvh::far_apart(inner.tree, outer.tree, X_OI)) {
    Part root{};
    root.bound = std::numeric_limits<double>::infinity();
    push(root);
  }
  return search(limit);
}

DeepestPoint DeepestSearch::operator()(const asset::SurfaceView& inner, const asset::SurfaceView& outer,
                                       const Pose<double>& X_OI, double least,
                                       std::span<const std::int32_t> triangles) {
  start(inner, outer, X_OI, least);
  for (const std::int32_t triangle : triangles) add_triangle(triangle);
  return search(kMaxDepthSteps);
}

DeepestPoint DeepestSearch::resume(double least, std::int32_t limit) {
  if (least > greatest_) best_ = {}, raise(least);
  return search(limit);
}

void DeepestSearch::start(const asset::SurfaceView& inner, const asset::SurfaceView& outer,
                          const Pose<double>& X_OI, double least) {
  inner_ = inner;
  outer_ = outer;
  X_OI_ = X_OI;
  best_ = {};
  steps_ = 0;
  parts_ = 0;
  heap_.clear();
  ++search_;
  const auto vertices = static_cast<std::size_t>(inner.vertex_count);
  if (asked_.size() < vertices) asked_.resize(vertices), vertices_.resize(vertices);
  const bvh::Ball of_inner = bvh::ball_of(inner.tree), of_outer = bvh::ball_of(outer.tree);
  size_ = of_inner.radius + of_outer.radius;
  rounding_ = kRounding *
              ((X_OI * of_inner.center).norm() + of_inner.radius + of_outer.center.norm() + of_outer.radius);
  tiny_ = std::max(kLeastGap * size_, 64 * rounding_);
  equal_ = kEqualDepth * size_ + rounding_;
  const bool copy = inner.vertices == outer.vertices && inner.triangles == outer.triangles;
  moved_ = copy ? (X_OI * of_outer.center - of_outer.center).norm() +
                      (X_OI.R - Mat3<double>::Identity()).norm() * of_outer.radius
                : std::numeric_limits<double>::infinity();
  raise(least);
}

void DeepestSearch::raise(double depth) {
  greatest_ = depth;
  worthwhile_ = depth * (1 + kDepthGap) + tiny_;
  kept_ = depth * (1 - kTie) - equal_;
}

DeepestPoint DeepestSearch::search(std::int32_t limit) {
  best_.complete = true;
  while (!heap_.empty() && !(heap_.front().rank < rank(worthwhile_))) {
    if (steps_ >= limit) {
      best_.complete = false;
      break;
    }
    divide(pop());
  }
  polish();
  if (best_.complete) find_equal(), polish();
  best_.equalled = best_.equalled ||
                   std::any_of(heap_.begin(), heap_.end(), [&](const Part& part) { return equals(part); });
  DeepestPoint found = best_;
  found.bound = worthwhile_;
  if (!best_.complete) {  // the heap is ordered by rank: its front may have a bound below the greatest
    const auto most = std::max_element(heap_.begin(), heap_.end(),
                                       [](const Part& a, const Part& b) { return a.bound < b.bound; });
    found.bound = std::max(worthwhile_, std::min(most->bound, moved_ + tiny_));
  }
  found.steps = steps_;
  if (found.triangle_inner < 0) found.depth = 0;
  return found;
}

// Searches the remaining parts for another point that is equally deep, within a limit of steps.
void DeepestSearch::find_equal() {
  const std::int32_t begun = steps_;
  while (!heap_.empty() && !(heap_.front().rank < rank(kept_)) &&
         steps_ < begun + (best_.equalled ? kStepsForEqual : kMaxStepsForEqual)) {
    const Part part = pop();
    best_.equalled = best_.equalled || equals(part);
    if (!in_place(part)) divide(part);
  }
}

// Whether a corner of the part is as deep as the deepest point and in another place.
bool DeepestSearch::equals(const Part& part) const {
  return part.node < 0 && std::any_of(part.corner, part.corner + 3,
                                      [&](const Corner& c) { return c.depth >= kept_ && !near_best(c.p); });
}

// Whether the whole part is in the same place as the deepest point.
bool DeepestSearch::in_place(const Part& part) const {
  return part.node < 0 &&
         std::all_of(part.corner, part.corner + 3, [&](const Corner& c) { return near_best(c.p); });
}

bool DeepestSearch::near_best(const Vec3<double>& p) const {
  return best_.triangle_inner >= 0 &&
         (p - best_.point).norm() <= kSamePlace * best_.depth + kSameSpot * size_;
}

void DeepestSearch::divide(const Part& part) {
  if (part.node >= 0)
    open(part);
  else if (!outside(part) && !cut(part))
    halve(part);
}

void DeepestSearch::push(const Part& part) {
  if (!(part.bound >= kept_)) return;
  heap_.push_back(part);
  heap_.back().rank = rank(part.bound);
  heap_.back().order = parts_++;
  std::push_heap(heap_.begin(), heap_.end(), later<Part>);
}

DeepestSearch::Part DeepestSearch::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), later<Part>);
  Part part = heap_.back();
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
    ++steps_;
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
  part.halvings_due = kCutsPerHalving;
  part.middle = -1;
  Vec3<double> middle = Vec3<double>::Zero();
  for (int k = 0; k < 3; ++k) {
    part.corner[k] = vertex(triangle, k, k > 0 ? part.corner[k - 1].nearest : -1);
    middle += part.corner[k].p / 3;
  }
  set_bound(part);
  if (!(part.bound > worthwhile_) || outside(part)) return;
  part.middle = walk(part.corner[2].nearest, middle);
  add_part(part);
}

// Walks over `outer` from a nearby triangle towards p, in at most kMaxSteps steps, to one that is nearer to
// p than its neighbours.
std::int32_t DeepestSearch::walk(std::int32_t from, const Vec3<double>& p) const {
  constexpr int kMaxSteps = 16;
  double nearest = distance_to(from, p);
  for (int step = 0; step < kMaxSteps; ++step) {
    std::int32_t next = from;
    for (int k = 0; k < 3; ++k) {
      const std::int32_t t = outer_.neighbours[std::ptrdiff_t(3) * from + k];
      if (t < 0) continue;
      if (const double d = distance_to(t, p); d < nearest) nearest = d, next = t;
    }
    if (next == from) break;
    from = next;
  }
  return from;
}

DeepestSearch::Corner DeepestSearch::vertex(std::int32_t triangle, int k, std::int32_t near) {
  const std::int32_t v = inner_.triangles[std::ptrdiff_t(3) * triangle + k];
  if (asked_[v] != search_) {
    asked_[v] = search_;
    vertices_[v] =
        corner(X_OI_ * internal::corner<double>(inner_, triangle, k), Vec3<double>::Unit(k), triangle, near);
  }
  Corner result = vertices_[v];
  result.weight = Vec3<double>::Unit(k);
  return result;
}

// Evaluates a point of the inner surface and makes it the deepest point if it is deeper, or equally deep
// with a lower number. `near`: a nearby triangle of `outer`, or -1.
DeepestSearch::Corner DeepestSearch::corner(const Vec3<double>& p, const Vec3<double>& weight,
                                            std::int32_t triangle, std::int32_t near) {
  ++steps_;
  const double reach = near < 0 ? std::numeric_limits<double>::infinity()
                                : distance_to(near, p) * (1 + kReachRounding) + tiny_;
  const SurfaceDistance<double> found = signed_distance<double>(outer_, p, reach);
  const double depth = -found.distance;
  const auto take = [&] {
    best_.depth = depth;
    best_.point = p;
    best_.nearest = found.closest;
    best_.normal = found.gradient;
    best_.triangle_inner = triangle;
    best_.triangle_outer = found.triangle;
    best_.feature_outer = found.feature;
    best_.weight_inner = weight;
  };
  const std::int64_t number = number_of(triangle, weight);
  const bool none = best_.triangle_inner < 0;
  if (depth > greatest_) {
    raise(depth);
  } else if (none || depth < greatest_ - equal_) {
    return {p, weight, depth, found.triangle};
  }
  if (none || best_.depth < greatest_ - equal_ || number < number_ ||
      (number == number_ && depth > best_.depth))
    take(), number_ = number;
  return {p, weight, depth, found.triangle};
}

// Number that orders equally deep points: vertices by their index, other points after all vertices by their
// triangle.
std::int64_t DeepestSearch::number_of(std::int32_t triangle, const Vec3<double>& weight) const {
  for (int k = 0; k < 3; ++k)
    if (weight[k] == 1) return inner_.triangles[std::ptrdiff_t(3) * triangle + k];
  return std::int64_t(inner_.vertex_count) + triangle;
}

void DeepestSearch::add_part(Part part) {
  set_bound(part);
  push(part);
}

TrianglePoint<double> DeepestSearch::closest_on(std::int32_t triangle, const Vec3<double>& p) const {
  return closest_on_triangle<double>(internal::corner<double>(outer_, triangle, 0),
                                     internal::corner<double>(outer_, triangle, 1),
                                     internal::corner<double>(outer_, triangle, 2), p);
}

double DeepestSearch::distance_to(std::int32_t triangle, const Vec3<double>& p) const {
  return std::sqrt(closest_on(triangle, p).distance2);
}

void DeepestSearch::set_bound(Part& part) const {
  part.bound = std::numeric_limits<double>::infinity();
  part.farther = -1;
  for (const Corner& c : part.corner) {
    double way = 0;
    for (const Corner& other : part.corner) way = std::max(way, (other.p - c.p).norm());
    part.bound = std::min(part.bound, c.depth + way);
  }
  if (!(part.bound > worthwhile_)) return;
  const std::int32_t by[4] = {part.corner[0].nearest, part.corner[1].nearest, part.corner[2].nearest,
                              part.middle};
  for (int f = 0; f < 4; ++f) {
    if (by[f] < 0 || std::find(by, by + f, by[f]) != by + f) continue;
    double greatest = -1;
    int worst = 0;
    for (int k = 0; k < 3; ++k)
      if (const double d = distance_to(by[f], part.corner[k].p); d > greatest) greatest = d, worst = k;
    if (!(greatest < part.bound)) continue;
    part.bound = greatest;
    part.farther = by[f];
    part.worst = worst;
  }
}

// Refines the deepest point by Newton's method on the features that are equally near to it, within the face
// or edge that carries it.
void DeepestSearch::polish() {
  constexpr int kMaxTurns = 8;
  for (int turn = 0; turn < kMaxTurns && best_.triangle_inner >= 0; ++turn) {
    const double before = best_.depth;
    Triangle<double> t = internal::triangle_of<double>(inner_, best_.triangle_inner);
    for (Vec3<double>& v : t) v = X_OI_ * v;
    const NearFeatures near = near_features(outer_, best_.point, kPolishReach * before + tiny_);
    const FlatBasis flat = flat_basis(t, best_.weight_inner);
    const Balance balance = balance_depths(near, flat);
    if (balance.count == 0) return;
    const std::span<const int> features(balance.feature.data(), balance.count);
    Shares right(balance.count, 1);
    for (int k = 0; k < balance.count; ++k) right(k) = near.feature[features[k]].depth - balance.depth;
    const Eigen::Vector2d z = shortest_move(pulls(near, flat, features), right);
    Vec3<double> weight = weights_in(t, best_.point + z[0] * flat.along[0] + z[1] * flat.along[1]);
    double share = 1;  // fraction of the step that keeps the point on the triangle
    int stop = -1;
    for (int k = 0; k < 3; ++k) {
      const double now = best_.weight_inner[k];
      if (now == 0) weight[k] = 0;
      if (weight[k] < 0 && now / (now - weight[k]) < share) share = now / (now - weight[k]), stop = k;
    }
    weight = best_.weight_inner + share * (weight - best_.weight_inner);
    if (stop >= 0) weight[stop] = 0;
    weight /= weight.sum();
    corner(internal::at(t, weight), weight, best_.triangle_inner, best_.triangle_outer);
    if (best_.depth > before) continue;
    name_heaviest(near, flat);
    return;
  }
}

// Among the features that are equally near at the deepest point, names the one with the greatest weight as
// nearest; from pose to pose it stays the same unless another becomes as heavy. Among equal weights it names
// the feature of the triangle with the lowest index.
void DeepestSearch::name_heaviest(const NearFeatures& near, const FlatBasis& flat) {
  constexpr double kSameWeight = 1e-6;
  const double equal = kEqualFeature * size_ + rounding_;
  std::array<Balance, 16> all;
  int count = 0;
  balance_depths(near, flat, equal, all, &count);
  const NearFeature* named = nullptr;
  double heaviest = 0;
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < all[i].count; ++k) {
      const NearFeature& f = near.feature[all[i].feature[k]];
      const double weight = all[i].weight[k];
      if (!(f.depth <= best_.depth + equal) || weight < heaviest - kSameWeight) continue;
      if (weight <= heaviest + kSameWeight && named != nullptr && named->triangle < f.triangle) continue;
      named = &f;
      heaviest = weight;
    }
  }
  if (named == nullptr) return;
  best_.depth = named->depth;
  best_.nearest = named->nearest;
  best_.normal = named->normal;
  best_.triangle_outer = named->triangle;
  best_.feature_outer = named->feature;
}

}  // namespace abut::distance
