#include "runtime/dynamics/collide/narrow_phase.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/dynamics/collide/contact_reduction.h"
#include "runtime/dynamics/collide/required_pairs.h"

namespace abut::dynamics {
namespace {

constexpr std::int64_t kPairsAtOnce = 16;

bool before(const BodyPair& a, const BodyPair& b) { return a.A != b.A ? a.A < b.A : a.B < b.B; }

bool same(const BodyPair& a, const BodyPair& b) { return a.A == b.A && a.B == b.B; }

PairContact contact_of(const SurfacePoint& point, std::int32_t A, std::int32_t B,
                       std::span<const PlacedShape> shapes) {
  const body::Material &of_A = shapes[point.shape_A].body.material,
                       &of_B = shapes[point.shape_B].body.material;
  PairContact contact;
  contact.A = A;
  contact.B = B;
  contact.p_WC = point.p_W;
  contact.n_W = point.n_W;
  contact.gap = point.gap;
  contact.area = point.area;
  contact.mu = body::pair_friction(of_A, of_B);
  contact.restitution = body::pair_restitution(of_A, of_B);
  contact.key = {point.shape_A, point.shape_B, point.feature};
  return contact;
}

}  // namespace

NarrowPhase::NarrowPhase(const System& system, const ContactSource& source, int threads)
    : sampling_(source.sampling),
      scratch_(static_cast<std::size_t>(threads > 0 ? threads : default_threads())) {
  if (!system.scene().contacts.empty())
    throw InvalidInput(
        "simulation: the scene chooses contact models for some pairs, which rigid contact does not take; "
        "take "
        "an integrator with forces of a contact model, such as implicit, or leave the 'contact' entries out");
  if (source.model.empty()) {
    require_known(source.settings, {}, "contact without a model");
    return;
  }
  if (sampling_ == ContactSampling::kPieces)
    throw InvalidInput("contact takes its points from pieces or from the contact model '" + source.model +
                       "', not from both");
  const contact::ModelRow& row = contact::find_model(source.model);
  if (!row.has_constraints)
    throw InvalidInput("the contact model '" + source.model + "' offers no contact points");
  require_parts(system, row.needs);
  for (const SettingValue& value : source.settings)
    if (std::find(row.constraint_settings.begin(), row.constraint_settings.end(), value.name) ==
        row.constraint_settings.end())
      throw InvalidInput("the setting '" + std::string(value.name) + "' of the contact model '" +
                         source.model + "' does not act on contact points; leave it out");
  for (Scratch& scratch : scratch_) scratch.model = contact::make_model(source.model, source.settings);
  require_pairs(system, [this](const Shape& a, std::size_t, const Shape& b, std::size_t) {
    const bool assets = a.geometry.primitive() == nullptr && b.geometry.primitive() == nullptr;
    return assets ? scratch_.front().model.get() : nullptr;
  });
}

// The number of the model's points depends on its resolution, so they are reduced like those of vertices.
void NarrowPhase::model_points(const PlacedShape& A, const PlacedShape& B, double margin, Scratch& scratch) {
  const body::Pair pair{&A.body, &B.body, A.X_WS.inverse() * B.X_WS};
  const std::size_t first = scratch.points.size();
  try {
    for (const contact::ContactPoint& c : scratch.model->constraints(pair, margin).points)
      scratch.points.push_back({A.X_WS * c.p_AC, A.X_WS.R * c.n_A, c.gap, 0.0, c.feature});
  } catch (const InvalidInput& error) {
    throw InvalidInput("assets '" + A.body.geometry.name() + "' and '" + B.body.geometry.name() +
                       "', within reach of a step: " + error.what() + ", or a shorter time step");
  }
  keep_spread(scratch.points, first, kMaxAssetPoints, B.half.norm(), scratch.spread);
}

// Assigns each pair its memory of the last step. The arrays of memories of other pairs are reused.
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

void NarrowPhase::widen(double patch, std::size_t first, std::vector<SurfacePoint>& points) {
  const std::size_t count = points.size() - first;
  points.resize(first + kRing * count);
  for (std::size_t c = count; c-- > 0;) {  // backwards, so that no centre is overwritten before it is read
    const SurfacePoint center = points[first + c];
    // The frame is the same for a normal and its opposite, and smooth except at horizontal normals.
    const Vec3<double> pole = std::copysign(1.0, center.n_W.z()) * Vec3<double>::UnitZ();
    const Mat3<double> frame = shortest_rotation<double>(pole, center.n_W);
    for (std::size_t k = 0; k < kRing; ++k) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(k) / kRing;
      SurfacePoint& point = points[first + kRing * c + k] = center;
      point.p_W += patch * (std::cos(angle) * frame.col(0) + std::sin(angle) * frame.col(1));
      point.area = std::numbers::pi * patch * patch / kRing;
      point.feature = kOnRing | center.feature * kRing | k;
    }
  }
}

// `memory` is not null where one of the shapes is an asset.
void NarrowPhase::find_points(const PlacedShape& A, const PlacedShape& B, double margin, AssetMemory* memory,
                              Scratch& scratch) const {
  if (A.kind == ShapeKind::kPieces || B.kind == ShapeKind::kPieces)
    piece_points(A, B, margin, scratch.pieces, scratch.points);
  else if (takes_model(A, B, scratch))
    model_points(A, B, margin, scratch);
  else if (memory != nullptr)
    asset_points(A, B, margin, *memory, scratch.asset, scratch.points);
  else if (A.kind == ShapeKind::kPlane)
    plane_points(A, B, margin, sampling_, scratch.points);
  else if (A.kind == ShapeKind::kBox && B.kind == ShapeKind::kBox)
    box_box_points(A, B, margin, scratch.points);
  else
    witness_points(A, B, margin, scratch.witness, scratch.points);
}

void NarrowPhase::shape_points(const PlacedShape& A, const PlacedShape& B, double margin, AssetMemory* memory,
                               Scratch& scratch) const {
  const std::size_t first = scratch.points.size();
  find_points(A, B, margin, memory, scratch);
  if (scratch.points.size() == first) return;
  const double patch = body::pair_patch(A.body.material, B.body.material);
  if (patch > 0 && scratch.points.size() <= first + 2) widen(patch, first, scratch.points);
}

void NarrowPhase::find_pair(const PlacedSystem& placed, const BodyPair& pair, Memory& memory,
                            Scratch& scratch) const {
  const PlacedBody &A = placed.bodies()[static_cast<std::size_t>(pair.A)],
                   &B = placed.bodies()[static_cast<std::size_t>(pair.B)];
  std::vector<SurfacePoint>& points = scratch.points;
  points.clear();
  std::size_t pair_of_shapes = 0;
  for (std::int32_t i = A.first_shape; i < A.end_shape; ++i) {
    for (std::int32_t j = B.first_shape; j < B.end_shape; ++j, ++pair_of_shapes) {
      const PlacedShape &a = placed.shapes()[static_cast<std::size_t>(i)],
                        &b = placed.shapes()[static_cast<std::size_t>(j)];
      if (!a.bounds.meets(b.bounds)) continue;
      const std::size_t first = points.size();
      AssetMemory* of_assets = nullptr;
      if (is_asset(a) || is_asset(b)) {
        if (memory.assets.size() <= pair_of_shapes) memory.assets.resize(pair_of_shapes + 1);
        of_assets = &memory.assets[pair_of_shapes];
      }
      shape_points(a, b, A.margin + B.margin, of_assets, scratch);
      std::sort(points.begin() + static_cast<std::ptrdiff_t>(first), points.end(),
                [](const SurfacePoint& x, const SurfacePoint& y) { return x.feature < y.feature; });
      for (std::size_t k = first; k < points.size(); ++k) {
        points[k].shape_A = static_cast<std::uint32_t>(i);
        points[k].shape_B = static_cast<std::uint32_t>(j);
      }
    }
  }
  const bool areas =
      std::any_of(points.begin(), points.end(), [](const SurfacePoint& p) { return p.area > 0; });
  if (!areas) keep_spread(points, 0, kMaxPairContacts, std::min(A.length, B.length), scratch.spread);
  const auto fixed = static_cast<std::int32_t>(placed.fixed_count());
  for (const SurfacePoint& point : points)
    scratch.found.push_back(contact_of(point, pair.A < fixed ? kFixed : pair.A - fixed,
                                       pair.B < fixed ? kFixed : pair.B - fixed, placed.shapes()));
}

void NarrowPhase::find(const PlacedSystem& placed, std::span<const BodyPair> pairs,
                       std::vector<PairContact>& contacts) {
  for (Scratch& scratch : scratch_) scratch.found.clear();
  found_.resize(pairs.size());
  follow(pairs);
  const auto find_one = [&](std::int64_t k, int thread) {
    const auto index = static_cast<std::size_t>(k);
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    const std::size_t first = scratch.found.size();
    find_pair(placed, pairs[index], memories_[index], scratch);
    found_[index] = {thread, first, scratch.found.size()};
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
