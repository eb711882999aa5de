#include "runtime/proximity/surface_contacts.h"

#include <algorithm>
#include <cmath>

#include "runtime/bvh/overlap.h"
#include "runtime/distance/surface_distance.h"

namespace abut::proximity {
namespace {

using asset::SurfaceView;
using distance::NearPair;

constexpr std::size_t kMaxPairs = 1 << 16;  // of triangles within a margin: tens of megabytes

// Code of the corner, edge (identified by the lower of its two triangles) or face that carries a point.
std::uint32_t feature_code(const SurfaceView& surface, std::int32_t triangle, const Vec3<double>& weights) {
  using distance::Feature;
  const auto feature = feature_of(weights);
  const std::ptrdiff_t first = std::ptrdiff_t(3) * triangle;
  if (feature == Feature::kFace) return static_cast<std::uint32_t>(triangle);
  if (feature >= Feature::kVertex0)
    return 0x80000000u |
           static_cast<std::uint32_t>(surface.triangles[first + int(feature) - int(Feature::kVertex0)]);
  const int k = int(feature) - int(Feature::kEdge0);
  const std::int32_t across = surface.neighbours[first + k];
  if (across > triangle) return 0x40000000u | static_cast<std::uint32_t>(first + k);
  for (int j = 0; j < 3; ++j)
    if (surface.neighbours[std::ptrdiff_t(3) * across + j] == triangle)
      return 0x40000000u | static_cast<std::uint32_t>(std::ptrdiff_t(3) * across + j);
  return 0x40000000u | static_cast<std::uint32_t>(first + k);
}

bool by_triangles(const NearPair& a, const NearPair& b) {
  return std::pair{a.triangle_A, a.triangle_B} < std::pair{b.triangle_A, b.triangle_B};
}

}  // namespace

std::size_t ContactFinder::root(std::size_t pair) {
  while (parent_[pair] != pair) pair = parent_[pair] = parent_[parent_[pair]];
  return pair;
}

// Gives pairs that differ by a step across an edge on one side the same root, the least index.
void ContactFinder::join(const SurfaceView& A, const SurfaceView& B) {
  std::sort(pairs_.begin(), pairs_.end(), by_triangles);
  parent_.resize(pairs_.size());
  for (std::size_t i = 0; i < pairs_.size(); ++i) parent_[i] = i;
  const auto link = [&](std::size_t i, std::int32_t a, std::int32_t b) {
    NearPair wanted;
    wanted.triangle_A = a, wanted.triangle_B = b;
    const auto found = std::lower_bound(pairs_.begin(), pairs_.begin() + static_cast<std::ptrdiff_t>(i),
                                        wanted, by_triangles);
    if (found == pairs_.begin() + static_cast<std::ptrdiff_t>(i) || by_triangles(wanted, *found)) return;
    const std::size_t x = root(i), y = root(static_cast<std::size_t>(found - pairs_.begin()));
    parent_[std::max(x, y)] = std::min(x, y);
  };
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      link(i, A.neighbours[std::ptrdiff_t(3) * pairs_[i].triangle_A + k], pairs_[i].triangle_B);
      link(i, pairs_[i].triangle_A, B.neighbours[std::ptrdiff_t(3) * pairs_[i].triangle_B + k]);
    }
  }
}

// Adds to `triangles` of `of` all that are reached from them through corners inside `within`.
void ContactFinder::flood(const SurfaceView& of, const SurfaceView& within, const Pose<double>& X_WO,
                          std::vector<std::int32_t>& triangles) {
  std::sort(triangles.begin(), triangles.end());
  triangles.erase(std::unique(triangles.begin(), triangles.end()), triangles.end());
  known_.assign(static_cast<std::size_t>(of.triangle_count), 0);
  for (const std::int32_t t : triangles) known_[t] = 1;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    bool inside[3];
    for (int k = 0; k < 3; ++k) {
      const Vec3<double> p = X_WO * distance::internal::corner<double>(of, triangles[i], k);
      inside[k] = distance::signed_distance<double>(within, p).distance < 0;
    }
    for (int k = 0; k < 3; ++k) {
      const std::int32_t across = of.neighbours[std::ptrdiff_t(3) * triangles[i] + k];
      if (known_[across] || !(inside[k] || inside[(k + 1) % 3])) continue;
      known_[across] = 1;
      triangles.push_back(across);
    }
  }
}

void ContactFinder::add_crossing(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB,
                                 std::size_t region, const SurfaceWitness& nearest) {
  const NearPair& best = pairs_[best_[region]];
  const auto crossing_point = [&] {
    return internal::apart_witness(A, B, X_AB, best.triangle_A, best.triangle_B, best.pair);
  };
  SurfaceContact& contact = contacts_.emplace_back();
  if (!(nearest.witness.distance < 0)) return void(contact.found = crossing_point());  // nothing is deep
  triangles_A_.clear(), triangles_B_.clear();
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (root(i) != region || !pairs_[i].pair.crossing) continue;
    triangles_A_.push_back(pairs_[i].triangle_A);
    triangles_B_.push_back(pairs_[i].triangle_B);
  }
  const Pose<double> X_BA = X_AB.inverse();
  flood(A, B, X_BA, triangles_A_);
  flood(B, A, X_AB, triangles_B_);
  const std::vector<std::int32_t>& inner = nearest.of_A ? triangles_A_ : triangles_B_;
  if (std::find(inner.begin(), inner.end(), nearest.of_A ? nearest.triangle_A : nearest.triangle_B) !=
      inner.end())
    return void(contact.found = nearest);
  const distance::DeepestPoint of_A = scratch_.deepest_of_A(A, B, X_BA, 0, triangles_A_);
  const distance::DeepestPoint of_B = scratch_.deepest_of_B(B, A, X_AB, of_A.depth, triangles_B_);
  if (of_B.triangle_inner >= 0)
    contact.found = internal::deepest_witness(A, B, X_AB, of_B, false);
  else if (of_A.triangle_inner >= 0)
    contact.found = internal::deepest_witness(A, B, X_AB, of_A, true);
  else
    contact.found = crossing_point();
}

SurfaceContacts ContactFinder::operator()(const SurfaceView& A, const SurfaceView& B,
                                          const Pose<double>& X_AB, double margin) {
  contacts_.clear();
  const SurfaceWitness nearest = surface_separation(A, B, X_AB, scratch_);
  if (nearest.witness.status == Status::kInvalidInput) {
    contacts_.emplace_back().found = nearest;
    return {contacts_, margin};
  }
  const bool touching = nearest.witness.status == Status::kTouching;
  if (!(nearest.witness.distance <= margin) && !touching) {
    // Unfinished, the search may have missed a nearer pair.
    if (nearest.witness.status == Status::kNotConverged && nearest.witness.lower_bound <= margin)
      finish(A, B, nearest);
    return {contacts_, margin};
  }
  const double within = touching ? std::max(margin, internal::touching_distance(A, B, X_AB)) : margin;
  // No pair is farther apart than the two bodies together extend.
  const double all =
      nearest.witness.upper_bound + 2 * (bvh::ball_of(A.tree).radius + bvh::ball_of(B.tree).radius);
  const double reach =
      distance::near_triangles(A, B, X_AB, std::min(within, std::max(all, 0.0)), kMaxPairs, pairs_);
  join(A, B);
  // Picks the nearest pair of each region: crossing before merely touching, then the first in order of the
  // triangles. It is stored at the region's root.
  const auto comes_before = [&](std::size_t i, std::size_t k) {
    const auto &a = pairs_[i].pair, &b = pairs_[k].pair;
    return a.crossing != b.crossing ? a.crossing : a.distance2 < b.distance2;
  };
  const double unsure = internal::unsure_distance(A, B);
  best_.assign(pairs_.size(), pairs_.size());
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    std::size_t& best = best_[root(i)];
    if (best == pairs_.size() || comes_before(i, best)) best = i;
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (root(i) != i) continue;
    const NearPair& best = pairs_[best_[i]];
    if (best.pair.crossing) {
      add_crossing(A, B, X_AB, i, nearest);
    } else {
      const SurfaceWitness found =
          internal::apart_witness(A, B, X_AB, best.triangle_A, best.triangle_B, best.pair);
      // A wall seen from its inner side: the parts inside, or the nearer side of the wall, already represent
      // it.
      if (found.witness.distance > unsure && internal::on_inner_side(A, B, X_AB, found)) continue;
      contacts_.emplace_back().found = found;
    }
    internal::settle_normal(A, B, X_AB, contacts_.back().found);
  }
  finish(A, B, nearest);
  return {contacts_, reach < std::min(within, all) ? reach : margin};
}

// Sorts the contacts nearest first and keeps each pair of features once; adds the nearest point where no
// crossing leads to it, as for a body within the other.
void ContactFinder::finish(const SurfaceView& A, const SurfaceView& B, const SurfaceWitness& nearest) {
  const bool known = std::any_of(contacts_.begin(), contacts_.end(), [&](const SurfaceContact& contact) {
    return contact.found.witness.distance <= nearest.witness.distance;
  });
  if (!known) contacts_.emplace_back().found = nearest;
  for (SurfaceContact& contact : contacts_) {
    contact.feature_A = feature_code(A, contact.found.triangle_A, contact.found.weight_A);
    contact.feature_B = feature_code(B, contact.found.triangle_B, contact.found.weight_B);
  }
  const auto features = [](const SurfaceContact& c) { return std::pair{c.feature_A, c.feature_B}; };
  std::sort(contacts_.begin(), contacts_.end(), [&](const SurfaceContact& a, const SurfaceContact& b) {
    return std::pair{features(a), a.found.witness.distance} <
           std::pair{features(b), b.found.witness.distance};
  });
  contacts_.erase(std::unique(contacts_.begin(), contacts_.end(),
                              [&](const SurfaceContact& a, const SurfaceContact& b) {
                                return features(a) == features(b);
                              }),
                  contacts_.end());
  std::sort(contacts_.begin(), contacts_.end(), [&](const SurfaceContact& a, const SurfaceContact& b) {
    return std::pair{a.found.witness.distance, features(a)} <
           std::pair{b.found.witness.distance, features(b)};
  });
}

}  // namespace abut::proximity
