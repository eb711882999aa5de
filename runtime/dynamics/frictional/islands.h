#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/core/parallel.h"
#include "runtime/core/team.h"
#include "runtime/dynamics/frictional/contact_problem.h"

namespace abut::dynamics {

// True for a body that impulses move; false for kFixed.
bool is_moved(std::span<const ContactBody> bodies, std::int32_t body);

// Groups of contacts that share moved bodies: each group is a problem of its own.
//
// An island of more than kMostUncut contacts is cut so that two threads can sweep it. Its bodies fall into
// four slabs, 0 to 3, across its longest axis, of as many contacts each. First come contacts within slabs 0
// and 1, and those within 2 and 3, which share no body with them: two parts that may be swept at the same
// time. In the second phase it is those within 3 and 0 beside those within 1 and 2. Contacts that fit both
// phases go where there are fewer; what fits neither, between slabs 0 and 2 or 1 and 3, is left to one thread
// in a third. Other islands have one part and one phase.
class Islands {
 public:
  struct Range {
    std::int32_t begin, end;
  };

  // Contacts between two unmoved bodies belong to no island. The order follows the first contact of each
  // island, and depends on the input alone, as do parts and phases. Within one phase of up to kStride^2
  // contacts it is that of the list; within a larger one, neighbours of the list, which often belong to one
  // pair of bodies, are kept apart: sweeps then bring news further and wait less for one another's results.
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

  // Indices of the contacts and of the moved bodies of one island.
  std::span<const std::int32_t> contacts(std::int32_t island) const {
    return within(contacts_.order, places_of_island(island));
  }
  std::span<const std::int32_t> bodies(std::int32_t island) const {
    const Range range = parts(island);
    return within(bodies_.order, {bodies_.begin[range.begin], bodies_.begin[range.end]});
  }
  // Of a part: those that its contacts of the first phase may touch.
  std::span<const std::int32_t> bodies_of_part(std::int32_t part) const {
    return within(bodies_.order, bodies_.range(part));
  }

  // Calls work(island, team, thread) for every island, on up to `threads` threads, 0 for all there are: for
  // one that is cut by a team, for the others by one thread each. `thread` is below `threads`.
  template <class Work>
  void for_each(int threads, Work&& work) const {
    if (threads <= 0) threads = default_threads();
    for (std::int32_t island = 0; island < size_; ++island) {
      const Range range = parts(island);
      const int most = std::min(threads, range.end - range.begin);
      if (is_cut(island)) run_team(most, [&](const Team& team) { work(island, team, team.index); });
    }
    parallel_for(size_, threads, [&](std::int64_t i, int thread) {
      const auto island = static_cast<std::int32_t>(i);
      if (!is_cut(island)) work(island, Team{}, thread);
    });
  }

  // Calls work(part) for those parts of an island that are this thread's.
  template <class Work>
  void for_parts(std::int32_t island, const Team& team, Work&& work) const {
    const Range range = parts(island);
    for (std::int32_t part = range.begin + team.index; part < range.end; part += team.size) work(part);
  }

  // Calls work(part, phase, places) for those parts, phase by phase: no thread begins one before all have
  // ended the last.
  template <class Work>
  void in_phases(std::int32_t island, const Team& team, Work&& work) const {
    for (int phase = 0; phase < phases(island); ++phase) {
      for_parts(island, team, [&](std::int32_t part) { work(part, phase, places(part, phase)); });
      team.wait();
    }
  }

  // Number of phases of an island: the third is often empty.
  int phases(std::int32_t island) const;

 private:
  static constexpr std::int32_t kMostUncut = 256;
  static constexpr std::int32_t kStride = 8;  // of the order within a phase of more than its square
  static constexpr std::int32_t kParts = 2;   // of an island that is cut
  static constexpr std::int32_t kSlabs = 2 * kParts;
  static constexpr int kPhases = 3;

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
  std::int32_t root(std::int32_t body);
  void join(std::span<const ContactBody> bodies, std::span<const PairContact> contacts);
  void slice(std::int32_t island, std::span<const ContactBody> bodies, std::span<const PairContact> contacts);
  void cut(std::int32_t island, std::span<const PairContact> contacts);
  void spread(Range places);

  std::vector<std::int32_t> parent_;      // of each body: union-find
  std::vector<std::int32_t> of_root_;     // island of each body that is a root; -1: none yet
  std::vector<std::int32_t> of_contact_;  // island of each contact; -1: none
  std::vector<std::int32_t> of_body_;     // island of each body; -1: none
  std::vector<std::int32_t> first_part_{0};
  std::vector<std::int32_t> group_;                     // of each contact: part and phase
  std::vector<std::int32_t> part_;                      // of each body
  std::vector<std::int32_t> slab_;                      // of each body of an island that is cut
  std::vector<std::int32_t> load_;                      // contacts of each body
  std::vector<std::pair<double, std::int32_t>> along_;  // an island's bodies along its axis
  std::vector<std::int32_t> in_order_;                  // contacts of one phase
  std::int32_t size_ = 0;
  Groups contacts_, bodies_;
};

}  // namespace abut::dynamics
