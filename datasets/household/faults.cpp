#include "datasets/household/faults.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "datasets/household/rings.h"

namespace abut::datasets::household {
namespace {
using Eigen::Vector3d;

// Up to `count` triangles spread over the surface, far apart relative to their size.
std::vector<std::size_t> spread(const Surface& surface, int count, std::size_t first = 0) {
  std::vector<std::size_t> chosen;
  const double apart = 8 * std::sqrt(area_normal(surface, surface.triangles.front()).norm());
  const std::size_t stride = surface.triangles.size() / (4 * static_cast<std::size_t>(count)) + 1;
  for (std::size_t t = first + stride / 2; t < surface.triangles.size(); t += stride) {
    if (static_cast<int>(chosen.size()) == count) break;
    const Vector3d at = centroid(surface, surface.triangles[t]);
    const bool free = std::all_of(chosen.begin(), chosen.end(), [&](std::size_t other) {
      return (centroid(surface, surface.triangles[other]) - at).norm() > apart;
    });
    if (free) chosen.push_back(t);
  }
  return chosen;
}

// The triangle on the other side of the edge that a triangle has as a -> b.
std::size_t across(const Surface& surface, std::int32_t a, std::int32_t b) {
  for (std::size_t t = 0; t < surface.triangles.size(); ++t)
    for (int i = 0; i < 3; ++i)
      if (surface.triangles[t][i] == b && surface.triangles[t][(i + 1) % 3] == a) return t;
  return surface.triangles.size();
}

std::int32_t third(const Triangle& t, std::int32_t a, std::int32_t b) {
  for (const std::int32_t v : t)
    if (v != a && v != b) return v;
  return -1;
}

std::int32_t add_vertex(Surface& surface, const Vector3d& p) {
  surface.vertices.push_back(p);
  return static_cast<std::int32_t>(surface.vertices.size()) - 1;
}

void remove_unused_vertices(Surface& surface) {
  std::vector<std::int32_t> index(surface.vertices.size(), -1);
  std::vector<Vector3d> used;
  for (Triangle& t : surface.triangles) {
    for (std::int32_t& v : t) {
      if (index[v] < 0) {
        index[v] = static_cast<std::int32_t>(used.size());
        used.push_back(surface.vertices[v]);
      }
      v = index[v];
    }
  }
  surface.vertices = std::move(used);
}

// The s at which the line p + s d, s in (0, reach), meets the triangle well inside it.
std::optional<double> hit(const Surface& surface, const Triangle& t, const Vector3d& p, const Vector3d& d,
                          double reach) {
  const Vector3d& a = surface.vertices[t[0]];
  const Vector3d u = surface.vertices[t[1]] - a, v = surface.vertices[t[2]] - a, n = u.cross(v);
  const double facing = n.dot(d);
  if (facing == 0) return std::nullopt;
  const double s = n.dot(a - p) / facing;
  if (s <= 0.05 * reach || s >= reach) return std::nullopt;
  const Vector3d q = p + s * d - a;
  const double square = n.squaredNorm(), beta = n.dot(q.cross(v)) / square,
               gamma = n.dot(u.cross(q)) / square;
  constexpr double kMargin = 0.25;
  if (beta < kMargin || gamma < kMargin || beta + gamma > 1 - kMargin) return std::nullopt;
  return s;
}

// Replaces triangle t by a ring of six around a smaller copy of itself about `center`; returns the corners of
// the copy, which bound the hole.
Triangle open_triangle(Surface& surface, std::size_t t, const Vector3d& center, double share) {
  const Triangle outer = surface.triangles[t];
  Triangle inner;
  for (int i = 0; i < 3; ++i)
    inner[i] = add_vertex(surface, center + share * (surface.vertices[outer[i]] - center));
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const Triangle low{outer[i], outer[j], inner[i]}, high{outer[j], inner[j], inner[i]};
    if (i == 0)
      surface.triangles[t] = low;
    else
      surface.triangles.push_back(low);
    surface.triangles.push_back(high);
  }
  return inner;
}

// Adds the wall of a tunnel between two holes whose boundaries run in opposite senses as seen along the
// tunnel.
void join_holes(Surface& surface, const Triangle& near, const Triangle& far) {
  int best = 0;
  double least = HUGE_VAL;
  const auto partner = [&](int shift, int i) { return far[(shift - i + 6) % 3]; };
  for (int shift = 0; shift < 3; ++shift) {
    double length = 0;
    for (int i = 0; i < 3; ++i)
      length += (surface.vertices[near[i]] - surface.vertices[partner(shift, i)]).squaredNorm();
    if (length < least) {
      least = length;
      best = shift;
    }
  }
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    surface.triangles.push_back({near[i], near[j], partner(best, i)});
    surface.triangles.push_back({near[j], partner(best, j), partner(best, i)});
  }
}

}  // namespace

int duplicate_seam_vertices(Surface& surface) {
  std::map<std::pair<std::int32_t, int>, std::int32_t> copies;  // by (vertex, chart)
  Surface charted;
  for (const Triangle& t : surface.triangles) {
    const Vector3d n = area_normal(surface, t);
    int axis = 0;
    n.cwiseAbs().maxCoeff(&axis);
    const int chart = 2 * axis + (n[axis] > 0 ? 1 : 0);
    Triangle& copy = charted.triangles.emplace_back();
    for (int i = 0; i < 3; ++i) {
      const auto next = static_cast<std::int32_t>(charted.vertices.size());
      const auto [entry, is_new] = copies.try_emplace({t[i], chart}, next);
      if (is_new) charted.vertices.push_back(surface.vertices[t[i]]);
      copy[i] = entry->second;
    }
  }
  std::swap(surface, charted);
  return static_cast<int>(surface.vertices.size() - charted.vertices.size());
}

int add_flaps(Surface& surface, int count) {
  const std::vector<std::size_t> places = spread(surface, count);
  for (const std::size_t t : places) {
    const auto [a, b, c] = surface.triangles[t];
    const std::size_t opposite = across(surface, a, b);
    const std::int32_t d = third(surface.triangles[opposite], a, b);
    const Vector3d inward = -area_normal(surface, surface.triangles[t]).normalized();
    const Vector3d& p = surface.vertices[a];
    const Vector3d& q = surface.vertices[b];
    const Vector3d tip = (p + q) / 2 + 0.4 * (q - p).norm() * inward;
    const std::int32_t e = add_vertex(surface, tip);
    const std::int32_t copy = add_vertex(surface, Vector3d(surface.vertices[b]));
    std::replace(surface.triangles[opposite].begin(), surface.triangles[opposite].end(), b, copy);
    surface.triangles.insert(surface.triangles.end(), {{b, a, e}, {a, copy, e}, {b, e, copy}, {b, copy, d}});
  }
  return static_cast<int>(places.size());
}

int add_holes(Surface& surface, int count) {
  std::vector<std::int32_t> centers;
  for (const std::size_t t : spread(surface, count)) centers.push_back(surface.triangles[t][0]);
  std::erase_if(surface.triangles, [&](const Triangle& t) {
    return std::find_first_of(t.begin(), t.end(), centers.begin(), centers.end()) != t.end();
  });
  remove_unused_vertices(surface);
  return static_cast<int>(centers.size());
}

void turn_inside_out(Surface& surface) {
  for (Triangle& t : surface.triangles) std::swap(t[1], t[2]);
}

void add_blob(Surface& surface, double radius) {
  Vector3d lower = surface.vertices.front(), upper = lower;
  for (const Vector3d& p : surface.vertices) {
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  const Vector3d center = upper + Vector3d(3 * radius, 0, 0) - Vector3d(0, (upper - lower).y() / 2, radius);
  Profile half_circle;
  arc(half_circle, {0, 0}, radius, -std::acos(0.0), std::acos(0.0), radius / 3);
  const Surface blob = revolve(half_circle, radius / 3);
  const auto first = static_cast<std::int32_t>(surface.vertices.size());
  for (const Vector3d& p : blob.vertices) surface.vertices.emplace_back(center + p);
  for (const Triangle& t : blob.triangles)
    surface.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

int add_self_intersections(Surface& surface, int count) {
  const std::vector<std::size_t> places = spread(surface, count);
  for (const std::size_t t : places) {
    const auto [a, b, c] = surface.triangles[t];
    const std::size_t u = across(surface, a, b);
    const std::int32_t d = third(surface.triangles[u], a, b);
    const Triangle left = surface.triangles[t], right = surface.triangles[u];
    const Vector3d inward = -(area_normal(surface, left) + area_normal(surface, right)).normalized();
    const double size = (surface.vertices[a] - surface.vertices[b]).norm();
    // Each dent's tip lies below the other face; the depths differ, so that sides cross rather than edges.
    const std::int32_t p = add_vertex(surface, centroid(surface, right) + 0.12 * size * inward);
    const std::int32_t q = add_vertex(surface, centroid(surface, left) + 0.20 * size * inward);
    surface.triangles[t] = {a, b, p};
    surface.triangles[u] = {b, a, q};
    surface.triangles.insert(surface.triangles.end(), {{b, c, p}, {c, a, p}, {a, d, q}, {d, b, q}});
  }
  return static_cast<int>(places.size());
}

int add_tunnels(Surface& surface, int count, double wall) {
  constexpr double kShare = 0.2;
  int placed = 0;
  std::vector<Vector3d> taken;
  const std::size_t sound = surface.triangles.size();
  for (std::size_t t = 0; t < sound && placed < count; t += 7) {
    const Vector3d p = centroid(surface, surface.triangles[t]);
    if (std::any_of(taken.begin(), taken.end(),
                    [&](const Vector3d& other) { return (other - p).norm() < 5 * wall; }))
      continue;
    const Vector3d n = area_normal(surface, surface.triangles[t]).normalized();
    for (std::size_t f = 0; f < sound; ++f) {
      const std::optional<double> depth = hit(surface, surface.triangles[f], p, -n, wall);
      // The wall's two sides must be nearly parallel, or the tunnel could meet something else.
      if (!depth || area_normal(surface, surface.triangles[f]).normalized().dot(n) > -0.98) continue;
      const Triangle near = open_triangle(surface, t, p, kShare);
      const Triangle far = open_triangle(surface, f, p - *depth * n, kShare);
      join_holes(surface, near, far);
      taken.push_back(p);
      ++placed;
      break;
    }
  }
  return placed;
}

void scale(Surface& surface, double factor) {
  for (Vector3d& p : surface.vertices) p *= factor;
}

}  // namespace abut::datasets::household
