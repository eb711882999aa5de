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
  // island, and the contacts' own order within: it depends on the input alone. Allocates only for a problem
  // larger than any before.
  void build(std::span<const ContactBody> bodies, std::span<const PairContact> contacts);

  std::int32_t size() const { return static_cast<std::int32_t>(begin_.size()) - 1; }

  // Indices of the contacts of one island.
  std::span<const std::int32_t> contacts(std::int32_t island) const {
    return {order_.data() + begin_[island], order_.data() + begin_[island + 1]};
  }

 private:
  std::int32_t root(std::int32_t body);

  std::vector<std::int32_t> parent_;      // of each body: union-find
  std::vector<std::int32_t> island_of_;   // of each body that is a root; -1: none yet
  std::vector<std::int32_t> begin_;       // first place of each island in order_, one more at the end
  std::vector<std::int32_t> order_;       // contacts by island
  std::vector<std::int32_t> of_contact_;  // island of each contact; -1: none
};

}  // namespace abut::dynamics
