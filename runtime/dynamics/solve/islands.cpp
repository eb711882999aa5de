#include "runtime/dynamics/solve/islands.h"

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

// Fills of_contact_ and of_body_.
void Islands::join(std::span<const ContactBody> bodies, std::span<const PairContact> contacts) {
  parent_.resize(bodies.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  moved_.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) moved_[i] = is_moved(bodies, static_cast<std::int32_t>(i));
  of_contact_.resize(contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const bool moved_A = is_free(contacts[k].A), moved_B = is_free(contacts[k].B);
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
}

void Islands::build(std::span<const ContactBody> bodies, std::span<const PairContact> contacts) {
  join(bodies, contacts);
  contacts_.sort(of_contact_, size_);
  bodies_.sort(of_body_, size_);
  place_of_body_.resize(bodies.size());
  group_.assign(contacts.size(), -1);
  first_part_.assign(1, 0);
  first_body_.assign(1, 0);
  for (std::int32_t island = 0; island < size_; ++island) {
    const Range range = contacts_.range(island), places = bodies_.range(island);
    const bool large = range.end - range.begin > kMaxUncut;
    const std::int32_t part = first_part_.back();
    first_part_.push_back(part + (large ? kParts : 1));
    for (const std::int32_t k : within(contacts_.order, range)) group_[k] = part * kPhases;
    if (large) line_up(places, bodies);
    for (std::int32_t p = places.begin; p < places.end; ++p) place_of_body_[bodies_.order[p]] = p;
    if (large) first_body_.push_back(cut(island, contacts));
    first_body_.push_back(places.end);
  }
  contacts_.sort(group_, parts() * kPhases);
  for (std::int32_t group = 0; group < parts() * kPhases; ++group) spread(contacts_.range(group));
}

// Sorts an island's bodies by their centres along the longest side of the box around these.
void Islands::line_up(Range places, std::span<const ContactBody> bodies) {
  const std::span<std::int32_t> members(bodies_.order.data() + places.begin,
                                        bodies_.order.data() + places.end);
  Vec3<double> low = bodies[members[0]].p_WBcm, high = low;
  for (const std::int32_t i : members) {
    low = low.cwiseMin(bodies[i].p_WBcm);
    high = high.cwiseMax(bodies[i].p_WBcm);
  }
  int axis = 0;
  (high - low).maxCoeff(&axis);
  along_.clear();
  for (const std::int32_t i : members) along_.emplace_back(bodies[i].p_WBcm[axis], i);
  std::sort(along_.begin(), along_.end());
  std::transform(along_.begin(), along_.end(), members.begin(), [](const auto& item) { return item.second; });
}

// Places of the moved bodies of a contact, the earlier first.
std::pair<std::int32_t, std::int32_t> Islands::ends(const PairContact& contact) const {
  const std::int32_t a = place_of_body_[is_free(contact.A) ? contact.A : contact.B];
  const std::int32_t b = place_of_body_[is_free(contact.B) ? contact.B : contact.A];
  return std::minmax(a, b);
}

// Gives an island's contacts their parts and phases; returns the place of the second half's first body.
std::int32_t Islands::cut(std::int32_t island, std::span<const PairContact> contacts) {
  const std::span<const std::int32_t> members = within(contacts_.order, contacts_.range(island));
  const Range places = bodies_.range(island);
  ends_.clear();
  load_.assign(static_cast<std::size_t>(places.end - places.begin), 0);
  for (const std::int32_t k : members) {
    const auto [first, last] = ends(contacts[k]);
    ends_.emplace_back(first - places.begin, last - places.begin);
    ++load_[ends_.back().second];
  }
  std::int32_t half = 0;
  const auto count = static_cast<std::int32_t>(members.size());
  for (std::int32_t before = 0; 2 * before + load_[half] < count; ++half) before += load_[half];

  at_cut_.assign(load_.size(), 0);
  std::int32_t across = 0;
  for (const auto& [first, last] : ends_) {
    if (last < half || first >= half) continue;
    at_cut_[first] = 1;
    ++across;
  }
  // From the list's end, where contacts between two moved bodies stand: these cost more than those with one.
  for (std::size_t n = members.size(); n-- > 0;) {
    const auto& [first, last] = ends_[n];
    std::int32_t& group = group_[members[n]];
    if (last >= half) {
      group += kPhases + (first < half ? 1 : 0);
    } else if (across > 0 && !at_cut_[first] && !at_cut_[last]) {
      ++group;
      --across;
    }
  }
  return places.begin + half;
}

void Islands::spread(Range places) {
  const std::int32_t count = places.end - places.begin;
  if (count <= kStride * kStride) return;
  in_order_.assign(contacts_.order.begin() + places.begin, contacts_.order.begin() + places.end);
  std::int32_t place = places.begin;
  for (std::int32_t start = 0; start < kStride; ++start)
    for (std::int32_t k = start; k < count; k += kStride) contacts_.order[place++] = in_order_[k];
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
