#include "preprocess/remesh/hierarchy.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace abut::preprocess {
namespace {

void colour(Level& level) {
  std::vector<std::int32_t> colour_of(level.points.size(), -1);
  std::vector<std::int32_t> taken;  // by which node a colour was last seen at a neighbour
  for (std::int32_t i = 0; i < level.size(); ++i) {
    for (std::int32_t k = level.offsets[i]; k < level.offsets[i + 1]; ++k) {
      if (const std::int32_t c = colour_of[level.links[k]]; c >= 0) taken[c] = i;
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

struct Candidate {
  double merit;
  std::int32_t i, j;
};

// Joins nodes that are left by the same neighbour, two by two: the leaves of a star would take a level each.
void join_leaves(const std::vector<Candidate>& candidates, Level& fine, std::int32_t& count) {
  std::vector<std::int32_t> waiting(fine.points.size(), -1);  // at a neighbour
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

// Joins nodes two by two; returns the number of coarse nodes.
std::int32_t choose_parents(Level& fine) {
  std::vector<Candidate> candidates;
  for (std::int32_t i = 0; i < fine.size(); ++i) {
    for (std::int32_t k = fine.offsets[i]; k < fine.offsets[i + 1]; ++k) {
      const std::int32_t j = fine.links[k];
      if (j < i) continue;
      const double small = std::min(fine.areas[i], fine.areas[j]),
                   large = std::max(fine.areas[i], fine.areas[j]);
      candidates.push_back({fine.normals[i].dot(fine.normals[j]) * (large > 0 ? small / large : 1), i, j});
    }
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(b.merit, a.i, a.j) < std::tie(a.merit, b.i, b.j);
  });
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

Level coarsen(const Level& fine, std::int32_t count) {
  Level coarse;
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
    // Opposite walls cancel: take one of them.
    if (!(coarse.normals[p].norm() > 1e-3 * coarse.areas[p])) coarse.normals[p] = fine.normals[i];
  }
  for (std::int32_t p = 0; p < count; ++p) {
    if (coarse.areas[p] > 0) coarse.points[p] /= coarse.areas[p];
    coarse.normals[p].normalize();
  }
  std::vector<Link> links;
  for (std::int32_t i = 0; i < fine.size(); ++i) {
    for (std::int32_t k = fine.offsets[i]; k < fine.offsets[i + 1]; ++k) {
      const std::int32_t p = fine.parents[i], q = fine.parents[fine.links[k]];
      if (p != q) links.push_back({p, q, fine.weights[k]});
    }
  }
  set_links(coarse, std::move(links));
  return coarse;
}

}  // namespace

void set_links(Level& level, std::vector<Link> links) {
  std::stable_sort(links.begin(), links.end(), [](const Link& a, const Link& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  level.offsets.assign(level.points.size() + 1, 0);
  level.links.clear();
  level.weights.clear();
  std::int32_t last = -1;
  for (const Link& link : links) {
    if (link.from == last && level.links.back() == link.to) {
      level.weights.back() += link.weight;
      continue;
    }
    last = link.from;
    level.links.push_back(link.to);
    level.weights.push_back(link.weight);
    ++level.offsets[link.from + 1];
  }
  for (std::size_t i = 1; i < level.offsets.size(); ++i) level.offsets[i] += level.offsets[i - 1];
  level.colours.clear();
  colour(level);
}

std::vector<Level> make_hierarchy(Level finest) {
  std::vector<Level> levels;
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
