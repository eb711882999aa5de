#pragma once

#include <cstdint>
#include <vector>

#include "runtime/contact/soft/pair_sums.h"
#include "runtime/ssdf/two_stage_points.h"

namespace abut::contact {

namespace internal {
template <class S>
struct PotentialSide;

// Greatest number of shares into which the samples of one body divide a pair's work.
inline constexpr int kShares = 16;

// Sums over the samples below some nodes of one level of their tree: a share of a pair's work, bit-identical
// whichever thread computes it.
template <class S>
struct PotentialShare {
  const PotentialSide<S>* side = nullptr;
  std::int32_t level = 0;
  const std::int32_t *begin = nullptr, *end = nullptr;  // the nodes
  PairSums<S> sums{ssdf::Order::kValue};
  S energy{};        // J
  bool met = false;  // whether any sample came within reach
};
}  // namespace internal

// Scratch memory of soft_potential(), kept from call to call.
template <class S>
struct PotentialScratch {
  std::vector<ssdf::internal::NearScratch<S>> near{1};  // one per thread
  std::vector<internal::PotentialShare<S>> shares;      // of A's samples, then of B's
  std::vector<std::int32_t> nodes_A, nodes_B, next;     // nodes that make up the shares
};

}  // namespace abut::contact
