#include "preprocess/mesh/homology.h"

namespace abut::preprocess {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{128} << 20;  // limit of an annotation's size

// For each edge, whether it is in a spanning forest of the vertices.
std::vector<char> grow_tree(const Topology& topology) {
  std::vector<char> in_tree(topology.edges.size(), 0), seen(topology.vertices(), 0);
  std::vector<std::int32_t> queue;
  for (std::size_t root = 0; root < seen.size(); ++root) {
    if (seen[root]) continue;
    seen[root] = 1;
    queue.assign(1, static_cast<std::int32_t>(root));
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const std::int32_t v = queue[i];
      for (std::int32_t k = topology.first[v]; k < topology.first[v + 1]; ++k) {
        const std::int32_t e = topology.incident[k], w = topology.other_vertex(e, v);
        if (seen[w]) continue;
        seen[w] = in_tree[e] = 1;
        queue.push_back(w);
      }
    }
  }
  return in_tree;
}

// A spanning forest of the dual graph (faces), over edges that are not in the tree.
struct Cotree {
  std::vector<char> has;             // for each edge
  std::vector<std::int32_t> parent;  // edge of each face towards the root; -1 at the root
};

Cotree grow_cotree(const Topology& topology, const std::vector<char>& in_tree) {
  const std::size_t faces = topology.face_edges.size();
  Cotree cotree{std::vector<char>(topology.edges.size(), 0), std::vector<std::int32_t>(faces, -1)};
  std::vector<char> seen(faces, 0);
  std::vector<std::int32_t> queue;
  for (std::size_t root = 0; root < faces; ++root) {
    if (seen[root]) continue;
    seen[root] = 1;
    queue.assign(1, static_cast<std::int32_t>(root));
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const std::int32_t e : topology.face_edges[queue[i]]) {
        const std::int32_t g = topology.other_face(e, queue[i]);
        if (in_tree[e] || seen[g]) continue;
        seen[g] = cotree.has[e] = 1;
        cotree.parent[g] = e;
        queue.push_back(g);
      }
    }
  }
  return cotree;
}

// The edges of the dual cycle through `generator`: the paths from both its faces to the root, whose common
// part appears twice.
std::vector<std::int32_t> dual_cycle(const Topology& topology, const Cotree& cotree, std::int32_t generator) {
  std::vector<std::int32_t> cycle(1, generator);
  for (std::int32_t f : topology.edges[generator].face) {
    for (; cotree.parent[f] >= 0; f = topology.other_face(cotree.parent[f], f))
      cycle.push_back(cotree.parent[f]);
  }
  return cycle;
}

}  // namespace

Annotation annotate(const Topology& topology) {
  const std::vector<char> in_tree = grow_tree(topology);
  const Cotree cotree = grow_cotree(topology, in_tree);
  std::vector<std::int32_t> generators;
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    if (!in_tree[e] && !cotree.has[e]) generators.push_back(static_cast<std::int32_t>(e));
  }
  const std::size_t words = (generators.size() + 63) / 64, numbers = words * topology.edges.size();
  if (words == 0 || sizeof(Word) * numbers > kMaxBytes) return {};
  Annotation annotation{words, std::vector<Word>(numbers, 0)};
  for (std::size_t i = 0; i < generators.size(); ++i) {
    for (const std::int32_t e : dual_cycle(topology, cotree, generators[i]))
      annotation.bits[words * static_cast<std::size_t>(e) + i / 64] ^= Word{1} << (i % 64);
  }
  return annotation;
}

bool IndependentSet::add(std::vector<Word> v) {
  for (;;) {
    std::size_t lead = 0;
    while (lead < 64 * v.size() && !(v[lead / 64] >> (lead % 64) & 1)) ++lead;
    if (lead == 64 * v.size()) return false;
    const auto [row, is_new] = rows_.try_emplace(lead, v);
    if (is_new) return true;
    for (std::size_t k = 0; k < v.size(); ++k) v[k] ^= row->second[k];
  }
}

}  // namespace abut::preprocess
