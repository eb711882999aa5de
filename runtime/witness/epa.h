#pragma once

#include <algorithm>

#include "runtime/witness/lanes.h"
#include "runtime/witness/polytope.h"
#include "runtime/witness/simplex.h"

// The expanding polytope algorithm (van den Bergen 2001): penetration depth by growing a polytope P inside
// the Minkowski difference D until its facet nearest to the origin is a facet of D.
//
// With m the outward unit normal of a face of P, offset = min over its corners of <m, w>, and g(n) = min
// over D of <n, w>:
//
// - Every point of the face is at least `offset` away from the origin. P is a closed surface that winds
//   around the origin once all offsets are positive, and the region it encloses lies in D. Hence depth >=
//   least offset, dents included: signed distance <= -(least offset).
//
// - g(-m) = -max over D of <m, w>, hence signed distance >= -(least height <m, w> of a support vertex met
//   so far).
//
// The face with the least offset is expanded first; the final face contains the origin's projection onto its
// plane. The origin need not be inside the first tetrahedron: a face with the origin outside has a negative
// offset and is expanded first.
namespace abut::witness {

template <class S>
struct EpaResult {
  Vec3<S> n;          // unit, from A to B
  S depth;            // least offset: signed distance <= -depth if that is positive
  S height;           // signed distance >= -height
  std::int32_t face;  // index of the face in the workspace
  bool converged;     // no vertex of D is above the face
  int iterations;
};

template <class S, class D>
class Epa {
 public:
  // The search stops at a gap between height and offset of `relative_gap`, relative to the largest
  // coordinate, or beyond a signed distance of `limit` (m). It gives up at `most_vertices` vertices.
  Epa(D& difference, Workspace<S>& workspace, S relative_gap, std::int32_t most_vertices, S limit = kInfinite)
      : difference_(difference),
        work_(workspace),
        relative_gap_(relative_gap),
        most_vertices_(most_vertices),
        limit_(limit),
        any_curved_(curved(difference.shape_a()) || curved(difference.shape_b())) {}

  // Expands from four vertices of D that span a volume.
  EpaResult<S> run(const DifferenceVertex<S>* corners) {
    start(corners);
    return expand();
  }

  // Expands from the polytope in the workspace, after its vertices have been moved. It need not be convex
  // any more: the bounds hold for every closed surface whose vertices are in D.
  EpaResult<S> resume() {
    set_planes();
    return expand();
  }

  // Expands from the polytope in the workspace, given a support plane of D at height `ceiling` (m), until
  // its whole surface is at least `ceiling` less the gap away from the origin, or a lower support plane is
  // found. A face itself is examined, since its plane gives a poor bound where two corners nearly coincide.
  // The result's depth and height hold; it has neither normal nor face.
  EpaResult<S> close(S ceiling) {
    set_planes();
    ceiling_ = ceiling;
    EpaResult<S> result{Vec3<S>::Zero(), ceiling, ceiling, -1, false, 0};
    const S enough = ceiling - tolerance();
    for (std::int32_t f = pop(); f >= 0 && result.iterations < 2 * most_vertices_; f = pop()) {
      if (distance_to(f) >= enough) continue;
      ++result.iterations;
      result.height = std::min(result.height, seek(work_.planes.normal(f)));
      if (result.height < enough || work_.vertices.size >= most_vertices_ || runs_wild()) break;
      // A face without a vertex above it is not examined again; one over a neighbour may replace it.
      if (known(work_.faces[f], newest()) || !insert(f)) work_.planes.waiting.data()[f] = kInfinite;
    }
    for (std::int32_t f = 0; f < work_.faces.size; ++f) {
      if (work_.faces[f].alive) result.depth = std::min(result.depth, distance_to(f));
    }
    result.converged = result.depth >= enough;
    return result;
  }

 private:
  using L = typename PlaneLanes<S, D>::type;
  using InLanes = Lanes<S, L>;
  using LaneVector = typename InLanes::Vector;
  static constexpr std::int32_t kLanes = InLanes::kCount;
  static constexpr S kInfinite = std::numeric_limits<S>::infinity();

  bool any_curved() const {
    if constexpr (kMayCurve<typename D::Shape>) return any_curved_;
    return false;
  }

  EpaResult<S> expand() {
    EpaResult<S> best{Vec3<S>::Zero(), 0, kInfinite, -1, false, 0};
    for (;;) {
      const std::int32_t f = pop();
      if (f < 0) return best;  // no face is left to expand
      ++best.iterations;
      const S offset = work_.planes.offset.data()[f];
      best.n = -work_.planes.normal(f);
      const S height = seek(-best.n);
      ceiling_ = std::min(ceiling_, height);
      best.converged = height - offset <= tolerance() || known(work_.faces[f], newest());
      best.face = f;
      best.height = ceiling_;
      best.depth = offset;
      if (best.converged || height < -2 * difference_.rounding()) return best;  // the latter: origin outside
      if (-ceiling_ - difference_.rounding() > limit_) return best;
      if (work_.vertices.size >= most_vertices_ || runs_wild() || !insert(f)) return best;
    }
  }

  // A polytope torn by rounding may insert the same few vertices again and again, each time with a longer
  // horizon. A sound one has each vertex once and makes about six faces for it.
  bool runs_wild() const { return again_ > 64 || work_.faces.size > 64 * work_.vertices.size + 4096; }

  // The vertex that insert() will add, stored beyond the others.
  DifferenceVertex<S>& newest() { return work_.vertices[work_.vertices.size]; }

  // Sets newest() to the vertex of D highest along the unit vector m; returns its height, m.
  ABUT_INLINE S seek(const Vec3<S>& m) {
    work_.vertices.make_room(1);
    newest() = difference_.minimise(-m);
    return m.dot(newest().w);
  }

  S tolerance() const {
    return std::max(difference_.rounding() / 2, relative_gap_ * difference_.magnitude());
  }

  // Lower bound on the distance from the origin to a face, m, up to the ceiling: the least height of its
  // corners along the direction to its closest point, or its plane's offset if that has the origin outside.
  S distance_to(std::int32_t f) const {
    const S offset = work_.planes.offset.data()[f];
    if (!(offset > 0 && offset < ceiling_)) return offset;
    const auto corner = [&](int k) -> const Vec3<S>& { return work_.vertices[work_.faces[f].corner[k]].w; };
    const Vec3<S> v = closest_on_triangle<S>(corner(0), corner(1), corner(2)).v;
    const S least = std::min({v.dot(corner(0)), v.dot(corner(1)), v.dot(corner(2))}), length = v.norm();
    return length > 0 ? std::max(offset, least / length) : offset;
  }

  void start(const DifferenceVertex<S>* corners) {
    work_.vertices.size = 0;
    for (int k = 0; k < 4; ++k) work_.vertices.push(corners[k]);
    const Vec3<S>&a = corners[0].w, &b = corners[1].w, &c = corners[2].w, &d = corners[3].w;
    if ((b - a).cross(c - a).dot(d - a) < 0) std::swap(work_.vertices[1], work_.vertices[2]);
    // Corner 3 now sees the others counter-clockwise: the face opposite it, and a cone over that face.
    static constexpr PolytopeFace kTetrahedron[4] = {{{0, 2, 1}, {4 * 3, 4 * 2, 4 * 1}, true},
                                                     {{0, 1, 3}, {2, 4 * 2 + 2, 4 * 3 + 1}, true},
                                                     {{1, 2, 3}, {1, 4 * 3 + 2, 4 * 1 + 1}, true},
                                                     {{2, 0, 3}, {0, 4 * 1 + 2, 4 * 2 + 1}, true}};
    for (int f = 0; f < 4; ++f) work_.faces[f] = kTetrahedron[f];
    work_.faces.size = 4;
    set_planes();
  }

  // Computes the planes of all faces.
  void set_planes() {
    heaped_ = false;
    ceiling_ = kInfinite;
    const std::int32_t size = work_.faces.size;
    LaneVector at[3]{};
    for (std::int32_t first = 0; first < size; first += kLanes) {
      for (int k = 0; k < 3; ++k) {
        for (std::int32_t lane = 0; lane < kLanes; ++lane) {
          const Vec3<S>& w = work_.vertices[work_.faces[std::min(first + lane, size - 1)].corner[k]].w;
          InLanes::set(lane, w.x(), at[k].x);
          InLanes::set(lane, w.y(), at[k].y);
          InLanes::set(lane, w.z(), at[k].z);
        }
      }
      const LaneVector &a = at[0], &b = at[1], &c = at[2];
      store_planes(first, c, {a.x - c.x, a.y - c.y, a.z - c.z}, {b.x - c.x, b.y - c.y, b.z - c.z});
    }
    for (std::int32_t f = 0; f < size; ++f) {
      if (!work_.faces[f].alive) work_.planes.waiting.data()[f] = kInfinite;
    }
    end_waiting();
  }

  // Computes the planes of kLanes faces from `first` on, from their last corners c and the edges p and q to
  // the others. A face waits for expansion unless another is known to be nearer to the origin.
  ABUT_INLINE void store_planes(std::int32_t first, const LaneVector& c, const LaneVector& p,
                                const LaneVector& q) {
    const L none{}, infinite = none + kInfinite;
    LaneVector e = p, f = q;
    if (any_curved()) InLanes::take_short_edges(e, f);
    L mx = e.y * f.z - e.z * f.y, my = e.z * f.x - e.x * f.z, mz = e.x * f.y - e.y * f.x;
    L area;
    InLanes::square_root(mx * mx + my * my + mz * mz, area);
    const auto wide = area > none + std::numeric_limits<S>::min();
    const L scale = 1 / area;
    mx = wide ? mx * scale : none;
    my = wide ? my * scale : none;
    mz = wide ? mz * scale : none;
    // least height of the three corners, relative to c
    const L at_p = mx * p.x + my * p.y + mz * p.z, at_q = mx * q.x + my * q.y + mz * q.z;
    L least = at_p < at_q ? at_p : at_q;
    least = least < none ? least : none;
    const L offset = wide ? mx * c.x + my * c.y + mz * c.z + least : infinite;
    const L most = none + (ceiling_ + difference_.rounding());
    FacePlanes<S>& planes = work_.planes;
    InLanes::store(mx, planes.mx.data() + first);
    InLanes::store(my, planes.my.data() + first);
    InLanes::store(mz, planes.mz.data() + first);
    InLanes::store(offset, planes.offset.data() + first);
    InLanes::store(offset <= most ? offset : infinite, planes.waiting.data() + first);
  }

  // Marks the lanes beyond the last face as not waiting.
  ABUT_INLINE void end_waiting() {
    InLanes::store(L{} + kInfinite, work_.planes.waiting.data() + work_.faces.size);
  }

  // Removes the face nearest to the origin from those waiting; -1 if none below the ceiling is left.
  std::int32_t pop() {
    constexpr std::int32_t kFew = 512;
    if (work_.faces.size > kFew) return pop_of_many();
    const S* const waiting = work_.planes.waiting.data();
    L least = L{} + kInfinite, place{}, here{};
    for (std::int32_t f = 0; f < work_.faces.size; f += kLanes) {
      L offset;
      InLanes::load(waiting + f, offset);
      place = offset < least ? here : place;
      least = offset < least ? offset : least;
      here += kLanes;
    }
    std::int32_t best = 0;
    S nearest = InLanes::get(least, 0);
    for (std::int32_t lane = 1; lane < kLanes; ++lane) {
      const S other = InLanes::get(least, lane);
      best = other < nearest ? lane : best;
      nearest = other < nearest ? other : nearest;
    }
    const std::int32_t f = static_cast<std::int32_t>(InLanes::get(place, best)) + best;
    // The ceiling may have decreased since the face was made.
    if (!(nearest <= ceiling_ + difference_.rounding()) || !(nearest < kInfinite)) return -1;
    work_.planes.waiting.data()[f] = kInfinite;
    return f;
  }

  static constexpr auto kFarther = [](const typename Workspace<S>::Entry& a,
                                      const typename Workspace<S>::Entry& b) { return a.offset > b.offset; };

  void enqueue(std::int32_t f) {
    Pool<typename Workspace<S>::Entry>& queue = work_.queue;
    if (!(work_.planes.waiting.data()[f] < kInfinite)) return;
    queue.make_room(1);
    queue.push({work_.planes.waiting.data()[f], f});
    std::push_heap(queue.storage.begin(), queue.storage.begin() + queue.size, kFarther);
  }

  // The same with a heap, if there are many faces.
  [[gnu::noinline, gnu::cold]] std::int32_t pop_of_many() {
    Pool<typename Workspace<S>::Entry>& queue = work_.queue;
    if (!heaped_) {
      queue.size = 0;
      heaped_ = true;
      queued_ = 0;
    }
    for (; queued_ < work_.faces.size; ++queued_) enqueue(queued_);
    while (queue.size > 0) {
      std::pop_heap(queue.storage.begin(), queue.storage.begin() + queue.size, kFarther);
      const auto [offset, f] = queue[--queue.size];
      if (!(offset <= ceiling_ + difference_.rounding())) return -1;
      if (work_.faces[f].alive) return f;
    }
    return -1;
  }

  // Whether a corner of the face is found again, so that D exceeds the face by no more than rounding.
  bool known(const PolytopeFace& face, const DifferenceVertex<S>& found) const {
    return work_.vertices[face.corner[0]].same_point(found) ||
           work_.vertices[face.corner[1]].same_point(found) ||
           work_.vertices[face.corner[2]].same_point(found);
  }

  // Replaces the faces that the newest vertex sees by the cone from it over their horizon. Faces coplanar
  // with it within rounding are replaced too, so that no faces without area arise; but not with a curved
  // core, where each of the many points of a disc's rim would replace all faces on the disc. Where rounding
  // tears the horizon, other tolerances of visibility are tried. False if none gives a closed horizon.
  bool insert(std::int32_t seen) {
    const S rounding = difference_.rounding();
    const S first = any_curved() ? S(1) : S(-1);
    for (const S factor : {first, S(0), -first, S(-16), S(-256)}) {
      if (trace_horizon(seen, factor * rounding)) {
        work_.make_room();
        again_ += work_.is_recent(newest()) ? 1 : 0;
        add_cone(work_.vertices.size++);
        return true;
      }
      for (std::int32_t i = 0; i < work_.hidden.size; ++i) {
        const std::int32_t f = work_.hidden[i];
        work_.faces[f].alive = true;
        work_.planes.waiting.data()[f] = work_.planes.offset.data()[f];
      }
    }
    return false;
  }

  // Walks over the faces seen from the newest vertex, depth first around each face, which meets the edges of
  // the horizon counter-clockwise. Returns true if they form one closed loop without the vertex itself.
  bool trace_horizon(std::int32_t seen, S margin) {
    static constexpr std::int32_t kNext[3] = {1, 2, 0}, kPrevious[3] = {2, 0, 1};
    const DifferenceVertex<S>& found = work_.vertices[work_.vertices.size];
    const S x = found.w.x(), y = found.w.y(), z = found.w.z();
    PolytopeFace* const faces = &work_.faces[0];
    const S *const mx = work_.planes.mx.data(), *const my = work_.planes.my.data(),
                   *const mz = work_.planes.mz.data(), *const offset = work_.planes.offset.data();
    S* const waiting = work_.planes.waiting.data();
    typename Workspace<S>::Rim* rim = &work_.horizon[0];
    HalfEdge *const bottom = work_.stack.data(), *top = bottom;
    std::int32_t *const first_hidden = &work_.hidden[0], *hidden = first_hidden;
    *hidden++ = seen;
    faces[seen].alive = false;
    for (int k = 2; k >= 0; --k) *top++ = faces[seen].across[k];
    std::int32_t last = -1;
    bool whole = true;
    while (top > bottom) {
      const HalfEdge edge = *--top;
      const std::int32_t g = edge >> 2, k = edge & 3;
      PolytopeFace& face = faces[g];
      if (!face.alive) continue;
      if (mx[g] * x + my[g] * y + mz[g] * z - offset[g] > margin) {
        face.alive = false;
        waiting[g] = kInfinite;
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

  // Appends the faces of the cone from the vertex `apex` over the horizon: edge i leads from the apex to the
  // i-th corner, face i lies between the edges i and i + 1.
  void add_cone(std::int32_t apex) {
    const std::int32_t n = work_.horizon.size, first = work_.faces.size;
    const Vec3<S> tip = work_.vertices[apex].w;
    const typename Workspace<S>::Rim* const rim = &work_.horizon[0];
    PolytopeFace* const faces = &work_.faces[0];
    S* const x = work_.edges.data();
    S *const y = x + n + kLanes, *const z = y + n + kLanes;
    for (std::int32_t i = 0; i < n; ++i) {
      const Vec3<S>& w = work_.vertices[rim[i].corner].w;
      x[i] = w.x() - tip.x();
      y[i] = w.y() - tip.y();
      z[i] = w.z() - tip.z();
      PolytopeFace& face = faces[first + i];
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
    x[n] = x[0];
    y[n] = y[0];
    z[n] = z[0];
    const LaneVector c{L{} + tip.x(), L{} + tip.y(), L{} + tip.z()};
    LaneVector p, q;
    for (std::int32_t i = 0; i < n; i += kLanes) {  // the last lanes may write to scratch beyond the faces
      InLanes::load(x + i, p.x);
      InLanes::load(y + i, p.y);
      InLanes::load(z + i, p.z);
      InLanes::load(x + i + 1, q.x);
      InLanes::load(y + i + 1, q.y);
      InLanes::load(z + i + 1, q.z);
      store_planes(first + i, c, p, q);
    }
    work_.faces.size += n;
    end_waiting();
  }

  D& difference_;
  Workspace<S>& work_;
  S relative_gap_;
  std::int32_t most_vertices_;
  S limit_;
  bool any_curved_;
  std::int32_t again_ = 0;  // number of vertices that were inserted again
  bool heaped_ = false;
  std::int32_t queued_ = 0;  // number of faces considered for the heap
  S ceiling_ = 0;            // least height found: no face beyond it can be the nearest facet of D
};

}  // namespace abut::witness
