#include "preprocess/mesh/tunnels.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

#include "preprocess/mesh/shells.h"
#include "preprocess/mesh/weld.h"

namespace abut::preprocess {
namespace {

using Word = std::uint64_t;

// Memory and time that the search may take before it lets the genus be.
constexpr std::size_t kMaxAnnotationBytes = std::size_t{128} << 20;
constexpr std::size_t kMaxSettled = 20'000'000;

struct Edge {
  std::int32_t vertex[2];
  std::int32_t face[2];
};

// Who neighbours whom in a closed manifold mesh.
struct Topology {
  std::vector<Edge> edges;
  std::vector<std::array<std::int32_t, 3>> face_edges;
  std::vector<std::int32_t> first;     // vertex -> its place in `incident`; one more at the end
  std::vector<std::int32_t> incident;  // edges

  explicit Topology(const TriangleMesh& mesh) {
    struct Side {
      std::int32_t lo, hi, face, corner;
    };
    std::vector<Side> sides;
    sides.reserve(3 * mesh.triangles.size());
    for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
      for (int k = 0; k < 3; ++k) {
        const std::int32_t a = mesh.triangles[f][k], b = mesh.triangles[f][(k + 1) % 3];
        sides.push_back({std::min(a, b), std::max(a, b), static_cast<std::int32_t>(f), k});
      }
    }
    std::sort(sides.begin(), sides.end(), [](const Side& s, const Side& t) {
      return std::tie(s.lo, s.hi, s.face) < std::tie(t.lo, t.hi, t.face);
    });
    face_edges.resize(mesh.triangles.size());
    first.assign(mesh.vertices.size() + 1, 0);
    for (std::size_t i = 0; i + 1 < sides.size(); i += 2) {
      const auto e = static_cast<std::int32_t>(edges.size());
      edges.push_back({{sides[i].lo, sides[i].hi}, {sides[i].face, sides[i + 1].face}});
      face_edges[sides[i].face][sides[i].corner] = e;
      face_edges[sides[i + 1].face][sides[i + 1].corner] = e;
      ++first[sides[i].lo + 1];
      ++first[sides[i].hi + 1];
    }
    for (std::size_t v = 1; v < first.size(); ++v) first[v] += first[v - 1];
    incident.resize(2 * edges.size());
    std::vector<std::int32_t> next(first.begin(), first.end() - 1);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      for (const std::int32_t v : edges[e].vertex) incident[next[v]++] = static_cast<std::int32_t>(e);
    }
  }

  std::int32_t other_vertex(std::int32_t e, std::int32_t v) const {
    return edges[e].vertex[0] == v ? edges[e].vertex[1] : edges[e].vertex[0];
  }
  std::int32_t other_face(std::int32_t e, std::int32_t f) const {
    return edges[e].face[0] == f ? edges[e].face[1] : edges[e].face[0];
  }
};

// For each edge the bits of the dual cycles that cross it: one dual cycle for each edge in neither the tree
// nor the cotree.
class Annotation {
 public:
  explicit Annotation(const Topology& topology) : topology_(topology) {
    grow_tree();
    grow_cotree();
    std::vector<std::int32_t> generators;
    for (std::size_t e = 0; e < topology.edges.size(); ++e) {
      if (!in_tree_[e] && !in_cotree_[e]) generators.push_back(static_cast<std::int32_t>(e));
    }
    words_ = (generators.size() + 63) / 64;
    if (words_ * sizeof(Word) * topology.edges.size() > kMaxAnnotationBytes) words_ = 0;
    if (words_ == 0) return;
    bits_.assign(words_ * topology.edges.size(), 0);
    for (std::size_t i = 0; i < generators.size(); ++i) mark_dual_cycle(generators[i], i);
  }

  std::size_t words() const { return words_; }
  const Word* operator[](std::int32_t e) const { return bits_.data() + words_ * static_cast<std::size_t>(e); }
  bool is_zero(std::int32_t e) const {
    return std::all_of((*this)[e], (*this)[e] + words_, [](Word w) { return w == 0; });
  }

 private:
  void grow_tree() {
    in_tree_.assign(topology_.edges.size(), 0);
    std::vector<char> seen(topology_.first.size() - 1, 0);
    std::vector<std::int32_t> queue;
    for (std::size_t root = 0; root < seen.size(); ++root) {
      if (seen[root]) continue;
      seen[root] = 1;
      queue.assign(1, static_cast<std::int32_t>(root));
      for (std::size_t i = 0; i < queue.size(); ++i) {
        const std::int32_t v = queue[i];
        for (std::int32_t k = topology_.first[v]; k < topology_.first[v + 1]; ++k) {
          const std::int32_t e = topology_.incident[k], w = topology_.other_vertex(e, v);
          if (seen[w]) continue;
          seen[w] = in_tree_[e] = 1;
          queue.push_back(w);
        }
      }
    }
  }

  void grow_cotree() {
    const std::size_t faces = topology_.face_edges.size();
    in_cotree_.assign(topology_.edges.size(), 0);
    parent_.assign(faces, -1);
    std::vector<char> seen(faces, 0);
    std::vector<std::int32_t> queue;
    for (std::size_t root = 0; root < faces; ++root) {
      if (seen[root]) continue;
      seen[root] = 1;
      queue.assign(1, static_cast<std::int32_t>(root));
      for (std::size_t i = 0; i < queue.size(); ++i) {
        for (const std::int32_t e : topology_.face_edges[queue[i]]) {
          const std::int32_t g = topology_.other_face(e, queue[i]);
          if (in_tree_[e] || seen[g]) continue;
          seen[g] = in_cotree_[e] = 1;
          parent_[g] = e;
          queue.push_back(g);
        }
      }
    }
  }

  // The paths of both faces to the root, of which the common part cancels.
  void mark_dual_cycle(std::int32_t generator, std::size_t bit) {
    const auto toggle = [&](std::int32_t e) {
      bits_[words_ * static_cast<std::size_t>(e) + bit / 64] ^= Word{1} << (bit % 64);
    };
    toggle(generator);
    for (std::int32_t f : topology_.edges[generator].face) {
      for (; parent_[f] >= 0; f = topology_.other_face(parent_[f], f)) toggle(parent_[f]);
    }
  }

  const Topology& topology_;
  std::vector<char> in_tree_, in_cotree_;
  std::vector<std::int32_t> parent_;  // face -> edge towards the cotree's root; -1 there
  std::size_t words_ = 0;
  std::vector<Word> bits_;
};

struct Candidate {
  Loop loop;
  std::vector<Word> homology;
};

// Shortest loops through one vertex at a time.
class LoopSearch {
 public:
  LoopSearch(const TriangleMesh& mesh, const Topology& topology, const Annotation& annotation)
      : mesh_(mesh),
        topology_(topology),
        annotation_(annotation),
        distance_(mesh.vertices.size(), kFar),
        parent_(mesh.vertices.size(), -1),
        homology_(mesh.vertices.size() * annotation.words(), 0) {}

  // The shortest loop through `base` that does not separate, if it is shorter than `longest`.
  bool find(std::int32_t base, double longest, Candidate& found) {
    grow(base, longest / 2);
    std::int32_t best = -1;
    double best_length = longest;
    for (const std::int32_t v : reached_) {
      for (std::int32_t k = topology_.first[v]; k < topology_.first[v + 1]; ++k) {
        const std::int32_t e = topology_.incident[k], w = topology_.other_vertex(e, v);
        if (w < v || distance_[w] == kFar || parent_[v] == e || parent_[w] == e) continue;
        const double length = distance_[v] + distance_[w] + edge_length(e);
        if (length < best_length && !closes_to_zero(v, w, e)) {
          best_length = length;
          best = e;
        }
      }
    }
    if (best >= 0) found = trace(best);
    for (const std::int32_t v : reached_) {
      distance_[v] = kFar;
      parent_[v] = -1;
    }
    return best >= 0;
  }

  std::size_t settled() const { return settled_; }

 private:
  static constexpr double kFar = 1e300;

  double edge_length(std::int32_t e) const {
    return (mesh_.vertices[topology_.edges[e].vertex[0]] - mesh_.vertices[topology_.edges[e].vertex[1]])
        .norm();
  }

  Word* homology(std::int32_t v) {
    return homology_.data() + annotation_.words() * static_cast<std::size_t>(v);
  }

  bool closes_to_zero(std::int32_t v, std::int32_t w, std::int32_t e) {
    for (std::size_t k = 0; k < annotation_.words(); ++k) {
      if ((homology(v)[k] ^ homology(w)[k] ^ annotation_[e][k]) != 0) return false;
    }
    return true;
  }

  void grow(std::int32_t base, double radius) {
    using Entry = std::pair<double, std::int32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    reached_.assign(1, base);
    distance_[base] = 0;
    std::fill_n(homology(base), annotation_.words(), Word{0});
    queue.emplace(0.0, base);
    while (!queue.empty()) {
      const auto [d, v] = queue.top();
      queue.pop();
      if (d > distance_[v]) continue;
      ++settled_;
      for (std::int32_t k = topology_.first[v]; k < topology_.first[v + 1]; ++k) {
        const std::int32_t e = topology_.incident[k], w = topology_.other_vertex(e, v);
        const double through = d + edge_length(e);
        if (through > radius || through >= distance_[w]) continue;
        if (distance_[w] == kFar) reached_.push_back(w);
        distance_[w] = through;
        parent_[w] = e;
        for (std::size_t i = 0; i < annotation_.words(); ++i)
          homology(w)[i] = homology(v)[i] ^ annotation_[e][i];
        queue.emplace(through, w);
      }
    }
  }

  std::vector<std::int32_t> path_to_base(std::int32_t v) const {
    std::vector<std::int32_t> path(1, v);
    for (; parent_[v] >= 0; path.push_back(v)) v = topology_.other_vertex(parent_[v], v);
    return path;
  }

  // Both paths end at the base; what they share before it is no part of the loop.
  Candidate trace(std::int32_t e) {
    const std::int32_t v = topology_.edges[e].vertex[0], w = topology_.edges[e].vertex[1];
    std::vector<std::int32_t> a = path_to_base(v), b = path_to_base(w);
    while (a.size() > 1 && b.size() > 1 && a[a.size() - 2] == b[b.size() - 2]) {
      a.pop_back();
      b.pop_back();
    }
    Candidate found;
    found.loop.vertices = a;
    found.loop.vertices.insert(found.loop.vertices.end(), b.rbegin() + 1, b.rend());
    const auto& path = found.loop.vertices;
    for (std::size_t i = 0; i < path.size(); ++i) {
      found.loop.length += (mesh_.vertices[path[i]] - mesh_.vertices[path[(i + 1) % path.size()]]).norm();
    }
    for (std::size_t k = 0; k < annotation_.words(); ++k) {
      found.homology.push_back(homology(v)[k] ^ homology(w)[k] ^ annotation_[e][k]);
    }
    return found;
  }

  const TriangleMesh& mesh_;
  const Topology& topology_;
  const Annotation& annotation_;
  std::vector<double> distance_;
  std::vector<std::int32_t> parent_;  // edge towards the base
  std::vector<Word> homology_;        // sum of the annotations along the path to the base
  std::vector<std::int32_t> reached_;
  std::size_t settled_ = 0;
};

// Vectors over Z/2 in echelon form.
class Independent {
 public:
  // Takes the vector in if it is independent of those before.
  bool add(std::vector<Word> v) {
    for (;;) {
      std::size_t lead = 0;
      while (lead < 64 * v.size() && !(v[lead / 64] >> (lead % 64) & 1)) ++lead;
      if (lead == 64 * v.size()) return false;
      const auto [row, is_new] = rows_.try_emplace(lead, v);
      if (is_new) return true;
      for (std::size_t k = 0; k < v.size(); ++k) v[k] ^= row->second[k];
    }
  }

 private:
  std::map<std::size_t, std::vector<Word>> rows_;
};

Eigen::Vector3d centre(const TriangleMesh& mesh, const Loop& loop) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (const std::int32_t v : loop.vertices) sum += mesh.vertices[v];
  return sum / static_cast<double>(loop.vertices.size());
}

// The faces around a loop, if they form an annulus whose two rims pass no vertex twice.
std::vector<std::int32_t> ring_of(const TriangleMesh& mesh,
                                  const std::vector<std::vector<std::int32_t>>& faces_at, const Loop& loop) {
  std::vector<std::int32_t> ring;
  for (const std::int32_t v : loop.vertices) ring.insert(ring.end(), faces_at[v].begin(), faces_at[v].end());
  std::sort(ring.begin(), ring.end());
  ring.erase(std::unique(ring.begin(), ring.end()), ring.end());
  std::map<std::int32_t, std::int32_t>
      rim;  // from -> to, along directed edges whose opposite is not in the ring
  std::map<std::pair<std::int32_t, std::int32_t>, int> directed;
  for (const std::int32_t f : ring) {
    for (int k = 0; k < 3; ++k) directed[{mesh.triangles[f][k], mesh.triangles[f][(k + 1) % 3]}] = 1;
  }
  for (const auto& [edge, unused] : directed) {
    if (directed.count({edge.second, edge.first})) continue;
    if (!rim.emplace(edge.first, edge.second).second) return {};
  }
  std::size_t cycles = 0;
  for (std::size_t rest = rim.size(); rest > 0; rest = rim.size()) {
    ++cycles;
    for (auto at = rim.begin(); at != rim.end();) {
      const std::int32_t to = at->second;
      rim.erase(at);
      at = rim.find(to);
    }
  }
  return cycles == 2 ? ring : std::vector<std::int32_t>{};
}

// The faces at corner v of the loop on the left of its way u -> v -> w: from that of v -> w round v to that
// of u -> v.
std::vector<std::int32_t> left_fan(const TriangleMesh& mesh, const std::vector<std::int32_t>& faces,
                                   std::int32_t u, std::int32_t v, std::int32_t w) {
  std::vector<std::int32_t> fan;
  for (std::int32_t to = w; to != u && fan.size() <= faces.size();) {
    for (const std::int32_t f : faces) {
      const Triangle& t = mesh.triangles[f];
      const auto k = std::find(t.begin(), t.end(), v) - t.begin();
      if (t[(k + 1) % 3] != to) continue;
      fan.push_back(f);
      to = t[(k + 2) % 3];
      break;
    }
  }
  return fan;
}

// Gives the faces on the loop's left vertices of their own and draws both sides a little apart.
void slit(const TriangleMesh& mesh, const std::vector<std::vector<std::int32_t>>& faces_at, const Loop& loop,
          TriangleMesh& out) {
  constexpr double kApart =
      0.4;  // of the way to the neighbours: enough to keep the caps of a loop that is not flat apart
  const auto& path = loop.vertices;
  const std::size_t n = path.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t v = path[i];
    const std::vector<std::int32_t> left =
        left_fan(mesh, faces_at[v], path[(i + n - 1) % n], v, path[(i + 1) % n]);
    const auto copy = static_cast<std::int32_t>(out.vertices.size());
    Eigen::Vector3d sum[2] = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
    double count[2] = {0, 0};
    for (const std::int32_t f : faces_at[v]) {
      const bool on_left = std::find(left.begin(), left.end(), f) != left.end();
      for (const std::int32_t q : mesh.triangles[f]) {
        if (q != v) sum[on_left] += mesh.vertices[q];
      }
      count[on_left] += 2;
      if (on_left) std::replace(out.triangles[f].begin(), out.triangles[f].end(), v, copy);
    }
    const Eigen::Vector3d& at = mesh.vertices[v];
    const auto drawn = [&](int k) -> Eigen::Vector3d {
      return at + kApart * (sum[k] / std::max(count[k], 1.0) - at);
    };
    out.vertices.push_back(drawn(1));
    out.vertices[v] = drawn(0);
  }
}

}  // namespace

long genus(const TriangleMesh& mesh) {
  const auto faces = static_cast<long>(mesh.triangles.size()),
             vertices = static_cast<long>(mesh.vertices.size());
  return find_components(mesh).count - (vertices - faces / 2) / 2;
}

std::vector<Loop> find_tunnels(const TriangleMesh& mesh, double longest) {
  const Topology topology(mesh);
  const Annotation annotation(topology);
  if (annotation.words() == 0) return {};
  std::vector<char> is_base(mesh.vertices.size(), 0);
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    if (!annotation.is_zero(static_cast<std::int32_t>(e))) is_base[topology.edges[e].vertex[0]] = 1;
  }
  LoopSearch search(mesh, topology, annotation);
  std::vector<Candidate> candidates;
  for (std::size_t v = 0; v < is_base.size() && search.settled() < kMaxSettled; ++v) {
    Candidate found;
    if (is_base[v] && search.find(static_cast<std::int32_t>(v), longest, found))
      candidates.push_back(std::move(found));
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.loop.length < b.loop.length; });
  Independent independent;
  std::vector<char> taken(mesh.vertices.size(), 0);
  std::vector<Loop> loops;
  for (Candidate& c : candidates) {
    const auto& path = c.loop.vertices;
    if (std::any_of(path.begin(), path.end(), [&](std::int32_t v) { return taken[v]; })) continue;
    if (!independent.add(std::move(c.homology))) continue;
    // The neighbours' neighbours, too, so that the rings of two loops share no vertex.
    std::vector<std::int32_t> near = path;
    for (int round = 0; round < 3; ++round) {
      for (const std::int32_t v : near) taken[v] = 1;
      std::vector<std::int32_t> wider;
      for (const std::int32_t v : near) {
        for (std::int32_t k = topology.first[v]; k < topology.first[v + 1]; ++k) {
          wider.push_back(topology.other_vertex(topology.incident[k], v));
        }
      }
      near = std::move(wider);
    }
    loops.push_back(std::move(c.loop));
  }
  return loops;
}

bool is_noise(const TriangleMesh& mesh, const Loop& loop, double reach) {
  const Eigen::Vector3d middle = centre(mesh, loop);
  if (winding_number(middle, mesh) < 0.5) return true;
  // Walk over the faces near the loop, from its left side, without crossing it: does the walk come to its
  // right side?
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> face_of;
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
    const Triangle& t = mesh.triangles[f];
    for (int k = 0; k < 3; ++k) {
      if ((mesh.vertices[t[k]] - middle).norm() < reach)
        face_of[{t[k], t[(k + 1) % 3]}] = static_cast<std::int32_t>(f);
    }
  }
  std::map<std::pair<std::int32_t, std::int32_t>, int> side;  // +1: the loop's own direction, -1: against it
  const auto& path = loop.vertices;
  for (std::size_t i = 0; i < path.size(); ++i) {
    side[{path[i], path[(i + 1) % path.size()]}] = 1;
    side[{path[(i + 1) % path.size()], path[i]}] = -1;
  }
  std::vector<std::int32_t> queue;
  std::map<std::int32_t, bool> seen;
  const auto visit = [&](std::pair<std::int32_t, std::int32_t> edge) {
    const auto face = face_of.find(edge);
    if (face != face_of.end() && seen.try_emplace(face->second, true).second) queue.push_back(face->second);
  };
  visit({path[0], path[1]});
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Triangle& t = mesh.triangles[queue[i]];
    for (int k = 0; k < 3; ++k) {
      const std::pair<std::int32_t, std::int32_t> edge{t[k], t[(k + 1) % 3]};
      const auto on_loop = side.find(edge);
      if (on_loop != side.end() && on_loop->second < 0) return true;
      if (on_loop == side.end()) visit({edge.second, edge.first});
    }
  }
  return false;
}

TriangleMesh cut_loops(const TriangleMesh& mesh, const std::vector<Loop>& loops,
                       const std::vector<Cut>& cuts) {
  std::vector<std::vector<std::int32_t>> faces_at(mesh.vertices.size());
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
    for (const std::int32_t v : mesh.triangles[f]) faces_at[v].push_back(static_cast<std::int32_t>(f));
  }
  TriangleMesh out = mesh;
  std::vector<char> keep(mesh.triangles.size(), 1);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (cuts[i] == Cut::kNone) continue;
    const std::vector<std::int32_t> ring =
        cuts[i] == Cut::kRing ? ring_of(mesh, faces_at, loops[i]) : std::vector<std::int32_t>{};
    for (const std::int32_t f : ring) keep[f] = 0;
    if (ring.empty()) slit(mesh, faces_at, loops[i], out);
  }
  return select_faces(out, keep);
}

}  // namespace abut::preprocess
