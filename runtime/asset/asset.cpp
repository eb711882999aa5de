#include "runtime/asset/asset.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "runtime/core/error.h"
#include "runtime/core/settings.h"

namespace abut::asset {

SurfaceView view(const Surface& surface) {
  return {surface.vertices.data(),
          surface.triangles.data(),
          surface.neighbours.data(),
          surface.vertex_normals.data(),
          static_cast<std::int32_t>(surface.vertices.size() / 3),
          static_cast<std::int32_t>(surface.triangles.size() / 3),
          bvh::view(surface.tree),
          surface.planes.empty() ? nullptr : surface.planes.data(),
          surface.parts.data(),
          static_cast<std::int32_t>(surface.parts.size())};
}

ConvexView view(const ConvexPiece& piece) {
  const std::size_t n = piece.vertices.size() / 3;
  const double* x = piece.vertices.data();
  return {x,
          x + n,
          x + 2 * n,
          piece.triangles.data(),
          piece.adjacency_offsets.data(),
          piece.adjacency.data(),
          piece.support_lookup.data(),
          piece.candidate_offsets.empty() ? nullptr : piece.candidate_offsets.data(),
          piece.candidates.data(),
          static_cast<std::int32_t>(n),
          static_cast<std::int32_t>(piece.triangles.size() / 3),
          static_cast<std::int32_t>(
              std::lround(std::sqrt(static_cast<double>(piece.support_lookup.size()) / 6)))};
}

VolumeView view(const Volume& volume) {
  return {volume.vertices.data(),
          volume.tetrahedra.data(),
          volume.neighbours.data(),
          volume.extent.data(),
          volume.gradients.data(),
          volume.face_planes.data(),
          volume.extent_ranges.data(),
          static_cast<std::int32_t>(volume.vertices.size() / 3),
          static_cast<std::int32_t>(volume.tetrahedra.size() / 4),
          bvh::view(volume.tree),
          volume.tree_extent_ranges.data()};
}

PointsView view(const OrientedPoints& points) {
  const std::size_t n = points.areas.size();
  const double *x = points.positions.data(), *nx = points.normals.data();
  return {x,
          x + n,
          x + 2 * n,
          nx,
          nx + n,
          nx + 2 * n,
          points.areas.data(),
          points.thickness.data(),
          points.quads.data(),
          points.vertices.data(),
          points.spacing.empty() ? 0 : points.spacing.front(),
          static_cast<std::int32_t>(n),
          static_cast<std::int32_t>(points.vertices.size() / 3),
          bvh::view(points.tree),
          view(points.blocks),
          view(points.samples)};
}

namespace {

// Upper bound of the distance of a place on the surface from its point, m: the greatest distance of a quad's
// corner from its point, and at least the side of a square with the point's area.
double cover(const PointsView& points) {
  double greatest2 = 0;
  for (std::int32_t i = 0; i < points.point_count; ++i) {
    greatest2 = std::max(greatest2, points.areas[i]);
    if (points.vertex_count == 0) continue;
    for (int k = 0; k < 4; ++k) {
      const double* const corner = points.vertices + 3 * points.quads[4 * i + k];
      const double x = corner[0] - points.x[i], y = corner[1] - points.y[i], z = corner[2] - points.z[i];
      greatest2 = std::max(greatest2, x * x + y * y + z * z);
    }
  }
  return std::sqrt(greatest2);
}

}  // namespace

DistanceGridView view(const DistanceGrid& grid) {
  DistanceGridView view;
  if (grid.lattice.size() != 5 || grid.places.size() != 3) return view;
  view.index = grid.index.data();
  view.rows = grid.rows.data();
  view.gaps = grid.gaps.data();
  std::copy(grid.places.begin(), grid.places.end(), view.places);
  view.brick_count = static_cast<std::int32_t>(grid.rows.size() / (2 * kBrickSize));
  std::copy(grid.lattice.begin(), grid.lattice.begin() + 3, view.origin);
  view.spacing = grid.lattice[3];
  view.reach = grid.lattice[4];
  return view;
}

void add_blocks(OrientedPoints& points) {
  const PointsView p = view(points);
  const auto refuse = [](const std::string& what) { throw InvalidInput("oriented points: " + what); };
  if (p.point_count <= 0) refuse("there are none");
  if (points.positions.size() != 3 * points.areas.size() || points.normals.size() != points.positions.size())
    refuse("positions, normals and areas differ in number");
  if (!(p.spacing > 0) || !std::isfinite(p.spacing))
    refuse("the spacing is " + number_text(p.spacing) + " m; it must be positive");
  bool apart = false;
  for (std::int32_t i = 0; i < p.point_count; ++i) {
    if (!std::isfinite(p.x[i]) || !std::isfinite(p.y[i]) || !std::isfinite(p.z[i]))
      refuse("point " + std::to_string(i) + " has a coordinate that is NaN or infinite");
    const double length = std::sqrt(p.nx[i] * p.nx[i] + p.ny[i] * p.ny[i] + p.nz[i] * p.nz[i]);
    if (!(std::abs(length - 1) <= 1e-6))
      refuse("the normal of point " + std::to_string(i) + " has length " + number_text(length) +
             "; normalise it first");
    apart = apart || p.x[i] != p.x[0] || p.y[i] != p.y[0] || p.z[i] != p.z[0];
  }
  if (!apart && p.point_count > 1) refuse("all points are at one place");
  points.blocks = make_point_blocks(p.x, p.nx, p.point_count, p.spacing);
  points.blocks.cover = cover(p);
  points.samples = make_sample_blocks(view(points));
}

namespace {

// Chebyshev distances from each place to the nearest one with a brick: one pass forwards over the preceding
// neighbours, one backwards over the following ones.
std::vector<std::uint8_t> find_gaps(const DistanceGrid& grid) {
  constexpr int kMax = std::numeric_limits<std::uint8_t>::max();
  const std::int32_t nx = grid.places[0], ny = grid.places[1], nz = grid.places[2];
  std::vector<std::uint8_t> gaps(grid.index.size());
  const auto at = [&](std::int32_t x, std::int32_t y, std::int32_t z) {
    return (std::size_t(z) * std::size_t(ny) + std::size_t(y)) * std::size_t(nx) + std::size_t(x);
  };
  const auto lower = [&](std::int32_t x, std::int32_t y, std::int32_t z, int side) {
    int least = grid.index[at(x, y, z)] >= 0 ? 0 : kMax;
    for (int i = 0; i < 14; ++i) {  // half of the 3 x 3 x 3 neighbours, then the place itself
      const std::int32_t to[3] = {x + side * (i % 3 - 1), y + side * (i / 3 % 3 - 1), z + side * (i / 9 - 1)};
      if (to[0] < 0 || to[0] >= nx || to[1] < 0 || to[1] >= ny || to[2] < 0 || to[2] >= nz) continue;
      least = std::min(least, gaps[at(to[0], to[1], to[2])] + (i < 13 ? 1 : 0));
    }
    gaps[at(x, y, z)] = static_cast<std::uint8_t>(least);
  };
  std::fill(gaps.begin(), gaps.end(), kMax);
  for (std::int32_t z = 0; z < nz; ++z)
    for (std::int32_t y = 0; y < ny; ++y)
      for (std::int32_t x = 0; x < nx; ++x) lower(x, y, z, 1);
  for (std::int32_t z = nz; z-- > 0;)
    for (std::int32_t y = ny; y-- > 0;)
      for (std::int32_t x = nx; x-- > 0;) lower(x, y, z, -1);
  return gaps;
}

}  // namespace

void add_rows(DistanceGrid& grid) {
  grid.gaps = find_gaps(grid);
  constexpr std::size_t kRows = std::size_t{kBrickNodes} * kBrickNodes;
  grid.rows.assign(2 * grid.coefficients.size(), std::numeric_limits<float>::quiet_NaN());
  const auto along = static_cast<std::size_t>(grid.places.front());
  for (std::size_t place = 0; place < grid.index.size(); ++place) {
    if (grid.index[place] < 0) continue;
    const auto brick = static_cast<std::size_t>(grid.index[place]);
    const std::int32_t next = (place + 1) % along == 0 ? -1 : grid.index[place + 1];
    for (std::size_t row = 0; row < kRows; ++row) {
      float* const to = grid.rows.data() + 2 * kBrickNodes * (kRows * brick + row);
      const auto copy = [&](std::size_t from, float* where) {
        std::copy_n(grid.coefficients.data() + kBrickNodes * (kRows * from + row), kBrickNodes, where);
      };
      copy(brick, to);
      if (next >= 0) copy(static_cast<std::size_t>(next), to + kBrickNodes);
    }
  }
}

PiecesView view(const Pieces& pieces, const std::vector<ConvexView>& convex) {
  return {convex.data(),           pieces.adjacency_offsets.data(),
          pieces.adjacency.data(), static_cast<std::int32_t>(convex.size()),
          pieces.errors.front(),   pieces.errors.back(),
          bvh::view(pieces.tree)};
}

AssetView view(const Asset& asset) {
  AssetView result;
  if (!asset.surfaces.empty()) result.surface = view(asset.surfaces.front());
  if (!asset.convex.empty()) result.convex = view(asset.convex.front());
  if (!asset.volumes.empty()) result.volume = view(asset.volumes.front());
  if (!asset.points.empty()) result.points = view(asset.points.front());
  if (!asset.grids.empty()) result.grid = view(asset.grids.front());
  result.mass = &asset.mass;
  return result;
}

}  // namespace abut::asset
