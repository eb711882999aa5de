#include "exact_check.h"

#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/box_intersection_d.h>

#include <algorithm>
#include <set>

namespace abut::preprocess {
namespace {

using Kernel = CGAL::Exact_predicates_exact_constructions_kernel;
using Point = Kernel::Point_3;
using Face = Kernel::Triangle_3;
using Segment = Kernel::Segment_3;

// The corners of a triangle from one that `other` has too, in cyclic order.
Triangle from_shared(const Triangle& t, const Triangle& other, bool shared) {
  for (int k = 0; k < 3; ++k) {
    if ((std::find(other.begin(), other.end(), t[k]) != other.end()) == shared)
      return {t[k], t[(k + 1) % 3], t[(k + 2) % 3]};
  }
  return t;
}

// Whether two triangles meet in exactly the points that they share by index.
bool meet_as_they_should(const std::vector<Point>& points, const Triangle& s, const Triangle& t) {
  const auto shared =
      std::count_if(s.begin(), s.end(), [&](int v) { return std::find(t.begin(), t.end(), v) != t.end(); });
  const auto face = [&](const Triangle& f) { return Face(points[f[0]], points[f[1]], points[f[2]]); };
  if (face(s).is_degenerate() || face(t).is_degenerate() || shared == 3) return false;
  if (shared == 0) return !CGAL::do_intersect(face(s), face(t));
  if (shared == 1) {
    // What they had in common besides the vertex would reach the side opposite to it in one of them.
    const Triangle a = from_shared(s, t, true), b = from_shared(t, s, true);
    return !CGAL::do_intersect(Segment(points[a[1]], points[a[2]]), face(b)) &&
           !CGAL::do_intersect(Segment(points[b[1]], points[b[2]]), face(a));
  }
  // Two planes meet in the line of the edge; in one plane the third corners must lie on either side of it.
  const Triangle a = from_shared(s, t, false), b = from_shared(t, s, false);
  return !CGAL::coplanar(points[a[1]], points[a[2]], points[a[0]], points[b[0]]) ||
         CGAL::coplanar_orientation(points[a[1]], points[a[2]], points[a[0]], points[b[0]]) == CGAL::NEGATIVE;
}

}  // namespace

std::size_t count_exact_intersections(const TriangleMesh& mesh) {
  using Box = CGAL::Box_intersection_d::Box_with_handle_d<double, 3, const std::size_t*>;
  std::vector<Point> points;
  for (const auto& v : mesh.vertices) points.emplace_back(v.x(), v.y(), v.z());
  std::vector<std::size_t> numbers(mesh.triangles.size());
  std::vector<Box> boxes;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = i;
    CGAL::Bbox_3 box;
    for (const std::int32_t v : mesh.triangles[i]) {
      const auto& p = mesh.vertices[v];
      box += CGAL::Bbox_3(p.x(), p.y(), p.z(), p.x(), p.y(), p.z());
    }
    boxes.emplace_back(box, &numbers[i]);
  }
  std::size_t bad = 0;
  CGAL::box_self_intersection_d(boxes.begin(), boxes.end(), [&](const Box& a, const Box& b) {
    bad += !meet_as_they_should(points, mesh.triangles[*a.handle()], mesh.triangles[*b.handle()]);
  });
  return bad;
}

bool is_closed_and_oriented(const TriangleMesh& mesh) {
  std::set<std::pair<std::int32_t, std::int32_t>> edges;
  for (const Triangle& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      if (!edges.insert({t[k], t[(k + 1) % 3]}).second) return false;
    }
  }
  return std::all_of(edges.begin(), edges.end(), [&](const auto& e) {
    return edges.count({e.second, e.first}) == 1;
  });
}

}  // namespace abut::preprocess
