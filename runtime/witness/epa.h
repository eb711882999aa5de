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
//   least offset, dents included: signed distance <= -(least offset).
//
// - g(-m) = -max over D of <m, w>, hence signed distance >= -(least height <m, w> of a support vertex met
//   so far).
//
// The face with the least offset comes from a queue; the face wanted has its projection of the origin inside
// it. Nothing asks for the origin to be inside the first tetrahedron: a face with the origin outside has a
// negative offset and is expanded first.
namespace abut::witness {

// An edge seen from one of its two faces: 4 face + number; edge k runs from corner k to corner k + 1.
using HalfEdge = std::int32_t;

template <class S>
struct PolytopeFace {
  Vec3<S> m;               // outward unit normal; zero for a face without area
  S offset;                // m; infinite for a face without area
  std::int32_t corner[3];  // counter-clockwise seen from outside
  HalfEdge across[3];      // the same edges seen from the neighbours
  bool alive;
};

// An array that only grows: elements beyond `size` are kept as scratch, room for them is made ahead.
template <class T>
struct Pool {
  std::vector<T> storage;
  std::int32_t size = 0;

  explicit Pool(std::size_t room) : storage(room) {}
  void make_room(std::size_t more) {
    const std::size_t needed = static_cast<std::size_t>(size) + more;
    if (needed > storage.size()) storage.resize(std::max(needed, 2 * storage.size()));
  }
  T& operator[](std::int32_t i) { return storage.data()[i]; }
  const T& operator[](std::int32_t i) const { return storage.data()[i]; }
  void push(const T& value) { storage.data()[size++] = value; }
};

// Reusable memory of a query. It is reserved when made, and grows only for a pair that needs more than any
// before it.
template <class S>
struct Workspace {
  struct Entry {
    S offset;
    std::int32_t face;
  };
  struct Rim {
    HalfEdge edge;        // of a live face
    std::int32_t corner;  // where the edge ends: the faces around the new vertex run the other way
  };

  Pool<DifferenceVertex<S>> vertices{256};
  Pool<PolytopeFace<S>> faces{2048};
  Pool<Rim> horizon{2048};  // in order around the new vertex
  Pool<HalfEdge> stack{4096};
  Pool<std::int32_t> hidden{2048};  // faces that the new vertex replaces
  Pool<S> edges{3 * 64};    // from the new vertex to the horizon's corners: all x, then all y, then all z
  Pool<Entry> queue{2048};  // faces that may be the nearest
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
  Epa(D& difference, Workspace<S>& workspace, S relative_gap, std::int32_t most_vertices)
      : difference_(difference),
        work_(workspace),
        relative_gap_(relative_gap),
        most_vertices_(most_vertices) {}

  // From four vertices of D that span a volume.
  EpaResult<S> run(const DifferenceVertex<S>* corners) {
    start(corners);
    return expand();
  }

  // From the polytope that the workspace holds, its vertices moved. It need not be convex any more: the
  // bounds hold for every closed surface whose vertices are in D.
  EpaResult<S> resume() {
    forget_order();
    work_.queue.make_room(static_cast<std::size_t>(work_.faces.size));
    std::int32_t waiting = -1;
    for (std::int32_t f = 0; f < work_.faces.size; ++f) {
      if (!work_.faces[f].alive) continue;
      if (waiting < 0) {
        waiting = f;
        continue;
      }
      set_planes(waiting, f);
      queue(waiting);
      queue(f);
      waiting = -1;
    }
    if (waiting >= 0) {
      set_planes(waiting, waiting);
      queue(waiting);
    }
    return expand();
  }

 private:
  using Two = Eigen::Array<S, 2, 1>;
  using Entry = typename Workspace<S>::Entry;

  EpaResult<S> expand() {
    EpaResult<S> best{Vec3<S>::Zero(), 0, std::numeric_limits<S>::infinity(), -1, false, 0};
    for (;;) {
      const std::int32_t f = pop();
      if (f < 0) return best;  // every face was given up
      ++best.iterations;
      work_.vertices.make_room(1);
      DifferenceVertex<S>& found = work_.vertices[work_.vertices.size];
      const PolytopeFace<S>& face = work_.faces[f];
      best.n = -face.m;
      found = difference_.minimise(best.n);
      const S height = face.m.dot(found.w);
      ceiling_ = std::min(ceiling_, height);
      const S tolerance = std::max(difference_.rounding() / 2, relative_gap_ * difference_.magnitude());
      best.converged = height - face.offset <= tolerance || known(face, found);
      best.face = f;
      best.height = ceiling_;
      best.depth = face.offset;
      if (best.converged || height < -2 * difference_.rounding()) return best;  // the latter: origin outside
      if (work_.vertices.size >= most_vertices_ || !insert(f)) return best;
    }
  }

  void forget_order() {
    work_.queue.size = 0;
    heaped_ = false;
    ceiling_ = std::numeric_limits<S>::infinity();
  }

  void start(const DifferenceVertex<S>* corners) {
    work_.vertices.size = 0;
    for (int k = 0; k < 4; ++k) work_.vertices.push(corners[k]);
    work_.faces.size = 0;
    forget_order();
    const Vec3<S>&a = corners[0].w, &b = corners[1].w, &c = corners[2].w, &d = corners[3].w;
    if ((b - a).cross(c - a).dot(d - a) < 0) std::swap(work_.vertices[1], work_.vertices[2]);
    // corner 3 now sees the others counter-clockwise: a cone over them, and the face below
    work_.faces[0].alive = true;
    set_corners(work_.faces[0], 0, 2, 1);
    set_planes(0, 0);
    work_.faces.size = 1;
    work_.horizon.size = 0;
    work_.horizon.push({2, 0});
    work_.horizon.push({1, 1});
    work_.horizon.push({0, 2});
    add_cone(3);
    queue(0);
  }

  static void set_corners(PolytopeFace<S>& face, std::int32_t i, std::int32_t j, std::int32_t k) {
    face.corner[0] = i;
    face.corner[1] = j;
    face.corner[2] = k;
  }

  // Planes of the faces f and g, which may be the same: two at a time is no dearer than one.
  void set_planes(std::int32_t f, std::int32_t g) {
    PolytopeFace<S>&F = work_.faces[f], &G = work_.faces[g];
    const auto coordinate = [&](int corner, int axis) {
      return Two(work_.vertices[F.corner[corner]].w[axis], work_.vertices[G.corner[corner]].w[axis]);
    };
    const Two x = coordinate(2, 0), y = coordinate(2, 1), z = coordinate(2, 2);
    store_planes(F, G, x, y, z, coordinate(0, 0) - x, coordinate(0, 1) - y, coordinate(0, 2) - z,
                 coordinate(1, 0) - x, coordinate(1, 1) - y, coordinate(1, 2) - z);
  }

  // Planes of two faces from their last corners (x, y, z) and the edges p and q from there to the others.
  [[gnu::always_inline]] static void store_planes(PolytopeFace<S>& F, PolytopeFace<S>& G, const Two& x,
                                                  const Two& y, const Two& z, const Two& px, const Two& py,
                                                  const Two& pz, const Two& qx, const Two& qy,
                                                  const Two& qz) {
    Two mx = py * qz - pz * qy, my = pz * qx - px * qz, mz = px * qy - py * qx;
    const Two area = (mx * mx + my * my + mz * mz).sqrt();
    const Two scale = area.inverse();
    mx *= scale;
    my *= scale;
    mz *= scale;
    // the least height of the three corners
    const Two p = mx * px + my * py + mz * pz, q = mx * qx + my * qy + mz * qz;
    const Two offset = mx * x + my * y + mz * z + p.min(q).min(Two::Zero());
    store_plane(F, area[0], mx[0], my[0], mz[0], offset[0]);
    store_plane(G, area[1], mx[1], my[1], mz[1], offset[1]);
  }

  [[gnu::always_inline]] static void store_plane(PolytopeFace<S>& face, S area, S mx, S my, S mz, S offset) {
    face.m = {mx, my, mz};
    face.offset = offset;
    if (area > std::numeric_limits<S>::min()) return;
    face.m.setZero();
    face.offset = std::numeric_limits<S>::infinity();
  }

  // Queues a face unless another one is known to be nearer to the origin. A short queue is searched as it is,
  // a long one becomes a heap.
  void queue(std::int32_t f) {
    constexpr std::int32_t kShort = 128;
    const S offset = work_.faces[f].offset;
    if (!(offset <= ceiling_ + difference_.rounding())) return;
    work_.queue.push({offset, f});
    if (!heaped_ && work_.queue.size <= kShort) return;
    if (heaped_) {
      std::push_heap(&work_.queue[0], &work_.queue[work_.queue.size], kFarther);
    } else {
      std::make_heap(&work_.queue[0], &work_.queue[work_.queue.size], kFarther);
      heaped_ = true;
    }
  }

  static constexpr auto kFarther = [](const Entry& a, const Entry& b) { return a.offset > b.offset; };

  std::int32_t pop() {
    Entry* const entries = &work_.queue[0];
    std::int32_t& size = work_.queue.size;
    while (heaped_ && size > 0) {
      std::pop_heap(entries, entries + size, kFarther);
      if (work_.faces[entries[--size].face].alive) return entries[size].face;
    }
    std::int32_t nearest = -1;
    S least = std::numeric_limits<S>::infinity();
    const S most = ceiling_ + difference_.rounding();  // may have fallen since the entry was made
    for (std::int32_t i = 0; i < size;) {
      if (!(entries[i].offset <= most) || !work_.faces[entries[i].face].alive) {
        entries[i] = entries[--size];
        continue;
      }
      if (entries[i].offset < least) {
        least = entries[i].offset;
        nearest = i;
      }
      ++i;
    }
    if (nearest < 0) return -1;
    const std::int32_t f = entries[nearest].face;
    entries[nearest] = entries[--size];
    return f;
  }

  // A corner of the face found again: nothing of D is above the face but rounding.
  bool known(const PolytopeFace<S>& face, const DifferenceVertex<S>& found) const {
    return work_.vertices[face.corner[0]].same_point(found) ||
           work_.vertices[face.corner[1]].same_point(found) ||
           work_.vertices[face.corner[2]].same_point(found);
  }

  // Replaces the faces that the newest vertex sees by the cone from it over their horizon. Faces in the same
  // plane as it within rounding are replaced too, so that no face without area is made beside them. Where
  // rounding tears the horizon, the next wider or narrower notion of "sees" is tried. False if none gives a
  // closed horizon.
  bool insert(std::int32_t seen) {
    const S rounding = difference_.rounding();
    const std::size_t room = static_cast<std::size_t>(work_.faces.size) + 4;
    work_.horizon.size = work_.stack.size = work_.hidden.size = 0;
    work_.horizon.make_room(room + 1);
    work_.stack.make_room(2 * room);
    work_.hidden.make_room(room);
    for (const S factor : {S(-1), S(0), S(1), S(-16), S(-256)}) {
      if (trace_horizon(seen, factor * rounding)) {
        const std::size_t n = static_cast<std::size_t>(work_.horizon.size);
        work_.faces.make_room(n + 1);
        work_.queue.make_room(n + 1);
        work_.edges.make_room(3 * (n + 2));
        add_cone(work_.vertices.size++);
        return true;
      }
      for (std::int32_t i = 0; i < work_.hidden.size; ++i) work_.faces[work_.hidden[i]].alive = true;
    }
    return false;
  }

  // Walks over the faces seen from the newest vertex, depth first around each face, which meets the horizon's
  // edges in order counter-clockwise. True if they form one closed loop without the vertex itself.
  bool trace_horizon(std::int32_t seen, S margin) {
    static constexpr std::int32_t kNext[3] = {1, 2, 0}, kPrevious[3] = {2, 0, 1};
    const DifferenceVertex<S>& found = work_.vertices[work_.vertices.size];
    const Vec3<S> w = found.w;
    PolytopeFace<S>* const faces = &work_.faces[0];
    typename Workspace<S>::Rim* rim = &work_.horizon[0];
    HalfEdge *const bottom = &work_.stack[0], *top = bottom;
    std::int32_t *const first_hidden = &work_.hidden[0], *hidden = first_hidden;
    *hidden++ = seen;
    faces[seen].alive = false;
    for (int k = 2; k >= 0; --k) *top++ = faces[seen].across[k];
    std::int32_t last = -1;
    bool whole = true;
    while (top > bottom) {
      const HalfEdge edge = *--top;
      const std::int32_t g = edge >> 2, k = edge & 3;
      PolytopeFace<S>& face = faces[g];
      if (!face.alive) continue;
      if (face.m.x() * w.x() + face.m.y() * w.y() + face.m.z() * w.z() - face.offset > margin) {
        face.alive = false;
        *hidden++ = g;
        *top++ = face.across[kPrevious[k]];
        *top++ = face.across[kNext[k]];
      } else {
        const std::int32_t end = face.corner[kNext[k]];
        whole = whole && (last < 0 || last == end) && !work_.vertices[end].same_point(found);
        last = face.corner[k];
        *rim++ = {edge, end};
      }
    }
    work_.hidden.size = static_cast<std::int32_t>(hidden - first_hidden);
    work_.horizon.size = static_cast<std::int32_t>(rim - &work_.horizon[0]);
    return whole && work_.horizon.size >= 3 && last == work_.horizon[0].corner;
  }

  // Appends the faces from the vertex `apex` over the horizon, two at a time: edge i leads from the apex to
  // the i-th corner, face i lies between the edges i and i + 1.
  void add_cone(std::int32_t apex) {
    const std::int32_t n = work_.horizon.size, first = work_.faces.size;
    const Vec3<S> tip = work_.vertices[apex].w;
    const typename Workspace<S>::Rim* const rim = &work_.horizon[0];
    PolytopeFace<S>* const faces = &work_.faces[0];
    S* const x = &work_.edges[0];
    S *const y = x + n + 2, *const z = y + n + 2;
    for (std::int32_t i = 0; i < n; ++i) {
      const Vec3<S>& w = work_.vertices[rim[i].corner].w;
      x[i] = w.x() - tip.x();
      y[i] = w.y() - tip.y();
      z[i] = w.z() - tip.z();
      PolytopeFace<S>& face = faces[first + i];
      face.corner[0] = rim[i].corner;
      face.corner[1] = rim[i + 1].corner;
      face.corner[2] = apex;
      face.across[0] = rim[i].edge;
      face.across[1] = 4 * (first + i + 1) + 2;
      face.across[2] = 4 * (first + i - 1) + 1;
      face.alive = true;
      faces[rim[i].edge >> 2].across[rim[i].edge & 3] = 4 * (first + i);
    }
    faces[first].across[2] = 4 * (first + n - 1) + 1;
    faces[first + n - 1].corner[1] = rim[0].corner;
    faces[first + n - 1].across[1] = 4 * first + 2;
    for (S* c : {x, y, z}) {
      c[n] = c[0];
      c[n + 1] = c[1];
    }
    const auto two = [](const S* c) { return Two(c[0], c[1]); };
    const Two tx = Two::Constant(tip.x()), ty = Two::Constant(tip.y()), tz = Two::Constant(tip.z());
    for (std::int32_t i = 0; i < n; i += 2) {  // the last may fall on scratch beyond the faces
      store_planes(faces[first + i], faces[first + i + 1], tx, ty, tz, two(x + i), two(y + i), two(z + i),
                   two(x + i + 1), two(y + i + 1), two(z + i + 1));
    }
    work_.faces.size += n;
    for (std::int32_t f = first; f < first + n; ++f) queue(f);
  }

  D& difference_;
  Workspace<S>& work_;
  S relative_gap_;
  std::int32_t most_vertices_;
  bool heaped_ = false;
  S ceiling_ = 0;  // least height met: no face beyond it can be the nearest facet of D
};

}  // namespace abut::witness
