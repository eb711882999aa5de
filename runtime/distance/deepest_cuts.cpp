#include <algorithm>
#include <cmath>

#include "runtime/bvh/traversal.h"
#include "runtime/distance/deepest_point.h"
#include "runtime/distance/surface_distance.h"

// Cuts of parts of triangles in the search for the deepest point.
namespace abut::distance {
namespace {

constexpr int kMaxRootSteps = 40;
constexpr double kRootError = 1e-15;  // relative to the depth
constexpr double kEqual = 1e-10;      // relative to the depth: a corner this near to a cut lies on it

// Whether all of t is on one side of the plane of another triangle, by more than `apart` (m).
bool beyond_plane(const Triangle<double>& t, const Triangle<double>& other, double apart) {
  const Vec3<double> normal = (other[1] - other[0]).cross(other[2] - other[0]);
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const Vec3<double>& p : t) {
    const double height = normal.dot(p - other[0]);
    least = std::min(least, height), most = std::max(most, height);
  }
  return std::max(least, -most) > apart * normal.norm();
}

}  // namespace

// Evaluates the point at the fraction `share` of the part's edge from corner i to corner j.
DeepestSearch::Corner DeepestSearch::between(const Part& part, int i, int j, double share) {
  const Corner &a = part.corner[i], &b = part.corner[j];
  return corner(a.p + share * (b.p - a.p), a.weight + share * (b.weight - a.weight), part.triangle,
                a.nearest);
}

// Halves the part across its longest edge.
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

// Whether the whole part is outside: its corners are, and it does not meet the outer surface.
bool DeepestSearch::outside(const Part& part) {
  const double apart = tiny_ / 4;
  Vec3<double> low = part.corner[0].p, high = low;
  Triangle<double> t;
  for (int k = 0; k < 3; ++k) {
    if (!(part.corner[k].depth < -apart)) return false;
    t[k] = part.corner[k].p;
    low = low.cwiseMin(t[k]), high = high.cwiseMax(t[k]);
  }
  ++steps_;
  bool met = false;
  const auto near = [&](const Vec3<double>& l, const Vec3<double>& h) {
    return !met && ((l - high).cwiseMax(low - h).array() <= apart).all();
  };
  bvh::visit_boxes(outer_.tree, near, [&](std::int32_t first, std::int32_t count) {
    for (std::int32_t i = first; i < first + count && !met; ++i) {
      const Triangle<double> of_outer = internal::triangle_of<double>(outer_, i);
      met = !beyond_plane(t, of_outer, apart) && !beyond_plane(of_outer, t, apart) &&
            closest_of_triangles<double>(of_outer, t).distance2 <= apart * apart;
    }
  });
  return !met;
}

// Cuts the part, or returns false if no cut applies or if a halving is due. Halvings in between make all
// edges short.
bool DeepestSearch::cut(const Part& part) {
  if (part.halvings_due == 0) return false;
  const std::int32_t nearer = part.corner[part.worst].nearest;
  const auto to_nearer = [&] {
    return part.farther >= 0 && nearer >= 0 && nearer != part.farther &&
           cut_between(part, part.farther, nearer);
  };
  return part.halvings_due % 2 ? cut_off(part) || to_nearer() : to_nearer() || cut_off(part);
}

// Cuts the part where the triangles `farther` and `nearer` are equally far.
bool DeepestSearch::cut_between(const Part& part, std::int32_t farther, std::int32_t nearer) {
  return cut_where(
      part, part.bound,
      [&](const Vec3<double>& p) { return distance_to(farther, p) - distance_to(nearer, p); }, farther,
      nearer);
}

// Cuts the part along the plane that touches the outer surface at the point nearest to the outermost corner,
// to separate what is outside.
bool DeepestSearch::cut_off(const Part& part) {
  const auto* const outermost = std::min_element(
      part.corner, part.corner + 3, [](const Corner& a, const Corner& b) { return a.depth < b.depth; });
  if (!(outermost->depth < -tiny_)) return false;
  const Vec3<double> nearest = closest_on(outermost->nearest, outermost->p).closest;
  const Vec3<double> n = (outermost->p - nearest).normalized();
  return cut_where(
      part, 0, [&](const Vec3<double>& p) { return n.dot(p - nearest) - tiny_ / 2; }, outermost->nearest,
      outermost->nearest);
}

// Cuts the part along the zero set of a function, found to kRootError of `scale` on the edges. `positive`,
// `negative`: triangles of the outer surface to compute bounds with on the side of that sign.
template <class Function>
bool DeepestSearch::cut_where(const Part& part, double scale, Function&& difference, std::int32_t positive,
                              std::int32_t negative) {
  double beyond[3];
  for (int k = 0; k < 3; ++k) {
    beyond[k] = difference(part.corner[k].p);
    if (std::abs(beyond[k]) <= kEqual * scale + rounding_) beyond[k] = 0;
  }
  // Look for the corner that is alone on its side; one of the others may lie on the cut.
  int apex = 0;
  const auto alone = [&](int k) {
    const double next = beyond[k] * beyond[(k + 1) % 3], last = beyond[k] * beyond[(k + 2) % 3];
    return next <= 0 && last <= 0 && (next < 0 || last < 0);
  };
  while (apex < 3 && !alone(apex)) ++apex;
  if (apex == 3) return false;
  ++steps_;
  const auto crossing = [&](int j) {  // zero on the edge from the apex to corner j
    if (beyond[j] == 0) return part.corner[j];
    const Vec3<double>&a = part.corner[apex].p, &b = part.corner[j].p;
    double low = 0, high = 1, at_low = beyond[apex], at_high = beyond[j], share = 0;
    int side = 0;  // end replaced last; the value at an end that stays is halved, so that both ends move
                   // [Dowell1971]
    for (int i = 0; i < kMaxRootSteps; ++i) {
      share = low + (high - low) * (at_low / (at_low - at_high));
      const double here = difference(a + share * (b - a));
      if (std::abs(here) <= kRootError * scale + rounding_) break;
      if (here * at_low > 0) {
        low = share, at_low = here;
        if (side < 0) at_high /= 2;
        side = -1;
      } else {
        high = share, at_high = here;
        if (side > 0) at_low /= 2;
        side = 1;
      }
    }
    return between(part, apex, j, share);
  };
  const int second = (apex + 1) % 3, third = (apex + 2) % 3;
  const Corner on_second = crossing(second), on_third = crossing(third);
  Part piece = part;
  piece.halvings_due = part.halvings_due - 1;
  const auto add = [&](const Corner& a, const Corner& b, const Corner& c, bool beyond_apex) {
    piece.corner[0] = a, piece.corner[1] = b, piece.corner[2] = c;
    piece.middle = (beyond[apex] > 0) == beyond_apex ? positive : negative;
    add_part(piece);
  };
  add(part.corner[apex], on_second, on_third, false);
  if (beyond[second] != 0) add(on_second, part.corner[second], part.corner[third], true);
  if (beyond[third] != 0) add(on_third, on_second, part.corner[third], true);
  return true;
}

}  // namespace abut::distance
