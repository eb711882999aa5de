#include "preprocess/mesh/measure.h"

#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Simple_cartesian.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <queue>

#include "preprocess/mesh/weld.h"

namespace abut::preprocess {
namespace {

constexpr std::size_t kMaxRefined = 200'000;

using Vec3 = Eigen::Vector3d;
using Corners = std::array<Vec3, 3>;
using Kernel = CGAL::Simple_cartesian<double>;
using Iterator = std::vector<Kernel::Triangle_3>::const_iterator;
using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, CGAL::AABB_triangle_primitive<Kernel, Iterator>>>;

double distance_to_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 e = b - a;
  const double length2 = e.squaredNorm();
  const double s = length2 > 0 ? std::clamp((p - a).dot(e) / length2, 0.0, 1.0) : 0.0;
  return (p - a - s * e).norm();
}

// Accurate for slivers too: the interior counts only where the projection is clearly inside.
double distance_to_triangle(const Vec3& p, const Corners& t) {
  double best = std::min({distance_to_segment(p, t[0], t[1]), distance_to_segment(p, t[1], t[2]),
                          distance_to_segment(p, t[2], t[0])});
  const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]);
  const double n2 = n.squaredNorm();
  if (!(n2 > 0)) return best;
  for (int k = 0; k < 3; ++k) {
    if ((t[(k + 1) % 3] - t[k]).cross(p - t[k]).dot(n) < 0) return best;
  }
  return std::min(best, std::abs((p - t[0]).dot(n)) / std::sqrt(n2));
}

class ClosestTriangle {
 public:
  explicit ClosestTriangle(const TriangleMesh& mesh) {
    for (const Triangle& t : mesh.triangles) {
      const Corners c{mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]};
      // Collapsed triangles break the tree; without them distances can only become larger.
      if (!((c[1] - c[0]).cross(c[2] - c[0]).squaredNorm() > 0)) continue;
      triangles_.emplace_back(point(c[0]), point(c[1]), point(c[2]));
    }
    tree_.insert(triangles_.cbegin(), triangles_.cend());
    tree_.build();
  }

  bool empty() const { return triangles_.empty(); }

  Corners operator()(const Vec3& p) const {
    const auto& t = *tree_.closest_point_and_primitive(point(p)).second;
    return {vec(t[0]), vec(t[1]), vec(t[2])};
  }

 private:
  static Kernel::Point_3 point(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
  static Vec3 vec(const Kernel::Point_3& p) { return {p.x(), p.y(), p.z()}; }

  std::vector<Kernel::Triangle_3> triangles_;
  Tree tree_;
};

// A triangle, or a part of one, with an upper bound of the distance of its points from the other mesh.
struct Part {
  Corners corners;
  double upper;
  bool operator<(const Part& other) const { return upper < other.upper; }
};

// The corner from which the longest edge starts if that is much longer than the shortest one, else -1.
int long_edge(const Corners& t) {
  constexpr double kNeedle = 3;
  const double squares[] = {(t[1] - t[0]).squaredNorm(), (t[2] - t[1]).squaredNorm(),
                            (t[0] - t[2]).squaredNorm()};
  const auto [least, most] = std::minmax_element(std::begin(squares), std::end(squares));
  return *most > kNeedle * kNeedle * *least ? static_cast<int>(most - squares) : -1;
}

// Best-first search: the part with the largest bound is refined until the bound is within the tolerance of a
// distance that was found: needles are halved, others quartered.
double largest_distance(const std::vector<Corners>& from, const ClosestTriangle& closest, double tolerance) {
  double found = 0,
         settled = 0;  // found: attained at some point; settled: upper bound over finished parts
  std::priority_queue<Part> parts;
  const auto examine = [&](const Corners& t) {
    const Vec3 centroid = (t[0] + t[1] + t[2]) / 3;
    const Corners near = closest(centroid);
    const double d = distance_to_triangle(centroid, near);
    found = std::max(found, d);
    double radius = 0, at_vertices = 0;
    for (const Vec3& v : t) {
      radius = std::max(radius, (v - centroid).norm());
      at_vertices = std::max(at_vertices, distance_to_triangle(v, near));
    }
    const double upper = std::min(d + radius, at_vertices);
    if (upper > found + tolerance) {
      parts.push({t, upper});
    } else {
      settled = std::max(settled, upper);
    }
  };
  for (const Corners& t : from) examine(t);
  for (std::size_t refined = 0; !parts.empty() && refined < kMaxRefined; ++refined) {
    const Part part = parts.top();
    if (part.upper <= found + tolerance) break;
    parts.pop();
    const Corners& t = part.corners;
    if (const int k = long_edge(t); k >= 0) {
      const Vec3 middle = (t[k] + t[(k + 1) % 3]) / 2, &opposite = t[(k + 2) % 3];
      examine({t[k], middle, opposite});
      examine({middle, t[(k + 1) % 3], opposite});
      continue;
    }
    const auto& [a, b, c] = t;
    const Vec3 ab = (a + b) / 2, bc = (b + c) / 2, ca = (c + a) / 2;
    for (const Corners& quarter :
         {Corners{a, ab, ca}, Corners{ab, b, bc}, Corners{ca, bc, c}, Corners{ab, bc, ca}}) {
      examine(quarter);
    }
  }
  return std::max({found, settled, parts.empty() ? 0.0 : parts.top().upper});
}

Triangle sorted(Triangle t) {
  std::sort(t.begin(), t.end());
  return t;
}

// The faces of each mesh that the other does not have.
void find_differences(const TriangleMesh& A, const TriangleMesh& B, std::vector<Corners>& only_A,
                      std::vector<Corners>& only_B) {
  TriangleMesh both = A;
  const auto shift = static_cast<std::int32_t>(A.vertices.size());
  both.vertices.insert(both.vertices.end(), B.vertices.begin(), B.vertices.end());
  for (const Triangle& t : B.triangles) both.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  const TriangleMesh joint = weld(both).mesh;
  const auto split = joint.triangles.begin() + static_cast<std::ptrdiff_t>(A.triangles.size());
  std::vector<Triangle> keys_A, keys_B;
  std::transform(joint.triangles.begin(), split, std::back_inserter(keys_A), sorted);
  std::transform(split, joint.triangles.end(), std::back_inserter(keys_B), sorted);
  std::sort(keys_A.begin(), keys_A.end());
  std::sort(keys_B.begin(), keys_B.end());
  for (auto t = joint.triangles.begin(); t != joint.triangles.end(); ++t) {
    const auto& other = t < split ? keys_B : keys_A;
    if (std::binary_search(other.begin(), other.end(), sorted(*t))) continue;
    (t < split ? only_A : only_B)
        .push_back({joint.vertices[(*t)[0]], joint.vertices[(*t)[1]], joint.vertices[(*t)[2]]});
  }
}

double one_sided(const std::vector<Corners>& from, const TriangleMesh& to, double tolerance) {
  if (from.empty()) return 0;
  const ClosestTriangle closest(to);
  if (closest.empty()) return std::numeric_limits<double>::infinity();
  return largest_distance(from, closest, tolerance);
}

}  // namespace

Hausdorff hausdorff(const TriangleMesh& A, const TriangleMesh& B, double tolerance) {
  std::vector<Corners> only_A, only_B;
  find_differences(A, B, only_A, only_B);
  return {one_sided(only_A, B, tolerance), one_sided(only_B, A, tolerance)};
}

}  // namespace abut::preprocess
