#include "preprocess/tetrahedralize/inradius.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/bvh/traversal.h"
#include "runtime/distance/triangle_point.h"

namespace abut::preprocess {
namespace {

constexpr int kBallSamples = 1500;           // spread over the surface by area, plus one for each triangle
constexpr int kMaxPerTriangle = 1024;        // enough for a box, which has twelve triangles
constexpr std::size_t kMaxTriangles = 3000;  // of a finer surface only every n-th triangle is sampled
constexpr double kDense = 3;                 // samples suffice if the inradius is so many times their spacing
constexpr int kShrinkSteps = 30;
constexpr int kGrowSteps = 12;
constexpr double kFirstBall = 1e-4;  // over the diagonal
constexpr double kTouch = 1e-9;      // relative: closer counts as touching
constexpr double kFullOverlap = 0.25;
constexpr double kTight = 3e-3;  // relative tolerance of the balls' radii

double squared_distance(const bvh::Tree& tree, std::int32_t node, int child, const Eigen::Vector3d& p) {
  const float* box = tree.bounds.data() + std::size_t{24} * static_cast<std::size_t>(node) + child;
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double below = box[4 * k] - p[k], above = p[k] - box[4 * (k + 3)];
    const double out = std::max({below, above, 0.0});
    sum += out * out;
  }
  return sum;
}

// The radius with which a ball counts at a point of this depth, m: fully if it overlaps the point's own ball
// by kFullOverlap of the depth, not at all if they only touch.
double counted_radius(const Ball& ball, const Eigen::Vector3d& point, double depth) {
  const double overlap = ball.radius + depth - (ball.center - point).norm();
  const double share = std::clamp(overlap / (kFullOverlap * depth), 0.0, 1.0);
  return depth + share * (ball.radius - depth);
}

bvh::Box box_of(const Ball& ball) {
  const Eigen::Vector3d r = Eigen::Vector3d::Constant(ball.radius);
  return {ball.center - r, ball.center + r};
}

}  // namespace

LocalInradius::LocalInradius(const TriangleMesh& surface) : surface_(surface), diagonal_(surface.diagonal()) {
  std::vector<bvh::Box> boxes;
  for (const Triangle& t : surface.triangles) {
    const auto &a = surface.vertices[t[0]], &b = surface.vertices[t[1]], &c = surface.vertices[t[2]];
    boxes.push_back({a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)});
  }
  triangles_ = bvh::build_tree(boxes);
  sample_balls();
  boxes.clear();
  for (const Ball& ball : balls_) boxes.push_back(box_of(ball));
  ball_tree_ = bvh::build_tree(boxes);
}

LocalInradius::Foot LocalInradius::foot(const Eigen::Vector3d& point) const {
  return foot_within(point, std::numeric_limits<double>::infinity());
}

LocalInradius::Foot LocalInradius::foot_within(const Eigen::Vector3d& point, double at_most) const {
  Foot best;
  const double slack = 1e-9 * (at_most + diagonal_);  // for the rounding of the caller's bound
  double squared = std::isinf(at_most) ? at_most : (at_most + slack) * (at_most + slack);
  bvh::visit_nearest<double>(bvh::view(triangles_.tree), point, squared,
                             [&](std::int32_t first, std::int32_t count, double& nearest) {
                               for (std::int32_t i = first; i < first + count; ++i) {
                                 const Triangle& t = surface_.triangles[triangles_.order[i]];
                                 const auto candidate = distance::closest_on_triangle<double>(
                                     surface_.vertices[t[0]], surface_.vertices[t[1]],
                                     surface_.vertices[t[2]], point);
                                 if (!(candidate.distance2 < nearest)) continue;
                                 nearest = candidate.distance2;
                                 best = {candidate.closest, std::sqrt(nearest), triangles_.order[i]};
                               }
                             });
  return best;
}

bool LocalInradius::is_free(const Eigen::Vector3d& center, double radius) const {
  double squared = radius * radius;
  bool found = false;
  bvh::visit_nearest<double>(bvh::view(triangles_.tree), center, squared,
                             [&](std::int32_t first, std::int32_t count, double& nearest) {
                               for (std::int32_t i = first; i < first + count && !found; ++i) {
                                 const Triangle& t = surface_.triangles[triangles_.order[i]];
                                 found = distance::closest_on_triangle<double>(
                                             surface_.vertices[t[0]], surface_.vertices[t[1]],
                                             surface_.vertices[t[2]], center)
                                             .distance2 < nearest;
                               }
                               if (found) nearest = 0;  // ends the search
                             });
  return !found;
}

// Doubles the radius of a ball at p while the ball is free, then shrinks it to what it meets. It starts small
// since a ball much larger than a thin wall hardly intersects it.
Ball LocalInradius::shrinking_ball(const Eigen::Vector3d& p, const Eigen::Vector3d& inward) const {
  const auto is_free_at = [&](double r) { return is_free(p + r * inward, r * (1 - kTight)); };
  double radius = kFirstBall * diagonal_;
  while (radius < diagonal_ && is_free_at(radius)) radius *= 2;
  for (int step = 0; step < kShrinkSteps && !is_free_at(radius); ++step) {
    // The ball through p and q that touches the surface at p.
    const Eigen::Vector3d pq = foot(p + radius * inward).point - p;
    const double along = 2 * pq.dot(inward), squared = pq.squaredNorm();
    // Next to a reflex edge q nearly coincides with p: just halve the radius.
    radius = along > 0 && squared > 0 ? std::min(squared / along, radius * (1 - kTight)) : radius / 2;
  }
  return {p + radius * inward, radius * (1 - kTight)};
}

// Moves away from where the ball touches. The shrinking ball of a point next to a convex edge, including
// edges that only come from triangulating a curved surface, is far too small.
template <class Counted>
Ball LocalInradius::grow(Ball ball, const Counted& counted) const {
  double step = ball.radius / 2;
  const double least = ball.radius / 8;
  const auto away_from = [&](const Eigen::Vector3d& center) -> Eigen::Vector3d {
    const Foot q = foot(center);
    return (center - q.point) / std::max(q.distance, kTouch * diagonal_);
  };
  const auto take = [&](const Eigen::Vector3d& center) {
    if (!is_free(center, ball.radius * (1 + kTight))) return false;
    const Ball larger{center, depth(center)};
    if (counted(larger) <= counted(ball)) return false;
    ball = larger;
    return true;
  };
  Eigen::Vector3d away = away_from(ball.center);
  for (int trial = 0; trial < kGrowSteps && step > least; ++trial) {
    const Eigen::Vector3d ahead = ball.center + step * away;
    bool taken = take(ahead);
    if (!taken) {
      // Beyond the medial surface the ball touches something else: continue along the bisector of the two
      // directions.
      const Eigen::Vector3d along = away + away_from(ahead);
      taken = along.norm() > 0.1 && take(ball.center + step * along.normalized());
    }
    if (taken) {
      away = away_from(ball.center);
      step = std::max(step, ball.radius / 4);
    } else {
      step /= 2;
    }
  }
  return ball;
}

void LocalInradius::sample_balls() {
  std::vector<double> areas;
  double total = 0;
  for (const Triangle& t : surface_.triangles) {
    const auto& a = surface_.vertices[t[0]];
    areas.push_back((surface_.vertices[t[1]] - a).cross(surface_.vertices[t[2]] - a).norm() / 2);
    total += areas.back();
  }
  const std::size_t stride = 1 + areas.size() / kMaxTriangles;
  for (std::size_t i = 0; i < areas.size(); i += stride) {
    const Triangle& t = surface_.triangles[i];
    const auto &a = surface_.vertices[t[0]], &b = surface_.vertices[t[1]], &c = surface_.vertices[t[2]];
    const Eigen::Vector3d normal = (b - a).cross(c - a);
    if (!(areas[i] > 0)) continue;
    const int wanted = std::clamp(static_cast<int>(kBallSamples * areas[i] / total), 1, kMaxPerTriangle);
    const int k = static_cast<int>(std::lround(std::sqrt(wanted)));
    for (int u = 0; u < k; ++u)  // centroids of the upright ones among the k x k small triangles
      for (int v = 0; u + v < k; ++v) {
        const Eigen::Vector3d p = a + ((u + 1.0 / 3) * (b - a) + (v + 1.0 / 3) * (c - a)) / k;
        Ball ball = grow(shrinking_ball(p, -normal.normalized()), [](const Ball& b) { return b.radius; });
        ball.radius = depth(ball.center);
        if (!(ball.radius > 0)) continue;
        balls_.push_back(ball);
        spacing_.push_back(std::sqrt(areas[i] * static_cast<double>(stride)) / k);
      }
  }
}

LocalInradius::Sample LocalInradius::best_sample(const Eigen::Vector3d& point, double depth) const {
  const bvh::Tree& tree = ball_tree_.tree;
  std::array<std::int32_t, 4 * bvh::kMaxDepth> stack;
  std::size_t top = 0;
  stack[top++] = 0;
  Sample best{-1, depth};
  while (top > 0) {
    const std::int32_t node = stack[--top];
    for (int child = 0; child < bvh::kWidth; ++child) {
      const std::size_t slot = static_cast<std::size_t>(node) * bvh::kWidth + child;
      if (tree.counts[slot] < 0) continue;
      if (squared_distance(tree, node, child, point) > depth * depth) continue;
      if (tree.counts[slot] == 0) stack[top++] = tree.children[slot];
      for (int i = 0; i < tree.counts[slot]; ++i) {
        const std::int32_t sample = ball_tree_.order[tree.children[slot] + i];
        const Ball& ball = balls_[sample];
        if (!(ball.radius > best.counted)) continue;
        const double counted = counted_radius(ball, point, depth);
        if (counted > best.counted) best = {sample, counted};
      }
    }
  }
  return best;
}

double LocalInradius::inradius(const Eigen::Vector3d& point) const { return inradius(point, foot(point)); }

double LocalInradius::inradius(const Eigen::Vector3d& point, const Foot& foot) const {
  const Sample sampled = best_sample(point, foot.distance);
  const bool in_full = sampled.ball >= 0 && sampled.counted >= balls_[sampled.ball].radius;
  if (foot.distance < kTouch * diagonal_ || (in_full && sampled.counted > kDense * spacing_[sampled.ball]))
    return sampled.counted;
  // Use the ball at the point's own foot, unless the samples' ball is far larger than the depth and a single
  // test shows that the own one is not larger.
  const Eigen::Vector3d inward = (point - foot.point) / foot.distance;
  const double larger = sampled.counted * (1 + 2 * kTight);
  if (in_full && sampled.counted > 4 * foot.distance &&
      !is_free(foot.point + larger * inward, sampled.counted * (1 + kTight)))
    return sampled.counted;
  const auto counted = [&](const Ball& ball) { return counted_radius(ball, point, foot.distance); };
  return std::max(sampled.counted, counted(grow(shrinking_ball(foot.point, inward), counted)));
}

double LocalInradius::share_of_way(const Eigen::Vector3d& point, double core_fraction) const {
  const Foot at = foot(point);
  return at.distance / ((1 - core_fraction) * inradius(point, at));
}

}  // namespace abut::preprocess
