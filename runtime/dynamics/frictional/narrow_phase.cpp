#include "runtime/dynamics/frictional/narrow_phase.h"

#include <algorithm>

#include "runtime/core/parallel.h"

namespace abut::dynamics {
namespace {

constexpr std::int64_t kPairsAtOnce = 16;

std::uint64_t contact_key(std::size_t shape_A, std::size_t shape_B, std::uint16_t feature) {
  return (static_cast<std::uint64_t>(shape_A + 1) << 40) | (static_cast<std::uint64_t>(shape_B + 1) << 16) |
         feature;
}

bool plain_box(const PlacedShape& shape) { return shape.shape.kind == ShapeKind::kBox; }

}  // namespace

NarrowPhase::NarrowPhase(ContactSampling sampling, int threads)
    : sampling_(sampling), scratch_(static_cast<std::size_t>(threads > 0 ? threads : default_threads())) {}

void NarrowPhase::find_pair(const BodyPair& pair, std::span<const PlacedShape> shapes,
                            std::span<const std::int32_t> first_shape, std::size_t fixed, double margin,
                            Scratch& scratch) const {
  const auto A = static_cast<std::size_t>(pair.A), B = static_cast<std::size_t>(pair.B);
  const auto index = [fixed](std::size_t body) {
    return body < fixed ? kFixed : static_cast<std::int32_t>(body - fixed);
  };
  for (auto i = static_cast<std::size_t>(first_shape[A]); i < static_cast<std::size_t>(first_shape[A + 1]);
       ++i) {
    const PlacedShape& a = shapes[i];
    for (auto j = static_cast<std::size_t>(first_shape[B]); j < static_cast<std::size_t>(first_shape[B + 1]);
         ++j) {
      const PlacedShape& b = shapes[j];
      if (!a.bounds.meets(b.bounds)) continue;
      std::vector<SurfacePoint>& points = scratch.points;
      points.clear();
      if (a.shape.kind == ShapeKind::kAsset || b.shape.kind == ShapeKind::kAsset)
        asset_points(a, b, margin, scratch.asset, points);
      else if (a.shape.kind == ShapeKind::kPlane)
        plane_points(a, b, margin, sampling_, points);
      else if (plain_box(a) && plain_box(b))
        box_box_points(a, b, margin, points);
      else
        witness_points(a, b, margin, scratch.witness, points);
      std::sort(points.begin(), points.end(),
                [](const SurfacePoint& x, const SurfacePoint& y) { return x.feature < y.feature; });
      for (const SurfacePoint& point : points) {
        PairContact contact;
        contact.A = index(A);
        contact.B = index(B);
        contact.p_WC = point.p_W;
        contact.n_W = point.n_W;
        contact.gap = point.gap;
        contact.area = point.area;
        contact.key = contact_key(i, j, point.feature);
        scratch.found.push_back(contact);
      }
    }
  }
}

void NarrowPhase::find(std::span<const PlacedShape> shapes, std::span<const std::int32_t> first_shape,
                       std::size_t fixed, std::span<const BodyPair> pairs, std::span<const double> margins,
                       std::vector<PairContact>& contacts) {
  for (Scratch& scratch : scratch_) scratch.found.clear();
  found_.resize(pairs.size());
  const auto find_one = [&](std::int64_t k, int thread) {
    const BodyPair& pair = pairs[static_cast<std::size_t>(k)];
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    const std::size_t first = scratch.found.size();
    const double margin =
        margins[static_cast<std::size_t>(pair.A)] + margins[static_cast<std::size_t>(pair.B)];
    find_pair(pair, shapes, first_shape, fixed, margin, scratch);
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
