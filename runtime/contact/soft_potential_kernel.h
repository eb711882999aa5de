#pragma once

#include <vector>

#include "runtime/body/body.h"
#include "runtime/contact/pair_sums.h"
#include "runtime/contact/potential_force.h"
#include "runtime/distance/primitive_distance.h"
#include "runtime/ssdf/grid_kernel.h"
#include "runtime/ssdf/two_stage.h"

// The walk over the samples of one body near the other one's surface, and the sums of the pair. `Ops` holds
// the inner loops for one lane type T, so that those for four samples at a time can be compiled for more than
// one instruction set.
namespace abut::contact::internal {

using asset::kBlockNumbers;
using asset::kBlockPoints;
using asset::kNodeChildren;
using asset::PointBlocksView;
using ssdf::internal::NearPoints;
using ssdf::internal::NearScratch;
using ssdf::internal::take;

inline constexpr int kSamples = asset::kGroupSamples;

// What soft-potential contact knows of a body. Views: what is shown must outlive it.
struct PotentialBody {
  asset::PointsView points;             // of a half-space: none
  const body::Primitive* exact;         // null: an asset
  const asset::DistanceGridView* grid;  // null: the field is that of the points, or exact

  PotentialBody(const body::Geometry& geometry, bool by_grid)
      : points(geometry.points()), exact(geometry.primitive()), grid(by_grid ? &geometry.grid() : nullptr) {}
  bool endless() const { return points.point_count == 0; }
};

// A piece of a surface, a group of its samples.
struct Piece {
  const double* numbers;          // x, y, z (m) and area (m^2) of its samples, in the frame of their body
  const asset::SampleBall* ball;  // about them
  std::uint64_t feature;          // which one of the body
};

// One body's field and the other's samples.
template <class S>
struct PotentialSide {
  const PotentialBody* owner;
  const PotentialBody* other;
  Pose<S> X_OP;  // of the samples' body in the owner
  Vec6<S> V;     // of the owner over the other body, at the owner's origin in its axes
  PotentialLaw<S> law;
};

// Four samples in the owner's frame, and the field's points that matter, in spacings from `origin`.
template <class S>
struct Patch {
  S y[3][kSamples];      // m
  S ka[kSamples];        // stiffness times area, N/m
  S center[3];           // of the samples, m
  S origin[3] = {};      // m
  S spacing;             // m
  NearPoints<S> near{};  // none: `exact` or `grid`
  NearScratch<S>* memory = nullptr;
  const body::Primitive* exact;
  const asset::DistanceGridView* grid;
  const Piece* piece;
};

// Value and derivatives at one place, in the order of Taylor.
template <int kOrder, class T, class S>
ABUT_INLINE void exact_jet(const body::Primitive& primitive, const S* p, S* jet) {
  const auto d = distance::primitive_distance<S>(primitive, Vec3<S>(p[0], p[1], p[2]), kOrder);
  jet[0] = d.value;
  if constexpr (kOrder > 0)
    for (int k = 0; k < 3; ++k) jet[1 + k] = d.gradient[k];
  if constexpr (kOrder > 1)
    for (int m = 0; m < 6; ++m) jet[4 + m] = d.hessian(kSecondPlaces[m][0], kSecondPlaces[m][1]);
  if constexpr (kOrder > 2)
    for (int m = 0; m < 10; ++m)
      jet[10 + m] = d.third[kThirdPlaces[m][0]](kThirdPlaces[m][1], kThirdPlaces[m][2]);
}

// The four coefficients of a row at once; in long double one after the other.
template <class S>
using Row = std::conditional_t<std::is_same_v<S, double>, simd::Four, Eigen::Array<S, 4, 1>>;

// The field of a primitive or of a grid at samples, one after the other. Beyond its reach a grid says
// nothing: there the field is taken for more than the limit, where no sample feels it.
template <int kOrder, class T, class S>
ABUT_INLINE void fields_one_by_one(const Patch<S>& patch, int first, S limit, Taylor<T, kOrder>& phi) {
  for (int lane = 0; lane < simd::kLanes<T>; ++lane) {
    const int i = first + lane;
    const S p[3] = {patch.y[0][i], patch.y[1][i], patch.y[2][i]};
    S jet[ssdf::internal::kJetRoom] = {};
    if (patch.exact != nullptr) {
      exact_jet<kOrder, T>(*patch.exact, p, jet);
    } else if (!ssdf::internal::grid_jet<kOrder, Row<S>>(*patch.grid, p, jet)) {
      for (S& number : jet) number = S(0);
      jet[0] = limit + S(patch.grid->reach);
    }
    const auto put = [lane](S from, T& to) ABUT_INLINE_LAMBDA {
      if constexpr (simd::kLanes<T> == 1)
        to = from;
      else
        to[lane] = from;
    };
    put(jet[0], phi.value);
    for (int k = 0; k < phi.kFirst; ++k) put(jet[1 + k], phi.first[k]);
    for (int m = 0; m < phi.kSecond; ++m) put(jet[4 + m], phi.second[m]);
    for (int m = 0; m < phi.kThird; ++m) put(jet[10 + m], phi.third[m]);
  }
}

// The field at samples. False: it is `limit` (m) or more at all of them.
template <int kOrder, class T, class S>
ABUT_INLINE bool field_at(const Patch<S>& patch, const T* y, int first, S limit, Taylor<T, kOrder>& phi) {
  if (patch.exact != nullptr || patch.grid != nullptr) {
    fields_one_by_one<kOrder, T, S>(patch, first, limit, phi);
    return simd::any<T>(phi.value < T{} + limit);
  }
  T p[3];
  const S scale = 1 / patch.spacing;
  for (int k = 0; k < 3; ++k) p[k] = (y[k] - patch.origin[k]) * scale;
  const auto scratch = ssdf::internal::make_scratch<T>(patch.near.count, *patch.memory);
  if (!ssdf::internal::two_stage<T, kOrder, S>(patch.near, p, limit * scale, scratch, phi)) return false;
  phi.value = phi.value * patch.spacing;
  for (int m = 0; m < phi.kSecond; ++m) phi.second[m] = phi.second[m] * scale;
  for (int m = 0; m < phi.kThird; ++m) phi.third[m] = phi.third[m] * (scale * scale);
  return true;
}

// The value of a grid; where it has none, beyond its reach outside, that reach: it is farther away.
template <class S>
ABUT_INLINE S grid_value(const asset::DistanceGridView& grid, const S* p) {
  S jet[ssdf::internal::kJetRoom];
  return ssdf::internal::grid_jet<0, Row<S>>(grid, p, jet) ? jet[0] : S(grid.reach);
}

// No distance grid is steeper: rounded corners overshoot 1 a little.
inline constexpr double kSlope = 1.25;

// Which pieces of a block come below `limit` (m) in the field of a grid, a bit each; the block's centre lies
// `least` (m) above the surface or more.
template <class S>
ABUT_INLINE unsigned feel(const asset::DistanceGridView& grid, const Pose<S>& X_OP,
                          const asset::SampleBall* balls, int count, S least, S limit) {
  unsigned result = 0;
  for (int i = 0; i < count; ++i) {
    const asset::SampleBall& ball = balls[i];
    if (!(least - S(kSlope) * S(ball.reach) < limit)) continue;
    const Vec3<S> p = X_OP * Vec3<S>(S(ball.center[0]), S(ball.center[1]), S(ball.center[2]));
    if (grid_value<S>(grid, p.data()) - S(kSlope) * S(ball.radius) < limit) result |= 1u << i;
  }
  return result;
}

// The points of some packs that matter in a ball about c, into `memory`; lengths in spacings. Zero: no place
// in the ball feels the field, as the nearest point is farther than `far` and its plane well below, or as the
// field is surely `limit` or more.
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

// The field and its three derivatives at all samples of a patch; derivatives are 0 where it is `limit` (m) or
// more at all of them.
template <class T, class S>
ABUT_INLINE void fields(Patch<S>& patch, S limit, Taylor<S, 3>* out) {
  for (int first = 0; first < kSamples; first += simd::kLanes<T>) {
    T y[3];
    for (int k = 0; k < 3; ++k) take(patch.y[k] + first, y[k]);
    Taylor<T, 3> phi;
    phi.clear();
    field_at<3, T, S>(patch, y, first, limit, phi);
    const S* const lanes = reinterpret_cast<const S*>(&phi);
    constexpr int kNumbers = sizeof(phi) / sizeof(T);
    for (int lane = 0; lane < simd::kLanes<T>; ++lane)
      for (int m = 0; m < kNumbers; ++m)
        reinterpret_cast<S*>(out + first + lane)[m] = lanes[m * simd::kLanes<T> + lane];
  }
}

// Adds the samples of a patch.
template <int kOrder, class T, class S>
ABUT_INLINE void add_patch(Patch<S>& patch, const Vec6<S>& V, const PotentialLaw<S>& law,
                           WrenchSums<T, kOrder>& sums) {
  const S limit = law.faded * law.eps3;
  const S *const omega = V.data(), *const nu = V.data() + 3;
  for (int first = 0; first < kSamples; first += simd::kLanes<T>) {
    T y[3], v[3], ka;
    take(patch.ka + first, ka);
    for (int k = 0; k < 3; ++k) take(patch.y[k] + first, y[k]);
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3, m = (k + 2) % 3;
      v[k] = -(nu[k] + (omega[l] * y[m] - omega[m] * y[l]));
    }
    Taylor<T, kOrder + 1> phi;
    if (!field_at<kOrder + 1, T, S>(patch, y, first, limit, phi)) continue;
    add_samples<kOrder>(ka, phi, y, v, omega, law, sums);
  }
}

}  // namespace abut::contact::internal
