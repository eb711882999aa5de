#include "runtime/dynamics/collide/piece_faces.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "runtime/core/error.h"
#include "runtime/math/tangent_basis.h"

namespace abut::dynamics {
namespace {

constexpr double kCovered = 1e-6;    // relative to sqrt(area of a face): height above it of coverage tests
constexpr double kStraight = 1e-9;   // sine of the largest turning angle at a point that is no corner
constexpr double kFromCorner = 0.9;  // position of coverage tests from a face's middle to its corners
constexpr std::int32_t kMaxPieces = 1 << 20, kMaxPieceVertices = 1 << 16;

Vec3<double> vertex_of(const asset::ConvexView& piece, std::int32_t i) {
  return {piece.x[i], piece.y[i], piece.z[i]};
}

Vec3<double> middle_of(const PieceFace& face) {
  Vec3<double> sum = Vec3<double>::Zero();
  for (int k = 0; k < face.size; ++k) sum += face.corner[static_cast<std::size_t>(k)];
  return sum / face.size;
}

using Flat = Eigen::Vector2d;  // a point in a face's plane, m

double cross(const Flat& a, const Flat& b) { return a.x() * b.y() - a.y() * b.x(); }

// Returns the corners of the points' convex hull, counter-clockwise. Reorders the points.
std::vector<Flat> corners_of(std::vector<Flat>& points) {
  std::sort(points.begin(), points.end(),
            [](const Flat& p, const Flat& q) { return p.x() != q.x() ? p.x() < q.x() : p.y() < q.y(); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::vector<Flat> hull;
  for (int half = 0; half < 2; ++half) {  // lower hull from left to right, then the upper one back
    const std::size_t first = hull.size();
    for (const Flat& p : points) {
      while (hull.size() > first + 1) {
        const Flat before = hull.back() - hull[hull.size() - 2], after = p - hull.back();
        if (cross(before, after) > kStraight * before.norm() * after.norm()) break;
        hull.pop_back();
      }
      hull.push_back(p);
    }
    hull.pop_back();  // it is the first point of the other half
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

// Keeps at most kRimCorners corners: those farthest in kRimCorners directions, starting with that of the
// diameter. At least three remain: the diameter's ends and the corner farthest from it.
void thin_out(std::vector<Flat>& corners) {
  if (corners.size() <= kRimCorners) return;
  Flat way = Flat::Zero();
  for (const Flat& p : corners)
    for (const Flat& q : corners)
      if ((q - p).squaredNorm() > way.squaredNorm()) way = q - p;
  std::vector<bool> kept(corners.size());
  for (int k = 0; k < kRimCorners; ++k) {
    const Flat turned = Eigen::Rotation2Dd(2 * std::numbers::pi * k / kRimCorners) * way;
    const auto farthest = std::max_element(corners.begin(), corners.end(), [&](const Flat& p, const Flat& q) {
      return turned.dot(p) < turned.dot(q);
    });
    kept[static_cast<std::size_t>(farthest - corners.begin())] = true;
  }
  std::vector<Flat> left;
  for (std::size_t i = 0; i < corners.size(); ++i)
    if (kept[i]) left.push_back(corners[i]);
  corners.swap(left);
}

// Sets the corners of the convex hull of the triangles' vertices in the face's plane.
void set_corners(const asset::ConvexView& piece, std::span<const std::int32_t> vertices, PieceFace& face) {
  const Vec3<double> u = face.normal.unitOrthogonal(), v = face.normal.cross(u);
  const Vec3<double> start = vertex_of(piece, vertices.front());
  std::vector<Flat> points;
  for (const std::int32_t i : vertices) {
    const Vec3<double> p = vertex_of(piece, i) - start;
    points.emplace_back(u.dot(p), v.dot(p));
  }
  std::vector<Flat> corners = corners_of(points);
  thin_out(corners);
  for (const Flat& corner : corners) {
    const Vec3<double> p = start + corner.x() * u + corner.y() * v;
    face.corner[static_cast<std::size_t>(face.size++)] = p - above(face, p) * face.normal;
  }
}

}  // namespace

PieceFaces::PieceFaces(const body::Geometry& asset) {
  const asset::PiecesView& pieces = asset.pieces();
  const auto fits = [](const asset::ConvexView& piece) { return piece.vertex_count <= kMaxPieceVertices; };
  if (pieces.piece_count > kMaxPieces ||
      !std::all_of(pieces.convex, pieces.convex + pieces.piece_count, fits))
    throw InvalidInput("asset '" + asset.name() + "': contact takes up to " + std::to_string(kMaxPieces) +
                       " convex pieces of up to " + std::to_string(kMaxPieceVertices) + " vertices");
  for (std::int32_t i = 0; i < pieces.piece_count; ++i) {
    add_piece(pieces.convex[i]);
    if (of(i).empty())
      throw InvalidInput("asset '" + asset.name() + "': its piece " + std::to_string(i) + " is flat");
  }
  find_inner(pieces);
}

void PieceFaces::add_piece(const asset::ConvexView& piece) {
  struct Triangle {
    Vec3<double> normal;  // times twice the area
    std::int32_t index;
  };
  std::vector<Triangle> left;
  for (std::int32_t t = 0; t < piece.triangle_count; ++t) {
    const std::int32_t* const corners = piece.triangles + 3 * std::ptrdiff_t(t);
    const Vec3<double> a = vertex_of(piece, corners[0]);
    const Vec3<double> normal =
        (vertex_of(piece, corners[1]) - a).cross(Vec3<double>(vertex_of(piece, corners[2]) - a));
    if (normal.norm() > 0) left.push_back({normal, t});
  }
  std::stable_sort(left.begin(), left.end(), [](const Triangle& s, const Triangle& t) {
    return s.normal.squaredNorm() > t.normal.squaredNorm();
  });
  std::vector<std::int32_t> vertices;
  while (!left.empty()) {  // merges the largest triangle left and all in its plane
    const Vec3<double> of_seed = left.front().normal.normalized();
    Vec3<double> sum = Vec3<double>::Zero();
    vertices.clear();
    std::erase_if(left, [&](const Triangle& t) {
      if (!(t.normal.dot(of_seed) > kOneFace * t.normal.norm())) return false;
      sum += t.normal;
      const std::int32_t* const corners = piece.triangles + 3 * std::ptrdiff_t(t.index);
      vertices.insert(vertices.end(), corners, corners + 3);
      return true;
    });
    PieceFace face;
    face.normal = sum.normalized();
    face.area = sum.norm() / 2;
    face.height = -std::numeric_limits<double>::infinity();
    for (std::int32_t i = 0; i < piece.vertex_count; ++i)
      face.height = std::max(face.height, face.normal.dot(vertex_of(piece, i)));
    set_corners(piece, vertices, face);
    if (face.size > 2) faces_.push_back(face);
  }
  first_.push_back(static_cast<std::int32_t>(faces_.size()));
}

// A face is inner where the points just above its middle and near its corners lie in pieces that touch its
// own.
void PieceFaces::find_inner(const asset::PiecesView& pieces) {
  for (std::int32_t i = 0; i < pieces.piece_count; ++i) {
    const std::span<const std::int32_t> neighbours(
        pieces.adjacency + pieces.adjacency_offsets[i],
        static_cast<std::size_t>(pieces.adjacency_offsets[i + 1] - pieces.adjacency_offsets[i]));
    const std::size_t first = static_cast<std::size_t>(first_[static_cast<std::size_t>(i)]);
    const std::size_t end = static_cast<std::size_t>(first_[static_cast<std::size_t>(i) + 1]);
    for (std::size_t f = first; f < end; ++f) {
      PieceFace& face = faces_[f];
      const Vec3<double> middle = middle_of(face);
      const Vec3<double> up = kCovered * std::sqrt(face.area) * face.normal;
      const auto covered = [&](const Vec3<double>& p) {
        return std::any_of(neighbours.begin(), neighbours.end(),
                           [&](std::int32_t other) { return outside(other, p) <= 0; });
      };
      face.inner = covered(middle + up);
      for (int k = 0; k < face.size && face.inner; ++k)
        face.inner = covered(middle + kFromCorner * (face.corner[static_cast<std::size_t>(k)] - middle) + up);
    }
  }
}

const PieceFace& PieceFaces::facing(std::int32_t piece, const Vec3<double>& direction) const {
  const std::span<const PieceFace> faces = of(piece);
  return *std::max_element(faces.begin(), faces.end(), [&](const PieceFace& f, const PieceFace& g) {
    return f.normal.dot(direction) < g.normal.dot(direction);
  });
}

double PieceFaces::outside(std::int32_t piece, const Vec3<double>& p) const {
  double most = -std::numeric_limits<double>::infinity();
  for (const PieceFace& face : of(piece)) most = std::max(most, above(face, p));
  return most;
}

}  // namespace abut::dynamics
