#include "runtime/dynamics/solve/islands.h"

#include <array>
#include <numeric>
#include <utility>

namespace abut::dynamics {

bool is_moved(std::span<const ContactBody> bodies, std::int32_t body) {
  return has_inertia(bodies, body) || (body != kFixed && bodies[static_cast<std::size_t>(body)].tree >= 0);
}

bool has_inertia(std::span<const ContactBody> bodies, std::int32_t body) {
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
void Islands::join(std::span<const ContactBody> bodies, std::span<const PairContact> contacts,
                   std::span<const JointRow> joints) {
  parent_.resize(bodies.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  of_root_.clear();  // used here for the first body of each tree
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].tree < 0) continue;
    const auto tree = static_cast<std::size_t>(bodies[i].tree);
    if (tree >= of_root_.size()) of_root_.resize(tree + 1, -1);
    if (of_root_[tree] < 0) of_root_[tree] = static_cast<std::int32_t>(i);
    parent_[i] = of_root_[tree];
  }
  moved_.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) moved_[i] = is_moved(bodies, static_cast<std::int32_t>(i));
  of_contact_.resize(contacts.size() + joints.size());
  for (std::size_t k = 0; k < joints.size(); ++k) of_contact_[contacts.size() + k] = joints[k].body;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const bool moved_A = is_free(contacts[k].A), moved_B = is_free(contacts[k].B);
    // For now a body rather than an island.
    of_contact_[k] = moved_A ? contacts[k].A : moved_B ? contacts[k].B : -1;
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

void Islands::build(std::span<const ContactBody> bodies, std::span<const PairContact> contacts,
                    std::span<const JointRow> joints) {
  join(bodies, contacts, joints);
  contacts_.sort(of_contact_, size_);
  bodies_.sort(of_body_, size_);
  place_of_body_.resize(bodies.size());
  part_of_body_.resize(bodies.size());
  group_.assign(contacts.size() + joints.size(), -1);
  for (std::vector<std::int32_t>* first : {&first_part_, &first_unit_, &first_body_}) first->assign(1, 0);
  units_.clear();
  bodies_of_unit_.clear();
  turns_.clear();
  in_order_.clear();
  most_parts_ = 1;
  for (std::int32_t island = 0; island < size_; ++island) cut(island, bodies, contacts, joints);
  contacts_.sort(group_, unit_count());
  for (std::int32_t island = 0; island < size_; ++island)
    for (std::int32_t unit = units(island).begin; unit < units(island).end; ++unit)
      if (is_cut(island) || places_of_unit(unit).end - places_of_unit(unit).begin > kStride * kStride)
        spread(places_of_unit(unit));
  make_schedules();
}

// Divides an island into parts and units, and assigns its contacts to the units.
void Islands::cut(std::int32_t island, std::span<const ContactBody> bodies,
                  std::span<const PairContact> contacts, std::span<const JointRow> joints) {
  const std::span<const std::int32_t> members = within(contacts_.order, contacts_.range(island));
  const Range places = bodies_.range(island);
  const auto count = static_cast<std::int32_t>(members.size());
  int levels = 0;
  parts_ = 0;
  if (count > kMaxUncut) {
    const Range free = free_bodies(places, bodies);
    const bool trees = free.end < places.end;
    while ((2 << levels) + trees <= Schedule::kMaxParts && count > kPartContacts << levels) ++levels;
    if (free.begin < free.end) halve(free, levels, bodies);
    if (trees) end_part({free.end, places.end});
  } else {
    end_part(places);
  }
  for (std::int32_t p = places.begin; p < places.end; ++p) place_of_body_[bodies_.order[p]] = p;
  first_part_.push_back(first_part_.back() + parts_);
  most_parts_ = std::max(most_parts_, parts_);
  find_borders(members, contacts);
  colour_borders();
  make_units();
  list_in_order();
  for (const std::int32_t k : members) {
    const auto joint = static_cast<std::size_t>(k) - contacts.size();
    const std::int32_t on = joint < joints.size() ? part_of_body_[joints[joint].body] : 0;
    const auto [a, b] = joint < joints.size() ? std::pair(on, on) : parts_of(contacts[k]);
    group_[k] = between_[a * parts_ + b];
  }
}

// Moves bodies on trees to the end, keeping the order of both kinds; returns the places of the others.
Islands::Range Islands::free_bodies(Range places, std::span<const ContactBody> bodies) {
  const auto begin = bodies_.order.begin();
  listed_.clear();
  std::int32_t end = places.begin;
  for (std::int32_t p = places.begin; p < places.end; ++p) {
    const std::int32_t body = begin[p];
    if (bodies[body].tree >= 0)
      listed_.push_back(body);
    else
      begin[end++] = body;
  }
  std::copy(listed_.begin(), listed_.end(), begin + end);
  return {places.begin, end};
}

void Islands::end_part(Range places) {
  for (std::int32_t p = places.begin; p < places.end; ++p) part_of_body_[bodies_.order[p]] = parts_;
  ++parts_;
  first_body_.push_back(places.end);
}

// Divides bodies into parts by recursive halving: two halves of equally many bodies along the longest side of
// the bounding box of their centres.
void Islands::halve(Range places, int levels, std::span<const ContactBody> bodies) {
  const std::span<std::int32_t> members(bodies_.order.data() + places.begin,
                                        bodies_.order.data() + places.end);
  if (levels == 0 || members.size() < 2) {
    end_part(places);
    return;
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
  const auto half = static_cast<std::int32_t>(members.size() / 2);
  std::nth_element(along_.begin(), along_.begin() + half, along_.end());
  std::transform(along_.begin(), along_.end(), members.begin(), [](const auto& item) { return item.second; });
  halve({places.begin, places.begin + half}, levels - 1, bodies);
  halve({places.begin + half, places.end}, levels - 1, bodies);
}

// Returns the parts of a contact's moved bodies, the smaller index first.
std::pair<std::int32_t, std::int32_t> Islands::parts_of(const PairContact& contact) const {
  const std::int32_t a = part_of_body_[is_free(contact.A) ? contact.A : contact.B];
  const std::int32_t b = part_of_body_[is_free(contact.B) ? contact.B : contact.A];
  return std::minmax(a, b);
}

void Islands::find_borders(std::span<const std::int32_t> members, std::span<const PairContact> contacts) {
  borders_.clear();
  between_.assign(static_cast<std::size_t>(parts_) * static_cast<std::size_t>(parts_), -1);
  if (parts_ == 1) return;
  for (const std::int32_t k : members) {
    if (static_cast<std::size_t>(k) >= contacts.size()) continue;
    const auto [a, b] = parts_of(contacts[k]);
    if (a == b) continue;
    std::int32_t& border = between_[a * parts_ + b];
    if (border < 0) {
      border = static_cast<std::int32_t>(borders_.size());
      borders_.push_back({{a, b, 0, 0}, 0, 0});
    }
    ++borders_[border].contacts;
  }
}

// Colours the borders greedily, those with many contacts first, and then gives them their turns, after the
// parts' own units.
void Islands::colour_borders() {
  std::sort(borders_.begin(), borders_.end(), [](const Border& x, const Border& y) {
    if (x.contacts != y.contacts) return x.contacts > y.contacts;
    return x.unit.a != y.unit.a ? x.unit.a < y.unit.a : x.unit.b < y.unit.b;
  });
  used_.assign(static_cast<std::size_t>(parts_), {});
  for (Border& border : borders_) {
    Colours &at_a = used_[border.unit.a], &at_b = used_[border.unit.b];
    while (at_a[border.colour] || at_b[border.colour]) ++border.colour;
    at_a.set(border.colour);
    at_b.set(border.colour);
  }
  std::sort(borders_.begin(), borders_.end(), [](const Border& x, const Border& y) {
    return x.colour != y.colour ? x.colour < y.colour : x.unit.a < y.unit.a;
  });
  next_.assign(static_cast<std::size_t>(parts_), 1);
  for (Border& border : borders_) {
    border.unit.turn_a = next_[border.unit.a]++;
    border.unit.turn_b = next_[border.unit.b]++;
  }
  turns_.insert(turns_.end(), next_.begin(), next_.end());
}

// Lists the units by part, then by turn; from here on between_ refers to units.
void Islands::make_units() {
  std::sort(borders_.begin(), borders_.end(), [](const Border& x, const Border& y) {
    return x.unit.a != y.unit.a ? x.unit.a < y.unit.a : x.unit.turn_a < y.unit.turn_a;
  });
  auto border = borders_.begin();
  for (std::int32_t part = 0; part < parts_; ++part) {
    between_[part * parts_ + part] = static_cast<std::int32_t>(units_.size());
    units_.push_back({part, part, 0, 0});
    bodies_of_unit_.push_back(body_places(static_cast<std::int32_t>(first_unit_.size()) - 1));
    for (; border != borders_.end() && border->unit.a == part; ++border) {
      between_[part * parts_ + border->unit.b] = static_cast<std::int32_t>(units_.size());
      units_.push_back(border->unit);
      bodies_of_unit_.push_back({0, 0});
    }
    first_unit_.push_back(static_cast<std::int32_t>(units_.size()));
  }
}

// Lists the island's units in the order in which a single thread finds them ready.
void Islands::list_in_order() {
  const auto first_part = static_cast<std::int32_t>(first_unit_.size()) - 1 - parts_;
  const std::size_t end = static_cast<std::size_t>(first_unit_.back());
  next_.assign(first_unit_.begin() + first_part, first_unit_.end() - 1);
  done_.assign(static_cast<std::size_t>(parts_), 0);
  while (in_order_.size() < end)
    for (std::int32_t part = 0; part < parts_; ++part)
      for (; next_[part] < first_unit_[first_part + part + 1]; ++next_[part]) {
        const WorkUnit& unit = units_[next_[part]];
        if (done_[unit.a] != unit.turn_a || done_[unit.b] != unit.turn_b) break;
        in_order_.push_back(next_[part]);
        ++done_[unit.a];
        if (unit.b != unit.a) ++done_[unit.b];
      }
}

namespace {

// Constant tables of a schedule of independent parts: unit k works only on part k.
struct Apart {
  std::array<WorkUnit, Schedule::kMaxParts> units{};
  std::array<std::int32_t, Schedule::kMaxParts + 1> numbers{};
  std::array<std::int32_t, Schedule::kMaxParts> turns{};

  constexpr Apart() {
    for (int k = 0; k < Schedule::kMaxParts; ++k) units[k] = {k, k, 0, 0};
    for (int k = 0; k <= Schedule::kMaxParts; ++k) numbers[k] = k;
    turns.fill(1);
  }
};
constexpr Apart kApart;

}  // namespace

void Islands::make_schedules() {
  in_turn_.clear();
  apart_.clear();
  for (std::int32_t island = 0; island < size_; ++island) {
    const auto [first, end] = parts(island);
    const std::int32_t unit = first_unit_[first];
    in_turn_.push_back({end - first, units_.data(), &first_unit_[first], &turns_[first], &in_order_[unit]});
    apart_.push_back({end - first, kApart.units.data(), kApart.numbers.data(), kApart.turns.data(),
                      kApart.numbers.data()});
  }
}

void Islands::spread(Range places) {
  const std::int32_t count = places.end - places.begin;
  listed_.assign(contacts_.order.begin() + places.begin, contacts_.order.begin() + places.end);
  std::int32_t place = places.begin;
  for (std::int32_t start = 0; start < kStride; ++start)
    for (std::int32_t k = start; k < count; k += kStride) contacts_.order[place++] = listed_[k];
}

void Islands::Groups::sort(std::span<const std::int32_t> group_of, std::int32_t groups) {
  begin.assign(static_cast<std::size_t>(groups) + 1, 0);
  for (const std::int32_t group : group_of) {
    if (group >= 0) ++begin[group + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  order.resize(static_cast<std::size_t>(begin.back()));
  // Filling advances each group's begin to its end, which is the begin of the next group; then they are
  // shifted back.
  for (std::size_t k = 0; k < group_of.size(); ++k) {
    if (group_of[k] >= 0) order[begin[group_of[k]]++] = static_cast<std::int32_t>(k);
  }
  for (std::size_t i = begin.size() - 1; i > 0; --i) begin[i] = begin[i - 1];
  begin[0] = 0;
}

}  // namespace abut::dynamics
