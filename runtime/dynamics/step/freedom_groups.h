#pragma once

#include <span>
#include <vector>

#include "runtime/dynamics/collide/compliant_contact.h"
#include "runtime/dynamics/system/system_tree.h"

namespace abut::dynamics {

// Degrees of freedom of a system's tree that may act on one another within a step, and on no others.
struct FreedomGroup {
  std::vector<int> freedoms;     // of the tree, ascending
  std::vector<int> independent;  // those of them that mimic no other, ascending
  // Of each freedom the one that it follows, by its place among the independent ones, and its factor.
  std::vector<Eigen::Index> place;
  std::vector<double> factor;

  // Of A (nv, nv) the rows and columns of these.
  MatX<double> block(const Eigen::Ref<const MatX<double>>& A) const { return A(freedoms, freedoms); }
  // G' A G of such a block.
  MatX<double> reduced(const MatX<double>& A) const;
};

// The groups that have a suspect, by the first body of each. `suspects`: for each body, 0 where it is none;
// `pairs`: those that may touch. Fills `wanted`, for each pair: not 0 where it is of such a group.
std::vector<FreedomGroup> freedom_groups(const SystemTree& tree, std::span<const PairForce> pairs,
                                         const std::vector<std::uint8_t>& suspects,
                                         std::vector<std::uint8_t>& wanted);

}  // namespace abut::dynamics
