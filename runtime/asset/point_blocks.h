#pragma once

#include <cstdint>
#include <vector>

// The points of an oriented point cloud in blocks of neighbours, under a tree with bounds of positions and
// normals: what sums over the points that matter walk on. Made from the points whenever they are made or
// loaded; not stored in the file.
namespace abut::asset {

inline constexpr int kBlockPoints = 8;      // in a block
inline constexpr int kNodeChildren = 4;     // of a node
inline constexpr int kBlockNumbers = 48;    // of a block: x, y, z, nx, ny, nz of its eight points
inline constexpr double kAway = 1e100;      // m: of a place without a point; its square is a number yet
inline constexpr int kMaxBlockLevels = 16;  // blocks included: more than 32-bit indices can fill

// Rows of a node: each holds one number for each of four children.
enum NodeRow {
  kCenterRow = 0,     // 3 rows: of the box about the child's points, m
  kHalfRow = 3,       // 3 rows: half sizes of that box, m
  kRadiusRow = 6,     // of the ball about the centre, m
  kAxisRow = 7,       // 3 rows: of a cone that holds all normals, unit
  kCosineRow = 10,    // of the cone's half angle; -1: no cone, all directions
  kSineRow = 11,      // of it
  kOffsetRow = 12,    // greatest n . (p - centre), m
  kNodeNumbers = 52,  // 13 rows of 4
};

// Level 0 are the blocks; entry j of level l + 1 has the entries 4 j ... 4 j + 3 of level l as children; the
// last level has one entry. Absent children and the last block's absent points are 1e100 m away with normal
// 0.
struct PointBlocks {
  std::vector<double> numbers;      // (blocks, 6, 8) m and unit
  std::vector<std::int32_t> order;  // (blocks, 8) index of each point; -1: absent
  std::vector<double> nodes;        // (nodes, 13, 4), level 1 first
  double center[3] = {0, 0, 0};     // mean of the points, m
  double radius = 0;                // of the ball about it that holds them all, m
  double cover = 0;                 // no place of the surface is farther from its point, m
};

// A view of PointBlocks.
struct PointBlocksView {
  const double* numbers = nullptr;                 // (block_count, 6, 8)
  const std::int32_t* order = nullptr;             // (block_count, 8)
  const double* nodes = nullptr;                   // (nodes, 13, 4)
  std::int32_t block_count = 0;                    // 0: no points
  std::int32_t levels = 0;                         // above the blocks, >= 1
  std::int32_t first_node[kMaxBlockLevels] = {0};  // of each level: first_node[1] = 0
  double center[3] = {0, 0, 0};                    // mean of the points, m
  double radius = 0;                               // of the ball about it that holds them all, m
  double cover = 0;                                // no place of the surface is farther from its point, m
};

// positions, normals: (3, count), all x, then all y, then all z. `spacing` (m) weighs how much a difference
// in direction counts beside a distance when neighbours are chosen: opposite sides of a thin wall go apart.
PointBlocks make_point_blocks(const double* positions, const double* normals, std::int32_t count,
                              double spacing);

PointBlocksView view(const PointBlocks& blocks);  // valid while `blocks` stands unchanged

}  // namespace abut::asset
