#include "runtime/dynamics/collide/contact_reduction.h"

#include <algorithm>
#include <limits>

namespace abut::dynamics {
namespace {

constexpr double kApart = 0.1;  // weight of the spread of points with a positive gap
constexpr double kKept = -1;    // value of `spread` that marks a kept point

}  // namespace

void keep_spread(std::vector<SurfacePoint>& points, std::size_t first, std::size_t most, double length,
                 std::vector<double>& spread) {
  const std::size_t count = points.size() - first;
  if (count <= most) return;
  spread.assign(count, std::numeric_limits<double>::infinity());
  const SurfacePoint* const all = points.data() + first;
  std::size_t next = 0;
  for (std::size_t i = 1; i < count; ++i)
    if (all[i].gap < all[next].gap) next = i;
  const double scale = 1 / (length * length);
  for (std::size_t kept = 0; kept < most; ++kept) {
    const SurfacePoint& point = all[next];
    spread[next] = kKept;
    double best = kKept;
    for (std::size_t i = 0; i < count; ++i) {
      if (spread[i] == kKept) continue;
      const double apart =
          scale * (all[i].p_W - point.p_W).squaredNorm() + (all[i].n_W - point.n_W).squaredNorm();
      spread[i] = std::min(spread[i], apart);
      const double weighted = spread[i] * (all[i].gap > 0 ? kApart : 1);
      if (weighted > best) {
        best = weighted;
        next = i;
      }
    }
  }
  std::size_t to = first;
  for (std::size_t i = 0; i < count; ++i)
    if (spread[i] == kKept) points[to++] = points[first + i];
  points.resize(to);
}

}  // namespace abut::dynamics
