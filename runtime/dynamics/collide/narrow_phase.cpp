#include "runtime/dynamics/collide/narrow_phase.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/dynamics/collide/contact_reduction.h"

namespace abut::dynamics {
namespace {

constexpr std::int64_t kPairsAtOnce = 16;

// A contact's key, from its lowest bit on: its feature, shape B and shape A, which count from 1.
constexpr int kShapeBBit = 16, kShapeABit = 40;

std::uint64_t shapes_key(std::size_t shape_A, std::size_t shape_B) {
  return (static_cast<std::uint64_t>(shape_A + 1) << kShapeABit) |
         (static_cast<std::uint64_t>(shape_B + 1) << kShapeBBit);
}

// Two shapes that meet in a point or in the two ends of a line: a ring of points of the same gap in place of
// each, which resists rolling with N patch (to 1 - cos(pi / 8) = 8 % of it), and spinning with mu N patch.
void widen(double patch, std::size_t first, std::vector<SurfacePoint>& points) {
  constexpr int kRing = 8;
  const std::size_t count = points.size() - first;
  if (count == 0 || count > 2) return;
  const SurfacePoint centers[2] = {points[first], points.back()};
  points.resize(first);
  for (std::size_t c = 0; c < count; ++c) {
    const Mat3<double> frame = shortest_rotation<double>(Vec3<double>::UnitZ(), centers[c].n_W);
    for (int k = 0; k < kRing; ++k) {
      const double angle = 2 * std::numbers::pi * k / kRing;
      SurfacePoint point = centers[c];
      point.p_W += patch * (std::cos(angle) * frame.col(0) + std::sin(angle) * frame.col(1));
      point.area = std::numbers::pi * patch * patch / kRing;
      point.feature = kRing * c + static_cast<std::uint64_t>(k);
      points.push_back(point);
    }
  }
}

bool before(const BodyPair& a, const BodyPair& b) { return a.A != b.A ? a.A < b.A : a.B < b.B; }

bool same(const BodyPair& a, const BodyPair& b) { return a.A == b.A && a.B == b.B; }

bool plain_box(const PlacedShape& shape) { return shape.kind == ShapeKind::kBox; }

}  // namespace

ShapePair shapes_of(std::uint64_t contact_key) {
  constexpr std::uint64_t kShapes = (std::uint64_t{1} << (kShapeABit - kShapeBBit)) - 1;
  return {(contact_key >> kShapeABit) - 1, (contact_key >> kShapeBBit & kShapes) - 1};
}

NarrowPhase::NarrowPhase(const ContactSource& source, double patch, int threads)
    : sampling_(source.sampling),
      patch_(patch),
      scratch_(static_cast<std::size_t>(threads > 0 ? threads : default_threads())) {
  if (source.model.empty()) {
    require_known(source.settings, {}, "contact at vertices");
    return;
  }
  if (!contact::find_model(source.model).has_constraints)
    throw InvalidInput("the contact model '" + source.model + "' offers no contact points");
  for (Scratch& scratch : scratch_) scratch.model = contact::make_model(source.model, source.settings);
}

// The model's points are as many as its resolution asks for: thinned out as those of vertices are.
void NarrowPhase::model_points(const PlacedShape& A, const PlacedShape& B, double margin, Scratch& scratch) {
  const body::Pair pair{&A.body, &B.body, A.X_WS.inverse() * B.X_WS};
  const std::size_t first = scratch.points.size();
  std::uint64_t feature = 0;
  for (const contact::ContactPoint& c : scratch.model->constraints(pair, margin).points)
    scratch.points.push_back({A.X_WS * c.p_AC, A.X_WS.R * c.n_A, c.gap, 0.0, feature++ & 0x7fff});
  keep_spread(scratch.points, first, kMaxAssetPoints, B.half.norm(), scratch.spread);
}

// Memories go with their pairs; what those that are gone have held serves new ones.
void NarrowPhase::follow(std::span<const BodyPair> pairs) {
  const auto same_pair = [](const Memory& memory, const BodyPair& pair) { return same(memory.pair, pair); };
  if (std::equal(memories_.begin(), memories_.end(), pairs.begin(), pairs.end(), same_pair)) return;
  former_.swap(memories_);
  memories_.resize(pairs.size());
  auto old = former_.begin();
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    Memory& memory = memories_[k];
    memory.pair = pairs[k];
    while (old != former_.end() && before(old->pair, pairs[k])) ++old;
    if (old != former_.end() && same(old->pair, pairs[k]))
      memory.assets.swap(old->assets);
    else
      for (AssetMemory& assets : memory.assets) assets.forget();
  }
}

void NarrowPhase::find_points(const PlacedShape& A, const PlacedShape& B, double margin,
                              Scratch& scratch) const {
  if (A.kind == ShapeKind::kPlane)
    plane_points(A, B, margin, sampling_, scratch.points);
  else if (plain_box(A) && plain_box(B))
    box_box_points(A, B, margin, scratch.points);
  else
    witness_points(A, B, margin, scratch.witness, scratch.points);
}

void NarrowPhase::find_pair(const BodyPair& pair, std::span<const PlacedShape> shapes,
                            std::span<const std::int32_t> first_shape, std::size_t fixed, double margin,
                            double length, Memory& memory, Scratch& scratch) const {
  const auto A = static_cast<std::size_t>(pair.A), B = static_cast<std::size_t>(pair.B);
  std::vector<SurfacePoint>& points = scratch.points;
  points.clear();
  const auto of_assets = [&](std::size_t i, std::size_t j) -> AssetMemory& {
    const auto first = [&](std::size_t body) { return static_cast<std::size_t>(first_shape[body]); };
    const std::size_t place = (i - first(A)) * (first(B + 1) - first(B)) + j - first(B);
    if (memory.assets.size() <= place) memory.assets.resize(place + 1);
    return memory.assets[place];
  };
  for (auto i = static_cast<std::size_t>(first_shape[A]); i < static_cast<std::size_t>(first_shape[A + 1]);
       ++i) {
    for (auto j = static_cast<std::size_t>(first_shape[B]); j < static_cast<std::size_t>(first_shape[B + 1]);
         ++j) {
      if (!shapes[i].bounds.meets(shapes[j].bounds)) continue;
      const std::size_t first = points.size();
      const bool of_A = shapes[i].kind == ShapeKind::kAsset, of_B = shapes[j].kind == ShapeKind::kAsset;
      if (of_A && of_B && scratch.model)
        model_points(shapes[i], shapes[j], margin, scratch);
      else if (of_A || of_B)
        asset_points(shapes[i], shapes[j], margin, of_assets(i, j), scratch.asset, points);
      else
        find_points(shapes[i], shapes[j], margin, scratch);
      if (patch_ > 0) widen(patch_, first, points);
      std::sort(points.begin() + static_cast<std::ptrdiff_t>(first), points.end(),
                [](const SurfacePoint& x, const SurfacePoint& y) { return x.feature < y.feature; });
      for (std::size_t k = first; k < points.size(); ++k) points[k].feature |= shapes_key(i, j);
    }
  }
  const bool areas =
      std::any_of(points.begin(), points.end(), [](const SurfacePoint& p) { return p.area > 0; });
  if (!areas) keep_spread(points, 0, kMaxPairContacts, length, scratch.spread);
  const auto index = [fixed](std::size_t body) {
    return body < fixed ? kFixed : static_cast<std::int32_t>(body - fixed);
  };
  for (const SurfacePoint& point : points) {
    PairContact contact;
    contact.A = index(A);
    contact.B = index(B);
    contact.p_WC = point.p_W;
    contact.n_W = point.n_W;
    contact.gap = point.gap;
    contact.area = point.area;
    contact.key = point.feature;
    scratch.found.push_back(contact);
  }
}

void NarrowPhase::find(std::span<const PlacedShape> shapes, std::span<const std::int32_t> first_shape,
                       std::size_t fixed, std::span<const BodyPair> pairs,
                       std::span<const BodyExtent> extents, std::vector<PairContact>& contacts) {
  for (Scratch& scratch : scratch_) scratch.found.clear();
  found_.resize(pairs.size());
  follow(pairs);
  const auto find_one = [&](std::int64_t k, int thread) {
    const BodyPair& pair = pairs[static_cast<std::size_t>(k)];
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    const std::size_t first = scratch.found.size();
    const BodyExtent& A = extents[static_cast<std::size_t>(pair.A)];
    const BodyExtent& B = extents[static_cast<std::size_t>(pair.B)];
    find_pair(pair, shapes, first_shape, fixed, A.margin + B.margin, std::min(A.length, B.length),
              memories_[static_cast<std::size_t>(k)], scratch);
    found_[static_cast<std::size_t>(k)] = {thread, first, scratch.found.size()};
  };
  parallel_for(static_cast<std::int64_t>(pairs.size()), static_cast<int>(scratch_.size()), find_one,
               kPairsAtOnce);
  contacts.clear();
  for (const Found& found : found_) {
    const std::vector<PairContact>& from = scratch_[static_cast<std::size_t>(found.thread)].found;
    contacts.insert(contacts.end(), from.begin() + static_cast<std::ptrdiff_t>(found.first),
                    from.begin() + static_cast<std::ptrdiff_t>(found.end));
  }
}

}  // namespace abut::dynamics
