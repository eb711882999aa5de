#pragma once

#ifdef __SSE__
#include <immintrin.h>
#endif

#include <Eigen/Core>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "runtime/bvh/tree.h"
#include "runtime/math/pose.h"

namespace abut::bvh {

// A ball that encloses everything in a tree, in double precision.
struct Ball {
  Vec3<double> center = Vec3<double>::Zero();  // m
  double radius = 0;                           // m
};
// Computes the ball around the bounding box of the root's children: its radius is half the box's diagonal.
inline Ball ball_of(const TreeView& tree) {
  Vec3<double> low = Vec3<double>::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (int c = 0; c < kWidth; ++c) {
    if (tree.counts[c] < 0) continue;
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], double(tree.bounds[k * kWidth + c]));
      high[k] = std::max(high[k], double(tree.bounds[(3 + k) * kWidth + c]));
    }
  }
  return {low / 2 + high / 2, (high / 2 - low / 2).norm()};
}

// Returns true if the bounding balls of two bodies are disjoint, so that nothing of them can meet. Tested
// first, so that the numbers of the remaining poses are within the range of single precision. X_BA: pose of A
// in B.
inline bool far_apart(const TreeView& A, const TreeView& B, const Pose<double>& X_BA) {
  constexpr double kRounding = 1e-6;  // above single precision's 2^-24
  const Ball a = ball_of(A), b = ball_of(B);
  const double reach = a.center.norm() + b.center.norm() + a.radius + b.radius;
  return !((X_BA * a.center - b.center).stableNorm() <= a.radius + b.radius + kRounding * reach);
}

// The boxes of a node's four children, one lane each: centres and half sizes, m.
struct FourBoxes {
  using Lanes = Eigen::Array<float, kWidth, 1>;  // one lane for each child of a node
  std::array<Lanes, 3> center, half;             // m, along x, y and z
};

// Returns the sign mask of the lanes: bit k is set if lane k has its sign bit set.
inline unsigned negative_lanes(const FourBoxes::Lanes& lanes) {
#ifdef __SSE__
  return static_cast<unsigned>(_mm_movemask_ps(_mm_loadu_ps(lanes.data())));
#else
  unsigned bits = 0;
  for (int k = 0; k < kWidth; ++k) bits |= std::signbit(lanes[k]) ? 1u << k : 0u;
  return bits;
#endif
}

// Returns the bounding boxes, along the axes of another frame N, of the boxes of a node's children; X_NO is
// the pose of the tree's frame O in N. Single precision, grown by more than the rounding of three products
// and their sum. The lanes of unused children are NaN.
inline FourBoxes turned_boxes(const TreeView& tree, std::int32_t node, const Pose<float>& X_NO) {
  using Lanes = FourBoxes::Lanes;
  constexpr float kRounding = 2e-6f;
  const float* bounds = tree.bounds + std::ptrdiff_t(node) * 6 * kWidth;
  FourBoxes old, result;
  for (int k = 0; k < 3; ++k) {
    const Eigen::Map<const Lanes> low(bounds + k * kWidth), high(bounds + (3 + k) * kWidth);
    old.center[k] = (low + high) / 2;
    old.half[k] = (high - low) / 2;
  }
  for (int k = 0; k < 3; ++k) {
    Lanes center = Lanes::Constant(X_NO.p[k]), half = Lanes::Zero();
    Lanes size = Lanes::Constant(std::abs(X_NO.p[k]));
    for (int j = 0; j < 3; ++j) {
      const float r = X_NO.R(k, j);
      center += r * old.center[j];
      half += std::abs(r) * old.half[j];
      size += old.center[j].abs() + old.half[j];
    }
    result.center[k] = center;
    result.half[k] = half + kRounding * size;
  }
  return result;
}

// Descends from a pair of slots of which at least one is an inner node. Calls pair_up(node of A, child of
// that node or -1 for all, node of B, child of that node or -1 for all).
template <class PairUp>
void descend(const TreeView& A, std::int32_t slot_A, const TreeView& B, std::int32_t slot_B,
             PairUp&& pair_up) {
  if (A.counts[slot_A] > 0)
    pair_up(slot_A / kWidth, slot_A % kWidth, B.children[slot_B], -1);
  else if (B.counts[slot_B] > 0)
    pair_up(A.children[slot_A], -1, slot_B / kWidth, slot_B % kWidth);
  else
    pair_up(A.children[slot_A], -1, B.children[slot_B], -1);
}

// Calls leaf(first_A, count_A, first_B, count_B) for every pair of leaves whose boxes may overlap, in an
// order that depends only on the trees and the pose; a pair whose boxes overlap is never left out. X_BA: pose
// of A in B. keep(slot_A, node_B) returns four lanes, one per child of B's node, negative where the child is
// not worth pairing with A's child in `slot_A` (node * kWidth + child). Does not allocate.
template <class Keep, class Leaf>
void visit_overlaps(const TreeView& A, const TreeView& B, const Pose<double>& X_BA, Keep&& keep,
                    Leaf&& leaf) {
  using Lanes = FourBoxes::Lanes;
  if (A.nodes == 0 || B.nodes == 0 || far_apart(A, B, X_BA)) return;
  const Pose<float> X = X_BA.cast<float>();
  struct Entry {
    std::int32_t slot_A, slot_B;
  };
  constexpr int kMaxPushed = kWidth * kWidth;
  std::array<Entry, 2 * kMaxDepth * kMaxPushed> stack;
  int size = 0;

  // Pairs the children of A's node (all, or only one) with those of B's.
  const auto pair_up = [&](std::int32_t node_A, int only_A, std::int32_t node_B, int only_B) {
    const FourBoxes boxes = turned_boxes(A, node_A, X);
    const float* bounds = B.bounds + std::ptrdiff_t(node_B) * 6 * kWidth;
    const unsigned children_B = only_B < 0 ? (1u << kWidth) - 1 : 1u << only_B;
    for (int a = 0; a < kWidth; ++a) {
      const std::int32_t slot_A = node_A * kWidth + a;
      if ((only_A >= 0 && only_A != a) || A.counts[slot_A] < 0) continue;
      Lanes room = keep(slot_A, node_B);
      for (int k = 0; k < 3; ++k) {
        const float center = boxes.center[k][a], half = boxes.half[k][a];
        const Eigen::Map<const Lanes> low(bounds + k * kWidth), high(bounds + (3 + k) * kWidth);
        room = room.min((center + half) - low).min(high - (center - half));
      }
      unsigned meet = ~negative_lanes(room) & children_B;
      for (; meet != 0; meet &= meet - 1) stack[size++] = {slot_A, node_B * kWidth + std::countr_zero(meet)};
    }
  };

  pair_up(0, -1, 0, -1);
  while (size > 0) {
    const Entry e = stack[--size];
    const std::int32_t count_A = A.counts[e.slot_A], count_B = B.counts[e.slot_B];
    if (count_A > 0 && count_B > 0)
      leaf(A.children[e.slot_A], count_A, B.children[e.slot_B], count_B);
    else
      descend(A, e.slot_A, B, e.slot_B, pair_up);
  }
}

}  // namespace abut::bvh
