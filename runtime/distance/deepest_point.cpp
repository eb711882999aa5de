#include "runtime/distance/deepest_point.h"

#include <algorithm>
#include <cmath>

#include "runtime/bvh/overlap.h"
#include "runtime/distance/surface_distance.h"

namespace abut::distance {
namespace {

constexpr int kCutsPerHalving = 3;
constexpr std::int32_t kQueriesToDeep = 1 << 12;  // after which a point about as deep as the deepest is known
constexpr int kMaxRootSteps = 40;
constexpr double kReachRounding = 1e-9;
constexpr double kEqualDepth = 1e-10;  // of the depth: features that are equally near
constexpr double kRootError = 1e-15;   // of the depth
constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();  // of the coordinates
constexpr double kPolishReach = 1e-4;  // of the depth: features that may be equally near where it is greatest

// Barycentric coordinates of a point in a triangle's plane.
Vec3<double> weights_in(const Triangle<double>& t, const Vec3<double>& p) {
  const Vec3<double> ab = t[1] - t[0], ac = t[2] - t[0], ap = p - t[0], normal = ab.cross(ac);
  const double b = normal.dot(ap.cross(ac)) / normal.squaredNorm(),
               c = normal.dot(ab.cross(ap)) / normal.squaredNorm();
  return {1 - b - c, b, c};
}

}  // namespace

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
  ++search_;
  const auto vertices = static_cast<std::size_t>(inner.vertex_count);
  if (asked_.size() < vertices) asked_.resize(vertices), vertices_.resize(vertices);
  const bvh::Ball of_inner = bvh::ball_of(inner.tree), of_outer = bvh::ball_of(outer.tree);
  tiny_ = kLeastGap * (of_inner.radius + of_outer.radius);
  rounding_ = kRounding *
              ((X_OI * of_inner.center).norm() + of_inner.radius + of_outer.center.norm() + of_outer.radius);
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
    else if (!outside(part) && !cut(part))
      halve(part);
  }
  if (best_.triangle_inner >= 0) polish();
  best_.bound = best_.complete ? worthwhile_ : std::max(worthwhile_, heap_.front().bound);
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
  part.halvings_due = kCutsPerHalving;
  part.middle = -1;
  Vec3<double> middle = Vec3<double>::Zero();
  for (int k = 0; k < 3; ++k) {
    part.corner[k] = vertex(triangle, k, k > 0 ? part.corner[k - 1].nearest : -1);
    middle += part.corner[k].p / 3;
  }
  set_bound(part);
  if (!(part.bound > worthwhile_)) return;
  part.middle = corner(middle, Vec3<double>::Constant(1.0 / 3), triangle, part.corner[2].nearest).nearest;
  add_part(part);
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

// A point of the inner surface, perhaps the deepest; `near`: a triangle of `outer` nearby, or -1.
DeepestSearch::Corner DeepestSearch::corner(const Vec3<double>& p, const Vec3<double>& weight,
                                            std::int32_t triangle, std::int32_t near) {
  ++queries_;
  const double reach = near < 0 ? std::numeric_limits<double>::infinity()
                                : distance_to(near, p) * (1 + kReachRounding) + tiny_;
  const SurfaceDistance<double> found = signed_distance<double>(outer_, p, reach);
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
  set_bound(part);
  push(part);
}

double DeepestSearch::distance_to(std::int32_t triangle, const Vec3<double>& p) const {
  return std::sqrt(closest_on_triangle<double>(internal::corner<double>(outer_, triangle, 0),
                                               internal::corner<double>(outer_, triangle, 1),
                                               internal::corner<double>(outer_, triangle, 2), p)
                       .distance2);
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

// The point of the part's edge from corner i to corner j.
DeepestSearch::Corner DeepestSearch::between(const Part& part, int i, int j, double share) {
  const Corner &a = part.corner[i], &b = part.corner[j];
  return corner(a.p + share * (b.p - a.p), a.weight + share * (b.weight - a.weight), part.triangle,
                a.nearest);
}

// Across its longest edge.
void DeepestSearch::halve(const Part& part) {
  int longest = 0;
  double length2 = -1;
  for (int k = 0; k < 3; ++k) {
    const double edge2 = (part.corner[(k + 1) % 3].p - part.corner[k].p).squaredNorm();
    if (edge2 > length2) length2 = edge2, longest = k;
  }
  const Corner middle = between(part, longest, (longest + 1) % 3, 0.5);
  Part half = part;
  half.halvings_due = kCutsPerHalving;
  half.corner[longest] = middle;
  add_part(half);
  half.corner[longest] = part.corner[longest];
  half.corner[(longest + 1) % 3] = middle;
  add_part(half);
}

// Whether all of it is: its corners are, and it does not meet the surface.
bool DeepestSearch::outside(const Part& part) const {
  Vec3<double> low = part.corner[0].p, high = low;
  Triangle<double> t;
  for (int k = 0; k < 3; ++k) {
    if (!(part.corner[k].depth < -tiny_)) return false;
    t[k] = part.corner[k].p;
    low = low.cwiseMin(t[k]), high = high.cwiseMax(t[k]);
  }
  bool met = false;
  const auto near = [&](const Vec3<double>& l, const Vec3<double>& h) {
    return !met && ((l - high).cwiseMax(low - h).array() <= tiny_).all();
  };
  bvh::visit_boxes(outer_.tree, near, [&](std::int32_t first, std::int32_t count) {
    for (std::int32_t i = first; i < first + count && !met; ++i)
      met = closest_of_triangles<double>(internal::triangle_of<double>(outer_, i), t).distance2 <=
            tiny_ * tiny_;
  });
  return !met;
}

// False: there is no such place, or it is time to halve the part, so that all edges become short.
bool DeepestSearch::cut(const Part& part) {
  if (part.halvings_due == 0) return false;
  const auto deeper = [](const Corner& a, const Corner& b) { return a.depth < b.depth; };
  const Corner* const deepest = std::max_element(part.corner, part.corner + 3, deeper);
  // What is near to the surface is no matter, and the rest may prove to be outside: of use once what is
  // worthwhile hardly rises any more.
  const bool leaves =
      queries_ > kQueriesToDeep && std::min_element(part.corner, part.corner + 3, deeper)->depth < -tiny_;
  const std::int32_t nearer = part.corner[part.worst].nearest;
  const auto to_outside = [&] {
    return leaves && deepest->nearest >= 0 && cut_where(part, deepest->nearest, -1);
  };
  const auto to_nearer = [&] {
    return part.farther >= 0 && nearer >= 0 && nearer != part.farther &&
           cut_where(part, part.farther, nearer);
  };
  return part.halvings_due % 2 ? to_nearer() || to_outside() : to_outside() || to_nearer();
}

// Where the triangle `farther` is as far as `nearer`, or, if that is -1, as far as is worthwhile.
bool DeepestSearch::cut_where(const Part& part, std::int32_t farther, std::int32_t nearer) {
  const double level = worthwhile_ - tiny_ / 2, scale = nearer < 0 ? level : part.bound;
  const auto difference = [&](const Vec3<double>& p) {
    return distance_to(farther, p) - (nearer < 0 ? level : distance_to(nearer, p));
  };
  double beyond[3];
  for (int k = 0; k < 3; ++k) {
    beyond[k] = difference(part.corner[k].p);
    if (std::abs(beyond[k]) <= kEqualDepth * scale + rounding_) beyond[k] = 0;
  }
  // One corner on one side, the others on the other side, one of them perhaps on the cut.
  int apex = 0;
  const auto alone = [&](int k) {
    const double next = beyond[k] * beyond[(k + 1) % 3], last = beyond[k] * beyond[(k + 2) % 3];
    return next <= 0 && last <= 0 && (next < 0 || last < 0);
  };
  while (apex < 3 && !alone(apex)) ++apex;
  if (apex == 3) return false;
  const auto crossing = [&](int j) {  // on the edge from the apex
    if (beyond[j] == 0) return part.corner[j];
    const Vec3<double>&a = part.corner[apex].p, &b = part.corner[j].p;
    double low = 0, high = 1, at_low = beyond[apex], at_high = beyond[j], share = 0;
    for (int i = 0; i < kMaxRootSteps; ++i) {  // regula falsi and bisection in turns
      share = i % 2 ? (low + high) / 2 : low + (high - low) * (at_low / (at_low - at_high));
      const double here = difference(a + share * (b - a));
      if (std::abs(here) <= kRootError * scale + rounding_) break;
      (here * at_low > 0 ? low : high) = share;
      (here * at_low > 0 ? at_low : at_high) = here;
    }
    return between(part, apex, j, share);
  };
  const int second = (apex + 1) % 3, third = (apex + 2) % 3;
  const Corner on_second = crossing(second), on_third = crossing(third);
  Part piece = part;
  piece.halvings_due = part.halvings_due - 1;
  const auto add = [&](const Corner& a, const Corner& b, const Corner& c, bool beyond_apex) {
    piece.corner[0] = a, piece.corner[1] = b, piece.corner[2] = c;
    piece.middle = nearer < 0 || (beyond[apex] > 0) == beyond_apex ? farther : nearer;
    add_part(piece);
  };
  add(part.corner[apex], on_second, on_third, false);
  if (beyond[second] != 0) add(on_second, part.corner[second], part.corner[third], true);
  if (beyond[third] != 0) add(on_third, on_second, part.corner[third], true);
  return true;
}

// Newton's method on the features that are equally near to the deepest point, along what carries it.
void DeepestSearch::polish() {
  constexpr int kMaxTurns = 8;
  for (int turn = 0; turn < kMaxTurns; ++turn) {
    const double before = best_.depth;
    Triangle<double> t = internal::triangle_of<double>(inner_, best_.triangle_inner);
    for (Vec3<double>& v : t) v = X_OI_ * v;
    const NearFeatures near = near_features(outer_, best_.point, kPolishReach * before + tiny_);
    const FlatBasis flat = flat_basis(t, best_.weight_inner);
    const Balance balance = balance_depths(near, flat);
    if (balance.count == 0) return;
    Vec3<double> right = Vec3<double>::Zero();
    for (int k = 0; k < balance.count; ++k) right[k] = near.feature[balance.feature[k]].depth - balance.depth;
    const Eigen::Vector2d z = shortest_move(pulls(near, flat, balance), right);
    Vec3<double> weight = weights_in(t, best_.point + z[0] * flat.along[0] + z[1] * flat.along[1]);
    double share = 1;  // of the way, so that the point stays on the triangle
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
    name_heaviest(near, balance);
    return;
  }
}

// Of the features that are equally near at the deepest point that of the greatest weight is told, which from
// pose to pose is the same but where another becomes as heavy.
void DeepestSearch::name_heaviest(const NearFeatures& near, const Balance& balance) {
  const auto heaviest = std::max_element(balance.weight.begin(), balance.weight.begin() + balance.count);
  const NearFeature& f = near.feature[balance.feature[heaviest - balance.weight.begin()]];
  if (!(f.depth <= best_.depth * (1 + kEqualDepth) + kEqualDepth * tiny_)) return;
  best_.nearest = f.nearest;
  best_.normal = f.normal;
  best_.triangle_outer = f.triangle;
  best_.feature_outer = f.feature;
}

}  // namespace abut::distance
