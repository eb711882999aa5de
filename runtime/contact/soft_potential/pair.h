#pragma once

#include <algorithm>

#include "runtime/contact/soft_potential/walk.h"
#include "runtime/core/parallel.h"

// Sums of a pair, divided into shares that several threads can compute.
namespace abut::contact::internal {

// Appends the shares of a side.
template <class S, class Walk>
void add_shares(const PotentialSide<S>& side, Walk&& walk, std::vector<std::int32_t>& nodes,
                PotentialScratch<S>& scratch, std::size_t& count) {
  const std::int32_t level = walk.live_nodes(side, kShares, nodes, scratch.next);
  const std::size_t shares = std::min<std::size_t>(kShares, nodes.size());
  if (scratch.shares.size() < count + shares) scratch.shares.resize(count + shares);
  for (std::size_t i = 0; i < shares; ++i) {
    PotentialShare<S>& share = scratch.shares[count++];
    share.side = &side;
    share.level = level;
    share.begin = nodes.data() + i * nodes.size() / shares;
    share.end = nodes.data() + (i + 1) * nodes.size() / shares;
  }
}

// Computes wrench, derivatives and energy of a pair; bit-identical for any number of threads.
template <class S, class T, class Ops>
void solve_potential(const PotentialPair<S>& pair, ssdf::Order order, int threads,
                     PotentialScratch<S>& scratch, SoftPotential<S>& out) {
  using Walk = PotentialWalk<S, T, Ops>;
  const PotentialBody A(*pair.A, pair.grid_A, pair.lattice_A), B(*pair.B, pair.grid_B, pair.lattice_B);
  // Both sums are about Bo: A's origin may be far from the contact, and sums about it would lose digits.
  const Pose<S> X_BA = pair.X_AB.inverse();
  Pose<S> X_CB = pair.X_AB;  // C: frame at Bo with the axes of A
  X_CB.p.setZero();
  PotentialSide<S> on_B{&B, &A, X_BA, X_BA, pair.V_AB_B, pair.law};
  PotentialSide<S> on_A{&A, &B, pair.X_AB, X_CB, -(adjoint(X_CB) * pair.V_AB_B), pair.law};
  on_B.law.stiffness *= pair.share_A;
  on_A.law.stiffness *= pair.share_B;
  if (scratch.near.size() < static_cast<std::size_t>(threads)) scratch.near.resize(threads);
  std::size_t count = 0;
  add_shares(on_B, Walk(order, scratch.near[0]), scratch.nodes_A, scratch, count);
  const std::size_t first_of_B = count;
  add_shares(on_A, Walk(order, scratch.near[0]), scratch.nodes_B, scratch, count);
  parallel_for(static_cast<std::int64_t>(count), threads,
               [&](std::int64_t i, int thread) { Walk(order, scratch.near[thread]).sum(scratch.shares[i]); });
  PairSums<S> sums_B(order), sums_A(order);
  out.energy = S(0);
  out.met = false;
  for (std::size_t i = 0; i < count; ++i) {
    const PotentialShare<S>& share = scratch.shares[i];
    (i < first_of_B ? sums_B : sums_A).add(share.sums, order);
    out.energy += share.energy;
    out.met = out.met || share.met;
  }
  sums_B.add(seen_from_other(sums_A, X_CB, pair.V_AB_B, order), order);
  out.F_BBo_B = sums_B.value.template head<6>();
  if (order == ssdf::Order::kValue) return;
  out.jacobian = sums_B.first.template topRows<6>();
  if (order == ssdf::Order::kHessian)
    std::copy(sums_B.second.begin(), sums_B.second.begin() + 6, out.hessian.begin());
}

}  // namespace abut::contact::internal
