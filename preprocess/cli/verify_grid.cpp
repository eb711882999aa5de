#include "preprocess/cli/verify_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "preprocess/cli/figures.h"
#include "preprocess/grid/grid_error.h"
#include "runtime/core/random.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/ssdf/grid_field.h"

namespace abut::preprocess {
namespace {

// In node spacings. Splines that interpolate a distance are off by a tenth of a spacing at edges and a
// hundredth on average (benchmarks/grid); if the grid is coarser than the shape's details, by up to a half.
constexpr double kMaxMean = 0.25, kMaxWorst = 1;
// Samples are up to this many reaches from the surface, since bricks extend beyond the reach.
constexpr double kAbout = 1.5;
constexpr int kBoxSamples = 5000;
constexpr std::uint64_t kSeed = 7;  // differs from the seed of the error that the asset records

// Names a point of the box around the surface at which the field is missing or wrong; empty if there is none.
std::string box_problem(const ssdf::GridField& field, const asset::SurfaceView& surface) {
  const Eigen::Map<const Eigen::Matrix3Xd> vertices(surface.vertices, 3, surface.vertex_count);
  const Eigen::Vector3d low = vertices.rowwise().minCoeff(), high = vertices.rowwise().maxCoeff();
  Random random(kSeed, 0);
  for (int i = 0; i < kBoxSamples; ++i) {
    Eigen::Vector3d p;
    for (int axis = 0; axis < 3; ++axis) p[axis] = random.uniform(low[axis], high[axis]);
    const double exact = distance::signed_distance<double>(surface, p).distance;
    const ssdf::GridDistance<double> found = field.distance(p, 0);
    const bool answered = found.status == Status::kOk;
    if (!answered && exact <= field.reach())
      return fmt::format("no answer {:.3g} m from the surface, within its reach", exact);
    if (answered && !(std::abs(found.value - exact) <= kMaxWorst * field.spacing()))
      return fmt::format("{:.3g} m where the distance is {:.3g} m", found.value, exact);
  }
  return "";
}

GridError error_of(const asset::DistanceGridView& grid, const asset::SurfaceView& surface) {
  return measure_grid(grid, surface, {.radius = kAbout * grid.reach, .seed = kSeed});
}

}  // namespace

std::string grid_errors(const asset::Asset& asset) {
  std::string text;
  for (std::size_t i = 0; i < asset.grids.size(); ++i) {
    const GridError error = error_of(asset::view(asset.grids[i]), asset::view(asset.surfaces.front()));
    const Figures figures = length_figures(error.mean);
    text += fmt::format("; grid {}: off by {} {} in the mean, {} {} at most", i, figures(error.mean),
                        figures.unit, figures(error.worst), figures.unit);
  }
  return text;
}

std::vector<std::string> grid_problems(const asset::DistanceGridView& grid,
                                       const asset::SurfaceView& surface) {
  std::vector<std::string> problems;
  const ssdf::GridField field(grid);
  const GridError error = error_of(grid, surface);
  if (error.unanswered > 0)
    problems.push_back(
        fmt::format("{} of {} points within its reach have no answer", error.unanswered, error.samples));
  if (!(error.mean <= kMaxMean * grid.spacing) || !(error.worst <= kMaxWorst * grid.spacing))
    problems.push_back(
        fmt::format("it is {:.3g} m off in the mean and {:.3g} m at most, with {:.3g} m between nodes",
                    error.mean, error.worst, grid.spacing));
  if (const std::string problem = box_problem(field, surface); !problem.empty()) problems.push_back(problem);
  return problems;
}

}  // namespace abut::preprocess
