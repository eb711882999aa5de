#include "runtime/dynamics/collide/primitive_samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace abut::dynamics {
namespace {

using Core = body::SweptCore<double>;

constexpr double kTwoPi = 2 * std::numbers::pi;
constexpr std::int32_t kRimPoints = 8;
constexpr std::int32_t kMaxAxisBalls = 32;
constexpr int kMaxRings = 8;

Ball box_corner(const Vec3<double>& half, std::int32_t index) {
  return {
      {index & 1 ? -half.x() : half.x(), index & 2 ? -half.y() : half.y(), index & 4 ? -half.z() : half.z()}};
}

// Number of balls along the axis of a shape of half height `height` and constant radius `radius`, m.
std::int32_t axis_balls(double height, double radius) {
  constexpr double kShort = 1e-6;  // gaps: balls nearer than that are one
  const double gaps = std::max(0.0, 2 * (height / radius - 1) - kShort);
  return 1 + static_cast<std::int32_t>(std::ceil(std::min<double>(gaps, kMaxAxisBalls - 1)));
}

Ball axis_ball(double height, double radius, std::int32_t index) {
  const double own = std::min(radius, height), end = height - own;
  const std::int32_t count = axis_balls(height, radius);
  return {{0, 0, count > 1 ? end * (2.0 * index / (count - 1) - 1) : 0.0}, own};
}

std::int32_t rim_points(double radius) { return radius > 0 ? kRimPoints : 1; }

Ball rim_point(double radius, double z, std::int32_t index) {
  const double angle = kTwoPi / kRimPoints * index;
  return {{radius * std::cos(angle), radius * std::sin(angle), z}};
}

// Balls between rims of different radii, from the largest one towards the narrower rim. Each touches the side
// and is smaller than its predecessor by a constant factor, so that neighbouring centres are a radius apart.
class TaperedRow {
 public:
  explicit TaperedRow(const Core& core) : wide_end_(core.size.z()), height_(2 * core.size.z()) {
    const double bottom = core.size.x(), top = core.top_radius;
    if (bottom > top) wide_end_ = -wide_end_;
    const double length = std::hypot(height_, bottom - top);
    sine_ = std::abs(bottom - top) / length;
    first_ = std::min(std::max(bottom, top) * (height_ / length) / (1 + sine_), height_ / 2);
  }

  std::int32_t count() const {
    constexpr double kSmallest = 0.05;  // of the first radius
    std::int32_t count = 1;
    while (count < kMaxAxisBalls && scale(count) > kSmallest &&
           depth(count) + first_ * scale(count) <= height_)
      ++count;
    return count;
  }

  Ball ball(std::int32_t index) const {
    return {{0, 0, wide_end_ - std::copysign(depth(index), wide_end_)}, first_ * scale(index)};
  }

 private:
  double scale(std::int32_t index) const { return std::pow(1 - sine_, index); }
  // Distance of a centre from the wider rim, m: the sum of the radii before it.
  double depth(std::int32_t index) const { return first_ * (1 + (1 - scale(index)) / sine_); }

  double wide_end_;  // z of the wider rim, m
  double height_;    // m
  double sine_;      // of the angle between the axis and a generator
  double first_;     // radius of the first ball, m
};

// Samples of the upper rim, then of the lower one, then of the axis.
Ball rims_sample(const Core& core, std::int32_t index) {
  const std::int32_t upper = rim_points(core.top_radius), lower = rim_points(core.size.x());
  if (index < upper) return rim_point(core.top_radius, core.size.z(), index);
  if (index < upper + lower) return rim_point(core.size.x(), -core.size.z(), index - upper);
  index -= upper + lower;
  if (core.size.x() != core.top_radius) return TaperedRow(core).ball(index);
  return axis_ball(core.size.z(), core.size.x(), index);
}

// The semi-axes a >= b >= c of an ellipsoid, m, and the axes of its frame along which they lie.
struct SortedAxes {
  std::array<int, 3> axis{0, 1, 2};
  double a, b, c;

  explicit SortedAxes(const Vec3<double>& half) {
    std::sort(axis.begin(), axis.end(), [&](int i, int k) { return half[i] > half[k]; });
    a = half[axis[0]];
    b = half[axis[1]];
    c = half[axis[2]];
  }
};

// Number of rings of balls around the central one, proportional to the eccentricity; 0 for a sphere.
int ellipsoid_rings(const SortedAxes& axes) {
  constexpr double kNone = 1e-3;  // rings
  const double ratio = axes.c / axes.a;
  return static_cast<int>(std::ceil(std::max(0.0, kMaxRings * std::sqrt(1 - ratio * ratio) - kNone)));
}

// Largest ball inside the ellipsoid that is centred at (x, y) = ((a - c^2/a) u, (b - c^2/b) v) of its disc,
// u^2 + v^2 <= 1: it touches at (a u, b v, +-c sqrt(1 - u^2 - v^2)), and its radius is
// c sqrt(1 - (1 - c^2/a^2) u^2 - (1 - c^2/b^2) v^2).
Ball ellipsoid_sample(const Vec3<double>& half, std::int32_t index) {
  const SortedAxes axes(half);
  int ring = 0;  // ring k has 6 k balls, the centre one
  while (index > 3 * ring * (ring + 1)) ++ring;
  double u = 0, v = 0;
  if (ring > 0) {
    const double place = index - 3 * ring * (ring - 1) - 1, angle = kTwoPi * place / (6 * ring),
                 radius = std::sin(kTwoPi / 4 * ring /
                                   ellipsoid_rings(axes));  // denser where the surface is more curved
    u = radius * std::cos(angle);
    v = radius * std::sin(angle);
  }
  const double of_a = 1 - axes.c / axes.a * (axes.c / axes.a), of_b = 1 - axes.c / axes.b * (axes.c / axes.b);
  Ball ball{Vec3<double>::Zero(), axes.c * std::sqrt(std::max(0.0, 1 - of_a * u * u - of_b * v * v))};
  ball.center[axes.axis[0]] = axes.a * of_a * u;
  ball.center[axes.axis[1]] = axes.b * of_b * v;
  return ball;
}

}  // namespace

std::int32_t samples_of_core(const Core& core) {
  switch (core.kind) {
    case body::CoreKind::kPoint:
      return 1;
    case body::CoreKind::kSegment:
      return axis_balls(core.size.z() + core.swept_radius, core.swept_radius);
    case body::CoreKind::kBox:
      return 8;
    case body::CoreKind::kEllipsoid: {
      const int rings = ellipsoid_rings(SortedAxes(core.size));
      return 1 + 3 * rings * (rings + 1);
    }
    case body::CoreKind::kRims:
      return rim_points(core.top_radius) + rim_points(core.size.x()) +
             (core.size.x() == core.top_radius ? axis_balls(core.size.z(), core.size.x())
                                               : TaperedRow(core).count());
    default:
      return 0;
  }
}

Ball sample_of_core(const Core& core, std::int32_t index) {
  const auto of_core = [&]() -> Ball {
    switch (core.kind) {
      case body::CoreKind::kSegment:
        return {axis_ball(core.size.z() + core.swept_radius, core.swept_radius, index).center};
      case body::CoreKind::kBox:
        return box_corner(core.size, index);
      case body::CoreKind::kEllipsoid:
        return ellipsoid_sample(core.size, index);
      case body::CoreKind::kRims:
        return rims_sample(core, index);
      default:
        return {Vec3<double>::Zero()};
    }
  };
  Ball ball = of_core();
  ball.radius += core.swept_radius;
  return ball;
}

Rim rim_of_core(const Core& core, std::int32_t index) {
  if (core.kind != body::CoreKind::kRims) return {0, 0};
  return index == 0 ? Rim{core.size.z(), core.top_radius} : Rim{-core.size.z(), core.size.x()};
}

}  // namespace abut::dynamics
