#include "preprocess/pieces/exact_parts.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "preprocess/pieces/part.h"
#include "runtime/core/parallel.h"
#include "runtime/distance/surface_distance.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

constexpr std::size_t kMaxPlanes = 256;  // of a surface; scans have as many planes as triangles
constexpr std::size_t kMaxTriangles = 20'000;
constexpr double kLeastVolume = 1e-12;  // of a part, over the cube of the solid's size
constexpr double kSamePlane = 1e-9;     // difference of angles, rad, and of positions over the solid's size
constexpr double kLayer = 3e-5;         // thickness of discarded layers; above the growth in sound_union
constexpr double kLow = 1e-5;  // over the solid's size: rounding turns the normals of lower triangles

struct Cell {
  Part part;
  std::vector<Plane> cuts;  // the part is the intersection of the solid with these half-spaces
};

class Divider {
 public:
  Divider(const TriangleMesh& mesh, const asset::SurfaceView& surface, std::size_t most, double tolerance)
      : mesh_(mesh), surface_(surface), most_(most), tolerance_(tolerance) {
    const Eigen::Map<const Eigen::Matrix3Xd> points(surface.vertices, 3, surface.vertex_count);
    size_ = (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm();
    rounding_ = kSamePlane * size_;
  }

  ExactParts run() {
    if (mesh_.triangles.size() > kMaxTriangles || !find_planes()) return {};
    std::vector<Cell> open, convex;
    open.push_back({whole(mesh_), {}});
    while (!open.empty()) {
      Cell cell = std::move(open.back());
      open.pop_back();
      const Plane* plane = best_cut(cell.part);
      if (plane == nullptr) {
        convex.push_back(std::move(cell));
      } else {
        divide(cell, *plane, open);
      }
      if (open.size() + convex.size() > most_) return {};
    }
    ExactParts result;
    result.polytopes = grown(convex);
    for (Cell& cell : convex) result.parts.push_back(std::move(cell.part));
    std::move(slivers_.begin(), slivers_.end(), std::back_inserter(result.parts));
    return result;
  }

 private:
  bool same_plane(const Plane& p, const Plane& q) const {
    return (p.n - q.n).norm() < kSamePlane && std::abs(p.d - q.d) < rounding_;
  }

  // A triangle with its height above the longest side, m: the smaller the height, the less accurate its
  // normal.
  struct Facet {
    double height;
    std::array<Vector3d, 3> corners;
    Plane plane;
  };
  Facet facet(const Triangle& t) const {
    const auto &a = mesh_.vertices[t[0]], &b = mesh_.vertices[t[1]], &c = mesh_.vertices[t[2]];
    const Vector3d twice = (b - a).cross(c - a), n = twice.normalized();
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    return {twice.norm() / longest, {a, b, c}, {n, n.dot(a)}};
  }

  // Collects the planes of tall triangles first; flat triangles that lie in a known plane belong to it.
  // Returns false if there are too many planes.
  bool find_planes() {
    std::vector<Facet> facets;
    facets.reserve(mesh_.triangles.size());
    for (const Triangle& t : mesh_.triangles) facets.push_back(facet(t));
    std::stable_sort(facets.begin(), facets.end(),
                     [](const Facet& f, const Facet& g) { return f.height > g.height; });
    for (const Facet& f : facets) {
      if (!(f.height > rounding_)) break;
      const auto holds = [&](const Plane& p) {
        return same_plane(p, f.plane) ||
               (f.height < kLow * size_ && p.n.dot(f.plane.n) > 0 &&
                std::all_of(f.corners.begin(), f.corners.end(),
                            [&](const Vector3d& x) { return std::abs(p.height(x)) < rounding_; }));
      };
      if (std::any_of(planes_.begin(), planes_.end(), holds)) continue;
      if (planes_.size() == kMaxPlanes) return false;
      planes_.push_back(f.plane);
    }
    return true;
  }

  static std::pair<double, double> heights(const Polygons& polygons, std::size_t k, const Plane& plane) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (std::int32_t i = polygons.ends[k]; i < polygons.ends[k + 1]; ++i) {
      const double height = plane.height(polygons.points[i]);
      least = std::min(least, height);
      most = std::max(most, height);
    }
    return {least, most};
  }

  static Vector3d area_vector(const Polygons& polygons, std::size_t k) {
    const auto first = static_cast<std::size_t>(polygons.ends[k]),
               end = static_cast<std::size_t>(polygons.ends[k + 1]);
    Vector3d sum = Vector3d::Zero();
    for (std::size_t i = first + 1; i + 1 < end; ++i)
      sum += (polygons.points[i] - polygons.points[first])
                 .cross(polygons.points[i + 1] - polygons.points[first]);
    return sum / 2;
  }

  // Whether a polygon in a plane has the solid behind it, and is more than a remnant of rounding.
  bool faces_along(const Polygons& polygons, std::size_t k, const Plane& plane) const {
    return area_vector(polygons, k).dot(plane.n) > rounding_ * size_;
  }

  // A part's relation to a plane: whether it has faces in the plane and points on both sides, and the area of
  // the faces that the plane divides, m^2.
  struct Along {
    bool face = false, behind = false, before = false;
    double divided = 0;
  };

  Along along(const Part& part, const Plane& plane) const {
    Along result;
    for (std::size_t k = 0; k < part.surface.size(); ++k) {
      const auto [least, most] = heights(part.surface, k, plane);
      result.before |= most > tolerance_;
      result.behind |= least < -rounding_;
      if (most > rounding_ && least < -rounding_)
        result.divided += area_vector(part.surface, k).norm();
      else if (most <= rounding_ && least >= -rounding_)
        result.face |= faces_along(part.surface, k, plane);
    }
    for (const Vector3d& p : part.corners) result.before |= plane.height(p) > tolerance_;
    return result;
  }

  // Of the planes of faces with some of the part in front of them, the one that divides the least area of
  // faces; null if the part is convex.
  const Plane* best_cut(const Part& part) const {
    const Plane* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const Plane& plane : planes_) {
      const Along found = along(part, plane);
      if (!found.face || !found.behind || !found.before || found.divided >= least) continue;
      best = &plane;
      least = found.divided;
    }
    return best;
  }

  std::pair<Part, Part> sides(const Part& part, const Plane& plane) const {
    auto result = cut(part, plane, [&](const Vector3d& p) {
      return distance::signed_distance<double>(surface_, p).distance < -rounding_;
    });
    add_corners(plane, result.first);
    add_corners(plane, result.second);
    drop_touching(plane, result.first.surface);
    drop_touching({-plane.n, -plane.d}, result.second.surface);
    return result;
  }

  // Adds corners of the cell in the plane that lie on the surface, with the part next to them: the faces that
  // contain them may have been dropped.
  void add_corners(const Plane& plane, Part& part) const {
    constexpr double kBeside = 1e-6;  // fraction of the way to the centre of the cell
    const Polygons& cell = part.cell;
    if (cell.size() == 0) return;
    const std::size_t face = cell.size() - 1;
    const auto [least, most] = heights(cell, face, plane);
    if (most > rounding_ || least < -rounding_) return;
    Vector3d middle = Vector3d::Zero();
    for (const Vector3d& p : cell.points) middle += p / static_cast<double>(cell.points.size());
    for (std::int32_t i = cell.ends[face]; i < cell.ends[face + 1]; ++i) {
      const Vector3d& p = cell.points[i];
      if (std::abs(distance::signed_distance<double>(surface_, p).distance) > rounding_) continue;
      const Vector3d beside = p + kBeside * (middle - p);
      if (distance::signed_distance<double>(surface_, beside).distance < 0) part.corners.push_back(p);
    }
  }

  // Of the faces in the plane keeps only those with the solid behind them.
  void drop_touching(const Plane& plane, Polygons& faces) const {
    Polygons kept;
    for (std::size_t k = 0; k < faces.size(); ++k) {
      const auto [least, most] = heights(faces, k, plane);
      if (most <= rounding_ && least >= -rounding_ && !faces_along(faces, k, plane)) continue;
      kept.points.insert(kept.points.end(), faces.points.begin() + faces.ends[k],
                         faces.points.begin() + faces.ends[k + 1]);
      kept.close();
    }
    faces = std::move(kept);
  }

  void divide(const Cell& cell, const Plane& plane, std::vector<Cell>& open) {
    auto [behind, before] = sides(cell.part, plane);
    Cell first{std::move(behind), cell.cuts}, second{std::move(before), cell.cuts};
    first.cuts.push_back(plane);
    second.cuts.push_back({-plane.n, -plane.d});
    for (Cell* half : {&first, &second}) {
      if (!layer(*half) && solid(hull_of(half->part)))
        open.push_back(std::move(*half));
      else
        slivers_.push_back(std::move(half->part));
    }
  }

  // Whether a part is only a thin layer along one of the planes that cut it off. Its hull might contain much
  // that is not solid.
  bool layer(const Cell& cell) const {
    return std::any_of(cell.cuts.begin(), cell.cuts.end(), [&](const Plane& plane) {
      const auto beside = [&](const Vector3d& p) { return std::abs(plane.height(p)) < kLayer * size_; };
      return std::all_of(cell.part.surface.points.begin(), cell.part.surface.points.end(), beside) &&
             std::all_of(cell.part.corners.begin(), cell.part.corners.end(), beside);
    });
  }

  // Whether a hull is more than the remnant of a face after rounding.
  bool solid(const Polytope& hull) const {
    return !hull.flat() && hull.volume() > kLeastVolume * size_ * size_ * size_;
  }

  // Grows a part: removes those of its cuts without which it is still convex.
  Polytope grow(const Cell& cell) const {
    Part part = cell.part;
    std::vector<Plane> cuts = cell.cuts;
    for (std::size_t k = cuts.size(); k-- > 0;) {
      Part larger = whole(mesh_);
      for (std::size_t i = 0; i < cuts.size(); ++i)
        if (i != k) larger = sides(larger, cuts[i]).first;
      if (best_cut(larger) != nullptr) continue;
      part = std::move(larger);
      cuts.erase(cuts.begin() + static_cast<std::ptrdiff_t>(k));
    }
    return hull_of(part);
  }

  bool within(const Polytope& part, const Polytope& other) const {
    return std::all_of(part.vertices.begin(), part.vertices.end(),
                       [&](const Vector3d& p) { return other.height(p) <= rounding_; });
  }

  // Grows all parts and keeps those that are not contained in another.
  std::vector<Polytope> grown(const std::vector<Cell>& cells) const {
    std::vector<Polytope> parts(cells.size());
    parallel_for(static_cast<std::int64_t>(cells.size()), 0,
                 [&](std::int64_t i, int) { parts[i] = grow(cells[i]); });
    std::vector<Polytope> kept;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto holds = [&](const Polytope& other) { return within(parts[i], other); };
      if (std::none_of(kept.begin(), kept.end(), holds) &&
          std::none_of(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1, parts.end(), holds))
        kept.push_back(parts[i]);
    }
    return kept;
  }

  const TriangleMesh& mesh_;
  const asset::SurfaceView& surface_;
  std::size_t most_;
  double tolerance_;
  double size_ = 0, rounding_ = 0;  // m
  std::vector<Plane> planes_;
  std::vector<Part> slivers_;  // remnants of rounding
};

}  // namespace

ExactParts exact_parts(const TriangleMesh& mesh, const asset::SurfaceView& surface, std::size_t most,
                       double tolerance) {
  return Divider(mesh, surface, most, tolerance).run();
}

}  // namespace abut::preprocess
