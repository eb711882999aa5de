#pragma once

#include <cstdint>
#include <vector>

#include "runtime/asset/point_blocks.h"

// Samples of an oriented point cloud's surface in groups of four, in the order of its blocks: what sums over
// the surface walk on. Made with the blocks; not stored in the file.
namespace abut::asset {

struct PointsView;

inline constexpr int kGroupSamples = 4;   // of a group
inline constexpr int kGroupNumbers = 16;  // x, y, z (m) and area (m^2) of its four samples

// A group's ball.
struct SampleBall {
  double center[3];  // mean of the samples that there are, m
  double radius;     // of the ball about it that holds them, m
  double reach;      // of the ball about the centre of the block's box that holds them, m
};

// Of a cloud with quads a group is the midpoints of the 2 x 2 parts of one bilinear quad, or of a quarter of
// one where the surface bends by more than 30 degrees at a corner, with their shares of its area. Without
// quads it is half of a block's points, one at least; absent ones stand where the first is, without area.
struct SampleBlocks {
  std::vector<double> numbers;    // (groups, 4, 4)
  std::vector<SampleBall> balls;  // (groups)
  std::vector<std::int32_t>
      first;                  // (blocks + 1): the groups of each block, at most 32, are [first, next first)
  std::vector<double> radii;  // (nodes, 4) m: as kRadiusRow, of the samples below the child
};

// A view of SampleBlocks.
struct SampleBlocksView {
  const double* numbers = nullptr;      // (groups, 4, 4)
  const SampleBall* balls = nullptr;    // (groups)
  const std::int32_t* first = nullptr;  // (blocks + 1)
  const double* radii = nullptr;        // (nodes, 4) m
};

SampleBlocksView view(const SampleBlocks& samples);  // valid while `samples` stands unchanged

SampleBlocks make_sample_blocks(const PointsView& points);  // of points whose blocks are made

}  // namespace abut::asset
