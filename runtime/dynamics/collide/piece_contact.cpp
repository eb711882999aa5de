#include "runtime/dynamics/collide/piece_contact.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "runtime/bvh/traversal.h"
#include "runtime/dynamics/collide/asset_contact.h"
#include "runtime/dynamics/collide/contact_reduction.h"
#include "runtime/dynamics/collide/piece_faces.h"
#include "runtime/dynamics/collide/support_feature.h"
#include "runtime/witness/support.h"

namespace abut::dynamics {
namespace {

using Pair = PieceWorkspace::Pair;

constexpr double kRounding = 1e-9;  // relative to the size of an asset

// A feature has 20 bits for each piece and 20 for the point in their contact: the number given by
// clip_features, a vertex, or the witness point.
constexpr int kPointBits = 20, kPieceBits = 20;
constexpr std::uint64_t kVertexOfB = 1 << 16, kVertexOfA = 1 << 17, kWitness = kVertexOfB - 1;
// Numbers of clip_features: the bit for swapped bodies, and the first one of a point that is no corner of the
// incident polygon.
constexpr std::uint64_t kSwappedClip = 0x8000, kFirstCrossing = 256;

std::uint64_t feature_of(std::int32_t piece_A, std::int32_t piece_B, std::uint64_t point) {
  const auto number = [](std::int32_t piece) { return static_cast<std::uint64_t>(std::max(piece, 0)); };
  return (number(piece_A) << kPieceBits | number(piece_B)) << kPointBits | point;
}

bool of_pieces(const PlacedShape& shape) { return shape.kind == ShapeKind::kPieces; }

// One of two convex bodies in contact: a piece of an asset, or a primitive.
struct Side {
  const PlacedShape& shape;
  std::int32_t piece;  // -1 for a primitive
  SupportFeature facing = {};
  double area = std::numeric_limits<double>::infinity();  // of that face, m^2; infinite for a primitive
  bool inner = false;                                     // whether it is an inner face

  // Selects the face whose normal is closest to the direction.
  Side(const PlacedShape& placed, std::int32_t number, const Vec3<double>& direction_W)
      : shape(placed), piece(number) {
    if (piece < 0) {
      if (!smooth(shape)) facing = facing_feature(shape, direction_W);
      return;
    }
    const PieceFace& face = shape.faces->facing(piece, shape.X_WS.R.transpose() * direction_W);
    facing.size = face.size;
    facing.normal = shape.X_WS.R * face.normal;
    for (int k = 0; k < face.size; ++k) facing.corner[k] = shape.X_WS * face.corner[k];
    area = face.area;
    inner = face.inner;
  }
};

// Whether the direction is the normal of the face, within the angle of triangles that form one face.
bool along(const Side& side, const Vec3<double>& direction_W) {
  return side.facing.size > 2 && side.facing.normal.dot(direction_W) > kOneFace;
}

// Appends the vertices of the incident piece that lie over the reference polygon, seen along the normal n_W
// from A to B, each with its number. The vertices of one face only would miss some on which a nearly flat
// hull stands.
void add_vertices(const SupportFeature& reference, const Side& incident, const Vec3<double>& n_W,
                  bool swapped, double margin, std::vector<SurfacePoint>& points) {
  const asset::ConvexView& piece = incident.shape.body.geometry.pieces().convex[incident.piece];
  const double slope = std::abs(reference.normal.dot(n_W));
  const Vec3<double> up = swapped ? Vec3<double>(-n_W) : n_W;
  const auto over = [&](const Vec3<double>& p) {
    for (int k = 0; k < reference.size; ++k)
      if (PolygonSide(reference, k, up).height_of(p) > 0) return false;
    return true;
  };
  for (std::int32_t i = 0; i < piece.vertex_count; ++i) {
    const Vec3<double> p = incident.shape.X_WS * Vec3<double>(piece.x[i], piece.y[i], piece.z[i]);
    const double gap = reference.normal.dot(p - reference.corner[0]) / slope;
    if (gap <= margin && over(p))
      points.push_back({p + n_W * (swapped ? gap / 2 : -gap / 2), n_W, gap, 0.0,
                        (swapped ? kVertexOfA : kVertexOfB) | static_cast<std::uint64_t>(i)});
  }
}

// Appends the points that the reference's face shares with the other side.
void add_shared(const Side& reference, const Side& incident, const Vec3<double>& n_W, bool swapped,
                double margin, std::vector<SurfacePoint>& points) {
  const std::size_t first = points.size();
  if (incident.facing.size > 0)
    clip_features(reference.facing, incident.facing, n_W, swapped, margin, points);
  if (incident.piece < 0) return;
  points.erase(std::remove_if(points.begin() + static_cast<std::ptrdiff_t>(first), points.end(),
                              [](const SurfacePoint& p) {
                                return (p.feature & ~kSwappedClip) < kFirstCrossing;  // a vertex
                              }),
               points.end());
  add_vertices(reference.facing, incident, n_W, swapped, margin, points);
}

void add_pair(const PlacedShape& A, const PlacedShape& B, const witness::PiecesWitness& near, double margin,
              PieceWorkspace& workspace) {
  const Vec3<double> n_W = A.X_WS.R * near.witness.n;
  const Side a(A, near.piece_A, n_W), b(B, near.piece_B, -n_W);
  const bool across_A = lies_across(a.facing, n_W), across_B = lies_across(b.facing, -n_W);
  const Pair pair{near.piece_A,
                  near.piece_B,
                  n_W,
                  A.X_WS * near.witness.p1,
                  A.X_WS * near.witness.p2,
                  near.witness.distance,
                  workspace.found.size(),
                  along(a, n_W) || along(b, -n_W),
                  across_A && a.inner,
                  across_B && b.inner};
  std::vector<SurfacePoint>& points = workspace.found;
  if (across_A && (!across_B || a.area >= b.area))
    add_shared(a, b, n_W, false, margin, points);
  else if (across_B)
    add_shared(b, a, n_W, true, margin, points);
  if (misses_nearest(points, pair.first, pair.gap, A, B))
    points.push_back({(pair.p1_W + pair.p2_W) / 2, n_W, pair.gap, 0.0, kWitness});
  for (std::size_t k = pair.first; k < points.size(); ++k)
    points[k].feature = feature_of(pair.piece_A, pair.piece_B, points[k].feature);
  workspace.pairs.push_back(pair);
}

// Whether a piece of an asset contains the point p_W and extends from there along n_W.
bool goes_on(const PlacedShape& shape, std::int32_t piece, const Vec3<double>& p_W, const Vec3<double>& n_W) {
  const double rounding = kRounding * shape.half.norm();
  const Vec3<double> p = shape.X_WS.inverse() * p_W, n = shape.X_WS.R.transpose() * n_W;
  if (shape.faces->outside(piece, p) > rounding) return false;
  const asset::ConvexView& hull = shape.body.geometry.pieces().convex[piece];
  return n.dot(witness::support<double>(hull, n).point - p) > rounding;
}

// Whether a pair is redundant: there is a deeper pair with which it shares a piece, and the union of A's
// pieces, or of B's, does not have the pair's normal there. Pairs that are equally deep, to rounding, are
// kept.
bool redundant(const PlacedShape& A, const PlacedShape& B, const Pair& pair, std::span<const Pair> all) {
  const auto covered = [&](const PlacedShape& shape, std::int32_t piece, bool of_inner,
                           const Vec3<double>& p_W, const Vec3<double>& n_W) {
    return of_inner || (!pair.of_face && goes_on(shape, piece, p_W, n_W));
  };
  const double deeper = pair.gap - kRounding * std::min(A.half.norm(), B.half.norm());
  return std::any_of(all.begin(), all.end(), [&](const Pair& other) {
    if (!(other.gap < deeper)) return false;
    if (other.piece_B == pair.piece_B) return covered(A, other.piece_A, pair.of_inner_A, pair.p1_W, pair.n_W);
    return other.piece_A == pair.piece_A && covered(B, other.piece_B, pair.of_inner_B, pair.p2_W, -pair.n_W);
  });
}

// Appends the vertices of pieces near the plane, found by the tree of the pieces.
void plane_and_pieces(const PlacedShape& plane, const PlacedShape& B, double margin,
                      std::vector<SurfacePoint>& points) {
  const Vec3<double> n_W = plane.X_WS.R.col(2), n = B.X_WS.R.transpose() * n_W;
  const double height = n_W.dot(B.X_WS.p - plane.X_WS.p);
  const asset::PiecesView& pieces = B.body.geometry.pieces();
  const double rounding = kRounding * (B.half.norm() + B.p_SCenter.norm());
  const auto near = [&](const Vec3<double>& low, const Vec3<double>& high) {
    return n.dot(low + high) / 2 - n.cwiseAbs().dot(high - low) / 2 + height <= margin + rounding;
  };
  bvh::visit_boxes(pieces.tree, near, [&](std::int32_t first, std::int32_t count) {
    for (std::int32_t i = first; i < first + count; ++i) {
      const asset::ConvexView& piece = pieces.convex[i];
      for (std::int32_t k = 0; k < piece.vertex_count; ++k) {
        const Vec3<double> p(piece.x[k], piece.y[k], piece.z[k]);
        const double gap = n.dot(p) + height;
        if (gap <= margin)
          points.push_back({B.X_WS * p - gap / 2 * n_W, n_W, gap, 0.0,
                            feature_of(-1, i, kVertexOfB | static_cast<std::uint64_t>(k))});
      }
    }
  });
}

}  // namespace

void piece_points(const PlacedShape& A, const PlacedShape& B, double margin, PieceWorkspace& workspace,
                  std::vector<SurfacePoint>& points) {
  const std::size_t before = points.size();
  if (A.kind == ShapeKind::kPlane) {
    plane_and_pieces(A, B, margin, points);
  } else {
    const body::Geometry &of_A = A.body.geometry, &of_B = B.body.geometry;
    if (workspace.solver)
      workspace.solver->set(of_A, of_B);
    else
      workspace.solver.emplace(of_A, of_B);
    workspace.pairs.clear();
    workspace.found.clear();
    for (const witness::PiecesWitness& near : workspace.solver->up_to(A.X_WS.inverse() * B.X_WS, margin))
      add_pair(A, B, near, margin, workspace);
    const std::span<const Pair> pairs = workspace.pairs;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (redundant(A, B, pairs[i], pairs)) continue;
      const std::size_t end = i + 1 < pairs.size() ? pairs[i + 1].first : workspace.found.size();
      points.insert(points.end(), workspace.found.begin() + static_cast<std::ptrdiff_t>(pairs[i].first),
                    workspace.found.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }
  keep_spread(points, before, kMaxAssetPoints, (of_pieces(B) ? B : A).half.norm(), workspace.spread);
}

}  // namespace abut::dynamics
