#pragma once

#include <cmath>

#include "runtime/witness/shapes.h"
#include "runtime/witness/support.h"

// A shape as seen by the searches for witness points: the Minkowski sum of a core and a ball of radius
// `swept_radius`. The ball adds the same constant to the support function h for every unit n, so that the
// separation of the cores gives normal and distance of the shapes exactly. A sphere, for example, is a point
// with a swept radius.
//
// The kind of core is a run-time value: one search is compiled for all pairs of shapes. Pairs of hulls in
// double precision have a search of their own, in which the hull itself is used as the core.
namespace abut::witness {

// A circle about the z axis in a plane of constant z. A cylinder or cone is the convex hull of two rims.
template <class S>
struct Rim {
  S z, radius;  // m
};

// The core of a shape and the radius of its ball, in the shape's frame.
template <class S>
class Core {
 public:
  using Kind = body::CoreKind;  // kHull: the hull of an asset

  // The hull must outlive the core.
  explicit Core(const asset::ConvexView& hull) : kind_(Kind::kHull), hull_(&hull) {}
  // From a given core and ball.
  explicit Core(const body::SweptCore<S>& core)
      : kind_(core.kind), size_(core.size), top_radius_(core.top_radius) {
    sweep(core.swept_radius);
  }
  // From a primitive.
  template <class Shape>
  requires requires(const Shape& shape) { swept_core(shape); }
  explicit Core(const Shape& shape) : Core(swept_core(shape)) {}
  // From a swept shape: the core of the shape; both radii add up.
  template <class Shape>
  explicit Core(const Swept<S, Shape>& swept) : Core(swept.shape) {
    sweep(swept.radius);
  }

  // Converts to another scalar; a hull's coordinates are doubles for every scalar.
  template <class T>
  Core<T> cast() const {
    Core<T> core;
    core.kind_ = static_cast<typename Core<T>::Kind>(kind_);
    core.hull_ = hull_;
    core.size_ = size_.template cast<T>();
    core.top_radius_ = static_cast<T>(top_radius_);
    core.swept_radius_ = static_cast<T>(swept_radius_);
    core.radii_usable_ = radii_usable_;
    return core;
  }

  Kind kind() const { return kind_; }                       // determines which of the following apply
  const asset::ConvexView& hull() const { return *hull_; }  // kHull only
  const Vec3<S>& size() const { return size_; }             // half sizes along the axes, m
  // Rim 0 is the upper one, rim 1 the lower one.
  Rim<S> rim(int i) const { return i == 0 ? Rim<S>{size_.z(), top_radius_} : Rim<S>{-size_.z(), size_.x()}; }
  S swept_radius() const { return swept_radius_; }  // m

  // Whether the core is the hull of two rims.
  bool has_rims() const { return kind_ == Kind::kRims; }
  // Whether the core is a curved body without rims, which has a support Hessian.
  bool smooth() const { return kind_ == Kind::kEllipsoid; }
  bool plane() const { return kind_ == Kind::kPlane; }  // a half-space

  // Whether support points exist: not empty, lengths finite and positive.
  bool usable() const {
    if (kind_ == Kind::kHull) return hull_->vertex_count > 0 && radii_usable_ && std::isfinite(swept_radius_);
    const bool may_vanish = kind_ == Kind::kPoint || kind_ == Kind::kPlane;
    const bool sized = kind_ == Kind::kSegment ? size_.z() >= 0 : may_vanish || size_.minCoeff() > 0;
    return sized && size_.allFinite() && radii_usable_ && std::isfinite(swept_radius_);
  }

 private:
  template <class T>
  friend class Core;
  Core() = default;

  void sweep(S radius) {
    swept_radius_ += radius;
    radii_usable_ = radii_usable_ && radius >= 0;
  }

  Kind kind_ = Kind::kPoint;
  const asset::ConvexView* hull_ = nullptr;
  Vec3<S> size_ = Vec3<S>::Zero();  // half sizes along the axes, m
  S top_radius_ = 0;                // radius of the upper rim, m
  S swept_radius_ = 0;              // m
  bool radii_usable_ = true;        // no radius is negative
};

// Functions with the same meaning for a `Core` and for a hull used as a core. kMayCurve: whether the core
// may be curved, which is then determined at run time; false for types that are always polytopes.
template <class Shape>
inline constexpr bool kMayCurve = true;
template <>
inline constexpr bool kMayCurve<asset::ConvexView> = false;

// Whether the boundary is curved: an ellipsoid or the hull of two rims.
template <class S>
bool curved(const Core<S>& core) {
  return core.smooth() || core.has_rims();
}
inline bool curved(const asset::ConvexView&) { return false; }  // never for a hull

// Whether the shape is a half-space.
template <class S>
bool plane(const Core<S>& core) {
  return core.plane();
}
inline bool plane(const asset::ConvexView&) { return false; }  // never for a hull

// Whether support points exist: not empty, lengths finite and positive.
template <class S>
bool usable(const Core<S>& core) {
  return core.usable();
}
inline bool usable(const asset::ConvexView& hull) { return hull.vertex_count > 0; }  // not empty

// Radius of the ball that is summed with the core, m.
template <class S>
S swept_radius(const Core<S>& core) {
  return core.swept_radius();
}
// A hull has no ball.
template <class S>
S swept_radius(const asset::ConvexView&) {
  return 0;
}

// Number of vertices; 1 for a core without vertices.
template <class S>
std::int32_t vertex_count(const Core<S>& core) {
  using Kind = typename Core<S>::Kind;
  if (core.kind() == Kind::kHull) return core.hull().vertex_count;
  return core.kind() == Kind::kBox ? 8 : core.kind() == Kind::kSegment ? 2 : 1;
}
// Number of a hull's vertices; 0 means not usable.
inline std::int32_t vertex_count(const asset::ConvexView& hull) { return hull.vertex_count; }

// Vertex i of a polytope, in the shape's frame. For a box, bit k of i is set if coordinate k is negative.
template <class S>
Vec3<S> core_vertex(const Core<S>& core, std::int32_t i) {
  if (core.kind() == Core<S>::Kind::kHull) return core_vertex<S>(core.hull(), i);
  const Vec3<S>& h = core.size();
  if (core.kind() == Core<S>::Kind::kSegment) return {0, 0, i == 0 ? h.z() : -h.z()};
  return {i & 1 ? -h.x() : h.x(), i & 2 ? -h.y() : h.y(), i & 4 ? -h.z() : h.z()};
}

namespace detail {

// Length of (x, y) as hypot() computes it, but by a plain square root where the squares are far from the
// limits of the scalar's range.
template <class S>
S length_of(S x, S y) {
  const S squared = x * x + y * y;
  constexpr S kLeast = std::numeric_limits<S>::min() / std::numeric_limits<S>::epsilon();
  return squared > kLeast && squared < 1 / kLeast ? std::sqrt(squared) : std::hypot(x, y);
}

// Support point of the hull of two rims; `index` is that of the rim. For n along the axis, the rim's centre
// is returned for its disc.
template <class S>
SupportPoint<S> rims_support(const Rim<S>& top, const Rim<S>& bottom, const Vec3<S>& n) {
  const S across = length_of(n.x(), n.y());
  const bool lower = top.z * n.z() + top.radius * across < bottom.z * n.z() + bottom.radius * across;
  const Rim<S>& best = lower ? bottom : top;
  const S scale = across > 0 ? best.radius / across : S(0);
  return {Vec3<S>(scale * n.x(), scale * n.y(), best.z), lower};
}

}  // namespace detail

// Support point of the core without its ball. A half-space has none except along z.
template <class S>
SupportPoint<S> core_support(const Core<S>& core, const Vec3<S>& n) {
  using Kind = typename Core<S>::Kind;
  switch (core.kind()) {
    case Kind::kHull:
      return support<S>(core.hull(), n);
    case Kind::kBox:
    case Kind::kSegment: {
      const std::int32_t below = n.z() < 0 ? 1 : 0;
      const std::int32_t i =
          core.kind() == Kind::kSegment ? below : (n.x() < 0 ? 1 : 0) | (n.y() < 0 ? 2 : 0) | below << 2;
      return {core_vertex(core, i), i};
    }
    case Kind::kEllipsoid: {
      const Vec3<S> scaled = core.size().cwiseProduct(n);
      const S squared = scaled.squaredNorm();
      constexpr S kLeast = std::numeric_limits<S>::min() / std::numeric_limits<S>::epsilon();
      const bool in_range = squared > kLeast && squared < 1 / kLeast;
      const Vec3<S> unit =
          in_range ? Vec3<S>(scaled / std::sqrt(squared)) : Vec3<S>(scaled.stableNormalized());
      return {core.size().cwiseProduct(unit), -1};
    }
    case Kind::kRims:
      return detail::rims_support(core.rim(0), core.rim(1), n);
    default:
      return {Vec3<S>::Zero(), -1};
  }
}
// The same for a hull used as a core.
template <class S>
SupportPoint<S> core_support(const asset::ConvexView& hull, const Vec3<S>& n) {
  return support(hull, n);
}

// Hessian H of the core's support function at the unit vector n: H n = 0, the other eigenvalues are the radii
// of curvature, m. Zero unless the core is smooth(): the edges and faces of a polytope are treated as
// constraints on n instead (polish.h), those of a hull of rims as in rim_polish.h.
template <class S>
Mat3<S> core_hessian(const Core<S>& core, const Vec3<S>& n) {
  if (!core.smooth()) return Mat3<S>::Zero();
  const Vec3<S>& semi_axes = core.size();
  const Vec3<S> squared = semi_axes.cwiseAbs2();
  const S h = semi_axes.cwiseProduct(n).norm();
  const Vec3<S> s = squared.cwiseProduct(n) / h;
  Mat3<S> H = -s * s.transpose();
  H.diagonal() += squared;
  return H / h;
}

// Computes the support points `a` of core A along n and `b` of core B along m.
template <class S, class Shape>
void core_supports(const Shape& A, const Vec3<S>& n, const Shape& B, const Vec3<S>& m, SupportPoint<S>& a,
                   SupportPoint<S>& b) {
  if constexpr (std::is_same_v<Shape, asset::ConvexView>) {
    if (A.candidate_offsets != nullptr && B.candidate_offsets != nullptr) {
      // Look up both first, so that their cache misses overlap.
      const detail::Candidates of_a = detail::cell_candidates(A, n), of_b = detail::cell_candidates(B, m);
      __builtin_prefetch(B.x + *of_b.begin);
      __builtin_prefetch(B.y + *of_b.begin);
      __builtin_prefetch(B.z + *of_b.begin);
      a = detail::best_candidate(A, of_a, n);
      b = detail::best_candidate(B, of_b, m);
      return;
    }
  }
  a = core_support<S>(A, n);
  b = core_support<S>(B, m);
}

// Support point of a shape in closed form, its ball included; `index` is a vertex if the shape has
// vertices and no ball, and -1 otherwise.
template <class S, class Shape>
SupportPoint<S> support(const Shape& shape, const Vec3<S>& n, std::int32_t = -1) {
  const Core<S> core(shape);
  const SupportPoint<S> found = core_support(core, n);
  if (core.swept_radius() == 0) return {found.point, core.has_rims() ? -1 : found.index};
  return {found.point + core.swept_radius() * n.stableNormalized(), -1};
}

}  // namespace abut::witness
