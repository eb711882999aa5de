#include "preprocess/remesh/hierarchy.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace abut::preprocess {
namespace {

struct Candidate {
  double merit;
  std::int32_t i, j;
};

// Sorts by descending merit, in steps of 0.001; candidates in the same step keep their order.
void sort_by_merit(std::vector<Candidate>& candidates) {
  constexpr int kSteps = 2000;
  const auto step = [](const Candidate& c) {
    return static_cast<std::size_t>(std::clamp(0.5 - 0.5 * c.merit, 0.0, 1.0) * kSteps);
  };
  std::vector<std::int32_t> at(kSteps + 2, 0);
  for (const Candidate& c : candidates) ++at[step(c) + 1];
  std::partial_sum(at.begin(), at.end(), at.begin());
  std::vector<Candidate> sorted(candidates.size());
  for (const Candidate& c : candidates) sorted[at[step(c)]++] = c;
  candidates.swap(sorted);
}

// Merges pairs of leftover nodes that share a neighbour; otherwise the leaves of a star would take one level
// each.
void join_leaves(const std::vector<Candidate>& candidates, HierarchyLevel& fine, std::int32_t& count) {
  std::vector<std::int32_t> waiting(fine.points.size(), -1);  // leaf that waits for a partner at each node
  for (const Candidate& c : candidates) {
    for (const auto& [leaf, hub] : {std::pair(c.i, c.j), std::pair(c.j, c.i)}) {
      if (fine.parents[leaf] >= 0) continue;
      const std::int32_t other = waiting[hub];
      if (other < 0 || fine.parents[other] >= 0)
        waiting[hub] = leaf;
      else if (other != leaf && fine.normals[leaf].dot(fine.normals[other]) > 0)
        fine.parents[leaf] = fine.parents[other] = count++;
    }
  }
}

// Merges nodes in pairs; returns the number of coarse nodes.
std::int32_t choose_parents(HierarchyLevel& fine) {
  std::vector<Candidate> candidates;
  for (std::int32_t i = 0; i < fine.size(); ++i) {
    for (std::int32_t k = fine.offsets[i]; k < fine.offsets[i + 1]; ++k) {
      const std::int32_t j = fine.links[k].node;
      if (j < i) continue;
      const double small = std::min(fine.areas[i], fine.areas[j]),
                   large = std::max(fine.areas[i], fine.areas[j]);
      candidates.push_back({fine.normals[i].dot(fine.normals[j]) * (large > 0 ? small / large : 1), i, j});
    }
  }
  sort_by_merit(candidates);
  fine.parents.assign(fine.points.size(), -1);
  std::int32_t count = 0;
  for (const Candidate& c : candidates) {
    if (fine.parents[c.i] < 0 && fine.parents[c.j] < 0) fine.parents[c.i] = fine.parents[c.j] = count++;
  }
  if (count < fine.size() / 4) join_leaves(candidates, fine, count);
  for (std::int32_t& parent : fine.parents) {
    if (parent < 0) parent = count++;
  }
  return count;
}

HierarchyLevel coarsen(const HierarchyLevel& fine, std::int32_t count) {
  HierarchyLevel coarse;
  const auto n = static_cast<std::size_t>(count);
  coarse.points.assign(n, Eigen::Vector3d::Zero());
  coarse.normals.assign(n, Eigen::Vector3d::Zero());
  coarse.areas.assign(n, 0);
  for (std::int32_t i = 0; i < fine.size(); ++i) {
    const std::int32_t p = fine.parents[i];
    coarse.points[p] += fine.areas[i] * fine.points[i];
    coarse.normals[p] += fine.areas[i] * fine.normals[i];
    coarse.areas[p] += fine.areas[i];
  }
  for (std::int32_t i = fine.size() - 1; i >= 0; --i) {
    const std::int32_t p = fine.parents[i];
    if (!(coarse.areas[p] > 0)) coarse.points[p] = fine.points[i];
    // Normals of opposite walls cancel: take one of them.
    if (!(coarse.normals[p].norm() > 1e-3 * coarse.areas[p])) coarse.normals[p] = fine.normals[i];
  }
  for (std::int32_t p = 0; p < count; ++p) {
    if (coarse.areas[p] > 0) coarse.points[p] /= coarse.areas[p];
    coarse.normals[p].normalize();
  }
  // The children of each node, ascending.
  std::vector<std::int32_t> first(n + 1, 0), children(fine.parents.size());
  for (const std::int32_t p : fine.parents) ++first[p + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::int32_t> at(first.begin(), first.end() - 1);
  for (std::int32_t i = 0; i < fine.size(); ++i) children[at[fine.parents[i]]++] = i;
  set_links(coarse, [&](std::int32_t p, std::vector<HierarchyLevel::Link>& row) {
    for (std::int32_t c = first[p]; c < first[p + 1]; ++c) {
      const std::int32_t i = children[c];
      for (std::int32_t k = fine.offsets[i]; k < fine.offsets[i + 1]; ++k) {
        const std::int32_t q = fine.parents[fine.links[k].node];
        if (p != q) row.push_back({q, fine.links[k].weight});
      }
    }
  });
  return coarse;
}

}  // namespace

void append_row(HierarchyLevel& level, std::vector<HierarchyLevel::Link>& row) {
  using Link = HierarchyLevel::Link;
  // Stable: equal nodes keep their order. Insertion sort for short rows, which are common.
  constexpr std::size_t kShort = 32;
  const auto before = [](const Link& a, const Link& b) { return a.node < b.node; };
  if (row.size() > kShort) {
    std::stable_sort(row.begin(), row.end(), before);
  } else {
    for (std::size_t k = 1; k < row.size(); ++k) {
      const Link link = row[k];
      std::size_t to = k;
      for (; to > 0 && link.node < row[to - 1].node; --to) row[to] = row[to - 1];
      row[to] = link;
    }
  }
  const std::size_t begin = level.links.size();
  for (const Link& link : row) {
    if (level.links.size() > begin && level.links.back().node == link.node)
      level.links.back().weight += link.weight;
    else
      level.links.push_back(link);
  }
  level.offsets.push_back(static_cast<std::int32_t>(level.links.size()));
}

void colour(HierarchyLevel& level) {
  level.colours.clear();
  std::vector<std::int32_t> colour_of(level.points.size(), -1);
  std::vector<std::int32_t> taken;  // for each colour the last node with a neighbour of that colour
  for (std::int32_t i = 0; i < level.size(); ++i) {
    for (std::int32_t k = level.offsets[i]; k < level.offsets[i + 1]; ++k) {
      if (const std::int32_t c = colour_of[level.links[k].node]; c >= 0) taken[c] = i;
    }
    std::size_t c = 0;
    while (c < taken.size() && taken[c] == i) ++c;
    if (c == taken.size()) {
      taken.push_back(-1);
      level.colours.emplace_back();
    }
    colour_of[i] = static_cast<std::int32_t>(c);
    level.colours[c].push_back(i);
  }
}

std::vector<HierarchyLevel> make_hierarchy(HierarchyLevel finest) {
  std::vector<HierarchyLevel> levels;
  levels.push_back(std::move(finest));
  while (levels.back().size() > 1) {
    const std::int32_t count = choose_parents(levels.back());
    if (count == levels.back().size()) {
      levels.back().parents.clear();
      break;
    }
    levels.push_back(coarsen(levels.back(), count));
  }
  return levels;
}

}  // namespace abut::preprocess
