#include "preprocess/pieces/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "preprocess/index/index.h"
#include "preprocess/pieces/thin_out.h"
#include "runtime/bvh/build.h"
#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/witness/separation.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

// Triangles that the search looks at; what it finds is measured against all of them.
constexpr std::size_t kSearchTriangles = 2500;
// Of the error: how far inside the surface the search sees it, so that pieces may be less curved outside; how
// far pieces may be from their hulls for the sake of fewer vertices.
constexpr double kInset = 0.6, kReduced = 0.3;
// The search aims at this part of the error, since a lattice misses some of what is outside.
constexpr double kAim = 0.9;
constexpr int kMaxRounds = 2;
// Parts that the search cuts at most, for each piece that is allowed.
constexpr std::size_t kPartsPerPiece = 4;

bool in_solid(const asset::SurfaceView& surface, const Vector3d& p) {
  return distance::signed_distance<double>(surface, p).distance < 0;
}

// The mesh with fewer triangles, moved inside by `depth` (m), less where the solid is thin.
TriangleMesh inset(const TriangleMesh& mesh, const asset::SurfaceView& surface, double depth) {
  const asset::Surface thin = build_surface(thin_out(mesh, kSearchTriangles));
  TriangleMesh result;
  for (std::size_t i = 0; i < thin.vertices.size(); i += 3) {
    const Vector3d p = Vector3d::Map(&thin.vertices[i]), n = Vector3d::Map(&thin.vertex_normals[i]);
    double d = depth;
    const auto fits = [&] {
      return distance::signed_distance<double>(surface, p - d * n).distance <= -d / 2;
    };
    while (d > depth / 10 && !fits()) d /= 2;
    result.vertices.push_back(d > depth / 10 ? Vector3d(p - d * n) : p);
  }
  for (std::size_t i = 0; i < thin.triangles.size(); i += 3)
    result.triangles.push_back({thin.triangles[i], thin.triangles[i + 1], thin.triangles[i + 2]});
  return result;
}

// Points whose hull holds each part of the solid itself, cut as that of the search was.
std::vector<std::vector<Vector3d>> corners_of_parts(const TriangleMesh& mesh,
                                                    const asset::SurfaceView& surface,
                                                    const std::vector<CutMade>& cuts) {
  std::vector<Part> parts{whole(mesh)};
  for (const CutMade& made : cuts) {
    auto [behind, before] =
        cut(parts[made.of], made.plane, [&](const Vector3d& p) { return in_solid(surface, p); });
    parts[made.of] = std::move(behind);
    parts.push_back(std::move(before));
  }
  std::vector<std::vector<Vector3d>> result(parts.size());
  parallel_for(static_cast<std::int64_t>(parts.size()), 0, [&](std::int64_t i, int) {
    Polytope hull = hull_of(parts[i]);
    result[i] = std::move(hull.flat() ? parts[i].surface.points : hull.vertices);
  });
  return result;
}

struct Pieces {
  std::vector<Polytope> polytopes;
  double outward = std::numeric_limits<double>::infinity(), inward = outward;  // m

  double error() const { return std::max(outward, inward); }
};

class Maker {
 public:
  Maker(const TriangleMesh& mesh, const asset::SurfaceView& surface, const PieceParameters& parameters,
        const PieceProgress& progress)
      : mesh_(mesh),
        surface_(surface),
        parameters_(parameters),
        progress_(progress),
        lattice_(surface, parameters.error) {}

  Pieces run() {
    Pieces best;
    double aim = kAim * parameters_.error;
    const TriangleMesh seen = inset(mesh_, surface_, kInset * parameters_.error);
    for (int round = 0; round < kMaxRounds; ++round) {
      // More parts of the same, unless there are too many: then afresh.
      if (parts_.empty()) {
        parts_.push_back({whole(seen), {}, {}, 0});
        if (hull_of(parts_.front().part).flat()) parts_.front().part = whole(mesh_);  // thinned to nothing
        parts_.front().hull = hull_of(parts_.front().part);
      }
      for (HulledPart& part : parts_) part.over = lattice_.overreach(part.hull, aim);
      cut_parts(surface_, lattice_, aim, kPartsPerPiece * static_cast<std::size_t>(parameters_.count), parts_,
                cuts_, progress_);
      Pieces found = unite(aim);
      const bool too_many = found.outward > 2 * aim;
      if (found.error() < best.error()) best = found;
      if (best.error() <= parameters_.error) break;
      aim = too_many ? 0.7 * found.outward
                     : aim * std::clamp(kAim * parameters_.error / found.error(), 0.5, 0.9);
      if (!too_many) continue;
      parts_.clear();
      cuts_.clear();
    }
    return best;
  }

 private:
  Pieces unite(double aim) {
    std::vector<Polytope> hulls;
    for (const HulledPart& part : parts_) hulls.push_back(part.hull);
    const std::vector<United> united =
        unite_hulls(lattice_, aim, static_cast<std::size_t>(parameters_.count), std::move(hulls), progress_);
    progress_("measuring");
    const std::vector<std::vector<Vector3d>> corners = corners_of_parts(mesh_, surface_, cuts_);
    Pieces found;
    found.polytopes.resize(united.size());
    std::vector<double> left_out(united.size());
    parallel_for(static_cast<std::int64_t>(united.size()), 0, [&](std::int64_t i, int) {
      std::vector<Vector3d> points;
      for (const std::size_t part : united[i].parts)
        points.insert(points.end(), corners[parts_[part].number].begin(), corners[parts_[part].number].end());
      found.polytopes[i] = fit(united[i].hull, points, aim, left_out[i]);
    });
    found.inward = *std::max_element(left_out.begin(), left_out.end());
    found.outward = outward_error(surface_, found.polytopes, parameters_.error / 4).most;
    return found;
  }

  // The hull of `points`, which holds all of a part of the solid, where it reaches no farther outside than
  // `aim`; otherwise `hull`, which was seen deeper inside, with more of the solid where too much is left out.
  Polytope fit(const Polytope& hull, const std::vector<Vector3d>& points, double aim,
               double& left_out) const {
    const double reduced = kReduced * parameters_.error, most = 0.95 * parameters_.error;
    Polytope result = make_polytope(points);
    if (!result.flat()) {
      result = reduce(result, parameters_.vertices, reduced);
      left_out = farthest(result, points).first;
      if (left_out <= most && lattice_.overreach(result, aim).worst <= aim) return result;
    }
    result = reduce(hull, parameters_.vertices, reduced);
    for (int more = 0; more < parameters_.vertices; ++more) {
      const auto [away, point] = farthest(result, points);
      if (away <= most || static_cast<int>(result.vertices.size()) >= parameters_.vertices) break;
      const Vector3d nearest = result.nearest(point);
      std::vector<Vector3d> corners = result.vertices;
      corners.push_back(nearest + (1 - 0.9 * most / away) * (point - nearest));
      result = make_polytope(corners);
    }
    left_out = farthest(result, points).first;
    return result;
  }

  const TriangleMesh& mesh_;
  const asset::SurfaceView& surface_;
  const PieceParameters& parameters_;
  const PieceProgress& progress_;
  OutsideLattice lattice_;
  std::vector<HulledPart> parts_;
  std::vector<CutMade> cuts_;
};

// Pieces at most `gap` (m) apart, row by row.
void add_adjacency(const std::vector<asset::ConvexPiece>& convex, double gap, asset::Pieces& pieces) {
  pieces.adjacency_offsets.assign(1, 0);
  for (std::size_t i = 0; i < convex.size(); ++i) {
    for (std::size_t j = 0; j < convex.size(); ++j) {
      if (i == j) continue;
      const asset::ConvexView a = asset::view(convex[std::min(i, j)]),
                              b = asset::view(convex[std::max(i, j)]);
      if (witness::separation(a, b, Pose<double>{}).distance <= gap)
        pieces.adjacency.push_back(static_cast<std::int32_t>(j));
    }
    pieces.adjacency_offsets.push_back(static_cast<std::int32_t>(pieces.adjacency.size()));
  }
}

ConvexPieces indexed(const Pieces& found) {
  std::vector<bvh::Box> boxes;
  for (const Polytope& p : found.polytopes) boxes.push_back({p.low, p.high});
  const bvh::BuiltTree built = bvh::build_tree(boxes, 1);
  ConvexPieces result;
  for (const std::int32_t i : built.order)
    result.convex.push_back(build_convex_piece(found.polytopes[i].vertices));
  result.pieces.tree = built.tree;
  result.pieces.errors = {found.outward, found.inward};
  add_adjacency(result.convex, 2 * found.inward, result.pieces);
  return result;
}

}  // namespace

std::string PieceParameters::text() const {
  return kind == Kind::kNone ? "none" : kind == Kind::kAuto ? "auto" : fmt::format("{}", count);
}

void set_pieces(const std::string& text, PieceParameters& parameters) {
  using Kind = PieceParameters::Kind;
  parameters.count = kAutoPieces;
  if (text == "none" || text == "auto") {
    parameters.kind = text == "none" ? Kind::kNone : Kind::kAuto;
    return;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parameters.count);
  if (error != std::errc() || end != text.data() + text.size() || parameters.count < 1 ||
      parameters.count > kMaxPieces)
    throw InvalidInput(
        fmt::format("--pieces {}: give their largest number, 1 to {}, auto or none", text, kMaxPieces));
  parameters.kind = Kind::kCount;
}

ConvexPieces make_pieces(const TriangleMesh& mesh, const asset::SurfaceView& surface,
                         const PieceParameters& parameters, Report& report, const PieceProgress& progress) {
  const Pieces found = Maker(mesh, surface, parameters, progress).run();
  if (found.error() > parameters.error)
    report.warnings.push_back(fmt::format(
        "{} convex pieces reach {:.3g} m outside and leave out {:.3g} m, more than the {:g} m wished for; "
        "--pieces gives more of them, --piece-vertices finer ones",
        found.polytopes.size(), found.outward, found.inward, parameters.error));
  std::size_t vertices = 0;
  for (const Polytope& p : found.polytopes) vertices += p.vertices.size();
  report.measures["pieces"] = static_cast<double>(found.polytopes.size());
  report.measures["pieces_vertices"] = static_cast<double>(vertices);
  report.measures["pieces_outward_m"] = found.outward;
  report.measures["pieces_inward_m"] = found.inward;
  return indexed(found);
}

}  // namespace abut::preprocess
