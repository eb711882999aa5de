#include "preprocess/remesh/halfedge_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "runtime/core/error.h"

namespace abut::preprocess {

HalfedgeMesh::HalfedgeMesh(const TriangleMesh& mesh) {
  const auto n = static_cast<std::int32_t>(mesh.vertices.size());
  leaving_.assign(mesh.vertices.size(), -1);
  std::vector<std::int32_t> degree(mesh.vertices.size(), 0);
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
    for (const std::int32_t v : mesh.triangles[f]) {
      if (v < 0 || v >= n) throw InvalidInput(fmt::format("triangle {} names vertex {} of {}", f, v, n));
      leaving_[v] = static_cast<std::int32_t>(origin_.size());
      ++degree[v];
      origin_.push_back(v);
    }
  }
  const auto key = [&](std::int32_t h) {
    const std::pair<std::int32_t, std::int32_t> ends = std::minmax({origin(h), target(h)});
    return ends;
  };
  // Counting sort by the lower ends, then sort the few half-edges at each by their upper ends.
  std::vector<std::int32_t> first(mesh.vertices.size() + 1, 0), order(origin_.size());
  for (std::int32_t h = 0; h < halfedge_slots(); ++h) ++first[key(h).first + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::int32_t> at(first.begin(), first.end() - 1);
  for (std::int32_t h = 0; h < halfedge_slots(); ++h) order[at[key(h).first]++] = h;
  for (std::int32_t v = 0; v < n; ++v)
    std::sort(order.begin() + first[v], order.begin() + first[v + 1], [&](std::int32_t g, std::int32_t h) {
      return std::pair(key(g).second, g) < std::pair(key(h).second, h);
    });
  twin_.assign(origin_.size(), -1);
  for (std::size_t i = 0; i < order.size(); i += 2) {
    const bool two = i + 1 < order.size() && key(order[i]) == key(order[i + 1]);
    const bool more = i + 2 < order.size() && key(order[i]) == key(order[i + 2]);
    if (!two || more || origin(order[i]) == origin(order[i + 1]))
      throw InvalidInput(fmt::format(
          "the surface is not closed and manifold at the edge {}-{}: close it with close_surface first",
          origin(order[i]), target(order[i])));
    pair(order[i], order[i + 1]);
  }
  for (std::int32_t v = 0; v < n; ++v) {
    if (!mesh.vertices[v].allFinite()) throw InvalidInput(fmt::format("vertex {} is not finite", v));
    if (leaving_[v] >= 0 && valence(v) != degree[v])
      throw InvalidInput(
          fmt::format("the surface is not manifold at vertex {}: close it with close_surface first", v));
  }
}

int HalfedgeMesh::valence(std::int32_t v) const {
  int count = 0;
  const std::int32_t start = leaving_[v];
  std::int32_t h = start;
  do {
    ++count;
    h = around(h);
  } while (h != start);
  return count;
}

bool HalfedgeMesh::joined(std::int32_t u, std::int32_t v) const {
  const std::int32_t start = leaving_[u];
  std::int32_t h = start;
  do {
    if (target(h) == v) return true;
    h = around(h);
  } while (h != start);
  return false;
}

std::int32_t HalfedgeMesh::split(std::int32_t h) {
  const std::int32_t n = next(h), p = previous(h), t = twin_[h], tp = previous(t);
  const std::int32_t b = target(h), c = origin_[p], d = origin_[tp];
  const std::int32_t twin_n = twin_[n], twin_tp = twin_[tp], m = vertex_slots();
  const std::int32_t F = halfedge_slots(), G = F + 3;
  origin_.insert(origin_.end(), {m, b, c, b, m, d});
  twin_.resize(origin_.size());
  origin_[n] = m;
  origin_[t] = m;
  pair(F, G);
  pair(F + 1, twin_n);
  pair(F + 2, n);
  pair(G + 1, tp);
  pair(G + 2, twin_tp);
  leaving_[b] = F + 1;
  leaving_.push_back(F);
  return m;
}

bool HalfedgeMesh::can_flip(std::int32_t h) const {
  const std::int32_t c = origin_[previous(h)], d = origin_[previous(twin_[h])];
  return c != d && valence(origin(h)) > 3 && valence(target(h)) > 3 && !joined(c, d);
}

void HalfedgeMesh::flip(std::int32_t h) {
  const std::int32_t n = next(h), p = previous(h), t = twin_[h], tn = next(t), tp = previous(t);
  const std::int32_t a = origin_[h], b = origin_[t], c = origin_[p], d = origin_[tp];
  const std::int32_t twin_n = twin_[n], twin_p = twin_[p], twin_tn = twin_[tn], twin_tp = twin_[tp];
  pair(n, twin_p);
  pair(p, twin_tn);
  pair(tn, twin_tp);
  pair(tp, twin_n);
  origin_[h] = d;
  origin_[n] = c;
  origin_[p] = a;
  origin_[t] = c;
  origin_[tn] = d;
  origin_[tp] = b;
  leaving_[a] = p;
  leaving_[b] = tp;
  leaving_[c] = n;
  leaving_[d] = tn;
}

bool HalfedgeMesh::can_collapse(std::int32_t h) const {
  const std::int32_t t = twin_[h], a = origin(h), b = origin(t);
  const std::int32_t c = origin_[previous(h)], d = origin_[previous(t)];
  if (c == d) return false;
  std::vector<std::int32_t> ring_a, ring_b;
  for (const auto& [v, ring] : {std::pair(a, &ring_a), std::pair(b, &ring_b)}) {
    const std::int32_t start = leaving_[v];
    std::int32_t e = start;
    do {
      ring->push_back(target(e));
      e = around(e);
    } while (e != start);
    std::sort(ring->begin(), ring->end());
  }
  std::size_t common = 0;
  for (std::size_t i = 0, j = 0; i < ring_a.size() && j < ring_b.size();) {
    if (ring_a[i] < ring_b[j]) {
      ++i;
    } else if (ring_b[j] < ring_a[i]) {
      ++j;
    } else {
      ++common, ++i, ++j;
    }
  }
  if (common != 2) return false;
  return !(valence(c) == 3 && valence(d) == 3 && joined(c, d));
}

void HalfedgeMesh::collapse(std::int32_t h) {
  const std::int32_t n = next(h), p = previous(h), t = twin_[h], tn = next(t), tp = previous(t);
  const std::int32_t a = origin_[h], b = origin_[t], c = origin_[p], d = origin_[tp];
  for (std::int32_t e = around(h); e != h; e = around(e)) origin_[e] = b;
  const std::int32_t twin_n = twin_[n], twin_p = twin_[p], twin_tn = twin_[tn], twin_tp = twin_[tp];
  pair(twin_n, twin_p);
  pair(twin_tn, twin_tp);
  leaving_[a] = -1;
  leaving_[b] = twin_p;
  leaving_[c] = twin_n;
  leaving_[d] = twin_tn;
  for (const std::int32_t e : {h, n, p, t, tn, tp}) origin_[e] = -1;
}

}  // namespace abut::preprocess
