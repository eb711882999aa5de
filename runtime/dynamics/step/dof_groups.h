#pragma once

#include <span>
#include <vector>

#include "runtime/dynamics/collide/compliant_contact.h"
#include "runtime/dynamics/system/system_tree.h"

namespace abut::dynamics {

// A group of degrees of freedom of a system's tree that may act on one another within a step, but not on
// those of other groups.
struct DofGroup {
  std::vector<int> dofs;         // indices in the tree, ascending
  std::vector<int> independent;  // those that mimic no other, ascending
  // For each of `dofs`: the place in `independent` of the one it follows, and its factor.
  std::vector<Eigen::Index> place;
  std::vector<double> factor;

  // Returns the rows and columns of A (nv, nv) that belong to the group.
  MatX<double> block(const Eigen::Ref<const MatX<double>>& A) const { return A(dofs, dofs); }
  // Returns G' A G of such a block: that of the independent degrees of freedom.
  MatX<double> reduced(const MatX<double>& A) const;
};

// Returns the groups with at least one suspect, ordered by their first body. `suspects`: for each body,
// nonzero for a suspect; `pairs`: those that may touch. Fills `wanted`, for each pair: nonzero where it
// belongs to such a group.
std::vector<DofGroup> dof_groups(const SystemTree& tree, std::span<const PairForce> pairs,
                                 const std::vector<std::uint8_t>& suspects,
                                 std::vector<std::uint8_t>& wanted);

}  // namespace abut::dynamics
