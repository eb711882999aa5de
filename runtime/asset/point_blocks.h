#pragma once

#include <cstdint>
#include <vector>

// The points of an oriented point cloud in blocks of neighbours, under a tree with bounds of positions and
// normals. Sums over the points that matter traverse it. Built from the points whenever they are made or
// loaded; not stored in the file.
namespace abut::asset {

inline constexpr int kBlockPoints = 8;    // of a block
inline constexpr int kNodeChildren = 4;   // of a node
inline constexpr int kBlockNumbers = 48;  // of a block: x, y, z, nx, ny, nz of its eight points
inline constexpr double kAway = 1e100;    // m: coordinates of an absent point; their squares are still finite
inline constexpr int kMaxBlockLevels = 16;  // blocks included: more than 32-bit indices can fill

// Rows of a node; each holds one number for each of the four children.
enum NodeRow {
  kCenterRow = 0,     // 3 rows: centre of the bounding box of the child's points, m
  kHalfRow = 3,       // 3 rows: half sizes of that box, m
  kRadiusRow = 6,     // radius of the ball about the centre, m
  kAxisRow = 7,       // 3 rows: axis of a cone that contains all normals, unit
  kCosineRow = 10,    // cosine of the cone's half angle; -1: all directions
  kSineRow = 11,      // sine of the half angle
  kOffsetRow = 12,    // greatest n . (p - centre), m
  kNodeNumbers = 52,  // 13 rows of 4
};

// Level 0 is the blocks; entry j of level l + 1 has the entries 4 j ... 4 j + 3 of level l as children; the
// last level has one entry. The last block's absent points have coordinates of 1e100 m and normal 0; the
// centres of absent children are at infinity, with axis 0.
struct PointBlocks {
  std::vector<double> numbers;      // (blocks, 6, 8) m and unit
  std::vector<std::int32_t> order;  // (blocks, 8) index of each point; -1: absent
  std::vector<double> nodes;        // (nodes, 13, 4), level 1 first
  double center[3] = {0, 0, 0};     // mean of the points, m
  double radius = 0;                // of the ball about it that contains all points, m
  double cover = 0;                 // upper bound of the distance of a place on the surface from its point, m
};

// A view of PointBlocks.
struct PointBlocksView {
  const double* numbers = nullptr;                 // (block_count, 6, 8)
  const std::int32_t* order = nullptr;             // (block_count, 8)
  const double* nodes = nullptr;                   // (nodes, 13, 4)
  std::int32_t block_count = 0;                    // 0: no points
  std::int32_t levels = 0;                         // number above the blocks, >= 1
  std::int32_t first_node[kMaxBlockLevels] = {0};  // of each level; first_node[1] = 0
  double center[3] = {0, 0, 0};                    // mean of the points, m
  double radius = 0;                               // of the ball about it that contains all points, m
  double cover = 0;  // upper bound of the distance of a place on the surface from its point, m
};

// Builds the blocks. positions, normals: (3, count), all x, then all y, then all z. `spacing` (m) sets how
// much a difference in direction counts relative to a distance when neighbours are chosen, so that opposite
// sides of a thin wall are separated.
PointBlocks make_point_blocks(const double* positions, const double* normals, std::int32_t count,
                              double spacing);

PointBlocksView view(const PointBlocks& blocks);  // valid while `blocks` exists and is not changed

}  // namespace abut::asset
