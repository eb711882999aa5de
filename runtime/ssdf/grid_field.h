#pragma once

#include <array>
#include <limits>
#include <span>

#include "runtime/asset/asset.h"
#include "runtime/core/status.h"
#include "runtime/math/pose.h"
#include "runtime/ssdf/grid_kernel.h"

// The signed distance of an asset's surface from its distance grid: a cubic B-spline, whose value, gradient
// and Hessian are continuous and whose third derivatives are constant along each axis of a cell.
//
//   const asset::Asset mug = asset::load("assets/025_mug.h5");
//   const ssdf::GridField field(asset::view(mug).grid);
//   const ssdf::GridDistance<double> d = field.distance({0, 0, 0.1}, 1);
namespace abut::ssdf {

// Distance and derivatives at a point Q in the object's frame.
template <class S>
struct GridDistance {
  S value;                       // m, negative inside
  Vec3<S> gradient;              // not unit, but nearly so away from edges
  Mat3<S> hessian;               // 1/m, symmetric
  std::array<Mat3<S>, 3> third;  // 1/m^2: derivative of the Hessian with respect to each coordinate of Q
  // kOk; kNoOverlap: Q is farther than reach() outside, every number is NaN; kInvalidInput: Q is not finite,
  // every number is NaN.
  Status status;
};

namespace internal {

template <class S>
GridDistance<S> no_grid_distance(Status status) {
  const S nan = std::numeric_limits<S>::quiet_NaN();
  const Mat3<S> nans = Mat3<S>::Constant(nan);
  return {nan, Vec3<S>::Constant(nan), nans, {nans, nans, nans}, status};
}

// Unpacks a jet into matrices; derivatives beyond `order` are zero.
template <class S>
ABUT_INLINE void unpack_jet(const S* jet, int order, GridDistance<S>& to) {
  to.value = jet[0];
  to.gradient.setZero();
  to.hessian.setZero();
  for (Mat3<S>& slice : to.third) slice.setZero();
  to.status = Status::kOk;
  if (order >= 1) to.gradient = Vec3<S>(jet[1], jet[2], jet[3]);
  if (order >= 2) to.hessian << jet[4], jet[5], jet[6], jet[5], jet[7], jet[8], jet[6], jet[8], jet[9];
  if (order < 3) return;
  to.third[0] << jet[10], jet[11], jet[12], jet[11], jet[13], jet[14], jet[12], jet[14], jet[15];
  to.third[1] << jet[11], jet[13], jet[14], jet[13], jet[16], jet[17], jet[14], jet[17], jet[18];
  to.third[2] << jet[12], jet[14], jet[15], jet[14], jet[17], jet[18], jet[15], jet[18], jet[19];
}

}  // namespace internal

// Views a grid, which must outlive it. Thread-safe; queries allocate nothing.
class GridField {
 public:
  // Throws InvalidInput for a grid without coefficients.
  explicit GridField(const asset::DistanceGridView& grid);

  // Every point inside the surface, and every point at most this far outside (m), has an answer; kNoOverlap
  // therefore means that the point is farther away.
  double reach() const { return grid_.reach; }
  double spacing() const { return grid_.spacing; }  // of the nodes, m

  // Distance at p_Q (m) with derivatives up to `order` (0 to 3); higher ones are zero. Bit-identical on every
  // x86 machine.
  GridDistance<double> distance(const Vec3<double>& p_Q, int order) const;

  // Distances of many points, bit-identical for any number of threads (0: one per core). Throws InvalidInput
  // unless the spans have equal lengths.
  void distances(std::span<const Vec3<double>> p_Q, int order, std::span<GridDistance<double>> results,
                 int threads = 0) const;

  // The same computed one number at a time, in any precision: the reference.
  template <class S>
  GridDistance<S> distance_scalar(const Vec3<S>& p_Q, int order) const {
    if (!p_Q.allFinite()) return internal::no_grid_distance<S>(Status::kInvalidInput);
    S jet[internal::kJetRoom];
    if (!internal::grid_jet<3, Eigen::Array<S, 4, 1>>(grid_, p_Q.data(), jet))
      return internal::no_grid_distance<S>(Status::kNoOverlap);
    GridDistance<S> result;
    internal::unpack_jet(jet, order, result);
    return result;
  }

 private:
  asset::DistanceGridView grid_;
};

}  // namespace abut::ssdf
