#include "preprocess/draw/canvas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace abut::preprocess {
namespace {

constexpr int kSupersampling = 3;  // samples per pixel and axis
const Color kBackground(1.0F, 1.0F, 1.0F);

// `x` truncated to an integer and clamped to [low, high]; `low` for NaN.
int whole(double x, int low, int high) {
  if (!(x > low)) return low;
  return x < high ? static_cast<int>(x) : high;
}

// Parameters in [0, 1] at which the segment from a to b enters and leaves the square from `low` to `high`
// (Liang-Barsky); returns false if no part is inside, or it is not finite.
bool clip(const Eigen::Vector3d& a, const Eigen::Vector3d& b, double low, double high, double& enter,
          double& leave) {
  enter = 0;
  leave = 1;
  for (int k = 0; k < 2; ++k) {
    const double along = b[k] - a[k];
    if (!std::isfinite(along)) return false;
    if (along == 0 && (a[k] < low || a[k] > high)) return false;
    if (along == 0) continue;
    const double to_low = (low - a[k]) / along, to_high = (high - a[k]) / along;
    enter = std::max(enter, std::min(to_low, to_high));
    leave = std::min(leave, std::max(to_low, to_high));
  }
  return enter <= leave && (b - a).allFinite();
}

}  // namespace

Camera camera_for(const std::vector<Eigen::Vector3d>& points) {
  Camera camera;
  if (points.empty()) return camera;
  Eigen::Vector3d lo = points.front(), hi = lo;
  for (const Eigen::Vector3d& p : points) {
    lo = lo.cwiseMin(p);
    hi = hi.cwiseMax(p);
  }
  camera.center = (lo + hi) / 2;
  double radius = 0;
  for (const Eigen::Vector3d& p : points) radius = std::max(radius, (p - camera.center).norm());
  camera.radius = radius > 0 ? 1.04 * radius : 1;
  return camera;
}

Canvas::Canvas(const Camera& camera, int pixels)
    : camera_(camera), pixels_(pixels), samples_(pixels * kSupersampling) {
  const Eigen::Vector3d toward = camera.toward.normalized();
  const Eigen::Vector3d right = Eigen::Vector3d::UnitZ().cross(toward).normalized();
  axes_ << right.transpose(), right.cross(toward).transpose(), toward.transpose();
  const std::size_t count = static_cast<std::size_t>(samples_) * samples_;
  depth_.assign(count, -std::numeric_limits<float>::infinity());
  color_.assign(count, kBackground);
}

Eigen::Vector3d Canvas::project(const Eigen::Vector3d& p) const {
  const Eigen::Vector3d q = axes_ * (p - camera_.center);
  const double scale = samples_ / (2 * camera_.radius);
  return {samples_ / 2.0 + scale * q.x(), samples_ / 2.0 + scale * q.y(), q.z()};
}

Color Canvas::shade(const Eigen::Vector3d& normal, const Color& color) const {
  const Eigen::Vector3d n = (axes_ * normal).normalized();
  const Eigen::Vector3d key = Eigen::Vector3d(-0.4, -0.6, 0.7).normalized();
  const double light = 0.35 + 0.25 * std::abs(n.z()) + 0.45 * std::max(0.0, (n.z() < 0 ? -n : n).dot(key));
  return (color * static_cast<float>(light)).cwiseMin(1.0F);
}

void Canvas::put(int x, int y, float depth, const Color& color) {
  if (x < 0 || y < 0 || x >= samples_ || y >= samples_) return;
  const std::size_t at = static_cast<std::size_t>(y) * samples_ + x;
  if (depth <= depth_[at]) return;
  depth_[at] = depth;
  color_[at] = color;
}

template <class ColorAt>
void Canvas::fill_triangle(const Eigen::Vector3d corners[3], ColorAt&& color_at) {
  const std::array<Eigen::Vector3d, 3> p = {project(corners[0]), project(corners[1]), project(corners[2])};
  const auto cross = [](const Eigen::Vector3d& a, const Eigen::Vector3d& b, double x, double y) {
    return (b.x() - a.x()) * (y - a.y()) - (b.y() - a.y()) * (x - a.x());
  };
  const double area = cross(p[0], p[1], p[2].x(), p[2].y());
  if (!(std::abs(area) > 1e-12) || !std::isfinite(area)) return;
  const auto [x_lo, x_hi] = std::minmax({p[0].x(), p[1].x(), p[2].x()});
  const auto [y_lo, y_hi] = std::minmax({p[0].y(), p[1].y(), p[2].y()});
  const int x_end = whole(std::ceil(x_hi), -1, samples_ - 1),
            y_end = whole(std::ceil(y_hi), -1, samples_ - 1);
  for (int y = whole(y_lo, 0, samples_); y <= y_end; ++y)
    for (int x = whole(x_lo, 0, samples_); x <= x_end; ++x) {
      const double a = cross(p[1], p[2], x + 0.5, y + 0.5) / area;
      const double b = cross(p[2], p[0], x + 0.5, y + 0.5) / area;
      const double c = 1 - a - b;
      if (!(a >= 0 && b >= 0 && c >= 0)) continue;
      const float depth = static_cast<float>(a * p[0].z() + b * p[1].z() + c * p[2].z());
      put(x, y, depth, color_at(a, b, c));
    }
}

void Canvas::triangle(const Eigen::Vector3d corners[3], const Color& color, const Eigen::Vector3d* normals) {
  const Color flat = shade((corners[1] - corners[0]).cross(corners[2] - corners[0]), color);
  fill_triangle(corners, [&](double a, double b, double c) -> Color {
    return normals == nullptr ? flat : shade(a * normals[0] + b * normals[1] + c * normals[2], color);
  });
}

void Canvas::scalar_triangle(const Eigen::Vector3d corners[3], const double values[3]) {
  fill_triangle(corners, [&](double a, double b, double c) {
    return scale_color(a * values[0] + b * values[1] + c * values[2]);
  });
}

void Canvas::line(const Eigen::Vector3d& from, const Eigen::Vector3d& to, const Color& color, double pixels,
                  double lift) {
  Eigen::Vector3d a = project(from), b = project(to);
  const int half = std::max(0, static_cast<int>(std::lround((pixels * kSupersampling - 1) / 2)));
  double enter = 0, leave = 1;
  if (!clip(a, b, -half - 1, samples_ + half + 1, enter, leave)) return;
  const Eigen::Vector3d way = b - a;
  if (leave < 1) b = a + leave * way;
  if (enter > 0) a += enter * way;
  const double length = std::max(std::abs(b.x() - a.x()), std::abs(b.y() - a.y()));
  const int limit = samples_ + 2 * half + 2;
  const int steps = whole(std::ceil(length), 1, 2 * limit);
  for (int i = 0; i <= steps; ++i) {
    const Eigen::Vector3d q = a + (b - a) * (static_cast<double>(i) / steps);
    const float depth = static_cast<float>(q.z() + lift * camera_.radius);
    for (int dy = -half; dy <= half; ++dy)
      for (int dx = -half; dx <= half; ++dx)
        put(whole(q.x(), -limit, limit) + dx, whole(q.y(), -limit, limit) + dy, depth, color);
  }
}

Image Canvas::image() const {
  Image image{pixels_, pixels_, std::vector<std::uint8_t>(static_cast<std::size_t>(pixels_) * pixels_ * 3)};
  for (int y = 0; y < pixels_; ++y)
    for (int x = 0; x < pixels_; ++x) {
      Color sum = Color::Zero();
      for (int dy = 0; dy < kSupersampling; ++dy)
        for (int dx = 0; dx < kSupersampling; ++dx)
          sum +=
              color_[static_cast<std::size_t>(y * kSupersampling + dy) * samples_ + x * kSupersampling + dx];
      for (int k = 0; k < 3; ++k)
        image.rgb[(static_cast<std::size_t>(y) * pixels_ + x) * 3 + k] = static_cast<std::uint8_t>(
            std::lround(255 * std::clamp(sum[k] / (kSupersampling * kSupersampling), 0.0F, 1.0F)));
    }
  return image;
}

Image beside(const std::vector<Image>& panels) {
  Image result;
  for (const Image& panel : panels) {
    result.width += panel.width;
    result.height = std::max(result.height, panel.height);
  }
  result.rgb.assign(static_cast<std::size_t>(result.width) * result.height * 3, 255);
  std::size_t left = 0;
  for (const Image& panel : panels) {
    for (int y = 0; y < panel.height; ++y)
      std::copy_n(&panel.rgb[static_cast<std::size_t>(y) * panel.width * 3], panel.width * 3,
                  &result.rgb[(static_cast<std::size_t>(y) * result.width + left) * 3]);
    left += static_cast<std::size_t>(panel.width);
  }
  return result;
}

Color scale_color(double value) {
  // Five anchors of a perceptually uniform scale, dark blue to yellow.
  static const std::array<Color, 5> anchors = {Color(0.27F, 0.00F, 0.33F), Color(0.23F, 0.32F, 0.55F),
                                               Color(0.13F, 0.57F, 0.55F), Color(0.37F, 0.79F, 0.38F),
                                               Color(0.99F, 0.91F, 0.14F)};
  const double at = 4 * std::clamp(value, 0.0, 1.0);
  const int i = whole(at, 0, 3);
  const float t = static_cast<float>(at - i);
  return anchors[i] * (1 - t) + anchors[i + 1] * t;
}

}  // namespace abut::preprocess
