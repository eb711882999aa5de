#include "runtime/ssdf/soft_distances.h"

#include <string>

#include "runtime/body/body.h"
#include "runtime/body/primitive_distance.h"
#include "runtime/core/parallel.h"

namespace abut::ssdf {

namespace {

constexpr const char* kWho = "soft distance";

SoftDistance<double> exact(const body::Primitive& primitive, const Vec3<double>& p_GQ, Order order) {
  if (!p_GQ.allFinite()) return internal::no_distance<double>();
  const auto d = body::primitive_distance<double>(primitive, p_GQ, static_cast<int>(order));
  return internal::if_finite(SoftDistance<double>{d.value, d.gradient, d.hessian, Status::kOk});
}

SoftDistance<double> of_grid(const GridField& grid, const Vec3<double>& p_GQ, Order order) {
  const GridDistance<double> d = grid.distance(p_GQ, static_cast<int>(order));
  return {d.value, d.gradient, d.hessian, d.status};
}

}  // namespace

SoftDistances::SoftDistances(body::Geometry geometry, const SoftDistanceConfig& config)
    : geometry_(std::move(geometry)), config_(config) {
  require_valid(config_);
  if (geometry_.primitive() != nullptr) return;
  if (config_.field == FieldKind::kGrid) {
    body::require_valid(geometry_, body::kGridPart, kWho);
    grid_.emplace(geometry_.grid());
    return;
  }
  body::require_valid(geometry_, body::kPointsPart, kWho);
  const asset::PointsView& points = geometry_.points();
  field_.emplace(points, config_.kernel, config_.eps1 * points.spacing * points.spacing);
}

SoftDistance<double> SoftDistances::operator()(const Vec3<double>& p_GQ, Order order) const {
  if (grid_) return of_grid(*grid_, p_GQ, order);
  if (!field_) return exact(*geometry_.primitive(), p_GQ, order);
  if (config_.kernel != KernelKind::kGaussian) return field_->distance(p_GQ, order, config_.tolerance);
  return soft_distance(geometry_.points(), p_GQ, field_->eps1(), order, config_.tolerance);
}

void SoftDistances::operator()(std::span<const Vec3<double>> p_GQ, Order order,
                               std::span<SoftDistance<double>> results, int threads) const {
  if (field_ && config_.kernel == KernelKind::kGaussian) {
    soft_distances(geometry_.points(), p_GQ, field_->eps1(), order, results, config_.tolerance, threads);
    return;
  }
  if (p_GQ.size() != results.size())
    throw InvalidInput(std::string(kWho) + ": " + std::to_string(p_GQ.size()) + " points but room for " +
                       std::to_string(results.size()) + " results");
  const auto answer = [&](std::int64_t i, int) { results[i] = (*this)(p_GQ[i], order); };
  parallel_for(static_cast<std::int64_t>(p_GQ.size()), threads, answer, 256);
}

SoftDistance<double> soft_distance(const body::Geometry& geometry, const Vec3<double>& p_GQ,
                                   const SoftDistanceConfig& config, Order order) {
  return SoftDistances(geometry, config)(p_GQ, order);
}

void soft_distances(const body::Geometry& geometry, std::span<const Vec3<double>> p_GQ,
                    std::span<SoftDistance<double>> results, const SoftDistanceConfig& config, Order order,
                    int threads) {
  SoftDistances(geometry, config)(p_GQ, order, results, threads);
}

}  // namespace abut::ssdf
