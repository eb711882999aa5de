#pragma once

#include <algorithm>
#include <vector>

#include "runtime/witness/difference.h"

// The expanding polytope algorithm (van den Bergen 2001): penetration depth by growing a polytope P inside
// the Minkowski difference D until its facet nearest to the origin is a facet of D.
//
// With m the outward unit normal of a face of P and offset = min over its corners of <m, w>:
//
// - Every point of the face is at least `offset` away from the origin. P is a closed surface that winds
//   around the origin once all offsets are positive, and the region it encloses lies in D. Hence depth >=
//   least offset, dents by rounding included: signed distance <= -(least offset).
//
// - g(-m) = -max over D of <m, w>, hence signed distance >= -(least height <m, w> of a support vertex met
//   so far).
//
// The face with the least offset comes from a heap; the face wanted has its projection of the origin inside
// it. Nothing asks for the origin to be inside the first tetrahedron: a face with the origin outside has a
// negative offset and is expanded first.
namespace abut::witness {

template <class S>
struct PolytopeFace {
  Vec3<S> m;                  // outward unit normal; zero for a face without area
  S offset;                   // m; infinite for a face without area
  std::int32_t corner[3];     // counter-clockwise seen from outside
  std::int32_t neighbour[3];  // face across the edge from corner k to k + 1
  std::int32_t across[3];     // number of that edge in the neighbour
  bool alive;
};

// Reusable memory of a query. It is reserved when made, and grows only for a pair that needs more than any
// before it.
template <class S>
struct Workspace {
  struct Entry {
    S offset;
    std::int32_t face;
  };
  struct Edge {
    std::int32_t face;
    std::int32_t edge;
  };

  std::vector<DifferenceVertex<S>> vertices;
  std::vector<PolytopeFace<S>> faces;
  std::vector<Entry> heap;
  std::vector<Edge> horizon;  // live face and its edge, in order around the new vertex
  std::vector<Edge> stack;
  std::vector<std::int32_t> hidden;  // faces that the new vertex replaces

  Workspace() {
    vertices.reserve(256);
    faces.reserve(2048);
    heap.reserve(2048);
    horizon.reserve(256);
    stack.reserve(2048);
    hidden.reserve(1024);
  }
};

template <class S>
struct EpaResult {
  Vec3<S> n;          // unit, from A to B
  S depth;            // least offset: signed distance <= -depth if that is positive
  S height;           // signed distance >= -height
  std::int32_t face;  // in the workspace
  bool converged;     // no vertex is left above the face
  int iterations;
};

template <class S, class D>
class Epa {
 public:
  // `relative_gap`: gap between height and offset, relative to the largest coordinate, at which to stop.
  // `most_vertices`: size of the polytope at which to give up.
  Epa(D& difference, Workspace<S>& workspace, S relative_gap, std::size_t most_vertices)
      : difference_(difference),
        work_(workspace),
        relative_gap_(relative_gap),
        most_vertices_(most_vertices) {}

  // From four vertices of D that span a volume.
  EpaResult<S> run(const DifferenceVertex<S>* corners) {
    start(corners);
    EpaResult<S> best{Vec3<S>::Zero(), 0, std::numeric_limits<S>::infinity(), -1, false, 0};
    for (;;) {
      const std::int32_t f = pop();
      if (f < 0) return best;  // every face was given up
      ++best.iterations;
      const PolytopeFace<S> face = work_.faces[f];
      const DifferenceVertex<S> found = difference_.minimise(-face.m);
      const S height = face.m.dot(found.w);
      const S tolerance = std::max(difference_.rounding() / 2, relative_gap_ * difference_.magnitude());
      best.converged = height - face.offset <= tolerance || known(face, found);
      best.n = -face.m;
      best.face = f;
      best.height = ceiling_ = std::min(ceiling_, height);
      best.depth = face.offset;
      if (best.converged) return best;
      if (work_.vertices.size() >= most_vertices_ || !insert(f, found)) return best;
    }
  }

 private:
  void start(const DifferenceVertex<S>* corners) {
    work_.vertices.assign(corners, corners + 4);
    work_.faces.clear();
    work_.heap.clear();
    ceiling_ = std::numeric_limits<S>::infinity();
    const Vec3<S>&a = corners[0].w, &b = corners[1].w, &c = corners[2].w, &d = corners[3].w;
    if ((b - a).cross(c - a).dot(d - a) > 0) std::swap(work_.vertices[1], work_.vertices[2]);
    // corner 3 is now below the face 0 1 2
    static constexpr std::int32_t kCorner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static constexpr std::int32_t kNeighbour[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    static constexpr std::int32_t kAcross[4][3] = {{2, 2, 2}, {1, 0, 0}, {1, 0, 1}, {1, 0, 2}};
    for (int f = 0; f < 4; ++f) {
      add_face(kCorner[f][0], kCorner[f][1], kCorner[f][2]);
      for (int k = 0; k < 3; ++k) join(f, k, kNeighbour[f][k], kAcross[f][k]);
    }
  }

  // Appends a face and queues it unless another face is known to be nearer to the origin.
  std::int32_t add_face(std::int32_t i, std::int32_t j, std::int32_t k) {
    const Vec3<S>&a = work_.vertices[i].w, &b = work_.vertices[j].w, &c = work_.vertices[k].w;
    const std::int32_t id = static_cast<std::int32_t>(work_.faces.size());
    PolytopeFace<S>& face = work_.faces.emplace_back();
    face.corner[0] = i;
    face.corner[1] = j;
    face.corner[2] = k;
    face.alive = true;
    const Vec3<S> normal = (b - a).cross(c - a);
    const S area = normal.norm();
    if (!(area > std::numeric_limits<S>::min())) {
      face.m.setZero();
      face.offset = std::numeric_limits<S>::infinity();
      return id;
    }
    face.m = normal / area;
    face.offset = std::min({face.m.dot(a), face.m.dot(b), face.m.dot(c)});
    if (face.offset <= ceiling_ + difference_.rounding()) {
      work_.heap.push_back({face.offset, id});
      std::push_heap(work_.heap.begin(), work_.heap.end(), farther);
    }
    return id;
  }

  void join(std::int32_t f, int k, std::int32_t g, int l) {
    work_.faces[f].neighbour[k] = g;
    work_.faces[f].across[k] = l;
  }

  static bool farther(const typename Workspace<S>::Entry& a, const typename Workspace<S>::Entry& b) {
    return a.offset > b.offset;
  }

  std::int32_t pop() {
    while (!work_.heap.empty()) {
      const std::int32_t f = work_.heap.front().face;
      std::pop_heap(work_.heap.begin(), work_.heap.end(), farther);
      work_.heap.pop_back();
      if (work_.faces[f].alive) return f;
    }
    return -1;
  }

  // A corner of the face found again: nothing of D is above the face but rounding.
  bool known(const PolytopeFace<S>& face, const DifferenceVertex<S>& found) const {
    return work_.vertices[face.corner[0]].w == found.w || work_.vertices[face.corner[1]].w == found.w ||
           work_.vertices[face.corner[2]].w == found.w;
  }

  // Replaces the faces that `found` sees by the cone from `found` over their horizon. Faces in the same plane
  // as `found` within rounding are replaced too, so that no face without area is made beside them. Where
  // rounding tears the horizon, the next wider or narrower notion of "sees" is tried. False if none gives a
  // closed horizon.
  bool insert(std::int32_t start, const DifferenceVertex<S>& found) {
    const S rounding = difference_.rounding();
    for (const S margin : {-rounding, S(0), rounding, -16 * rounding, -256 * rounding}) {
      if (trace_horizon(start, found, margin)) {
        add_cone(found);
        return true;
      }
      for (const std::int32_t f : work_.hidden) work_.faces[f].alive = true;
    }
    return false;
  }

  // Walks over the faces seen from `found`, depth first around each face, which meets the horizon's edges in
  // order counter-clockwise. True if they form one closed loop.
  bool trace_horizon(std::int32_t start, const DifferenceVertex<S>& found, S margin) {
    work_.horizon.clear();
    work_.hidden.clear();
    work_.stack.clear();
    hide(start, 0, 3);
    while (!work_.stack.empty()) {
      const auto [g, k] = work_.stack.back();
      work_.stack.pop_back();
      const PolytopeFace<S>& face = work_.faces[g];
      if (!face.alive) continue;
      if (face.m.dot(found.w) - face.offset > margin) {
        hide(g, k + 1, 2);
      } else {
        work_.horizon.push_back({g, k});
      }
    }
    return closed(found);
  }

  // Removes a face and stacks what lies across `count` of its edges, the first to be visited on top.
  void hide(std::int32_t f, std::int32_t first, int count) {
    PolytopeFace<S>& face = work_.faces[f];
    face.alive = false;
    work_.hidden.push_back(f);
    for (int i = count - 1; i >= 0; --i) {
      const std::int32_t k = (first + i) % 3;
      work_.stack.push_back({face.neighbour[k], face.across[k]});
    }
  }

  bool closed(const DifferenceVertex<S>& found) const {
    const std::size_t n = work_.horizon.size();
    if (n < 3) return false;
    for (std::size_t i = 0; i < n; ++i) {
      const auto [f, k] = work_.horizon[i];
      const auto [g, l] = work_.horizon[i + 1 < n ? i + 1 : 0];
      const std::int32_t end = work_.faces[f].corner[k];
      if (end != work_.faces[g].corner[l < 2 ? l + 1 : 0]) return false;
      if (work_.vertices[end].w == found.w) return false;
    }
    return true;
  }

  void add_cone(const DifferenceVertex<S>& found) {
    const std::int32_t apex = static_cast<std::int32_t>(work_.vertices.size());
    work_.vertices.push_back(found);
    const std::int32_t first = static_cast<std::int32_t>(work_.faces.size());
    const std::int32_t n = static_cast<std::int32_t>(work_.horizon.size());
    for (std::int32_t i = 0; i < n; ++i) {
      const auto [g, k] = work_.horizon[i];
      const std::int32_t f =
          add_face(work_.faces[g].corner[k < 2 ? k + 1 : 0], work_.faces[g].corner[k], apex);
      join(f, 0, g, k);
      join(g, k, f, 0);
      join(f, 1, i + 1 < n ? f + 1 : first, 2);
      join(f, 2, i > 0 ? f - 1 : first + n - 1, 1);
    }
  }

  D& difference_;
  Workspace<S>& work_;
  S relative_gap_;
  std::size_t most_vertices_;
  S ceiling_ = 0;  // least height met: no face beyond it can be the nearest facet of D
};

}  // namespace abut::witness
