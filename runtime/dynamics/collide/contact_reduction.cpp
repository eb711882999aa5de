#include "runtime/dynamics/collide/contact_reduction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

namespace abut::dynamics {
namespace {

constexpr double kApart = 0.1;  // least weight, of points that are far apart
constexpr double kNear = 1e-4;  // gap relative to the length at which the weight is midway
constexpr double kKept = -1;    // value of `spread` that marks a kept point
constexpr std::size_t kDirections = 8;

double weight(const SurfacePoint& point, double length) {
  return kApart + (1 - kApart) / (1 + std::max(point.gap, 0.0) / (kNear * length));
}

// The points farthest out in kDirections, the first from the mean point to the one farthest from it.
std::array<std::size_t, kDirections> outermost(std::span<const SurfacePoint> points, double length) {
  Vec3<double> mean = Vec3<double>::Zero(), normal = mean;
  for (const SurfacePoint& point : points) {
    mean += point.p_W / double(points.size());
    normal += point.n_W;
  }
  if (normal.norm() > 0) normal.normalize();
  const auto across = [&](const SurfacePoint& point) {
    const Vec3<double> from_mean = point.p_W - mean;
    return Vec3<double>(from_mean - normal * normal.dot(from_mean));
  };
  const auto farthest = std::max_element(points.begin(), points.end(), [&](const auto& a, const auto& b) {
    return across(a).squaredNorm() < across(b).squaredNorm();
  });
  const Vec3<double> x = across(*farthest).stableNormalized(), y = normal.cross(x);
  std::array<std::size_t, kDirections> found{};
  for (std::size_t k = 0; k < kDirections; ++k) {
    const double angle = 2 * std::numbers::pi * double(k) / double(kDirections);
    const Vec3<double> along = std::cos(angle) * x + std::sin(angle) * y;
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double out = along.dot(points[i].p_W - mean) / length + weight(points[i], length);
      if (!(out > best)) continue;
      best = out;
      found[k] = i;
    }
  }
  return found;
}

}  // namespace

void keep_spread(std::vector<SurfacePoint>& points, std::size_t first, std::size_t most, double length,
                 std::vector<double>& spread) {
  const std::size_t count = points.size() - first;
  if (count <= most) return;
  spread.assign(count, std::numeric_limits<double>::infinity());
  const std::span<const SurfacePoint> all(points.data() + first, count);
  std::size_t kept = 0;
  const auto keep = [&](std::size_t k) {
    if (kept == most || spread[k] == kKept) return;
    ++kept;
    spread[k] = kKept;
    for (std::size_t i = 0; i < count; ++i) {
      if (spread[i] == kKept) continue;
      const double apart = (all[i].p_W - all[k].p_W).squaredNorm() / (length * length) +
                           (all[i].n_W - all[k].n_W).squaredNorm();
      spread[i] = std::min(spread[i], apart);
    }
  };
  const auto deepest =
      std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.gap < b.gap; });
  keep(static_cast<std::size_t>(deepest - all.begin()));
  for (const std::size_t k : outermost(all, length)) keep(k);
  while (kept < most) {
    std::size_t next = count;
    double best = kKept;
    for (std::size_t i = 0; i < count; ++i) {
      if (spread[i] == kKept || !(spread[i] * weight(all[i], length) > best)) continue;
      best = spread[i] * weight(all[i], length);
      next = i;
    }
    if (next == count) break;
    keep(next);
  }
  std::size_t to = first;
  for (std::size_t i = 0; i < count; ++i)
    if (spread[i] == kKept) points[to++] = points[first + i];
  points.resize(to);
}

}  // namespace abut::dynamics
