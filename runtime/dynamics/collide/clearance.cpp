#include "runtime/dynamics/collide/clearance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/dynamics/collide/placed_shape.h"
#include "runtime/dynamics/tree/kinematics.h"
#include "runtime/math/adjoint.h"

namespace abut::dynamics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRoom = 1e-12;       // enlargement of bounds for rounding, relative to the coordinates
constexpr std::int64_t kAtOnce = 16;  // states that a thread claims

// Bounding box of all that a distance model may take for an asset, along the asset's axes, m.
std::pair<Vec3<double>, Vec3<double>> box_of_asset(const body::Geometry& asset) {
  Vec3<double> low = Vec3<double>::Constant(kInfinity), high = -low;
  const auto include = [&](const asset::ConvexView& piece) {
    const double* const rows[] = {piece.x, piece.y, piece.z};
    for (int k = 0; k < 3 && piece.vertex_count > 0; ++k) {
      const Eigen::Map<const Eigen::VectorXd> along(rows[k], piece.vertex_count);
      low[k] = std::min(low[k], along.minCoeff());
      high[k] = std::max(high[k], along.maxCoeff());
    }
  };
  include(asset.convex());
  for (std::int32_t i = 0; i < asset.pieces().piece_count; ++i) include(asset.pieces().convex[i]);
  const asset::SurfaceView& surface = asset.surface();
  for (std::int32_t i = 0; i < surface.vertex_count; ++i) {
    const auto vertex = Vec3<double>::Map(surface.vertices + 3 * static_cast<std::ptrdiff_t>(i));
    low = low.cwiseMin(vertex);
    high = high.cwiseMax(vertex);
  }
  return {low, high};
}

// Radius of a ball about a primitive's origin that holds it, m.
double radius_of(const body::SweptCore<double>& core) {
  switch (core.kind) {
    case body::CoreKind::kPoint:
    case body::CoreKind::kSegment:
      return core.size.z() + core.swept_radius;
    case body::CoreKind::kEllipsoid:
      return core.size.maxCoeff() + core.swept_radius;
    default:
      return half_sizes(core).norm();
  }
}

// Length of a vector whose square may overflow.
double length(const Vec3<double>& vector) {
  const double length = vector.norm();
  return length < kInfinity ? length : vector.stableNorm();
}

std::string shape_words(const System& system, std::size_t shape) {
  const std::size_t placed = system.placed_body_of_shape(shape), fixed = system.fixed_count();
  if (placed < fixed) return "fixed shape " + std::to_string(shape);
  return "shape " + std::to_string(shape - static_cast<std::size_t>(system.first_shape()[placed])) +
         " of body '" + system.body(placed - fixed).name + "'";
}

}  // namespace

Clearances::Clearances(const System& system, const ClearanceConfig& config) : tree_(system) {
  const bool of_hulls = config.model == "hull";
  for (int i = config.threads > 0 ? config.threads : default_threads(); i > 0; --i)
    workers_.push_back({.model = proximity::make_distance_model(config.model, config.method, config.settings),
                        .primitives = of_hulls ? nullptr : proximity::make_distance_model("hull"),
                        .scratch = TreeScratch(tree_.tree()),
                        .X_WS = {},
                        .p_WC = {},
                        .found = {}});
  add_shapes();
  add_pairs(config.within_groups);
  require_valid();
}

void Clearances::add_pairs(bool within_groups) {
  const System& system = tree_.system();
  const std::span<const std::int32_t> first = system.first_shape();
  const std::size_t fixed = system.fixed_count();
  const auto moves = [&](std::size_t body) { return tree_.tree().last_dof(static_cast<int>(body)) >= 0; };
  const auto of_one_group = [&](std::size_t a, std::size_t b) {
    const Body &A = system.body(a), &B = system.body(b);
    const auto i = static_cast<std::int32_t>(a), k = static_cast<std::int32_t>(b);
    const auto& apart = system.scene().apart;
    return A.group != 0 && A.group == B.group && !(A.joint && A.joint->parent == k) &&
           !(B.joint && B.joint->parent == i) && (moves(a) || moves(b)) &&
           std::none_of(apart.begin(), apart.end(),
                        [&](const auto& pair) { return pair == std::pair(i, k) || pair == std::pair(k, i); });
  };
  for (std::size_t A = 0; A + 1 < first.size(); ++A)
    for (std::size_t B = std::max(A + 1, fixed); B + 1 < first.size(); ++B)
      if (first[A] < first[A + 1] && first[B] < first[B + 1] &&
          (system.may_meet(A, B) || (within_groups && A >= fixed && of_one_group(A - fixed, B - fixed))))
        pairs_.emplace_back(A, B);
}

void Clearances::add_shapes() {
  const System& system = tree_.system();
  for (std::size_t i = 0; i < system.shape_count(); ++i) {
    const Shape& shape = system.shape(i);
    LocalShape& local = shapes_.emplace_back(LocalShape{{shape.geometry, shape.material}, shape.X_BS});
    if (const std::size_t placed = system.placed_body_of_shape(i); placed >= system.fixed_count()) {
      local.link = static_cast<int>(placed - system.fixed_count());
      local.X_LS = tree_.pose_in_link(placed - system.fixed_count()) * shape.X_BS;
    }
    if (const body::Primitive* primitive = shape.geometry.primitive()) {
      const auto core = std::visit([](const auto& any) { return swept_core(any); }, *primitive);
      local.plane = core.kind == body::CoreKind::kPlane;
      local.half = half_sizes(core);
      local.radius = radius_of(core);
    } else {
      const auto [low, high] = box_of_asset(shape.geometry);
      local.p_SC = (low + high) / 2;
      local.half = (high - low) / 2;
      local.radius = local.half.norm();
    }
  }
  for (Worker& worker : workers_) {
    worker.X_WS.resize(shapes_.size());
    worker.p_WC.resize(shapes_.size());
    worker.found.velocities = tree_.mimics().nv();
  }
  list_.velocities = tree_.mimics().nv();
}

// Asks each pair of geometries once.
void Clearances::require_valid() const {
  const System& system = tree_.system();
  std::set<std::pair<std::uint64_t, std::uint64_t>> known;
  for (const auto& [A, B] : pairs_) {
    for (std::int32_t a = system.first_shape()[A]; a < system.first_shape()[A + 1]; ++a) {
      for (std::int32_t b = system.first_shape()[B]; b < system.first_shape()[B + 1]; ++b) {
        const auto i = static_cast<std::size_t>(a), k = static_cast<std::size_t>(b);
        if (!known.emplace(shapes_[i].body.geometry.id(), shapes_[k].body.geometry.id()).second) continue;
        const body::Pair pair{&shapes_[i].body, &shapes_[k].body, {}};
        const std::string who =
            "clearances: A is " + shape_words(system, i) + ", B " + shape_words(system, k);
        model_of(workers_.front(), pair).require_valid(pair, who.c_str());
      }
    }
  }
}

const ClearanceList& Clearances::find(std::span<const State> states, double margin) {
  q_.resize(std::max(q_.size(), states.size()));
  for (std::size_t i = 0; i < states.size(); ++i) {
    tree_.system().require_valid(states[i]);
    tree_.coordinates(states[i], q_[i], v_);
  }
  return find(std::span<const VecX<double>>(q_.data(), states.size()), margin);
}

const ClearanceList& Clearances::find(std::span<const VecX<double>> coordinates, double margin) {
  proximity::require_margin("clearances", margin);
  for (const VecX<double>& q : coordinates)
    if (q.size() != tree_.tree().nq() || !q.allFinite())
      throw InvalidInput("clearances: coordinates are not " + std::to_string(tree_.tree().nq()) +
                         " finite numbers");
  for (Worker& worker : workers_) {
    worker.found.pairs.clear();
    worker.found.slopes.clear();
  }
  found_.resize(coordinates.size());
  const auto find_one = [&](std::int64_t i, int thread) {
    Worker& worker = workers_[static_cast<std::size_t>(thread)];
    const std::size_t first = worker.found.pairs.size();
    place(coordinates[static_cast<std::size_t>(i)], worker);
    find_in(static_cast<std::int32_t>(i), margin, worker);
    found_[static_cast<std::size_t>(i)] = {thread, first, worker.found.pairs.size()};
  };
  parallel_for(static_cast<std::int64_t>(coordinates.size()), static_cast<int>(workers_.size()), find_one,
               even_chunk(coordinates.size(), workers_.size(), kAtOnce));
  list_.pairs.clear();
  list_.slopes.clear();
  for (const Found& found : found_) {
    const ClearanceList& from = workers_[static_cast<std::size_t>(found.thread)].found;
    const auto at = [&](std::size_t k) {
      return from.slopes.begin() + from.velocities * static_cast<std::ptrdiff_t>(k);
    };
    list_.pairs.insert(list_.pairs.end(), from.pairs.begin() + static_cast<std::ptrdiff_t>(found.first),
                       from.pairs.begin() + static_cast<std::ptrdiff_t>(found.end));
    list_.slopes.insert(list_.slopes.end(), at(found.first), at(found.end));
  }
  return list_;
}

void Clearances::place(const VecX<double>& q, Worker& worker) const {
  place_links<double>(tree_.tree(), q, worker.scratch);
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const LocalShape& shape = shapes_[i];
    worker.X_WS[i] = shape.link < 0 ? shape.X_LS : pose_of_link(worker.scratch, shape.link) * shape.X_LS;
    worker.p_WC[i] = worker.X_WS[i] * shape.p_SC;
  }
}

// Whether two shapes are certainly further apart than `limit`, by a ball about each, or by its box and that
// of the other, seen along the axes of either.
bool Clearances::beyond(const Worker& worker, std::size_t a, std::size_t b, double limit) const {
  const LocalShape &A = shapes_[a], &B = shapes_[b];
  const Pose<double>&X_WA = worker.X_WS[a], &X_WB = worker.X_WS[b];
  if (B.plane) return !A.plane && beyond(worker, b, a, limit);
  const Vec3<double> d_W = worker.p_WC[b] - worker.p_WC[a];
  const double room =
      kRoom * (worker.p_WC[a].cwiseAbs().sum() + worker.p_WC[b].cwiseAbs().sum() + A.radius + B.radius);
  const double least = limit + room;
  if (A.plane) {
    const Vec3<double> n_W = X_WA.R.col(2);
    return n_W.dot(d_W) - std::min(B.radius, (X_WB.R.transpose() * n_W).cwiseAbs().dot(B.half)) > least;
  }
  if (length(d_W) - A.radius - B.radius > least) return true;
  const Mat3<double> turned = (X_WA.R.transpose() * X_WB.R).cwiseAbs();
  const Vec3<double> gap_A = (X_WA.R.transpose() * d_W).cwiseAbs() - A.half - turned * B.half;
  const Vec3<double> gap_B = (X_WB.R.transpose() * d_W).cwiseAbs() - B.half - turned.transpose() * A.half;
  return length(gap_A.cwiseMax(0)) > least || length(gap_B.cwiseMax(0)) > least;
}

body::Pair Clearances::pair_of(const Worker& worker, std::size_t a, std::size_t b) const {
  return {&shapes_[a].body, &shapes_[b].body, worker.X_WS[a].inverse() * worker.X_WS[b]};
}

proximity::DistanceModel& Clearances::model_of(const Worker& worker, const body::Pair& pair) const {
  const bool of_primitives =
      pair.A->geometry.primitive() != nullptr && pair.B->geometry.primitive() != nullptr;
  return worker.primitives && of_primitives ? *worker.primitives : *worker.model;
}

// Finds the nearest shapes of two placed bodies, of equally near ones the first; false if none is within the
// margin.
bool Clearances::nearest(std::size_t placed_A, std::size_t placed_B, double margin, Worker& worker,
                         Clearance& found) const {
  const std::span<const std::int32_t> first = tree_.system().first_shape();
  found.distance = kInfinity;
  for (std::int32_t a = first[placed_A]; a < first[placed_A + 1]; ++a) {
    for (std::int32_t b = first[placed_B]; b < first[placed_B + 1]; ++b) {
      const auto i = static_cast<std::size_t>(a), k = static_cast<std::size_t>(b);
      // Bounding boxes say nothing of how deep an overlap is.
      if (beyond(worker, i, k, std::min(margin, std::max(found.distance, 0.0)))) continue;
      const body::Pair pair = pair_of(worker, i, k);
      const witness::Witness<double> w = model_of(worker, pair).separation(pair);
      if (w.distance >= found.distance || w.distance > margin) continue;
      const Pose<double>& X_WA = worker.X_WS[i];
      found.shape_A = a;
      found.shape_B = b;
      found.distance = w.distance;
      found.p_A_W = X_WA * w.p1;
      found.p_B_W = X_WA * w.p2;
      found.n_W = X_WA.R * w.n;
    }
  }
  return found.distance < kInfinity || std::isnan(found.distance);
}

// Adds the derivative by the velocities of a distance whose derivative by the twist of the shape, in its
// axes, is dd_dxi.
void Clearances::add_slope(const Vec6<double>& dd_dxi, std::size_t shape, const Worker& worker,
                           double* slope) const {
  const LocalShape& local = shapes_[shape];
  if (local.link < 0) return;
  const Pose<double> X_CS = worker.scratch.links[static_cast<std::size_t>(local.link)].X_CL * local.X_LS;
  const Vec6<double> dd_dxi_C = shift_wrench(X_CS, dd_dxi);
  for (int d = tree_.tree().last_dof(local.link); d >= 0; d = tree_.tree().parent_dof(d)) {
    const MimicMap::Row& row = tree_.mimics().velocity(d);
    slope[row.independent] +=
        row.factor * dd_dxi_C.dot(worker.scratch.dofs[static_cast<std::size_t>(d)].axis);
  }
}

void Clearances::find_in(std::int32_t state, double margin, Worker& worker) const {
  const auto fixed = static_cast<std::int32_t>(tree_.system().fixed_count());
  Clearance found;
  found.state = state;
  for (const auto& [A, B] : pairs_) {
    if (!nearest(static_cast<std::size_t>(A), static_cast<std::size_t>(B), margin, worker, found)) continue;
    found.A = std::max(A - fixed, kFixed);
    found.B = B - fixed;
    const auto a = static_cast<std::size_t>(found.shape_A), b = static_cast<std::size_t>(found.shape_B);
    const body::Pair pair = pair_of(worker, a, b);
    const derivative::WitnessDerivative<double> derivative =
        model_of(worker, pair).derivative(pair).derivative;
    found.status = derivative.status;
    worker.found.pairs.push_back(found);
    std::vector<double>& slopes = worker.found.slopes;
    slopes.resize(slopes.size() + static_cast<std::size_t>(worker.found.velocities));
    double* const slope = slopes.data() + slopes.size() - worker.found.velocities;
    const Vec6<double> dd_dxi_B = derivative.dd_dxi_B.transpose();
    add_slope(dd_dxi_B, b, worker, slope);
    add_slope(-shift_wrench(pair.X_AB, dd_dxi_B), a, worker, slope);
  }
}

}  // namespace abut::dynamics
