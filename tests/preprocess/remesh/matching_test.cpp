#include "preprocess/remesh/matching.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/core/random.h"

namespace {

using abut::Random;
using abut::preprocess::CubicGraph;
using abut::preprocess::match;

CubicGraph graph_of(std::int32_t nodes, const std::vector<std::pair<std::int32_t, std::int32_t>>& edges,
                    const std::vector<double>& weights = {}) {
  CubicGraph graph;
  graph.neighbours.assign(static_cast<std::size_t>(nodes), {-1, -1, -1});
  graph.weights.assign(static_cast<std::size_t>(nodes), {0, 0, 0});
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    for (const auto& [a, b] : {edges[i], std::pair(edges[i].second, edges[i].first)}) {
      const auto k =
          std::find(graph.neighbours[a].begin(), graph.neighbours[a].end(), -1) - graph.neighbours[a].begin();
      graph.neighbours[a][k] = b;
      graph.weights[a][k] = weight;
    }
  }
  return graph;
}

std::size_t matched(const CubicGraph& graph, const std::vector<std::int32_t>& mates) {
  std::size_t count = 0;
  for (std::size_t v = 0; v < mates.size(); ++v) {
    if (mates[v] < 0) continue;
    ++count;
    EXPECT_EQ(mates[mates[v]], static_cast<std::int32_t>(v));
    const auto& n = graph.neighbours[v];
    EXPECT_NE(std::find(n.begin(), n.end(), mates[v]), n.end()) << "not an edge";
  }
  return count;
}

// The largest matching by trying everything.
std::size_t largest(const CubicGraph& graph, std::vector<char>& used, std::size_t from = 0) {
  while (from < used.size() && used[from] != 0) ++from;
  if (from == used.size()) return 0;
  used[from] = 1;
  std::size_t best = largest(graph, used, from + 1);
  for (const std::int32_t w : graph.neighbours[from]) {
    if (w < 0 || used[w] != 0) continue;
    used[w] = 1;
    best = std::max(best, 2 + largest(graph, used, from + 1));
    used[w] = 0;
  }
  used[from] = 0;
  return best;
}

TEST(Matching, TakesTheHeavierPairsOfASquare) {
  const CubicGraph graph = graph_of(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {1, 5, 1, 5});
  EXPECT_EQ(match(graph, {-1, -1, -1, -1}), (std::vector<std::int32_t>{3, 2, 1, 0}));
}

// The heavy middle edge must give way for all to be matched, and a blossom lies on the way.
TEST(Matching, ContractsBlossoms) {
  const CubicGraph graph =
      graph_of(8, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 1}, {3, 6}, {6, 7}}, {1, 9, 1, 9, 1, 1, 1, 1});
  EXPECT_EQ(matched(graph, match(graph, std::vector<std::int32_t>(8, -1))), 8u);
}

TEST(Matching, IsAsLargeAsCanBeOnRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const auto nodes = static_cast<std::int32_t>(4 + random.below(10));
    std::vector<int> degree(static_cast<std::size_t>(nodes), 0);
    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
    std::vector<double> weights;
    for (int attempt = 0; attempt < 40; ++attempt) {
      const auto a = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(nodes)));
      const auto b = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(nodes)));
      const auto same = [&](const auto& e) { return e == std::pair(a, b) || e == std::pair(b, a); };
      if (a == b || degree[a] > 2 || degree[b] > 2 || std::any_of(edges.begin(), edges.end(), same)) continue;
      edges.emplace_back(a, b);
      weights.push_back(random.uniform(-1, 1));
      ++degree[a];
      ++degree[b];
    }
    const CubicGraph graph = graph_of(nodes, edges, weights);
    std::vector<char> used(static_cast<std::size_t>(nodes), 0);
    EXPECT_EQ(matched(graph, match(graph, std::vector<std::int32_t>(static_cast<std::size_t>(nodes), -1))),
              largest(graph, used))
        << "seed " << seed;
  }
}

}  // namespace
