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

constexpr std::size_t kMaxPlanes = 256;  // of a surface; scans have as many as triangles
constexpr std::size_t kMaxTriangles = 20'000;
constexpr double kLeastVolume = 1e-12;  // of a part, of the cube of the solid's size
constexpr double kSamePlane = 1e-9;     // of angles, rad, and of the size of the solid
constexpr double kLayer = 3e-5;         // of the size of the solid: what parts are grown by to unite them
constexpr double kLow = 1e-5;  // height of a triangle whose corners' rounding turns its normal by more

struct Cell {
  Part part;
  std::vector<Plane> cuts;  // the part is what of the solid is behind these
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

  // A triangle with its height over the longest side, m: the lower, the less its corners tell of the normal.
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

  // Planes of high triangles first; what is low and lies in one of them is of that one. False where there are
  // too many.
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

  // Whether a polygon in a plane has the solid behind that, and is more than what rounding leaves of a face.
  bool faces_along(const Polygons& polygons, std::size_t k, const Plane& plane) const {
    return area_vector(polygons, k).dot(plane.n) > rounding_ * size_;
  }

  // Of a part along a plane: whether it has faces in it and points on both sides, and the area of the faces
  // that the plane divides, m^2.
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

  // Of the planes of faces that have some of the part before them the one that divides least; null where the
  // part is convex.
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

  // Corners of the cell in the plane that are on the surface, where the part is beside them: those faces that
  // they are on may have been dropped.
  void add_corners(const Plane& plane, Part& part) const {
    constexpr double kBeside = 1e-6;  // of the way to the middle of the cell
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

  // Of the faces in the plane those stay that have the solid behind it.
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

  // Whether a part is no more than a layer along one of the planes that cut it off. Its hull might span much
  // that is no solid.
  bool layer(const Cell& cell) const {
    return std::any_of(cell.cuts.begin(), cell.cuts.end(), [&](const Plane& plane) {
      const auto beside = [&](const Vector3d& p) { return std::abs(plane.height(p)) < kLayer * size_; };
      return std::all_of(cell.part.surface.points.begin(), cell.part.surface.points.end(), beside) &&
             std::all_of(cell.part.corners.begin(), cell.part.corners.end(), beside);
    });
  }

  // Whether it is more than what rounding makes of a face.
  bool solid(const Polytope& hull) const {
    return !hull.flat() && hull.volume() > kLeastVolume * size_ * size_ * size_;
  }

  // The part without those of its cuts without which it is convex, too.
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

  // Those that none of the others holds.
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
  std::vector<Part> slivers_;  // what rounding cuts off
};

}  // namespace

ExactParts exact_parts(const TriangleMesh& mesh, const asset::SurfaceView& surface, std::size_t most,
                       double tolerance) {
  return Divider(mesh, surface, most, tolerance).run();
}

}  // namespace abut::preprocess
