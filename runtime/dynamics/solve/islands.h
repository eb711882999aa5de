#pragma once

#include <algorithm>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/core/team.h"
#include "runtime/core/thread_pool.h"
#include "runtime/dynamics/solve/contact_problem.h"

namespace abut::dynamics {

// True for a body that impulses move; false for kFixed.
bool is_moved(std::span<const ContactBody> bodies, std::int32_t body);
bool has_inertia(std::span<const ContactBody> bodies, std::int32_t body);  // of its own, off any tree
// Whether one of its bodies is on a tree.
inline bool touches_tree(const PairContact& contact, std::span<const ContactBody> bodies) {
  return (contact.A != kFixed && bodies[contact.A].tree >= 0) ||
         (contact.B != kFixed && bodies[contact.B].tree >= 0);
}

// Groups of contacts that share moved bodies: each group is a problem of its own. The bodies of a tree belong
// together; so do the rows of its joints, which count as contacts with indices after those of the contacts.
//
// An island of more than kMaxUncut contacts is cut so that several threads can sweep it. Its bodies are
// halved along their longest side again and again, until a part has about kPartContacts. Contacts within one
// part are a unit of work, and so are those between the same two parts. The graph of parts is coloured: no
// two units of a colour share a part, and units on one part follow their colours, its own first. Contacts and
// bodies of a part stand side by side: what is kept in that order hardly moves between the cores' caches.
// Bodies on trees are the last part.
// Other islands have one part and one unit.
class Islands {
 public:
  // Indices from begin up to, but without, end.
  struct Range {
    std::int32_t begin, end;  // begin = end: none
  };

  // Contacts between two unmoved bodies belong to no island. The order follows the first contact of each
  // island, and depends on the input alone, as do parts and units. Within a unit of up to kStride^2 contacts
  // it is that of the list; within a larger one, neighbours of the list, which often belong to one pair of
  // bodies, are kept apart: sweeps then carry impulses further and wait less for one another's results.
  // Allocates only for a problem larger than any before.
  void build(std::span<const ContactBody> bodies, std::span<const PairContact> contacts,
             std::span<const JointRow> joints = {});

  std::int32_t size() const { return size_; }                     // number of islands
  std::int32_t part_count() const { return first_part_.back(); }  // over all islands
  std::int32_t unit_count() const { return first_unit_.back(); }  // over all islands

  // The parts of an island.
  Range parts(std::int32_t island) const { return {first_part_[island], first_part_[island + 1]}; }
  // Its units of work: by part, then in turn.
  Range units(std::int32_t island) const {
    return {first_unit_[parts(island).begin], first_unit_[parts(island).end]};
  }

  // Indices of the contacts of all islands, in the order of islands and units: each has a place here.
  std::span<const std::int32_t> order() const { return contacts_.order; }
  const WorkUnit& unit(std::int32_t unit) const { return units_[unit]; }  // parts counted within the island
  // Of the contacts of a unit, in order().
  Range places_of_unit(std::int32_t unit) const { return contacts_.range(unit); }
  // Of the units that belong to the part.
  Range places_of_part(std::int32_t part) const {
    return {contacts_.begin[first_unit_[part]], contacts_.begin[first_unit_[part + 1]]};
  }
  // Of all contacts of the island, in order().
  Range places_of_island(std::int32_t island) const {
    return {contacts_.begin[units(island).begin], contacts_.begin[units(island).end]};
  }

  // Indices of the moved bodies of all islands, in the order of islands and parts, and the place of one
  // there; kFixed for kFixed.
  std::span<const std::int32_t> body_order() const { return bodies_.order; }
  // Where the body stands in body_order(); kFixed for kFixed.
  std::int32_t place_of_body(std::int32_t body) const {
    return body == kFixed ? kFixed : place_of_body_[body];
  }
  // Where the bodies of a part stand in body_order().
  Range body_places(std::int32_t part) const { return {first_body_[part], first_body_[part + 1]}; }
  // Of a part whose own unit this is, the first to work on it; of none for a unit between two parts.
  Range body_places_of_unit(std::int32_t unit) const { return bodies_of_unit_[unit]; }

  // Indices of the contacts of one island.
  std::span<const std::int32_t> contacts(std::int32_t island) const {
    return within(contacts_.order, places_of_island(island));
  }
  // Indices of the moved bodies of one island.
  std::span<const std::int32_t> bodies(std::int32_t island) const {
    return within(bodies_.order, bodies_.range(island));
  }

  // Prefetches the contact some places after `place` of `places`: another thread may have written it.
  void prefetch_ahead(std::span<const PairContact> contacts, std::int32_t place, Range places) const {
    constexpr std::int32_t kAhead = 4;
    prefetch(contacts.data(), contacts_.order[std::min(place + kAhead, places.end - 1)]);
  }

  // Calls work(island, team, thread) for every island, on up to `threads` threads, 0 for all there are: for
  // one that is cut by the leader of a team, for the others by one thread each. `thread` is below `threads`.
  // work must not throw.
  template <class Work>
  void for_each(int threads, Work&& work) const {
    threads = std::min(threads > 0 ? threads : default_threads(), part_count());
    Team team(std::min(threads, most_parts_));
    std::atomic<std::int32_t> next{0};
    run_together(threads, [&](int thread) {
      if (thread == 0) {
        for (std::int32_t island = 0; island < size_; ++island)
          if (is_cut(island)) work(island, team, thread);
        team.close();
      } else if (thread < most_parts_) {
        team.help(thread);
      }
      Team alone;
      for (std::int32_t island; (island = next.fetch_add(1, std::memory_order_relaxed)) < size_;)
        if (!is_cut(island)) work(island, alone, thread);
    });
  }

  // Calls work(part) for the parts of an island, in any order.
  template <class Work>
  void for_parts(std::int32_t island, Team& team, Work&& work) const {
    const std::int32_t first = parts(island).begin;
    team.run(apart_[island], [&](std::int32_t part) { work(first + part); });
  }

  // Calls work(unit, places) for the units of an island: no two threads touch a body at once, and the units
  // that touch it come in their turns.
  template <class Work>
  void for_units(std::int32_t island, Team& team, Work&& work) const {
    team.run(in_turn_[island], [&](std::int32_t unit) { work(unit, places_of_unit(unit)); });
  }

 private:
  static constexpr std::int32_t kMaxUncut = 256;
  static constexpr std::int32_t kPartContacts =
      256;                                    // about: a part of these takes a core some 20 us a sweep
  static constexpr std::int32_t kStride = 8;  // of the order within a unit of more than its square

  // Things sorted by the group that they belong to, in their own order within; group -1: left out.
  struct Groups {
    std::vector<std::int32_t> begin{0};  // first place of each group, one more at the end
    std::vector<std::int32_t> order;

    void sort(std::span<const std::int32_t> group_of, std::int32_t groups);
    Range range(std::int32_t group) const { return {begin[group], begin[group + 1]}; }
  };
  using Colours = std::bitset<2 * Schedule::kMaxParts>;  // a greedy colouring needs fewer
  // Two parts with contacts between them, local to the island.
  struct Border {
    WorkUnit unit;
    std::int32_t contacts, colour;
  };

  static std::span<const std::int32_t> within(const std::vector<std::int32_t>& order, Range range) {
    return {order.data() + range.begin, order.data() + range.end};
  }

  bool is_cut(std::int32_t island) const { return first_part_[island + 1] - first_part_[island] > 1; }
  bool is_free(std::int32_t body) const { return body != kFixed && moved_[body] != 0; }
  std::int32_t root(std::int32_t body);
  void join(std::span<const ContactBody> bodies, std::span<const PairContact> contacts,
            std::span<const JointRow> joints);
  void cut(std::int32_t island, std::span<const ContactBody> bodies, std::span<const PairContact> contacts,
           std::span<const JointRow> joints);
  Range free_bodies(Range places, std::span<const ContactBody> bodies);
  void halve(Range places, int levels, std::span<const ContactBody> bodies);
  void end_part(Range places);
  void find_borders(std::span<const std::int32_t> members, std::span<const PairContact> contacts);
  void colour_borders();
  void make_units();
  void list_in_order();
  void make_schedules();
  void spread(Range places);
  std::pair<std::int32_t, std::int32_t> parts_of(const PairContact& contact) const;

  std::vector<std::uint8_t> moved_;       // of each body
  std::vector<std::int32_t> parent_;      // of each body: union-find
  std::vector<std::int32_t> of_root_;     // island of each body that is a root; -1: none yet
  std::vector<std::int32_t> of_contact_;  // island of each contact; -1: none
  std::vector<std::int32_t> of_body_;     // island of each body; -1: none
  std::vector<std::int32_t> first_part_{0};
  std::vector<std::int32_t> first_unit_{0};     // of each part, and the end
  std::vector<std::int32_t> first_body_{0};     // place of it of each part, and the end
  std::vector<std::int32_t> group_;             // of each contact: its unit
  std::vector<std::int32_t> place_of_body_;     // in the order of islands and parts
  std::vector<std::int32_t> part_of_body_;      // local to the island
  std::vector<WorkUnit> units_;                 // of all islands
  std::vector<Range> bodies_of_unit_;           // of each unit
  std::vector<std::int32_t> turns_, in_order_;  // of each part; units in an order for one thread
  std::vector<Schedule> in_turn_, apart_;       // of each island
  std::int32_t size_ = 0;
  std::int32_t most_parts_ = 1;  // of any island
  Groups contacts_;              // by unit
  Groups bodies_;                // by island; those of one that is cut by part

  // Of the island that is being cut.
  std::int32_t parts_ = 0;
  std::vector<std::pair<double, std::int32_t>> along_;
  std::vector<Border> borders_;
  std::vector<std::int32_t> between_;  // of two parts of an island: their border, then their unit; -1: none
  std::vector<Colours> used_;          // at each part
  std::vector<std::int32_t> next_, done_;
  std::vector<std::int32_t> listed_;
};

}  // namespace abut::dynamics
