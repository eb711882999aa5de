#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/asset/point_blocks.h"

// Samples of an oriented point cloud's surface in groups of four, in the order of the cloud's blocks; sums
// over the surface traverse them. Made with the blocks; not stored in the file.
namespace abut::asset {

struct PointsView;

inline constexpr int kGroupSamples = 4;   // of a group
inline constexpr int kGroupNumbers = 16;  // x, y, z (m) and area (m^2) of a group's four samples

// Bounding balls of a group.
struct SampleBall {
  double center[3];  // mean of its distinct samples, m
  double radius;     // of the ball about `center` that contains them, m
  double reach;      // radius of the ball about the centre of the block's box that contains them, m
};

// For a cloud with quads a group is the midpoints of the 2 x 2 parts of one bilinear quad, or of a quarter of
// one where the surface bends by more than 30 degrees at a corner, with their shares of the quad's area.
// Without quads a group is four points of a block, at least one, or four parts of a point's area (a
// primitive's edges, body/primitives/kind.h); absent samples coincide with the first and have no area.
struct SampleBlocks {
  std::vector<double> numbers;    // (groups, 4, 4): rows x, y, z, area
  std::vector<SampleBall> balls;  // (groups)
  std::vector<std::int32_t>
      first;  // (blocks + 1): block b, of at most 32 groups, has groups [first[b], first[b + 1])
  std::vector<double> radii;  // (nodes, 4) m: like kRadiusRow, for the samples below the child
};

// A view of SampleBlocks.
struct SampleBlocksView {
  const double* numbers = nullptr;      // (groups, 4, 4)
  const SampleBall* balls = nullptr;    // (groups)
  const std::int32_t* first = nullptr;  // (blocks + 1)
  const double* radii = nullptr;        // (nodes, 4) m
};

SampleBlocksView view(const SampleBlocks& samples);  // valid while `samples` exists and is not changed

SampleBlocks make_sample_blocks(const PointsView& points);  // requires the points' blocks

// The same for a cloud without quads. parts[i]: midpoints (m) and areas (m^2) of the parts of point i's area,
// in groups of four, at most four groups; a point without parts is one sample.
SampleBlocks make_sample_blocks(const PointsView& points,
                                std::span<const std::vector<Eigen::Vector4d>> parts);

}  // namespace abut::asset
