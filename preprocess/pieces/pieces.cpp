#include "preprocess/pieces/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "preprocess/index/index.h"
#include "preprocess/pieces/cover.h"
#include "preprocess/pieces/exact_parts.h"
#include "preprocess/pieces/lattice.h"
#include "preprocess/pieces/left_out.h"
#include "preprocess/pieces/outside.h"
#include "preprocess/pieces/part.h"
#include "preprocess/remesh/surface_sampler.h"
#include "runtime/bvh/build.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/witness/separation.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

// Relative to the error:
constexpr double kInset = 0.6;    // inset of the surface points that regions must hold
constexpr double kLevel = 0.86;   // distance outside of the level that regions must not reach
constexpr double kNear = 0.1;     // largest distance from a region at which a target counts as held
constexpr double kReduced = 0.3;  // largest distance of pieces from their hulls when vertices are reduced
constexpr double kTrim = 0.96;    // largest reach of a piece outside; the bound on it is not tight
constexpr double kRepair = 0.97;  // points farther than this from the pieces are repaired
constexpr double kAround = 10;    // margin of a repair's region around the targets that it holds
constexpr double kEnough = 0.05;  // outward errors below this need not be known more accurately
constexpr double kLarger = 1.25;  // factor to the next error that is tried if there are too few pieces
// The lattice does not hold levels at less than one over this of its spacing: smaller errors are not tried.
constexpr double kSpacings = 8;
// Share of the targets: with more than kMissing missing, an error is given up; with more than kFarOff, the
// next error is two steps larger.
constexpr double kMissing = 0.01, kFarOff = 0.05;

constexpr int kVertexTargets = 10'000, kSurfaceTargets = 4'000, kInsideTargets = 4'000;  // at most, or about
constexpr std::size_t kEvery = 2;  // of the level's lattice points one in this many is an obstacle
constexpr int kMaxTrims = 20;
constexpr int kMaxRepairs = 6;

constexpr double kTouching = 1e-9;  // over the size of all pieces: those closer than this touch

struct Pieces {
  std::vector<Polytope> polytopes;
  double outward = std::numeric_limits<double>::infinity(), inward = outward;  // m

  double error() const { return std::max(outward, inward); }
};

class Maker {
 public:
  Maker(const TriangleMesh& mesh, const asset::SurfaceView& surface, const PieceParameters& parameters,
        const Progress& progress)
      : mesh_(mesh),
        surface_(surface),
        parameters_(parameters),
        progress_(progress),
        hull_(make_polytope(mesh.vertices)) {}

  // Searches in steps for the least error for which the pieces suffice.
  Pieces run() {
    Pieces best = one();
    if (best.error() <= parameters_.error || parameters_.count == 1) return best;
    if (Pieces exact = exact_ones(); exact.error() < best.error()) best = std::move(exact);
    if (best.error() <= parameters_.error) return best;
    lattice_.emplace(surface_, parameters_.error);
    double error = parameters_.error;
    while (kSpacings * error < lattice_->spacing()) error *= kLarger;
    while (error < best.error()) {
      Pieces found = attempt(error);
      error *= missing_ > kFarOff ? kLarger * kLarger : kLarger;
      if (found.error() < best.error()) best = std::move(found);
    }
    return best;
  }

  // Whether an attempt had no pieces left for what was missing.
  bool ran_short() const { return ran_short_; }

 private:
  // A single piece: the hull, with fewer vertices.
  Pieces one() const {
    progress_("hull");
    return measured({hull_}, {whole(mesh_)});
  }

  // Pieces of an object designed from few planes; empty for any other.
  Pieces exact_ones() const {
    progress_("exact parts");
    ExactParts exact = exact_parts(mesh_, surface_, static_cast<std::size_t>(parameters_.count),
                                   kReduced * parameters_.error);
    if (exact.polytopes.empty()) return {};
    return measured(std::move(exact.polytopes), std::move(exact.parts));
  }

  // Reduces the vertices of polytopes and measures their errors; `parts` make up the solid.
  Pieces measured(std::vector<Polytope> polytopes, std::vector<Part> parts) const {
    Pieces found;
    for (Polytope& p : polytopes) p = reduce(p, parameters_.vertices, kReduced * parameters_.error);
    found.polytopes = std::move(polytopes);
    found.inward =
        inward_error(std::move(parts), surface_, found.polytopes, kReduced * parameters_.error).most;
    found.outward = outward_error(surface_, found.polytopes, kEnough * parameters_.error).most;
    return found;
  }

  bool in_solid(const Vector3d& p) const {
    return distance::signed_distance<double>(surface_, p).distance < 0;
  }

  void add_target(const Vector3d& target, const Vector3d& outer) {
    ground_.targets.push_back(target);
    ground_.outer.push_back(outer);
  }

  // Adds a target: a surface point with its normal, moved inside by `inset` (m), or less if the solid is
  // thin.
  void add_surface_target(const Vector3d& p, const Vector3d& n, double inset) {
    double d = inset;
    const auto fits = [&] {
      return distance::signed_distance<double>(surface_, p - d * n).distance <= -d / 2;
    };
    while (d > inset / 10 && !fits()) d /= 2;
    add_target(d > inset / 10 ? Vector3d(p - d * n) : p, p);
  }

  // Adds targets at vertices, which determine hulls, and at random surface points.
  void add_surface_targets(double inset) {
    const std::int32_t stride = 1 + surface_.vertex_count / kVertexTargets;
    for (std::int32_t v = 0; v < surface_.vertex_count; v += stride)
      add_surface_target(Vector3d::Map(surface_.vertices + 3 * v),
                         Vector3d::Map(surface_.vertex_normals + 3 * v), inset);
    Random random(5, 0);
    const SurfaceSampler sample(surface_);
    for (int i = 0; i < kSurfaceTargets; ++i) {
      const auto [p, triangle] = sample(random);
      add_surface_target(p, distance::internal::face_normal<double>(surface_, triangle), inset);
    }
  }

  void add_inside_targets(double inset) {
    const Vector3d size = hull_.high - hull_.low;
    const double spacing = std::max(std::cbrt(size.prod() / kInsideTargets), size.maxCoeff() / 100);
    const auto along = [&](int axis) {
      std::vector<double> places;
      double x = hull_.low[axis];
      while (x < hull_.high[axis]) places.push_back(x), x += spacing;
      return places;
    };
    const std::vector<double> xs = along(0), ys = along(1), zs = along(2);
    for (const double z : zs)
      for (const double y : ys)
        for (const double x : xs) {
          const Vector3d p(x, y, z);
          if (distance::signed_distance<double>(surface_, p).distance < -inset) add_target(p, p);
        }
  }

  // Sets the targets and obstacles of the regions for an error (m).
  void set_ground(double error) {
    ground_ = {};
    add_surface_targets(kInset * error);
    add_inside_targets(kInset * error);
    std::size_t number = 0;
    for (const LevelPoint& q : lattice_->level(kLevel * error))
      if (number++ % kEvery == 0 && hull_.height(q.p) <= 0) ground_.obstacles.push_back(q);
  }

  // Makes pieces for an error (m); empty if there are too few of them.
  Pieces attempt(double error) {
    set_ground(error);
    const auto tell = [&](std::size_t regions, std::size_t missing) {
      progress_(fmt::format("{} regions, {} of {} points missing, error {:.2g} m", regions, missing,
                            ground_.targets.size(), error));
    };
    const auto most = static_cast<std::size_t>(parameters_.count);
    std::vector<char> wanted(ground_.targets.size(), 1);
    std::vector<Region> regions = cover(ground_, wanted, most, kNear * error, tell);
    missing_ =
        static_cast<double>(std::count(wanted.begin(), wanted.end(), 1)) / static_cast<double>(wanted.size());
    ran_short_ |= missing_ > 0 && regions.size() >= most;
    if (missing_ > kMissing) return {};
    Pieces found;
    fit_all(regions, error, found.polytopes);
    InwardError inward = inward_error(mesh_, surface_, found.polytopes, kRepair * error);
    for (int repair = 0; inward.most > error && regions.size() < most && repair < kMaxRepairs; ++repair) {
      wanted.assign(ground_.targets.size(), 0);
      for (const Vector3d& p : inward.far) {
        add_target(p, p);
        wanted.push_back(1);
      }
      std::vector<Region> more = cover(ground_, wanted, most - regions.size(), 0, tell);
      for (Region& region : more) keep_near_held(region, kAround * error);
      std::move(more.begin(), more.end(), std::back_inserter(regions));
      fit_all(regions, error, found.polytopes);
      inward = inward_error(mesh_, surface_, found.polytopes, kRepair * error);
    }
    ran_short_ |= inward.most > error && regions.size() >= most;
    progress_("measuring");
    found.inward = inward.most;
    found.outward = outward_error(surface_, found.polytopes, kEnough * error).most;
    if (found.outward > error)  // not known accurately enough, or too large
      found.outward = std::min(found.outward, outward_error(surface_, found.polytopes, error).most);
    return found;
  }

  // Clips a region to the bounding box of the targets it holds, enlarged by `margin` (m): with few vertices,
  // a piece is only accurate on a small part of the surface.
  void keep_near_held(Region& region, double margin) const {
    Vector3d low = Vector3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
    for (const std::int32_t i : region.held) {
      low = low.cwiseMin(ground_.targets[i]);
      high = high.cwiseMax(ground_.targets[i]);
    }
    for (int axis = 0; axis < 3; ++axis) {
      region.planes.push_back({Vector3d::Unit(axis), high[axis] + margin});
      region.planes.push_back({-Vector3d::Unit(axis), margin - low[axis]});
    }
  }

  // Adds the polytopes of regions that have none yet.
  void fit_all(std::vector<Region>& regions, double error, std::vector<Polytope>& polytopes) const {
    progress_(fmt::format("fitting {}", counted(regions.size() - polytopes.size(), "piece")));
    const std::size_t first = polytopes.size();
    polytopes.resize(regions.size());
    parallel_for(static_cast<std::int64_t>(regions.size() - first), 0,
                 [&](std::int64_t i, int) { polytopes[first + i] = fit(regions[first + i], error); });
  }

  // The hull of the solid's part in the region, with fewer vertices, trimmed until it reaches no farther
  // outside than kTrim of the error (m).
  Polytope fit(Region& region, double error) const {
    const auto inside = [&](const Vector3d& p) { return in_solid(p); };
    Part part = whole(mesh_);
    for (const Plane& plane : region.planes) part = cut(part, plane, inside).first;
    for (int trims = 0;; ++trims) {
      Polytope hull = hull_of(part);
      if (hull.flat()) return hull;
      Polytope result = reduce(hull, parameters_.vertices, kReduced * error);
      Overreach over = lattice_->overreach(result);
      if (over.worst <= kTrim * error) {
        const OutwardError exact = outward_error<Polytope>(surface_, {result}, kTrim * error);
        over = {exact.least, exact.at};
      }
      if (over.worst <= kTrim * error || trims == kMaxTrims) return result;
      region.planes.push_back(trim(region, over.at, error));
      part = cut(part, region.planes.back(), inside).first;
    }
  }

  // A plane in front of `at`, a point that is too far outside, through the nearest point of the level: of
  // several normals the one that keeps most of what the region holds.
  Plane trim(const Region& region, const Vector3d& at, double error) const {
    const auto near = distance::signed_distance<double>(surface_, at);
    const Vector3d q = near.closest + kLevel * error * near.gradient;
    const Vector3d away = (q - region.middle).normalized();
    Plane best{near.gradient, near.gradient.dot(q)};
    std::ptrdiff_t most = -1;
    for (const Vector3d& n : {near.gradient, away, Vector3d((near.gradient + away).normalized()),
                              Vector3d((region.metric * away).normalized())}) {
      const Plane plane{n, n.dot(q)};
      if (!(plane.height(at) > 0)) continue;
      const auto kept = std::count_if(region.held.begin(), region.held.end(), [&](std::int32_t i) {
        return plane.height(ground_.targets[i]) <= kNear * error;
      });
      if (kept <= most) continue;
      most = kept;
      best = plane;
    }
    return best;
  }

  const TriangleMesh& mesh_;
  const asset::SurfaceView& surface_;
  const PieceParameters& parameters_;
  const Progress& progress_;
  Polytope hull_;
  std::optional<OutsideLattice> lattice_;
  Ground ground_;
  double missing_ = 0;  // share of the targets that the regions of the last attempt do not hold
  bool ran_short_ = false;
};

// Sets the adjacency of pieces at most `gap` (m) apart, row by row.
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

// Advice on options that may reduce the errors.
std::string advice(const Pieces& found, const PieceParameters& parameters, bool more_pieces) {
  const auto full = [&](const Polytope& p) {
    return p.vertices.size() >= static_cast<std::size_t>(parameters.vertices);
  };
  const bool more_vertices = std::any_of(found.polytopes.begin(), found.polytopes.end(), full);
  if (more_pieces && more_vertices) return "--pieces allows more of them, --piece-vertices finer ones";
  if (more_pieces) return "--pieces allows more of them";
  if (more_vertices) return "--piece-vertices allows finer ones";
  return "the search finds none that are nearer, and more of them would not help";
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

ConvexPieces build_pieces(const std::vector<std::vector<Eigen::Vector3d>>& points, double outward,
                          double inward) {
  std::vector<bvh::Box> boxes;
  for (const std::vector<Vector3d>& of : points) {
    bvh::Box box{of.front(), of.front()};
    for (const Vector3d& p : of) box.lo = box.lo.cwiseMin(p), box.hi = box.hi.cwiseMax(p);
    boxes.push_back(box);
  }
  const bvh::BuiltTree built = bvh::build_tree(boxes, 1);
  ConvexPieces result;
  for (const std::int32_t i : built.order) result.convex.push_back(build_convex_piece(points[i]));
  result.pieces.tree = built.tree;
  result.pieces.errors = {outward, inward};
  bvh::Box all = boxes.front();
  for (const bvh::Box& box : boxes) all = {all.lo.cwiseMin(box.lo), all.hi.cwiseMax(box.hi)};
  const double size = (all.hi - all.lo).norm();
  add_adjacency(result.convex, 2 * inward + kTouching * size, result.pieces);
  return result;
}

ConvexPieces make_pieces(const TriangleMesh& mesh, const asset::SurfaceView& surface,
                         const PieceParameters& parameters, Report& report, const Progress& progress) {
  Maker maker(mesh, surface, parameters, progress);
  const Pieces found = maker.run();
  if (found.error() > parameters.error) {
    const bool one = found.polytopes.size() == 1;
    report.warnings.push_back(fmt::format(
        "{} outside by {:.3g} m and {} out {:.3g} m, more than the {:g} m wished for; {}",
        one ? "1 convex piece reaches" : fmt::format("{} convex pieces reach", found.polytopes.size()),
        found.outward, one ? "leaves" : "leave", found.inward, parameters.error,
        advice(found, parameters, parameters.count == 1 || maker.ran_short())));
  }
  std::size_t vertices = 0;
  std::vector<std::vector<Vector3d>> points;
  for (const Polytope& p : found.polytopes) {
    vertices += p.vertices.size();
    points.push_back(p.vertices);
  }
  report.measures["pieces"] = static_cast<double>(found.polytopes.size());
  report.measures["pieces_vertices"] = static_cast<double>(vertices);
  report.measures["pieces_outward_m"] = found.outward;
  report.measures["pieces_inward_m"] = found.inward;
  return build_pieces(points, found.outward, found.inward);
}

}  // namespace abut::preprocess
