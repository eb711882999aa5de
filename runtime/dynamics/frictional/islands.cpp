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

// Fills of_contact_ and of_body_.
void Islands::join(std::span<const ContactBody> bodies, std::span<const PairContact> contacts) {
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
}

void Islands::build(std::span<const ContactBody> bodies, std::span<const PairContact> contacts) {
  join(bodies, contacts);
  contacts_.sort(of_contact_, size_);
  bodies_.sort(of_body_, size_);
  first_part_.assign(1, 0);
  for (std::int32_t island = 0; island < size_; ++island) {
    const Range range = contacts_.range(island);
    const bool large = range.end - range.begin > kMostUncut;
    first_part_.push_back(first_part_.back() + (large ? kParts : 1));
  }
  group_.resize(contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k)
    group_[k] = of_contact_[k] < 0 ? -1 : first_part_[of_contact_[k]] * kPhases;
  part_.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) part_[i] = of_body_[i] < 0 ? -1 : first_part_[of_body_[i]];
  slab_.resize(bodies.size());
  load_.assign(bodies.size(), 0);
  for (std::int32_t island = 0; island < size_; ++island) {
    if (!is_cut(island)) continue;
    slice(island, bodies, contacts);
    cut(island, contacts);
  }
  contacts_.sort(group_, parts() * kPhases);
  bodies_.sort(part_, parts());
  for (std::int32_t group = 0; group < parts() * kPhases; ++group) spread(contacts_.range(group));
}

// Slabs of as many contacts each, across the longest side of the box around the bodies' centres.
void Islands::slice(std::int32_t island, std::span<const ContactBody> bodies,
                    std::span<const PairContact> contacts) {
  const std::span<const std::int32_t> members = within(bodies_.order, bodies_.range(island));
  std::int64_t total = 0;
  for (const std::int32_t k : within(contacts_.order, contacts_.range(island))) {
    for (const std::int32_t body : {contacts[k].A, contacts[k].B}) {
      if (body == kFixed || of_body_[body] < 0) continue;
      ++load_[body];
      ++total;
    }
  }
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
  std::int64_t passed = 0;
  for (const auto& [position, i] : along_) {
    slab_[i] = static_cast<std::int32_t>(kSlabs * passed / total);
    part_[i] += slab_[i] / 2;
    passed += load_[i];
  }
}

// A contact that may belong to either phase goes where there are fewer so far.
void Islands::cut(std::int32_t island, std::span<const PairContact> contacts) {
  std::int32_t counts[kParts][2] = {};
  for (const std::int32_t k : within(contacts_.order, contacts_.range(island))) {
    const bool moved_A = contacts[k].A != kFixed && of_body_[contacts[k].A] >= 0;
    const bool moved_B = contacts[k].B != kFixed && of_body_[contacts[k].B] >= 0;
    const std::int32_t a = slab_[moved_A ? contacts[k].A : contacts[k].B];
    const std::int32_t b = slab_[moved_B ? contacts[k].B : contacts[k].A];
    const std::int32_t first = a / 2, second = (a + 1) % kSlabs / 2;
    const bool may_first = first == b / 2, may_second = second == (b + 1) % kSlabs / 2;
    if (may_first && !(may_second && counts[second][1] < counts[first][0])) {
      ++counts[first][0];
      group_[k] += first * kPhases;
    } else if (may_second) {
      ++counts[second][1];
      group_[k] += second * kPhases + 1;
    } else {
      group_[k] += 2;
    }
  }
}

int Islands::phases(std::int32_t island) const {
  if (!is_cut(island)) return 1;
  const Range rest = places(first_part_[island], kPhases - 1);
  return rest.begin < rest.end ? kPhases : kPhases - 1;
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
