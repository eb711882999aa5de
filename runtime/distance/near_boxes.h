#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "runtime/asset/asset.h"
#include "runtime/bvh/overlap.h"
#include "runtime/core/simd.h"

// Traverses pairs of boxes of two surfaces' trees, nearest first.
namespace abut::distance::internal {

using Floats = bvh::FourBoxes::Lanes;
using bvh::kMaxDepth;
using bvh::kWidth;

inline constexpr float kNoBound = std::numeric_limits<float>::infinity();

// Lower bounds of the distance of pairs of boxes, less `base` (m), in single precision: subtracting `base`,
// the distance of the centres, keeps digits for bodies far apart. Along the direction n bounds come from the
// bounding planes stored with each box, across it from the boxes turned into a frame whose z axis is n, so
// that surfaces that face one another along n are separated by their full gap.
class NearBoxes {
 public:
  NearBoxes(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB)
      : A_(A), B_(B), X_AB_(X_AB) {
    const bvh::Ball a = bvh::ball_of(A.tree), b = bvh::ball_of(B.tree);
    center_A_ = a.center, center_B_ = b.center;
    offset_ = X_AB * b.center - a.center;
    base_ = offset_.norm();
    size_ = static_cast<float>(a.radius + b.radius);
    if (!(size_ > 0)) size_ = 1;
    coordinates_ = static_cast<float>(center_A_.norm() + center_B_.norm()) + size_;
    reach_ = static_cast<float>(X_AB.p.norm()) + coordinates_;
    aim(base_ > 0 ? Vec3<double>(offset_ / base_) : Vec3<double>::UnitX());
  }

  // Uses the unit vector n, in A, as the direction of later bounds.
  void aim(const Vec3<double>& n) {
    Mat3<double> R_NA;
    R_NA.row(0) = n.unitOrthogonal();
    R_NA.row(1) = n.cross(R_NA.row(0).transpose());
    R_NA.row(2) = n;
    const Mat3<double> R_NB = R_NA * X_AB_.R;
    X_NA_ = {R_NA.cast<float>(), (-(R_NA * center_A_)).cast<float>()};
    X_NB_ = {R_NB.cast<float>(), (R_NA * offset_ - R_NB * center_B_).cast<float>()};
    along_A_ = n.cast<float>();
    along_B_ = (-R_NB.row(2)).cast<float>();
    ++aims_;
    shift_ = static_cast<float>(n.dot(offset_) - base_) + static_cast<float>(n.dot(center_A_)) -
             static_cast<float>(R_NB.row(2).dot(center_B_)) - kRounding * coordinates_;
  }

  // Converts a distance (m) to single precision, less the base, rounded up.
  float limit(double distance) const {
    const auto rounded = static_cast<float>(distance - base_);
    return rounded + kRounding * std::abs(rounded) + std::numeric_limits<float>::min();
  }

  // The distance that belongs to a bound, m.
  double distance(float bound) const { return base_ + bound; }

  // The four children of a node: boxes in the turned frame, and their greatest coordinates along n (A) or
  // against it (B).
  struct Side {
    bvh::FourBoxes boxes;
    Floats along;
  };
  const Side& of_A(std::int32_t node) { return known(known_A_, A_, node, X_NA_, along_A_); }
  const Side& of_B(std::int32_t node) { return known(known_B_, B_, node, X_NB_, along_B_); }

  // Lower bounds for A's child a with each of B's four children, less the base.
  Floats operator()(const Side& A, int a, const Side& B) const {
    const Floats gap = shift_ - (B.along + A.along[a]);  // gap along n, less the base
    const float scale = 1 / size_;
    Floats squares = Floats::Zero();
    for (int k = 0; k < 3; ++k) {
      Floats apart =
          (B.boxes.center[k] - A.boxes.center[k][a]).abs() - (A.boxes.half[k][a] + B.boxes.half[k]);
      if (k == 2) apart = apart.max(gap + static_cast<float>(base_));
      squares += (apart * scale).max(0.f).square();
    }
    const Floats apart =
        squares.sqrt() * (size_ * (1 - kRounding)) - (static_cast<float>(base_) + kRounding * reach_);
    return apart.max(gap);
  }

 private:
  static constexpr float kRounding = 2e-6f;  // relative, of a few operations in single precision

  // Cache of computed sides, at index node modulo kKnown: a descent revisits most nodes.
  static constexpr int kKnown = 64;
  struct Known {
    std::int32_t node = -1, aim = 0;
    Side side;
  };
  const Side& known(std::array<Known, kKnown>& all, const asset::SurfaceView& surface, std::int32_t node,
                    const Pose<float>& X_N, const Vec3<float>& n) {
    Known& k = all[node % kKnown];
    if (k.node != node || k.aim != aims_) k.node = node, k.aim = aims_, k.side = side(surface, node, X_N, n);
    return k.side;
  }

  // Greatest n . p over the intersection of the box and the half-space m . p <= h: with a = max(n . m, 0) it
  // is at most a h plus the box's greatest (n - a m) . p.
  static Side side(const asset::SurfaceView& surface, std::int32_t node, const Pose<float>& X_N,
                   const Vec3<float>& n) {
    Side result{bvh::turned_boxes(surface.tree, node, X_N), Floats::Zero()};
    const float* bounds = surface.tree.bounds + std::ptrdiff_t(node) * 6 * kWidth;
    const auto greatest = [&](const Floats& x, const Floats& y, const Floats& z) {
      const Floats* along[3] = {&x, &y, &z};
      Floats sum = Floats::Zero();
      for (int k = 0; k < 3; ++k) {
        const Eigen::Map<const Floats> low(bounds + k * kWidth), high(bounds + (3 + k) * kWidth);
        sum += (*along[k] * low).max(*along[k] * high);
      }
      return sum;
    };
    const Floats x = Floats::Constant(n.x()), y = Floats::Constant(n.y()), z = Floats::Constant(n.z());
    result.along = greatest(x, y, z);
    if (surface.planes == nullptr) return result;
    using Row = Eigen::Map<const Floats>;
    const float* planes = surface.planes + std::ptrdiff_t(node) * 4 * kWidth;
    const Row mx(planes), my(planes + kWidth), mz(planes + 2 * kWidth), h(planes + 3 * kWidth);
    const Floats a = (n.x() * mx + n.y() * my + n.z() * mz).max(0.f);
    result.along = result.along.min(a * h + greatest(x - a * mx, y - a * my, z - a * mz));
    return result;
  }

  asset::SurfaceView A_, B_;
  Pose<double> X_AB_;
  Pose<float> X_NA_, X_NB_;  // both relative to the centre of A
  Vec3<double> center_A_, center_B_, offset_;
  double base_;  // m: distance of the centres
  float size_, coordinates_, reach_;
  Vec3<float> along_A_, along_B_;
  float shift_ = 0;
  std::int32_t aims_ = 0;
  std::array<Known, kKnown> known_A_, known_B_;
};

// Visits pairs of leaves by increasing bound, as far as a depth-first descent allows. Ends if leaf(first_A,
// count_A, first_B, count_B) returns false, and then returns the least bound among the pairs not visited;
// otherwise returns infinity.
template <class Leaf>
ABUT_INLINE float visit_near_pairs(const bvh::TreeView& A, const bvh::TreeView& B, NearBoxes& bounds,
                                   const float& limit, Leaf&& leaf) {
  struct Entry {
    float bound;
    std::int32_t slot_A, slot_B;
  };
  constexpr int kMaxPushed = kWidth * kWidth;
  std::array<Entry, 2 * kMaxDepth * kMaxPushed> stack;
  int size = 0;

  const auto pair_up = [&](std::int32_t node_A, int only_A, std::int32_t node_B, int only_B) {
    const NearBoxes::Side &of_A = bounds.of_A(node_A), &of_B = bounds.of_B(node_B);
    const int base = size;
    for (int a = 0; a < kWidth; ++a) {
      const std::int32_t slot_A = node_A * kWidth + a;
      if ((only_A >= 0 && only_A != a) || A.counts[slot_A] < 0) continue;
      const Floats found = bounds(of_A, a, of_B);
      unsigned near = ~bvh::negative_lanes(limit - found) & (only_B < 0 ? (1u << kWidth) - 1 : 1u << only_B);
      for (; near != 0; near &= near - 1) {
        const int b = std::countr_zero(near);
        if (B.counts[node_B * kWidth + b] < 0) continue;
        int place = size++;
        for (; place > base && stack[place - 1].bound < found[b]; --place) stack[place] = stack[place - 1];
        stack[place] = {found[b], slot_A, node_B * kWidth + b};
      }
    }
  };

  pair_up(0, -1, 0, -1);
  while (size > 0) {
    const Entry e = stack[--size];
    if (!(e.bound <= limit)) continue;
    const std::int32_t count_A = A.counts[e.slot_A], count_B = B.counts[e.slot_B];
    if (count_A > 0 && count_B > 0) {
      if (leaf(A.children[e.slot_A], count_A, B.children[e.slot_B], count_B)) continue;
      float left = kNoBound;
      while (size > 0) left = std::min(left, stack[--size].bound);
      return left;
    }
    bvh::descend(A, e.slot_A, B, e.slot_B, pair_up);
  }
  return kNoBound;
}

}  // namespace abut::distance::internal
