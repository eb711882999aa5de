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

// A group's ball. Those of absent quads have a negative radius.
struct SampleBall {
  double center[3];  // mean of the samples, m
  double radius;     // of the ball about it that holds them, m
  double reach;      // of the ball about the centre of the block's box that holds them, m
};

// Of a cloud with quads a group is the midpoints of the 2 x 2 parts of one bilinear quad, with their shares
// of its area; a block has eight. Without quads it is half of a block's points; absent points have no area.
struct SampleBlocks {
  std::vector<double> numbers;    // (groups, 4, 4)
  std::vector<SampleBall> balls;  // (groups)
  std::vector<double> radii;      // (nodes, 4) m: as kRadiusRow, of the samples below the child
};

struct SampleBlocksView {
  const double* numbers = nullptr;
  const SampleBall* balls = nullptr;
  const double* radii = nullptr;
  std::int32_t block_groups = 0;  // groups in a block
};

SampleBlocksView view(const SampleBlocks& samples, std::int32_t block_groups);

SampleBlocks make_sample_blocks(const PointsView& points);

}  // namespace abut::asset
