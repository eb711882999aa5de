#pragma once

#include <algorithm>
#include <atomic>
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

// Groups of contacts that share moved bodies: each group is a problem of its own.
//
// An island of more than kMaxUncut contacts is cut in kParts so that several threads can sweep it. Its
// bodies, along its longest axis, fall into two halves; a contact belongs to the half of its later body, and
// the cut is where the two have as many contacts each. In the first phase come contacts within the first half
// beside those within the second. In the second phase the contacts across the cut, which are the second
// half's, stand beside as many of the first half's that share no body with them. Only bodies at the cut are
// touched in both halves, and bodies are ordered along the axis: what is kept in that order hardly moves
// between the cores' caches. Other islands have one part and one phase.
class Islands {
 public:
  struct Range {
    std::int32_t begin, end;
  };

  // Contacts between two unmoved bodies belong to no island. The order follows the first contact of each
  // island, and depends on the input alone, as do parts and phases. Within one phase of up to kStride^2
  // contacts it is that of the list; within a larger one, neighbours of the list, which often belong to one
  // pair of bodies, are kept apart: sweeps then carry impulses further and wait less for one another's
  // results.
  // Allocates only for a problem larger than any before.
  void build(std::span<const ContactBody> bodies, std::span<const PairContact> contacts);

  std::int32_t size() const { return size_; }
  std::int32_t parts() const { return first_part_.back(); }

  // Indices of the contacts of all islands, in the order of islands, parts and phases: each has a place here.
  std::span<const std::int32_t> order() const { return contacts_.order; }

  Range parts(std::int32_t island) const { return {first_part_[island], first_part_[island + 1]}; }
  Range places(std::int32_t part, int phase) const { return contacts_.range(part * kPhases + phase); }
  Range places_of_part(std::int32_t part) const {
    return {contacts_.begin[part * kPhases], contacts_.begin[(part + 1) * kPhases]};
  }
  Range places_of_island(std::int32_t island) const {
    return {places_of_part(parts(island).begin).begin, places_of_part(parts(island).end - 1).end};
  }

  // Indices of the moved bodies of all islands, in the order of islands and parts, and the place of one
  // there; kFixed for kFixed.
  std::span<const std::int32_t> body_order() const { return bodies_.order; }
  std::int32_t place_of_body(std::int32_t body) const {
    return body == kFixed ? kFixed : place_of_body_[body];
  }
  // Of a part: those that its contacts of the first phase may touch.
  Range body_places(std::int32_t part) const { return {first_body_[part], first_body_[part + 1]}; }

  // Indices of the contacts and of the moved bodies of one island.
  std::span<const std::int32_t> contacts(std::int32_t island) const {
    return within(contacts_.order, places_of_island(island));
  }
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
    threads = std::min(threads > 0 ? threads : default_threads(), parts());
    Team team(threads, kParts);
    std::atomic<std::int32_t> next{0};
    run_together(threads, [&](int thread) {
      if (thread == 0) {
        for (std::int32_t island = 0; island < size_; ++island)
          if (is_cut(island)) work(island, team, thread);
        team.close();
      } else if (thread < kParts) {
        team.help(thread);
      }
      Team alone;
      for (std::int32_t island; (island = next.fetch_add(1, std::memory_order_relaxed)) < size_;)
        if (!is_cut(island)) work(island, alone, thread);
    });
  }

  // Calls work(part) for the parts of an island.
  template <class Work>
  void for_parts(std::int32_t island, Team& team, Work&& work) const {
    const std::int32_t first = parts(island).begin;
    team.in_phases(parts(island).end - first, 1, [&](int part, int) { work(first + part); });
  }

  // Calls work(part, phase, places) for the parts, phase by phase: no two threads touch a body at once. A
  // part waits for the one before it, whose contacts of the last phase touch its own bodies alone.
  template <class Work>
  void in_phases(std::int32_t island, Team& team, Work&& work) const {
    const std::int32_t first = parts(island).begin;
    team.in_phases(parts(island).end - first, phases(island),
                   [&](int part, int phase) { work(first + part, phase, places(first + part, phase)); });
  }

  int phases(std::int32_t island) const { return is_cut(island) ? kPhases : 1; }

 private:
  static constexpr std::int32_t kMaxUncut = 256;
  static constexpr std::int32_t kStride = 8;  // of the order within a phase of more than its square
  static constexpr int kParts = 2;            // of an island that is cut
  static constexpr int kPhases = 2;
  static_assert(kParts <= Team::kMaxParts);

  // Things sorted by the group that they belong to, in their own order within; group -1: left out.
  struct Groups {
    std::vector<std::int32_t> begin{0};  // first place of each group, one more at the end
    std::vector<std::int32_t> order;

    void sort(std::span<const std::int32_t> group_of, std::int32_t groups);
    Range range(std::int32_t group) const { return {begin[group], begin[group + 1]}; }
  };

  static std::span<const std::int32_t> within(const std::vector<std::int32_t>& order, Range range) {
    return {order.data() + range.begin, order.data() + range.end};
  }

  bool is_cut(std::int32_t island) const { return first_part_[island + 1] - first_part_[island] > 1; }
  bool is_free(std::int32_t body) const { return body != kFixed && moved_[body] != 0; }
  std::int32_t root(std::int32_t body);
  void join(std::span<const ContactBody> bodies, std::span<const PairContact> contacts);
  void line_up(Range places, std::span<const ContactBody> bodies);
  std::pair<std::int32_t, std::int32_t> ends(const PairContact& contact) const;
  std::int32_t cut(std::int32_t island, std::span<const PairContact> contacts);
  void spread(Range places);

  std::vector<std::uint8_t> moved_;       // of each body
  std::vector<std::int32_t> parent_;      // of each body: union-find
  std::vector<std::int32_t> of_root_;     // island of each body that is a root; -1: none yet
  std::vector<std::int32_t> of_contact_;  // island of each contact; -1: none
  std::vector<std::int32_t> of_body_;     // island of each body; -1: none
  std::vector<std::int32_t> first_part_{0};
  std::vector<std::int32_t> first_body_{0};                  // place of it of each part, and the end
  std::vector<std::int32_t> group_;                          // of each contact: part and phase
  std::vector<std::int32_t> place_of_body_;                  // in the order of islands and parts
  std::vector<std::pair<double, std::int32_t>> along_;       // an island's bodies along its axis
  std::vector<std::pair<std::int32_t, std::int32_t>> ends_;  // bodies of each contact of an island
  std::vector<std::int32_t> load_;                           // contacts by their later body
  std::vector<std::uint8_t> at_cut_;    // of an island's bodies: whether a contact crosses
  std::vector<std::int32_t> in_order_;  // contacts of one phase
  std::int32_t size_ = 0;
  Groups contacts_;  // by part and phase
  Groups bodies_;    // by island; those of one that is cut along its axis
};

}  // namespace abut::dynamics
