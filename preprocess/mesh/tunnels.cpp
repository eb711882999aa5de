#include "preprocess/mesh/tunnels.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <queue>
#include <set>

#include "preprocess/mesh/homology.h"
#include "preprocess/mesh/shells.h"
#include "preprocess/mesh/topology.h"

namespace abut::preprocess {
namespace {

constexpr std::size_t kMaxSettled = 20'000'000;  // limit of the vertices reached by all searches together
constexpr double kFar = 1e300;

// Input of the searches.
struct Surface {
  const TriangleMesh& mesh;
  const Topology& topology;
  const Annotation& annotation;

  double edge_length(std::int32_t e) const {
    const Topology::Edge& edge = topology.edges[e];
    return (mesh.vertices[edge.vertex[0]] - mesh.vertices[edge.vertex[1]]).norm();
  }
};

// A tree of the shortest paths from one vertex to those within a radius. Reused for many searches: the arrays
// cover all vertices, and forget() resets those that were reached.
struct PathTree {
  std::vector<double> distance;       // m; kFar where not reached
  std::vector<std::int32_t> parent;   // edge towards the base; -1 at the base
  std::vector<Word> homology;         // (vertices, words): sum of the annotations along the path to the base
  std::vector<std::int32_t> reached;  // vertices

  explicit PathTree(const Surface& surface)
      : distance(surface.mesh.vertices.size(), kFar),
        parent(distance.size(), -1),
        homology(distance.size() * surface.annotation.words, 0) {}

  void forget() {
    for (const std::int32_t v : reached) {
      distance[v] = kFar;
      parent[v] = -1;
    }
    reached.clear();
  }
};

// Sums the annotations around the loop that edge e closes.
void sum_around(const Surface& surface, const PathTree& tree, std::int32_t e, std::vector<Word>& sum) {
  const std::size_t words = surface.annotation.words;
  const Topology::Edge& edge = surface.topology.edges[e];
  const Word* v = tree.homology.data() + words * static_cast<std::size_t>(edge.vertex[0]);
  const Word* w = tree.homology.data() + words * static_cast<std::size_t>(edge.vertex[1]);
  sum.resize(words);
  for (std::size_t k = 0; k < words; ++k) sum[k] = v[k] ^ w[k] ^ surface.annotation[e][k];
}

// Dijkstra's algorithm; returns the number of vertices reached.
std::size_t grow(const Surface& surface, std::int32_t base, double radius, PathTree& tree) {
  const Topology& topology = surface.topology;
  const std::size_t words = surface.annotation.words;
  const auto homology = [&](std::int32_t v) {
    return tree.homology.data() + words * static_cast<std::size_t>(v);
  };
  using Entry = std::pair<double, std::int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::size_t settled = 0;
  tree.reached.assign(1, base);
  tree.distance[base] = 0;
  std::fill_n(homology(base), words, Word{0});
  queue.emplace(0.0, base);
  while (!queue.empty()) {
    const auto [d, v] = queue.top();
    queue.pop();
    if (d > tree.distance[v]) continue;
    ++settled;
    for (std::int32_t k = topology.first[v]; k < topology.first[v + 1]; ++k) {
      const std::int32_t e = topology.incident[k], w = topology.other_vertex(e, v);
      const double through = d + surface.edge_length(e);
      if (through > radius || through >= tree.distance[w]) continue;
      if (tree.distance[w] == kFar) tree.reached.push_back(w);
      tree.distance[w] = through;
      tree.parent[w] = e;
      for (std::size_t i = 0; i < words; ++i) homology(w)[i] = homology(v)[i] ^ surface.annotation[e][i];
      queue.emplace(through, w);
    }
  }
  return settled;
}

// The edge that closes the shortest non-separating loop over the tree, if that is shorter than `longest`; -1
// if there is none.
std::int32_t closing_edge(const Surface& surface, const PathTree& tree, double longest) {
  const Topology& topology = surface.topology;
  std::int32_t best = -1;
  double best_length = longest;
  std::vector<Word> sum;
  for (const std::int32_t v : tree.reached) {
    for (std::int32_t k = topology.first[v]; k < topology.first[v + 1]; ++k) {
      const std::int32_t e = topology.incident[k], w = topology.other_vertex(e, v);
      if (w < v || tree.distance[w] == kFar || tree.parent[v] == e || tree.parent[w] == e) continue;
      const double length = tree.distance[v] + tree.distance[w] + surface.edge_length(e);
      if (length >= best_length) continue;
      sum_around(surface, tree, e, sum);
      if (std::all_of(sum.begin(), sum.end(), [](Word word) { return word == 0; })) continue;
      best_length = length;
      best = e;
    }
  }
  return best;
}

std::vector<std::int32_t> path_to_base(const Surface& surface, const PathTree& tree, std::int32_t v) {
  std::vector<std::int32_t> path(1, v);
  for (; tree.parent[v] >= 0; path.push_back(v)) v = surface.topology.other_vertex(tree.parent[v], v);
  return path;
}

// The loop that edge e closes: the paths from both its ends run to the base; their common part is not in the
// loop.
Loop trace(const Surface& surface, const PathTree& tree, std::int32_t e) {
  const Topology::Edge& edge = surface.topology.edges[e];
  std::vector<std::int32_t> a = path_to_base(surface, tree, edge.vertex[0]),
                            b = path_to_base(surface, tree, edge.vertex[1]);
  while (a.size() > 1 && b.size() > 1 && a[a.size() - 2] == b[b.size() - 2]) {
    a.pop_back();
    b.pop_back();
  }
  Loop loop;
  loop.vertices = a;
  loop.vertices.insert(loop.vertices.end(), b.rbegin() + 1, b.rend());
  const auto& path = loop.vertices;
  const auto& at = surface.mesh.vertices;
  for (std::size_t i = 0; i < path.size(); ++i)
    loop.length += (at[path[i]] - at[path[(i + 1) % path.size()]]).norm();
  return loop;
}

struct Candidate {
  Loop loop;
  std::vector<Word> homology;
};

// The shortest loop through each vertex that has an edge with nonzero bits, in ascending length.
std::vector<Candidate> find_candidates(const Surface& surface, double longest) {
  std::vector<char> is_base(surface.mesh.vertices.size(), 0);
  for (std::size_t e = 0; e < surface.topology.edges.size(); ++e) {
    if (!surface.annotation.is_zero(static_cast<std::int32_t>(e)))
      is_base[surface.topology.edges[e].vertex[0]] = 1;
  }
  std::vector<Candidate> candidates;
  PathTree tree(surface);
  std::size_t settled = 0;
  for (std::size_t v = 0; v < is_base.size() && settled < kMaxSettled; ++v) {
    if (!is_base[v]) continue;
    settled += grow(surface, static_cast<std::int32_t>(v), longest / 2, tree);
    if (const std::int32_t e = closing_edge(surface, tree, longest); e >= 0) {
      candidates.push_back({trace(surface, tree, e), {}});
      sum_around(surface, tree, e, candidates.back().homology);
    }
    tree.forget();
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.loop.length < b.loop.length; });
  return candidates;
}

// Marks the loop, its neighbours and theirs, so that the rings of two loops share no vertex.
void take_around(const Topology& topology, const Loop& loop, std::vector<char>& taken) {
  std::vector<std::int32_t> near = loop.vertices;
  for (int round = 0; round < 3; ++round) {
    for (const std::int32_t v : near) taken[v] = 1;
    std::vector<std::int32_t> wider;
    for (const std::int32_t v : near) {
      for (std::int32_t k = topology.first[v]; k < topology.first[v + 1]; ++k)
        wider.push_back(topology.other_vertex(topology.incident[k], v));
    }
    near = std::move(wider);
  }
}

Eigen::Vector3d centre(const TriangleMesh& mesh, const Loop& loop) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (const std::int32_t v : loop.vertices) sum += mesh.vertices[v];
  return sum / static_cast<double>(loop.vertices.size());
}

using DirectedEdge = std::pair<std::int32_t, std::int32_t>;

// Faces near a point, by their directed edges whose origin is within `reach` of it.
std::map<DirectedEdge, std::int32_t> faces_near(const TriangleMesh& mesh, const Eigen::Vector3d& point,
                                                double reach) {
  std::map<DirectedEdge, std::int32_t> face_of;
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
    const Triangle& t = mesh.triangles[f];
    for (int k = 0; k < 3; ++k) {
      if ((mesh.vertices[t[k]] - point).norm() < reach)
        face_of[{t[k], t[(k + 1) % 3]}] = static_cast<std::int32_t>(f);
    }
  }
  return face_of;
}

// Walks over faces from the loop's left side without crossing the loop; returns whether the walk reaches its
// right side.
bool sides_meet(const TriangleMesh& mesh, const Loop& loop,
                const std::map<DirectedEdge, std::int32_t>& face_of) {
  const auto& path = loop.vertices;
  std::set<DirectedEdge> along;
  for (std::size_t i = 0; i < path.size(); ++i) along.emplace(path[i], path[(i + 1) % path.size()]);
  std::vector<std::int32_t> queue;
  std::set<std::int32_t> seen;
  const auto visit = [&](const DirectedEdge& edge) {
    const auto face = face_of.find(edge);
    if (face != face_of.end() && seen.insert(face->second).second) queue.push_back(face->second);
  };
  visit({path[0], path[1]});
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Triangle& t = mesh.triangles[queue[i]];
    for (int k = 0; k < 3; ++k) {
      const DirectedEdge back{t[(k + 1) % 3], t[k]};
      if (along.contains(back)) return true;
      if (!along.contains({back.second, back.first})) visit(back);
    }
  }
  return false;
}

}  // namespace

long genus(const TriangleMesh& mesh) {
  const auto faces = static_cast<long>(mesh.triangles.size()),
             vertices = static_cast<long>(mesh.vertices.size());
  return find_components(mesh).count - (vertices - faces / 2) / 2;
}

std::vector<Loop> find_tunnels(const TriangleMesh& mesh, double longest) {
  const Topology topology = topology_of(mesh);
  const Annotation annotation = annotate(topology);
  if (annotation.words == 0) return {};
  std::vector<Candidate> candidates = find_candidates({mesh, topology, annotation}, longest);
  IndependentSet independent;
  std::vector<char> taken(mesh.vertices.size(), 0);
  std::vector<Loop> loops;
  for (Candidate& c : candidates) {
    const auto& path = c.loop.vertices;
    if (std::any_of(path.begin(), path.end(), [&](std::int32_t v) { return taken[v]; })) continue;
    if (!independent.add(std::move(c.homology))) continue;
    take_around(topology, c.loop, taken);
    loops.push_back(std::move(c.loop));
  }
  return loops;
}

bool is_noise(const TriangleMesh& mesh, const Loop& loop, double reach) {
  const Eigen::Vector3d middle = centre(mesh, loop);
  return winding_number(middle, mesh) < 0.5 || sides_meet(mesh, loop, faces_near(mesh, middle, reach));
}

}  // namespace abut::preprocess
