#include "runtime/ssdf/grid_field.h"

#include <string>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"

namespace abut::ssdf {

namespace {

using simd::Four;

ABUT_CLONES
bool jet_by_fours(const asset::DistanceGridView& grid, const double* p, int order, double* jet) {
  switch (order) {
    case 0:
      return internal::grid_jet<0, Four>(grid, p, jet);
    case 1:
      return internal::grid_jet<1, Four>(grid, p, jet);
    case 2:
      return internal::grid_jet<2, Four>(grid, p, jet);
    default:
      return internal::grid_jet<3, Four>(grid, p, jet);
  }
}

}  // namespace

GridField::GridField(const asset::DistanceGridView& grid) : grid_(grid) {
  if (grid.brick_count <= 0)
    throw InvalidInput("distance grid: it has no coefficients; preprocess the object again with --grid auto");
}

GridDistance<double> GridField::distance(const Vec3<double>& p_Q, int order) const {
  GridDistance<double> result;  // returned by every path, so that it is constructed in place
  double jet[internal::kJetRoom];
  if (jet_by_fours(grid_, p_Q.data(), order, jet))
    internal::unpack_jet(jet, order, result);
  else
    result = internal::no_grid_distance<double>(p_Q.allFinite() ? Status::kNoOverlap : Status::kInvalidInput);
  return result;
}

void GridField::distances(std::span<const Vec3<double>> p_Q, int order,
                          std::span<GridDistance<double>> results, int threads) const {
  if (p_Q.size() != results.size())
    throw InvalidInput("distance grid: " + std::to_string(p_Q.size()) + " points but room for " +
                       std::to_string(results.size()) + " results");
  constexpr std::int64_t kChunk = 256;
  parallel_for(
      static_cast<std::int64_t>(p_Q.size()), threads,
      [&](std::int64_t i, int) { results[i] = distance(p_Q[i], order); }, kChunk);
}

}  // namespace abut::ssdf
