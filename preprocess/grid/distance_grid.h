#pragma once

#include <cstdint>
#include <string>

#include "preprocess/mesh/mesh.h"
#include "runtime/asset/asset.h"

// The distance grid of an asset: cubic B-splines that interpolate the exact signed distance of its surface.
namespace abut::preprocess {

// Nodes per spacing of the oriented points, and how far outside the grid reaches, in such spacings.
inline constexpr double kGridFineness = 4;
inline constexpr double kGridReach = 2;

// Quads of which the point spacing is taken where an asset has no points.
inline constexpr double kGridQuads = 2000;

// Most nodes of a grid, which is 128 MiB of coefficients.
inline constexpr std::int64_t kMaxGridNodes = std::int64_t{1} << 25;

struct GridParameters {
  enum class Kind { kNone, kAuto, kSpacing } kind = Kind::kNone;
  double spacing = 0;  // of the nodes, m; kSpacing only

  std::string text() const;  // as --grid takes it
};

// "none", "auto" or metres. Throws InvalidInput for anything else.
GridParameters grid_parameters_from_string(const std::string& text);

// The spacing of the finest oriented points, m; of an asset without any, that of kGridQuads quads.
double point_spacing(const asset::Asset& asset);

// The grid of a closed surface with nodes `spacing` (m) apart that answers every point inside and those at
// most `reach` (m) outside. Sampled at the nodes of all its bricks; along each axis, in every run of bricks,
// the spline with these values [Unser1999], without a second derivative at the ends of the run. The same bits
// on any number of threads. Throws InvalidInput where more than kMaxGridNodes nodes would be needed.
asset::DistanceGrid build_distance_grid(const asset::SurfaceView& surface, double spacing, double reach);

// The grid as `parameters` want it, for an asset with its surface and points; not kNone. Measures:
// grid_coefficients, grid_mebibytes, and those of grid_error.h as grid_<name>.
asset::DistanceGrid make_grid(const asset::Asset& asset, const GridParameters& parameters, Report& report);

}  // namespace abut::preprocess
