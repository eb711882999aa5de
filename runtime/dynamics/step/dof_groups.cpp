#include "runtime/dynamics/step/dof_groups.h"

#include <algorithm>

#include "runtime/core/disjoint_sets.h"

namespace abut::dynamics {
namespace {

bool moves(const SystemTree& tree, std::int32_t body) { return body >= 0 && tree.tree().last_dof(body) >= 0; }

// Joins bodies that are coupled by joints, by mimicking joints, and by pairs that may touch; bodies welded to
// the world pass nothing on.
DisjointSets coupled_bodies(const SystemTree& tree, std::span<const PairForce> pairs) {
  const Tree& links = tree.tree();
  DisjointSets sets(tree.bodies().size());
  for (int i = 0; i < links.link_count(); ++i)
    if (moves(tree, links.link(i).parent)) sets.join(i, links.link(i).parent);
  const std::vector<int>& independent = tree.mimics().independent_velocities();
  for (int d = 0; d < links.nv(); ++d) {
    const int followed = independent[static_cast<std::size_t>(tree.mimics().velocity(d).independent)];
    sets.join(tree.link_of_dof(d), tree.link_of_dof(followed));
  }
  for (const PairForce& pair : pairs)
    if (moves(tree, pair.A) && moves(tree, pair.B)) sets.join(pair.A, pair.B);
  return sets;
}

}  // namespace

MatX<double> DofGroup::reduced(const MatX<double>& A) const {
  const auto count = static_cast<Eigen::Index>(independent.size());
  MatX<double> sum = MatX<double>::Zero(count, count);
  for (std::size_t r = 0; r < dofs.size(); ++r)
    for (std::size_t c = 0; c < dofs.size(); ++c)
      sum(place[r], place[c]) +=
          factor[r] * factor[c] * A(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c));
  return sum;
}

std::vector<DofGroup> dof_groups(const SystemTree& tree, std::span<const PairForce> pairs,
                                 const std::vector<std::uint8_t>& suspects,
                                 std::vector<std::uint8_t>& wanted) {
  DisjointSets sets = coupled_bodies(tree, pairs);
  std::vector<std::uint8_t> has_suspect(suspects.size());
  const auto first_of = [&](std::int32_t body) { return static_cast<std::size_t>(sets.least(body)); };
  for (std::size_t i = 0; i < suspects.size(); ++i)
    if (suspects[i] != 0) has_suspect[first_of(static_cast<std::int32_t>(i))] = 1;
  wanted.clear();
  for (const PairForce& pair : pairs)
    wanted.push_back(moves(tree, pair.B)   ? has_suspect[first_of(pair.B)]
                     : moves(tree, pair.A) ? has_suspect[first_of(pair.A)]
                                           : 0);
  std::vector<DofGroup> groups(suspects.size());
  const std::vector<int>& independent = tree.mimics().independent_velocities();
  for (int d = 0; d < tree.tree().nv(); ++d) {
    DofGroup& group = groups[first_of(tree.link_of_dof(d))];
    if (has_suspect[first_of(tree.link_of_dof(d))] == 0) continue;
    const MimicMap::Row& row = tree.mimics().velocity(d);
    group.dofs.push_back(d);
    group.factor.push_back(row.factor);
    group.place.push_back(independent[static_cast<std::size_t>(row.independent)]);
    if (group.place.back() == d) group.independent.push_back(d);
  }
  std::erase_if(groups, [](const DofGroup& group) { return group.dofs.empty(); });
  for (DofGroup& group : groups)
    for (Eigen::Index& place : group.place)
      place = std::lower_bound(group.independent.begin(), group.independent.end(), place) -
              group.independent.begin();
  return groups;
}

}  // namespace abut::dynamics
