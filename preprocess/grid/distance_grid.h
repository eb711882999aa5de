#pragma once

#include <cstdint>
#include <string>

#include "preprocess/mesh/mesh.h"
#include "runtime/asset/asset.h"

// The distance grid of an asset: cubic B-splines that interpolate the exact signed distance of its surface.
namespace abut::preprocess {

// Grid nodes per spacing of the oriented points, and reach of the grid outside the surface, in such spacings.
inline constexpr double kGridFineness = 4;
inline constexpr double kGridReach = 2;

// Number of quads that determines the point spacing of an asset without oriented points.
inline constexpr double kGridQuads = 2000;

// Largest number of nodes of a grid, which is 128 MiB of coefficients.
inline constexpr std::int64_t kMaxGridNodes = std::int64_t{1} << 25;

struct GridParameters {
  enum class Kind { kNone, kAuto, kSpacing } kind = Kind::kNone;
  double spacing = 0;  // of the nodes, m; kSpacing only

  std::string text() const;  // in the syntax of --grid
};

// Parses "none", "auto" or a spacing in metres. Throws InvalidInput for anything else.
GridParameters grid_parameters_from_string(const std::string& text);

// The spacing of the finest oriented points, m; for an asset without any, that of kGridQuads quads.
double point_spacing(const asset::Asset& asset);

// Builds the grid of a closed surface with nodes `spacing` (m) apart that covers every point inside and all
// points at most `reach` (m) outside. Samples the distance at the nodes of all bricks. Along each axis, in
// every run of bricks, the spline interpolates these values [Unser1999], with a zero second derivative at the
// ends of the run. Bit-identical on any number of threads. Throws InvalidInput if more than kMaxGridNodes
// nodes would be needed.
asset::DistanceGrid build_distance_grid(const asset::SurfaceView& surface, double spacing, double reach);

// Makes the grid that `parameters` specify (not kNone) for an asset with its surface and points. Measures:
// grid_coefficients, grid_mebibytes, and those of grid_error.h as grid_<name>.
asset::DistanceGrid make_grid(const asset::Asset& asset, const GridParameters& parameters, Report& report);

}  // namespace abut::preprocess
