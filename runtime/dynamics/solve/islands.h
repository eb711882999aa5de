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

// Returns whether impulses move the body: it has inertia or is on a tree. False for kFixed.
bool is_moved(std::span<const ContactBody> bodies, std::int32_t body);
// Returns whether the body has inertia of its own, as bodies on no tree do. False for kFixed.
bool has_inertia(std::span<const ContactBody> bodies, std::int32_t body);
// Returns whether one of the contact's bodies is on a tree.
inline bool touches_tree(const PairContact& contact, std::span<const ContactBody> bodies) {
  return (contact.A != kFixed && bodies[contact.A].tree >= 0) ||
         (contact.B != kFixed && bodies[contact.B].tree >= 0);
}

// Islands: groups of contacts connected through shared moved bodies, each of which is a problem of its own.
// All bodies of a tree belong to one island, and so do the rows of its joints, which count as contacts with
// indices after those of the contacts.
//
// An island of more than kMaxUncut contacts is cut so that several threads can sweep it. Its bodies are
// halved along the longest side of their bounding box, recursively, until a part has about kPartContacts. The
// contacts within one part are a unit of work, and so are those between the same two parts. The graph of
// parts is edge-coloured: no two units between parts that have the same colour share a part. The units that
// work on a part take turns, its own unit first, then the others by colour. Contacts and bodies of a part are
// contiguous in the islands' order, so that data in that order hardly moves between the cores' caches. Bodies
// on trees form the last part. Other islands have one part and one unit.
class Islands {
 public:
  // Half-open range of indices, [begin, end).
  struct Range {
    std::int32_t begin, end;  // empty where begin = end
  };

  // Finds the islands. Contacts between two unmoved bodies belong to none. Islands are ordered by their first
  // contact; order, parts and units depend only on the input. A unit of up to kStride^2 contacts keeps their
  // order in the list; in a larger one, neighbours of the list, which often belong to one pair of bodies, are
  // kept apart, so that a sweep carries impulses further and waits less for its previous results. Allocates
  // only for a problem larger than any before.
  void build(std::span<const ContactBody> bodies, std::span<const PairContact> contacts,
             std::span<const JointRow> joints = {});

  std::int32_t size() const { return size_; }                     // number of islands
  std::int32_t part_count() const { return first_part_.back(); }  // over all islands
  std::int32_t unit_count() const { return first_unit_.back(); }  // over all islands

  // The parts of an island.
  Range parts(std::int32_t island) const { return {first_part_[island], first_part_[island + 1]}; }
  // The units of work of an island: by part, then by turn.
  Range units(std::int32_t island) const {
    return {first_unit_[parts(island).begin], first_unit_[parts(island).end]};
  }

  // Indices of the contacts of all islands, ordered by island and unit. The position of a contact in this
  // list is its place.
  std::span<const std::int32_t> order() const { return contacts_.order; }
  // A unit of work; its part numbers are local to its island.
  const WorkUnit& unit(std::int32_t unit) const { return units_[unit]; }
  // Places of the contacts of a unit.
  Range places_of_unit(std::int32_t unit) const { return contacts_.range(unit); }
  // Places of the contacts of the units listed with a part.
  Range places_of_part(std::int32_t part) const {
    return {contacts_.begin[first_unit_[part]], contacts_.begin[first_unit_[part + 1]]};
  }
  // Places of all contacts of an island.
  Range places_of_island(std::int32_t island) const {
    return {contacts_.begin[units(island).begin], contacts_.begin[units(island).end]};
  }

  // Indices of the moved bodies of all islands, ordered by island and part. The position of a body in this
  // list is its place.
  std::span<const std::int32_t> body_order() const { return bodies_.order; }
  // Place of a body in body_order(); kFixed for kFixed.
  std::int32_t place_of_body(std::int32_t body) const {
    return body == kFixed ? kFixed : place_of_body_[body];
  }
  // Places in body_order() of the bodies of a part.
  Range body_places(std::int32_t part) const { return {first_body_[part], first_body_[part + 1]}; }
  // Places of the bodies of the part whose own unit this is, the first unit to work on them; empty for a unit
  // between two parts.
  Range body_places_of_unit(std::int32_t unit) const { return bodies_of_unit_[unit]; }

  // Indices of the contacts of an island.
  std::span<const std::int32_t> contacts(std::int32_t island) const {
    return within(contacts_.order, places_of_island(island));
  }
  // Indices of the moved bodies of an island.
  std::span<const std::int32_t> bodies(std::int32_t island) const {
    return within(bodies_.order, bodies_.range(island));
  }

  // Prefetches the contact a few places after `place` within `places`, which another thread may have written.
  void prefetch_ahead(std::span<const PairContact> contacts, std::int32_t place, Range places) const {
    constexpr std::int32_t kAhead = 4;
    prefetch(contacts.data(), contacts_.order[std::min(place + kAhead, places.end - 1)]);
  }

  // Calls work(island, team, thread) for every island, on up to `threads` threads; 0: default_threads(). An
  // island that is cut is worked on by a team, whose leader makes the call; the others by one thread each.
  // `thread` is less than `threads`. work must not throw.
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

  // Calls work(part) for all parts of an island, in any order.
  template <class Work>
  void for_parts(std::int32_t island, Team& team, Work&& work) const {
    const std::int32_t first = parts(island).begin;
    team.run(apart_[island], [&](std::int32_t part) { work(first + part); });
  }

  // Calls work(unit, places) for all units of an island, those that touch a part in their turns: no two
  // threads touch a body at once.
  template <class Work>
  void for_units(std::int32_t island, Team& team, Work&& work) const {
    team.run(in_turn_[island], [&](std::int32_t unit) { work(unit, places_of_unit(unit)); });
  }

 private:
  static constexpr std::int32_t kMaxUncut = 256;
  static constexpr std::int32_t kPartContacts =
      256;  // approximate: a sweep of such a part takes a core some 20 us
  // Distance in the list of successive contacts of a unit with more than kStride^2.
  static constexpr std::int32_t kStride = 8;

  // Items sorted by group, in their original order within each; items of group -1 are left out.
  struct Groups {
    std::vector<std::int32_t> begin{0};  // first place of each group, and the end
    std::vector<std::int32_t> order;

    void sort(std::span<const std::int32_t> group_of, std::int32_t groups);
    Range range(std::int32_t group) const { return {begin[group], begin[group + 1]}; }
  };
  using Colours = std::bitset<2 * Schedule::kMaxParts>;  // a greedy edge colouring needs fewer
  // Two parts (local to the island) with contacts between them.
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
  std::vector<std::int32_t> parent_;      // of each body, in the union-find forest
  std::vector<std::int32_t> of_root_;     // island of each body that is a root; -1: none yet
  std::vector<std::int32_t> of_contact_;  // island of each contact; -1: none
  std::vector<std::int32_t> of_body_;     // island of each body; -1: none
  std::vector<std::int32_t> first_part_{0};
  std::vector<std::int32_t> first_unit_{0};  // first unit of each part, and the end
  std::vector<std::int32_t> first_body_{0};  // place of the first body of each part, and the end
  std::vector<std::int32_t> group_;          // unit of each contact
  std::vector<std::int32_t> place_of_body_;  // of each body, in body_order()
  std::vector<std::int32_t> part_of_body_;   // part of each body, local to its island
  std::vector<WorkUnit> units_;              // of all islands
  std::vector<Range> bodies_of_unit_;        // places, for each unit
  // Number of units that work on each part; units in an order for one thread.
  std::vector<std::int32_t> turns_, in_order_;
  std::vector<Schedule> in_turn_, apart_;  // schedules of each island: for units, for parts
  std::int32_t size_ = 0;
  std::int32_t most_parts_ = 1;  // largest number of any island
  Groups contacts_;              // contacts by unit
  Groups bodies_;                // bodies by island and, in an island that is cut, by part

  // Working memory for the island that is being cut.
  std::int32_t parts_ = 0;
  std::vector<std::pair<double, std::int32_t>> along_;
  std::vector<Border> borders_;
  std::vector<std::int32_t> between_;  // by two parts: index of their border, later their unit; -1: none
  std::vector<Colours> used_;          // colours in use at each part
  std::vector<std::int32_t> next_, done_;
  std::vector<std::int32_t> listed_;
};

}  // namespace abut::dynamics
