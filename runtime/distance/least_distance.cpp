#include "runtime/distance/least_distance.h"

#include <algorithm>
#include <cmath>

#include "runtime/body/primitive_distance.h"
#include "runtime/bvh/overlap.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/distance/triangle_pair.h"
#include "runtime/math/two_unknowns.h"

namespace abut::distance {
namespace {

constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();  // relative to the coordinates
constexpr double kGap = 1e-14;                                             // relative to the size

template <class Part>
bool later(const Part& a, const Part& b) {
  return a.bound > b.bound;
}

}  // namespace

LeastPoint LeastSearch::operator()(const body::Primitive& primitive, const asset::SurfaceView& surface,
                                   const Pose<double>& X_PS) {
  primitive_ = &primitive;
  surface_ = surface;
  X_PS_ = X_PS;
  best_ = {};
  best_.distance = std::numeric_limits<double>::infinity();
  heap_.clear();
  const bvh::Ball ball = bvh::ball_of(surface.tree);
  tolerance_ = kGap * ball.radius + kRounding * ((X_PS * ball.center).norm() + ball.center.norm());
  equal_ = tolerance_ / 4;
  open(0);
  while (!heap_.empty() && heap_.front().bound < best_.distance - tolerance_) {
    if (best_.steps >= kMaxLeastSteps) {
      best_.complete = false;
      break;
    }
    std::pop_heap(heap_.begin(), heap_.end(), later<Part>);
    const Part part = heap_.back();
    heap_.pop_back();
    if (part.node >= 0) {
      open(part.node);
      continue;
    }
    if (part.whole) {
      const Place at = solve(part.triangle, Vec3<double>::Constant(1.0 / 3));
      consider(at.point, part.triangle, at.weight, at.distance);
      if (!(at.distance + at.below < best_.distance - tolerance_)) continue;
    }
    if (!(cut(part) < best_.distance - tolerance_)) continue;
    Part quarter = part;
    quarter.whole = false;
    Vec3<double> middle[3], weight[3];  // of the edges
    for (int k = 0; k < 3; ++k) {
      const int next = (k + 1) % 3;
      middle[k] = (part.corner[k] + part.corner[next]) / 2;
      weight[k] = (part.weight[k] + part.weight[next]) / 2;
    }
    for (int k = 0; k < 3; ++k) {
      const int last = (k + 2) % 3;
      quarter.corner[0] = part.corner[k], quarter.corner[1] = middle[k], quarter.corner[2] = middle[last];
      quarter.weight[0] = part.weight[k], quarter.weight[1] = weight[k], quarter.weight[2] = weight[last];
      add(quarter);
    }
    std::copy_n(middle, 3, quarter.corner), std::copy_n(weight, 3, quarter.weight);
    add(quarter);
  }
  best_.bound = best_.distance - tolerance_;
  if (!best_.complete) best_.bound = std::min(best_.bound, heap_.front().bound);
  if (best_.triangle < 0) return best_;
  polish();
  best_.normal = body::primitive_distance<double>(*primitive_, best_.point, 1).gradient;
  return best_;
}

void LeastSearch::push(const Part& part) {
  if (!(part.bound < best_.distance - tolerance_)) return;
  heap_.push_back(part);
  std::push_heap(heap_.begin(), heap_.end(), later<Part>);
}

void LeastSearch::open(std::int32_t node) {
  using bvh::kWidth;
  const bvh::TreeView& tree = surface_.tree;
  const float* bounds = tree.bounds + std::ptrdiff_t(node) * 6 * kWidth;
  for (int c = 0; c < kWidth; ++c) {
    const std::int32_t slot = node * kWidth + c, count = tree.counts[slot];
    if (count < 0) continue;
    Part child{};
    Vec3<double> low, high;
    for (int k = 0; k < 3; ++k) low[k] = bounds[k * kWidth + c], high[k] = bounds[(3 + k) * kWidth + c];
    const Vec3<double> half = high / 2 - low / 2;
    const auto at =
        body::primitive_distance<double>(*primitive_, X_PS_ * Vec3<double>(low / 2 + high / 2), 1);
    ++best_.steps;
    child.bound = at.value - (X_PS_.R.transpose() * at.gradient).cwiseAbs().dot(half) - tolerance_;
    if (!(child.bound < best_.distance - tolerance_)) continue;
    child.node = tree.children[slot];
    if (count == 0) {
      push(child);
      continue;
    }
    for (std::int32_t t = child.node; t < tree.children[slot] + count; ++t) {
      Part part{};
      part.node = -1, part.triangle = t, part.whole = true;
      for (int k = 0; k < 3; ++k) {
        part.corner[k] = X_PS_ * internal::corner<double>(surface_, t, k),
        part.weight[k] = Vec3<double>::Unit(k);
        ++best_.steps;
        consider(part.corner[k], t, part.weight[k],
                 body::primitive_value<double>(*primitive_, part.corner[k]));
      }
      add(part);
    }
  }
}

void LeastSearch::add(Part part) {
  const Vec3<double> middle = (part.corner[0] + part.corner[1] + part.corner[2]) / 3;
  const auto at = body::primitive_distance<double>(*primitive_, middle, 1);
  ++best_.steps;
  consider(middle, part.triangle, (part.weight[0] + part.weight[1] + part.weight[2]) / 3, at.value);
  part.bound = std::numeric_limits<double>::infinity();
  for (const Vec3<double>& p : part.corner)
    part.bound = std::min(part.bound, at.value + at.gradient.dot(p - middle));
  push(part);
}

void LeastSearch::consider(const Vec3<double>& p, std::int32_t triangle, const Vec3<double>& weight,
                           double distance) {
  if (!(distance < best_.distance)) return;
  best_.distance = distance, best_.point = p, best_.triangle = triangle, best_.weight = weight;
}

// Replaces the best point by the one that `solve` finds from it, on the triangles beside it, too. The
// distance is flat about its minimum: to rounding equal distances do not tell which of two points is nearer
// to it.
void LeastSearch::polish() {
  constexpr int kTurns = 4;
  std::int32_t triangle = best_.triangle;
  Place at = solve(triangle, best_.weight);
  if (!(at.distance <= best_.distance + tolerance_)) return;
  for (int turn = 0; turn < kTurns && step_beside(triangle, at); ++turn) {
  }
  best_.distance = at.distance, best_.point = at.point, best_.triangle = triangle, best_.weight = at.weight;
}

// Moves a point of an edge or a corner to the minimum over another triangle there within which the tangent
// plane falls. Returns whether there is one.
bool LeastSearch::step_beside(std::int32_t& triangle, Place& at) {
  std::int32_t next = -1;
  Place there;
  const auto look = [&](std::int32_t other) {
    if (next >= 0 || other < 0 || other == triangle) return;
    Vec3<double> weight = Vec3<double>::Zero();
    double below = 0;
    for (int k = 0; k < 3; ++k) {
      below = std::min(below, at.slope.dot(X_PS_ * internal::corner<double>(surface_, other, k) - at.point));
      for (int j = 0; j < 3; ++j)
        if (surface_.triangles[std::ptrdiff_t(3) * other + k] ==
            surface_.triangles[std::ptrdiff_t(3) * triangle + j])
          weight[k] = at.weight[j];
    }
    if (!(below < -equal_)) return;
    there = solve(other, weight);
    if (there.distance <= at.distance + equal_ && there.below >= -equal_) next = other;
  };
  for (int k = 0; k < 3; ++k) {
    if (at.weight[k] == 1)
      internal::visit_fan(surface_, triangle, k, [&](std::int32_t t, int) { look(t); });
    else if (at.weight[k] != 0 && at.weight[(k + 1) % 3] != 0 && at.weight[(k + 2) % 3] == 0)
      look(surface_.neighbours[std::ptrdiff_t(3) * triangle + k]);
  }
  if (next < 0) return false;
  triangle = next, at = there;
  return true;
}

// Newton's method along a triangle's face, its edges and to its corners. Of the points found that are equally
// near to rounding, those come first whose tangent plane shows that no point of the triangle is nearer, and
// of these the one on the feature of lowest dimension.
LeastSearch::Place LeastSearch::solve(std::int32_t triangle, const Vec3<double>& begun) {
  Triangle<double> t = internal::triangle_of<double>(surface_, triangle);
  for (Vec3<double>& v : t) v = X_PS_ * v;
  const double infinity = std::numeric_limits<double>::infinity();
  double least = infinity;
  Place found{begun, internal::at(t, begun), Vec3<double>::Zero(), infinity, -infinity};
  const auto take = [&](const Vec3<double>& weight) {
    if (!(weight.array() >= 0).all()) return;
    ++best_.steps;
    const Vec3<double> p = internal::at(t, weight);
    const double d = body::primitive_value<double>(*primitive_, p);
    if (!(d <= least + equal_)) return;
    least = std::min(least, d);
    const Vec3<double> g = body::primitive_distance<double>(*primitive_, p, 1).gradient;
    const Place place{weight, p, g, d, std::min({g.dot(t[0] - p), g.dot(t[1] - p), g.dot(t[2] - p)})};
    if (place.below >= -equal_ || found.below < -equal_ || d < found.distance - equal_) found = place;
  };
  take(begun);
  take(newton(t, begun, -1));
  for (int k = 0; k < 3; ++k) take(newton(t, begun, k));
  for (int k = 0; k < 3; ++k) take(Vec3<double>::Unit(k));
  return found;
}

// Returns a lower bound of the distance on a part by tangent planes, each taken at the point where the
// maximum of the earlier planes is least.
double LeastSearch::cut(const Part& part) {
  planes_.clear();
  Vec3<double> share = Vec3<double>::Constant(1.0 / 3);
  while (!planes_.full()) {
    const Vec3<double> p = share[0] * part.corner[0] + share[1] * part.corner[1] + share[2] * part.corner[2];
    const auto at = body::primitive_distance<double>(*primitive_, p, 1);
    ++best_.steps;
    consider(p, part.triangle,
             share[0] * part.weight[0] + share[1] * part.weight[1] + share[2] * part.weight[2], at.value);
    const auto height = [&](int k) { return at.value + at.gradient.dot(part.corner[k] - p); };
    planes_.add({height(0), height(1), height(2)}, best_.distance - tolerance_ / 2);
    const Vec3<double>* const lowest = planes_.lowest();
    if (lowest == nullptr) break;
    share = *lowest;
  }
  return planes_.bound();
}

// Returns the weights at which the distance is stationary along the triangle's face, or along the edge
// opposite corner `skip`.
Vec3<double> LeastSearch::newton(const Triangle<double>& t, Vec3<double> weight, int skip) {
  constexpr int kTurns = 20;
  constexpr double kConverged = 1e-16, kSingular = 1e-9;
  const int first = skip == 0 ? 1 : 0;
  Eigen::Matrix<double, 3, 2> U = Eigen::Matrix<double, 3, 2>::Zero();  // one column for an edge
  int other[2], count = 0;
  for (int k = first + 1; k < 3; ++k)
    if (k != skip) U.col(count) = t[k] - t[first], other[count++] = k;
  if (skip >= 0) {
    weight[skip] = 0;
    if (weight.sum() > 0)
      weight /= weight.sum();
    else
      weight[first] = 1;
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    ++best_.steps;
    const auto at = body::primitive_distance<double>(*primitive_, internal::at(t, weight), 2);
    const Eigen::Matrix2d along = U.transpose() * at.hessian * U;
    const Eigen::Vector2d slope = U.transpose() * at.gradient;
    Eigen::Vector2d z = -shortest_least_squares(along, slope, kSingular);
    const double length = z.cwiseAbs().maxCoeff();
    if (!std::isfinite(length)) break;
    if (length > 1) z /= length;
    for (int k = 0; k < count; ++k) weight[other[k]] += z[k], weight[first] -= z[k];
    if (length <= kConverged || (weight.array() < -1).any()) break;
  }
  return weight;
}

}  // namespace abut::distance
