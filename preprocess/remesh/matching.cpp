#include "preprocess/remesh/matching.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace abut::preprocess {
namespace {

// Searches one augmenting path at a time. Each search resets what it touched, so that its cost is
// proportional to what it visits.
class Matcher {
 public:
  Matcher(const CubicGraph& graph, std::vector<std::int32_t> mates)
      : graph_(graph),
        mates_(std::move(mates)),
        parent_(graph.neighbours.size(), -1),
        base_(graph.neighbours.size()),
        outer_(graph.neighbours.size(), 0),
        mark_(graph.neighbours.size(), 0) {
    for (std::size_t v = 0; v < base_.size(); ++v) base_[v] = static_cast<std::int32_t>(v);
  }

  void take_heaviest() {
    std::vector<std::tuple<double, std::int32_t, std::int32_t>> edges;
    for (std::int32_t v = 0; v < size(); ++v)
      for (int k = 0; k < 3; ++k)
        if (graph_.neighbours[v][k] > v && graph_.weights[v][k] > 0)
          edges.emplace_back(-graph_.weights[v][k], v, graph_.neighbours[v][k]);
    std::sort(edges.begin(), edges.end());
    for (const auto& [weight, v, w] : edges)
      if (mates_[v] < 0 && mates_[w] < 0) {
        mates_[v] = w;
        mates_[w] = v;
      }
  }

  void lengthen(bool all_edges) {
    all_edges_ = all_edges;
    for (std::int32_t v = 0; v < size(); ++v)
      if (mates_[v] < 0) search(v);
  }

  std::vector<std::int32_t> result() && { return std::move(mates_); }

 private:
  std::int32_t size() const { return static_cast<std::int32_t>(mates_.size()); }

  void touch(std::int32_t v) { touched_.push_back(v); }

  void reset() {
    for (const std::int32_t v : touched_) {
      parent_[v] = -1;
      base_[v] = v;
      outer_[v] = 0;
    }
    touched_.clear();
  }

  std::int32_t common_base(std::int32_t a, std::int32_t b) {
    ++stamp_;
    for (;;) {
      a = base_[a];
      mark_[a] = stamp_;
      if (mates_[a] < 0) break;
      a = parent_[mates_[a]];
    }
    for (;;) {
      b = base_[b];
      if (mark_[b] == stamp_) return b;
      b = parent_[mates_[b]];
    }
  }

  // Marks the bases from v up to `top` as part of a blossom.
  void mark_path(std::int32_t v, std::int32_t top, std::int32_t child, std::vector<std::int32_t>& blossom) {
    while (base_[v] != top) {
      blossom.push_back(base_[v]);
      blossom.push_back(base_[mates_[v]]);
      parent_[v] = child;
      touch(v);
      child = mates_[v];
      v = parent_[mates_[v]];
    }
  }

  void contract(std::int32_t v, std::int32_t w, std::queue<std::int32_t>& queue) {
    const std::int32_t top = common_base(v, w);
    std::vector<std::int32_t> blossom;
    mark_path(v, top, w, blossom);
    mark_path(w, top, v, blossom);
    std::sort(blossom.begin(), blossom.end());
    const std::size_t count = touched_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t u = touched_[i];
      if (!std::binary_search(blossom.begin(), blossom.end(), base_[u])) continue;
      base_[u] = top;
      if (outer_[u] == 0) {
        outer_[u] = 1;
        queue.push(u);
      }
    }
  }

  void augment(std::int32_t v) {
    while (v >= 0) {
      const std::int32_t before = parent_[v], next = mates_[before];
      mates_[v] = before;
      mates_[before] = v;
      v = next;
    }
  }

  void search(std::int32_t root) {
    std::queue<std::int32_t> queue;
    outer_[root] = 1;
    touch(root);
    queue.push(root);
    while (!queue.empty()) {
      const std::int32_t v = queue.front();
      queue.pop();
      for (int k = 0; k < 3; ++k) {
        const std::int32_t w = graph_.neighbours[v][k];
        if (w < 0 || (!all_edges_ && !(graph_.weights[v][k] > 0))) continue;
        if (base_[v] == base_[w] || mates_[v] == w) continue;
        touch(w);
        if (w == root || (mates_[w] >= 0 && parent_[mates_[w]] >= 0)) {
          contract(v, w, queue);
        } else if (parent_[w] < 0) {
          parent_[w] = v;
          if (mates_[w] < 0) {
            augment(w);
            return reset();
          }
          outer_[mates_[w]] = 1;
          touch(mates_[w]);
          queue.push(mates_[w]);
        }
      }
    }
    reset();
  }

  const CubicGraph& graph_;
  std::vector<std::int32_t> mates_, parent_, base_;
  std::vector<char> outer_;
  std::vector<std::int64_t> mark_;
  std::int64_t stamp_ = 0;
  std::vector<std::int32_t> touched_;
  bool all_edges_ = false;
};

}  // namespace

std::vector<std::int32_t> match(const CubicGraph& graph, std::vector<std::int32_t> mates) {
  Matcher matcher(graph, std::move(mates));
  matcher.take_heaviest();
  matcher.lengthen(false);
  matcher.lengthen(true);
  return std::move(matcher).result();
}

}  // namespace abut::preprocess
