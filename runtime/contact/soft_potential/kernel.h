#pragma once

#include <limits>
#include <vector>

#include "runtime/body/body.h"
#include "runtime/body/primitive_distance.h"
#include "runtime/contact/soft/pair_sums.h"
#include "runtime/contact/soft_potential/force.h"
#include "runtime/ssdf/grid_lanes.h"
#include "runtime/ssdf/point_lattice_sums.h"
#include "runtime/ssdf/two_stage.h"

// Inner loops of the soft potential: which samples of one body are near the other's surface, and the sums
// over them. Templates on the lane type T, so that the versions for four samples at a time can be compiled
// for more than one instruction set.
namespace abut::contact::internal {

using asset::kBlockNumbers;
using asset::kBlockPoints;
using asset::kNodeChildren;
using asset::PointBlocksView;
using ssdf::internal::NearPoints;
using ssdf::internal::NearScratch;
using ssdf::internal::take;

inline constexpr int kSamples = asset::kGroupSamples;

// Outside an edge the field of points extends the planes of its sides, to which the distance is smaller than
// to the edge itself, by a factor of up to 1 / sin of half the edge's angle; this value is that of 29
// degrees.
inline constexpr double kSharp = 4;

// A body in soft-potential contact. Holds views: their data must outlive it.
struct PotentialBody {
  asset::PointsView points;             // none for a half-space
  const body::Primitive* exact;         // null: an asset
  const asset::DistanceGridView* grid;  // null: the field is not a grid
  const ssdf::PointLattice* lattice;    // null: the field is not a lattice

  PotentialBody(const body::Geometry& geometry, bool by_grid, const ssdf::PointLattice* by_lattice)
      : points(geometry.points()),
        exact(geometry.primitive()),
        grid(by_grid ? &geometry.grid() : nullptr),
        lattice(by_lattice) {}
  bool endless() const { return points.point_count == 0; }
  bool by_points() const { return exact == nullptr && grid == nullptr && lattice == nullptr; }
};

// A group of samples of a surface.
struct Piece {
  const double* numbers;          // x, y, z (m) and area (m^2) of its samples, in the frame of their body
  const asset::SampleBall* ball;  // bounding ball of its samples
  std::uint64_t feature;          // its index in the body
};

// The field of one body, the owner, and the samples of the other.
template <class S>
struct PotentialSide {
  const PotentialBody* owner;
  const PotentialBody* other;
  Pose<S> X_OP;  // pose of the samples' body in the owner
  Pose<S> X_CP;  // the same in C: owner's axes at the point about which wrenches are summed
  Vec6<S> V;     // twist of the owner over the other body, at C in the owner's axes
  PotentialLaw<S> law;
};

// Four samples, and the points that matter for the field, in spacings from `origin`.
template <class S>
struct Patch {
  const PotentialSide<S>* side;
  const Piece* piece;
  const double* numbers;  // like Piece::numbers
  S origin[3];            // m, in the owner's frame
  NearPoints<S> near;     // used for a field of points
  NearScratch<S>* memory;
};

// Value and derivatives of a primitive's distance at one place, in the order of Taylor.
template <int kOrder, class T, class S>
ABUT_INLINE void exact_jet(const body::Primitive& primitive, const S* p, S* jet) {
  const auto d = body::primitive_distance<S>(primitive, Vec3<S>(p[0], p[1], p[2]), kOrder);
  jet[0] = d.value;
  if constexpr (kOrder > 0)
    for (int k = 0; k < 3; ++k) jet[1 + k] = d.gradient[k];
  if constexpr (kOrder > 1)
    for (int m = 0; m < 6; ++m) jet[4 + m] = d.hessian(kSecondPlaces[m][0], kSecondPlaces[m][1]);
  if constexpr (kOrder > 2)
    for (int m = 0; m < 10; ++m)
      jet[10 + m] = d.third[kThirdPlaces[m][0]](kThirdPlaces[m][1], kThirdPlaces[m][2]);
}

// Holds the four coefficients of a row: vectorised in double, element by element in long double.
template <class S>
using Row = std::conditional_t<std::is_same_v<S, double>, simd::Four, Eigen::Array<S, 4, 1>>;

// Evaluates the field of a primitive or of a grid lane by lane. Beyond the grid's reach the value is `beyond`
// (m) and the derivatives are 0.
template <int kOrder, class T, class S>
ABUT_INLINE void fields_one_by_one(const PotentialBody& owner, const T* y, S beyond, Taylor<T, kOrder>& phi) {
  for (int lane = 0; lane < simd::kLanes<T>; ++lane) {
    const auto get = [&](const T& from) ABUT_INLINE_LAMBDA -> S {
      if constexpr (simd::kLanes<T> == 1)
        return from;
      else
        return from[lane];
    };
    const auto put = [&](S from, T& to) ABUT_INLINE_LAMBDA {
      if constexpr (simd::kLanes<T> == 1)
        to = from;
      else
        to[lane] = from;
    };
    const S p[3] = {get(y[0]), get(y[1]), get(y[2])};
    S jet[ssdf::internal::kJetRoom] = {};
    if (owner.exact != nullptr) {
      exact_jet<kOrder, T>(*owner.exact, p, jet);
    } else if (!ssdf::internal::grid_jet<kOrder, Row<S>>(*owner.grid, p, jet)) {
      for (S& number : jet) number = S(0);
      jet[0] = beyond;
    }
    put(jet[0], phi.value);
    for (int k = 0; k < phi.kFirst; ++k) put(jet[1 + k], phi.first[k]);
    for (int m = 0; m < phi.kSecond; ++m) put(jet[4 + m], phi.second[m]);
    for (int m = 0; m < phi.kThird; ++m) put(jet[10 + m], phi.third[m]);
  }
}

// Evaluates the field at samples. Returns false, with phi.value >= `limit` (m), if it is at least `limit` at
// all.
template <int kOrder, class T, class S>
ABUT_INLINE bool field_at(const Patch<S>& patch, const T* y, S limit, Taylor<T, kOrder>& phi) {
  const PotentialBody& owner = *patch.side->owner;
  if (owner.by_points()) {
    T p[3];
    const S scale = 1 / S(owner.points.spacing);
    for (int k = 0; k < 3; ++k) p[k] = (y[k] - patch.origin[k]) * scale;
    const auto scratch = ssdf::internal::make_scratch<T>(patch.near.count, *patch.memory);
    if (!ssdf::internal::two_stage<T, kOrder, S>(patch.near, p, limit * scale, scratch, phi)) {
      phi.value = T{} + limit;
      return false;
    }
    phi.value = phi.value * S(owner.points.spacing);
    for (int m = 0; m < phi.kSecond; ++m) phi.second[m] = phi.second[m] * scale;
    for (int m = 0; m < phi.kThird; ++m) phi.third[m] = phi.third[m] * (scale * scale);
    return true;
  }
  if (owner.lattice != nullptr) return ssdf::internal::lattice_field<kOrder>(*owner.lattice, y, limit, phi);
  if constexpr (simd::kLanes<T> == 4) {
    if (owner.grid != nullptr) {
      ssdf::internal::grid_fours<kOrder>(*owner.grid, y, limit + owner.grid->reach, phi);
      return simd::any<T>(phi.value < T{} + limit);
    }
  }
  fields_one_by_one<kOrder, T, S>(owner, y, limit + S(owner.grid != nullptr ? owner.grid->reach : 0), phi);
  return simd::any<T>(phi.value < T{} + limit);
}

// Places of the next samples in the frame of the field's owner.
template <class T, class S>
ABUT_INLINE void places(const Pose<S>& X_OP, const double* numbers, T* y) {
  T p[3];
  for (int k = 0; k < 3; ++k) simd::load(numbers + kSamples * k, p[k]);
  for (int k = 0; k < 3; ++k)
    y[k] = X_OP.R(k, 0) * p[0] + X_OP.R(k, 1) * p[1] + (X_OP.R(k, 2) * p[2] + X_OP.p[k]);
}

// Bounds of a grid's field around a place: in a ball of radius r the field is at least value - slope r (m),
// and, where the grid has nodes, at most value + slope r.
template <class S>
struct GridBound {
  S value, slope;
};

// Upper bound of a distance grid's slope: rounding corners makes it slightly more than 1.
inline constexpr double kSlope = 1.25;

// The bound at a place without nodes: the surface is farther than the grid's reach from all such places, and
// the field equals the distance within some node spacings.
template <class S>
ABUT_INLINE GridBound<S> bound_beyond(const asset::DistanceGridView& grid, const S* p) {
  constexpr S kError = 2;  // in node spacings
  return {S(grid.reach) + ssdf::internal::empty_radius<S>(grid, p) - kError * S(grid.spacing), S(1)};
}

// Computes bounds around the first `count` places of the samples' body, at most four; the layout of `numbers`
// is that of a Piece.
template <class T, class S>
ABUT_INLINE void grid_bounds(const PotentialSide<S>& side, const double* numbers, int count,
                             GridBound<S>* bounds) {
  constexpr int kLanes = simd::kLanes<T>;
  const asset::DistanceGridView& grid = *side.owner->grid;
  const S none = std::numeric_limits<S>::max();
  for (int first = 0; first < count; first += kLanes) {
    T p[3];
    places(side.X_OP, numbers + first, p);
    Taylor<T, 0> phi;
    if constexpr (kLanes == 4) {
      for (int lane = count; lane < kLanes; ++lane) p[0][lane] = std::numeric_limits<S>::quiet_NaN();
      ssdf::internal::grid_fours<0>(grid, p, none, phi);
    } else {
      fields_one_by_one<0, T, S>(*side.owner, p, none, phi);
    }
    S values[kLanes], q[3][kLanes];
    ssdf::internal::put(phi.value, values);
    for (int k = 0; k < 3; ++k) ssdf::internal::put(p[k], q[k]);
    for (int lane = 0; lane < kLanes && first + lane < count; ++lane) {
      const S place[3] = {q[0][lane], q[1][lane], q[2][lane]};
      bounds[first + lane] =
          values[lane] == none ? bound_beyond(grid, place) : GridBound<S>{values[lane], S(kSlope)};
    }
  }
}

// Finds which groups of a block may have field values below `limit` (m) in a grid; returns one bit per group.
// `bound`: around the block's centre.
template <class T, class S>
ABUT_INLINE unsigned feel(const PotentialSide<S>& side, const asset::SampleBall* balls, int count,
                          const GridBound<S>& bound, S limit) {
  constexpr int kLanes = simd::kLanes<T>;
  unsigned result = 0;
  int chosen[kLanes];
  double centers[3][kSamples] = {}, radii[kLanes] = {};
  for (int i = 0, filled = 0; i < count; ++i) {
    if (bound.value + bound.slope * S(balls[i].reach) < limit) {
      result |= 1u << i;  // wherever in the group's ball its samples are
    } else if (bound.value - bound.slope * S(balls[i].reach) < limit) {
      for (int k = 0; k < 3; ++k) centers[k][filled] = balls[i].center[k];
      radii[filled] = balls[i].radius;
      chosen[filled++] = i;
    }
    if (filled == 0 || (filled < kLanes && i + 1 < count)) continue;
    GridBound<S> about[kLanes];
    grid_bounds<T>(side, centers[0], filled, about);
    for (int lane = 0; lane < filled; ++lane)
      if (about[lane].value - about[lane].slope * S(radii[lane]) < limit) result |= 1u << chosen[lane];
    filled = 0;
  }
  return result;
}

// Finds which groups of a block may have field values below `limit` (m) in a lattice; returns one bit per
// group.
template <class T, class S>
ABUT_INLINE unsigned feel_lattice(const PotentialSide<S>& side, const double* numbers, int count, S limit) {
  unsigned result = 0;
  for (int i = 0; i < count; ++i, numbers += asset::kGroupNumbers) {
    bool felt = false;
    for (int first = 0; first < kSamples; first += simd::kLanes<T>) {
      T y[3];
      places(side.X_OP, numbers + first, y);
      felt = felt || ssdf::internal::lattice_felt(*side.owner->lattice, y, limit);
    }
    if (felt) result |= 1u << i;
  }
  return result;
}

// Selects, into `memory`, the points of some packs that matter in a ball around c; lengths in spacings.
// Returns their number, or 0 if no place in the ball feels the field, because the nearest point is farther
// than `far` with its plane well below, or because the field is certain to be at least `limit`.
template <class T, class S>
ABUT_INLINE int look_at(int packs, const S* c, S radius, S limit, S far, NearScratch<S>& memory) {
  using std::sqrt;
  ssdf::internal::make_room(packs, memory);
  const S* const numbers = memory.packs.data();
  S* const squares = memory.squares.data();
  const std::int32_t nearest = ssdf::internal::nearest_place<T>(numbers, packs, c, squares);
  S height(0), square(0);
  for (int k = 0; k < 3; ++k) {
    const S d = c[k] - numbers[nearest + ssdf::internal::kPack * k];
    height += d * numbers[nearest + ssdf::internal::kPack * (3 + k)];
    square += d * d;
  }
  const S depth = sqrt(square);
  if (depth > far && height > depth / 2) return 0;
  const S range = ssdf::internal::sight_range(depth + radius) + radius, range2 = range * range;
  if (ssdf::internal::surely_above<T>(numbers, packs, squares, nearest, c, radius, limit, range2)) return 0;
  return ssdf::internal::select<T>(squares, packs, range2, memory.places.data());
}

// Evaluates the field and its three derivatives at all samples of a patch; derivatives are 0 where the field
// is at least `limit` (m) at all of them.
template <class T, class S>
ABUT_INLINE void fields(const Patch<S>& patch, S limit, Taylor<S, 3>* out) {
  for (int first = 0; first < kSamples; first += simd::kLanes<T>) {
    T y[3];
    places(patch.side->X_OP, patch.numbers + first, y);
    Taylor<T, 3> phi;
    phi.clear();
    field_at<3, T, S>(patch, y, limit, phi);
    const S* const lanes = reinterpret_cast<const S*>(&phi);
    constexpr int kNumbers = sizeof(phi) / sizeof(T);
    for (int lane = 0; lane < simd::kLanes<T>; ++lane)
      for (int m = 0; m < kNumbers; ++m)
        reinterpret_cast<S*>(out + first + lane)[m] = lanes[m * simd::kLanes<T> + lane];
  }
}

// Adds the samples of a patch to the sums.
template <int kOrder, class T, class S>
ABUT_INLINE void add_patch(const Patch<S>& patch, WrenchSums<T, kOrder>& sums) {
  const PotentialSide<S>& side = *patch.side;
  const PotentialLaw<S>& law = side.law;
  const S *const omega = side.V.data(), *const nu = side.V.data() + 3;
  const bool still = law.still();
  for (int first = 0; first < kSamples; first += simd::kLanes<T>) {
    T y[3], arm[3], v[3]{}, ka;
    places(side.X_OP, patch.numbers + first, y);
    places(side.X_CP, patch.numbers + first, arm);
    simd::load(patch.numbers + 3 * kSamples + first, ka);
    ka = ka * law.stiffness;
    for (int k = 0; k < 3 && !still; ++k) {
      const int l = (k + 1) % 3, m = (k + 2) % 3;
      v[k] = -(nu[k] + (omega[l] * arm[m] - omega[m] * arm[l]));
    }
    Taylor<T, kOrder + 1> phi;
    if (!field_at<kOrder + 1, T, S>(patch, y, law.faded * law.eps3, phi)) continue;
    add_samples<kOrder>(ka, phi, arm, v, omega, law, sums);
  }
}

}  // namespace abut::contact::internal
