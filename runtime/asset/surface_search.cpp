#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/asset/asset.h"
#include "runtime/math/pose.h"

namespace abut::asset {
namespace {

using bvh::kWidth;

Vec3<double> corner(const Surface& surface, std::size_t triangle, int k) {
  return Vec3<double>::Map(&surface.vertices[std::size_t{3} * surface.triangles[3 * triangle + k]]);
}

// The triangles below a child of the tree; they form a range, since they are stored in leaf order.
struct Below {
  std::size_t first = std::numeric_limits<std::size_t>::max(), last = 0;
  Vec3<double> normal = Vec3<double>::Zero();  // sum of the normals, weighted by twice the triangles' areas
};

std::vector<Below> below_slots(const Surface& surface) {
  std::vector<Below> below(surface.tree.counts.size());
  for (std::size_t slot = below.size(); slot-- > 0;) {  // children follow their parent
    const std::int32_t count = surface.tree.counts[slot], child = surface.tree.children[slot];
    Below& sum = below[slot];
    if (count > 0) {
      sum.first = child, sum.last = sum.first + count;
      for (std::size_t t = sum.first; t < sum.last; ++t) {
        const Vec3<double> a = corner(surface, t, 0);
        sum.normal += (corner(surface, t, 1) - a).cross(corner(surface, t, 2) - a);
      }
    } else if (count == 0) {
      for (std::size_t c = 0; c < kWidth; ++c) {
        const Below& part = below[static_cast<std::size_t>(child) * kWidth + c];
        sum.first = std::min(sum.first, part.first);
        sum.last = std::max(sum.last, part.last);
        sum.normal += part.normal;
      }
    }
  }
  return below;
}

void add_planes(Surface& surface) {
  const std::vector<Below> below = below_slots(surface);
  surface.planes.assign(4 * below.size(), 0.f);
  for (std::size_t slot = 0; slot < below.size(); ++slot) {
    float* plane = &surface.planes[slot / kWidth * 4 * kWidth + slot % kWidth];
    const Vec3<float> m = below[slot].normal.stableNormalized().cast<float>();
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t t = below[slot].first; t < below[slot].last; ++t)
      for (int k = 0; k < 3; ++k) highest = std::max(highest, m.cast<double>().dot(corner(surface, t, k)));
    for (int k = 0; k < 3; ++k) plane[k * kWidth] = m[k];
    plane[3 * kWidth] = std::nextafter(static_cast<float>(highest), std::numeric_limits<float>::infinity());
  }
}

void add_parts(Surface& surface) {
  surface.parts.clear();
  const std::size_t count = surface.neighbours.size() / 3;
  std::vector<char> known(count, 0);
  std::vector<std::int32_t> open;
  for (std::size_t seed = 0; seed < count; ++seed) {
    if (known[seed]) continue;
    known[seed] = 1;
    surface.parts.push_back(static_cast<std::int32_t>(seed));
    open.push_back(static_cast<std::int32_t>(seed));
    while (!open.empty()) {
      const std::size_t t = open.back();
      open.pop_back();
      for (std::size_t k = 0; k < 3; ++k) {
        const std::int32_t across = surface.neighbours[3 * t + k];
        if (across < 0 || known[across]) continue;
        known[across] = 1;
        open.push_back(across);
      }
    }
  }
}

}  // namespace

void add_search(Surface& surface) {
  add_planes(surface);
  add_parts(surface);
}

}  // namespace abut::asset
