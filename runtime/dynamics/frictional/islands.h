#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/dynamics/frictional/contact_problem.h"

namespace abut::dynamics {

// True for a body that impulses move; false for kFixed.
bool is_moved(std::span<const ContactBody> bodies, std::int32_t body);

// Groups of contacts that share moved bodies: each group is a problem of its own.
class Islands {
 public:
  // Contacts between two unmoved bodies belong to no island. The order follows the first contact of each
  // island, and depends on the input alone. Within a small island it is that of the list; within one of more
  // than kStride^2 contacts, neighbours of the list, which often belong to one pair of bodies, are kept
  // apart: sweeps then bring news further and wait less for one another's results. Allocates only for a
  // problem larger than any before.
  void build(std::span<const ContactBody> bodies, std::span<const PairContact> contacts);

  std::int32_t size() const { return size_; }

  // Indices of the contacts and of the moved bodies of one island.
  std::span<const std::int32_t> contacts(std::int32_t island) const { return contacts_.of(island); }
  std::span<const std::int32_t> bodies(std::int32_t island) const { return bodies_.of(island); }

 private:
  // Things sorted by the group that they belong to, in their own order within; group -1: left out.
  struct Groups {
    std::vector<std::int32_t> begin{0};  // first place of each group, one more at the end
    std::vector<std::int32_t> order;

    void sort(std::span<const std::int32_t> group_of, std::int32_t groups);
    std::span<const std::int32_t> of(std::int32_t group) const {
      return {order.data() + begin[group], order.data() + begin[group + 1]};
    }
  };

  static constexpr std::size_t kStride = 8;  // of the order within an island of more than its square

  std::int32_t root(std::int32_t body);
  void spread(std::int32_t island);

  std::vector<std::int32_t> parent_;      // of each body: union-find
  std::vector<std::int32_t> of_root_;     // island of each body that is a root; -1: none yet
  std::vector<std::int32_t> of_contact_;  // island of each contact; -1: none
  std::vector<std::int32_t> of_body_;     // island of each body; -1: none
  std::vector<std::int32_t> in_order_;    // contacts of one island
  std::int32_t size_ = 0;
  Groups contacts_, bodies_;
};

}  // namespace abut::dynamics
