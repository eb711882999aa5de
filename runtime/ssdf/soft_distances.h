#pragma once

#include <optional>
#include <span>

#include "runtime/body/geometry.h"
#include "runtime/ssdf/grid_field.h"
#include "runtime/ssdf/kernel.h"

// Soft signed distances of points from a geometry. For an asset, distances from its oriented points, or from
// its surface by its distance grid (SoftDistanceConfig::field); for a primitive, exact distances, whatever
// the settings.
//
//   const body::Geometry mug(asset::load("assets/025_mug.h5"));
//   const ssdf::SoftDistance<double> d = ssdf::soft_distance(mug, {0, 0, 0.1});
namespace abut::ssdf {

// Soft distances of many points from one geometry, which it keeps.
class SoftDistances {
 public:
  // Throws InvalidInput for an asset without oriented points, or without the requested grid, for settings out
  // of range, and as KernelField does.
  explicit SoftDistances(body::Geometry geometry, const SoftDistanceConfig& config = {});

  // Soft distance at p_GQ (m, in the geometry's frame). A point that is not finite gets NaN and a status, and
  // so does one beyond the reach of a grid (kNoOverlap).
  SoftDistance<double> operator()(const Vec3<double>& p_GQ, Order order = Order::kHessian) const;

  // Stores the answer for p_GQ[i] in results[i], bit-identical for any number of threads (0: one per core).
  // Throws InvalidInput unless the spans have equal lengths.
  void operator()(std::span<const Vec3<double>> p_GQ, Order order, std::span<SoftDistance<double>> results,
                  int threads = 0) const;

 private:
  body::Geometry geometry_;
  SoftDistanceConfig config_;
  std::optional<KernelField> field_;  // for an asset's points
  std::optional<GridField> grid_;     // for an asset's grid
};

// One-shot forms. They throw as SoftDistances does.
SoftDistance<double> soft_distance(const body::Geometry& geometry, const Vec3<double>& p_GQ,
                                   const SoftDistanceConfig& config = {}, Order order = Order::kHessian);
// The same for many points, on several threads.
void soft_distances(const body::Geometry& geometry, std::span<const Vec3<double>> p_GQ,
                    std::span<SoftDistance<double>> results, const SoftDistanceConfig& config = {},
                    Order order = Order::kHessian, int threads = 0);

}  // namespace abut::ssdf
