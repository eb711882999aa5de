#include "datasets/household/rings.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace abut::datasets::household {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// Joins two closed loops, n_a and n_b vertices at even angles from first_a and first_b, advancing along both
// at the same angular rate; a loop of one vertex is a pole.
void zip(std::int32_t first_a, int n_a, std::int32_t first_b, int n_b, std::vector<Triangle>& triangles) {
  const auto a = [&](int k) { return first_a + k % n_a; };
  const auto b = [&](int k) { return first_b + k % n_b; };
  int i = 0, j = 0;
  while ((n_a > 1 && i < n_a) || (n_b > 1 && j < n_b)) {
    const bool advance_a = n_a > 1 && i < n_a && (n_b == 1 || j == n_b || (i + 0.5) * n_b <= (j + 0.5) * n_a);
    if (advance_a) {
      triangles.push_back({a(i), a(i + 1), b(j)});
      ++i;
    } else {
      triangles.push_back({a(i), b(j + 1), b(j)});
      ++j;
    }
  }
}

}  // namespace

Surface skin(const std::vector<Ring>& rings, double spacing) {
  Surface surface;
  std::int32_t previous = 0;
  int previous_count = 0;
  for (const Ring& ring : rings) {
    const auto first = static_cast<std::int32_t>(surface.vertices.size());
    const int count =
        ring.radius > 0 ? std::max(6, static_cast<int>(std::lround(kTurn * ring.radius / spacing))) : 1;
    for (int k = 0; k < count; ++k) {
      const double angle = kTurn * k / count;
      surface.vertices.emplace_back(ring.center +
                                    ring.radius * (std::cos(angle) * ring.u + std::sin(angle) * ring.v));
    }
    if (previous_count > 0) zip(previous, previous_count, first, count, surface.triangles);
    previous = first;
    previous_count = count;
  }
  return surface;
}

void line_to(Profile& profile, const Eigen::Vector2d& to, double spacing) {
  const Eigen::Vector2d from = profile.back();
  const int count = std::max(1, static_cast<int>(std::ceil((to - from).norm() / spacing)));
  for (int k = 1; k < count; ++k) profile.emplace_back(from + (to - from) * (static_cast<double>(k) / count));
  profile.push_back(to);
}

void arc(Profile& profile, const Eigen::Vector2d& center, double radius, double from, double to,
         double spacing) {
  const int count = std::max(1, static_cast<int>(std::ceil(std::abs(to - from) * radius / spacing)));
  for (int k = 0; k <= count; ++k) {
    const double angle = from + (to - from) * k / count;
    const Eigen::Vector2d point = center + radius * Eigen::Vector2d(std::cos(angle), std::sin(angle));
    if (k == 0 && !profile.empty() && (profile.back() - point).norm() < 1e-3 * spacing) continue;
    profile.push_back(point);
  }
}

Profile resample(const Profile& profile, double spacing) {
  std::vector<double> length(profile.size(), 0.0);
  for (std::size_t i = 1; i < profile.size(); ++i)
    length[i] = length[i - 1] + (profile[i] - profile[i - 1]).norm();
  const int count = std::max(1, static_cast<int>(std::lround(length.back() / spacing)));
  Profile even{profile.front()};
  std::size_t i = 1;
  for (int k = 1; k < count; ++k) {
    const double at = length.back() * k / count;
    while (length[i] < at) ++i;
    const double t = (at - length[i - 1]) / (length[i] - length[i - 1]);
    even.emplace_back(profile[i - 1] + t * (profile[i] - profile[i - 1]));
  }
  even.push_back(profile.back());
  return even;
}

Surface revolve(const Profile& profile, double spacing) {
  std::vector<Ring> rings;
  for (const Eigen::Vector2d& p : profile)
    rings.push_back({{0, 0, p.y()}, Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY(), p.x()});
  rings.front().radius = rings.back().radius = 0;
  return skin(rings, spacing);
}

double revolved_volume(const Profile& profile) {
  double volume = 0;
  for (std::size_t i = 1; i < profile.size(); ++i) {
    const double r0 = profile[i - 1].x(), r1 = profile[i].x(), dz = profile[i].y() - profile[i - 1].y();
    volume += std::numbers::pi / 3 * dz * (r0 * r0 + r0 * r1 + r1 * r1);
  }
  return volume;
}

}  // namespace abut::datasets::household
