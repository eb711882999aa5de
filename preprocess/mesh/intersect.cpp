#include "preprocess/mesh/intersect.h"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>

#include <algorithm>

namespace abut::preprocess {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using Points = std::array<Point, 3>;

Point point(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

bool all_on_one_side(const Points& plane, const Point* first, int count) {
  const CGAL::Orientation side = CGAL::orientation(plane[0], plane[1], plane[2], first[0]);
  if (side == CGAL::COPLANAR) return false;
  for (int k = 1; k < count; ++k) {
    if (CGAL::orientation(plane[0], plane[1], plane[2], first[k]) != side) return false;
  }
  return true;
}

// Reorders the corners with the shared vertices first, in the same order for both triangles; returns how many
// are shared.
int align(const Triangle& s, const Corners& cs, const Triangle& t, const Corners& ct, Points& ps,
          Points& pt) {
  int shared = 0;
  std::array<bool, 3> used_s{}, used_t{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (s[i] != t[j]) continue;
      ps[shared] = point(cs[i]);
      pt[shared++] = point(ct[j]);
      used_s[i] = used_t[j] = true;
    }
  }
  int next_s = shared, next_t = shared;
  for (int k = 0; k < 3; ++k) {
    if (!used_s[k]) ps[next_s++] = point(cs[k]);
    if (!used_t[k]) pt[next_t++] = point(ct[k]);
  }
  return shared;
}

}  // namespace

bool meet_improperly(const Triangle& s, const Corners& corners_s, const Triangle& t,
                     const Corners& corners_t) {
  Points a, b;
  const int shared = align(s, corners_s, t, corners_t, a, b);
  if (shared == 3) return true;
  if (shared == 2) {
    // Two distinct planes meet in the edge's line only; in a common plane the third corners must lie on
    // opposite sides of it.
    return CGAL::orientation(a[0], a[1], a[2], b[2]) == CGAL::COPLANAR &&
           CGAL::coplanar_orientation(a[0], a[1], a[2], b[2]) != CGAL::NEGATIVE;
  }
  if (all_on_one_side(a, &b[shared], 3 - shared) || all_on_one_side(b, &a[shared], 3 - shared)) return false;
  const Kernel::Triangle_3 face_a(a[0], a[1], a[2]), face_b(b[0], b[1], b[2]);
  if (shared == 0) return CGAL::do_intersect(face_a, face_b);
  // Any further common point implies that the side opposite to the shared vertex of one triangle meets the
  // other triangle.
  return CGAL::do_intersect(Kernel::Segment_3(a[1], a[2]), face_b) ||
         CGAL::do_intersect(Kernel::Segment_3(b[1], b[2]), face_a);
}

}  // namespace abut::preprocess
