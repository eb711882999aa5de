#include "runtime/dynamics/frictional/islands.h"

#include <numeric>
#include <utility>

namespace abut::dynamics {

bool is_moved(std::span<const ContactBody> bodies, std::int32_t body) {
  if (body == kFixed) return false;
  const ContactBody& b = bodies[static_cast<std::size_t>(body)];
  return b.inverse_mass > 0 || b.inverse_inertia_W.diagonal().maxCoeff() > 0;
}

std::int32_t Islands::root(std::int32_t body) {
  while (parent_[body] != body) {
    parent_[body] = parent_[parent_[body]];
    body = parent_[body];
  }
  return body;
}

void Islands::build(std::span<const ContactBody> bodies, std::span<const PairContact> contacts) {
  parent_.resize(bodies.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  of_contact_.resize(contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const bool moved_A = is_moved(bodies, contacts[k].A), moved_B = is_moved(bodies, contacts[k].B);
    of_contact_[k] = moved_A ? contacts[k].A : moved_B ? contacts[k].B : -1;  // a body for now
    if (moved_A && moved_B) parent_[root(contacts[k].B)] = root(contacts[k].A);
  }
  of_root_.assign(bodies.size(), -1);
  size_ = 0;
  for (std::int32_t& group : of_contact_) {
    if (group < 0) continue;
    std::int32_t& island = of_root_[root(group)];
    if (island < 0) island = size_++;
    group = island;
  }
  of_body_.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) of_body_[i] = of_root_[root(static_cast<std::int32_t>(i))];
  contacts_.sort(of_contact_, size_);
  for (std::int32_t island = 0; island < size_; ++island) spread(island);
  bodies_.sort(of_body_, size_);
}

void Islands::spread(std::int32_t island) {
  const auto first = static_cast<std::size_t>(contacts_.begin[island]);
  const auto count = static_cast<std::size_t>(contacts_.begin[island + 1]) - first;
  if (count <= kStride * kStride) return;
  in_order_.assign(contacts_.of(island).begin(), contacts_.of(island).end());
  std::size_t place = first;
  for (std::size_t start = 0; start < kStride; ++start)
    for (std::size_t k = start; k < count; k += kStride) contacts_.order[place++] = in_order_[k];
}

void Islands::Groups::sort(std::span<const std::int32_t> group_of, std::int32_t groups) {
  begin.assign(static_cast<std::size_t>(groups) + 1, 0);
  for (const std::int32_t group : group_of) {
    if (group >= 0) ++begin[group + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  order.resize(static_cast<std::size_t>(begin.back()));
  // Filling moves each group's begin to its end, that is one place on; then it is shifted back.
  for (std::size_t k = 0; k < group_of.size(); ++k) {
    if (group_of[k] >= 0) order[begin[group_of[k]]++] = static_cast<std::int32_t>(k);
  }
  for (std::size_t i = begin.size() - 1; i > 0; --i) begin[i] = begin[i - 1];
  begin[0] = 0;
}

}  // namespace abut::dynamics
