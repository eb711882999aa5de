#pragma once

#include <optional>
#include <span>

#include "runtime/body/geometry.h"
#include "runtime/ssdf/grid_field.h"
#include "runtime/ssdf/kernel.h"

// Soft signed distances of points from a geometry: of an asset those of its oriented points, or of its
// surface by its distance grid (SoftDistanceConfig::field); of a primitive the exact ones, whatever the
// settings.
//
//   const body::Geometry mug(asset::load("assets/025_mug.h5"));
//   const ssdf::SoftDistance<double> d = ssdf::soft_distance(mug, {0, 0, 0.1});
namespace abut::ssdf {

// Of many points from one geometry, which it keeps.
class SoftDistances {
 public:
  // Throws InvalidInput for an asset without oriented points, or without the grid asked for, for settings out
  // of range, and as KernelField.
  explicit SoftDistances(body::Geometry geometry, const SoftDistanceConfig& config = {});

  // At p_GQ (m, in the geometry's frame). A point that is not finite gets NaN and a status, and so does one
  // beyond the reach of a grid (kNoOverlap).
  SoftDistance<double> operator()(const Vec3<double>& p_GQ, Order order = Order::kHessian) const;

  // results[i] answers p_GQ[i], the same bits for any number of threads (0: one per core). Throws
  // InvalidInput unless the spans are equally long.
  void operator()(std::span<const Vec3<double>> p_GQ, Order order, std::span<SoftDistance<double>> results,
                  int threads = 0) const;

 private:
  body::Geometry geometry_;
  SoftDistanceConfig config_;
  std::optional<KernelField> field_;  // of an asset's points
  std::optional<GridField> grid_;     // of an asset's grid
};

// One-shot forms. Throw as SoftDistances does.
SoftDistance<double> soft_distance(const body::Geometry& geometry, const Vec3<double>& p_GQ,
                                   const SoftDistanceConfig& config = {}, Order order = Order::kHessian);
// Of many points, on several threads.
void soft_distances(const body::Geometry& geometry, std::span<const Vec3<double>> p_GQ,
                    std::span<SoftDistance<double>> results, const SoftDistanceConfig& config = {},
                    Order order = Order::kHessian, int threads = 0);

}  // namespace abut::ssdf
