#include "runtime/asset/point_blocks.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace abut::asset {

namespace {

using Vector = Eigen::Vector3d;

constexpr double kMargin = 1e-12;  // relative: bounds hold for rounded sums too
// In spacings: the distance that counts as much as a difference of 1 in the normals
constexpr double kNormalReach = 2;

struct Source {
  const double *positions, *normals;
  std::int32_t count;

  Vector position(std::int32_t i) const {
    return {positions[i], positions[count + i], positions[2 * count + i]};
  }
  Vector normal(std::int32_t i) const { return {normals[i], normals[count + i], normals[2 * count + i]}; }
};

// Orders indices so that every aligned run of 8, 16, 32, ... holds neighbours: splits along the longest of
// six axes, three of position and three of direction.
void sort_neighbours(const Source& source, double reach, std::span<std::int32_t> indices) {
  if (indices.size() <= kBlockPoints) return;
  Eigen::Array<double, 6, 1> low = Eigen::Array<double, 6, 1>::Constant(kAway), high = -low;
  const auto key = [&](std::int32_t i) {
    Eigen::Array<double, 6, 1> k;
    k << source.position(i), reach * source.normal(i);
    return k;
  };
  for (const std::int32_t i : indices) {
    low = low.min(key(i));
    high = high.max(key(i));
  }
  int axis = 0;
  (high - low).maxCoeff(&axis);
  std::size_t left = kBlockPoints;
  while (2 * left < indices.size()) left *= 2;
  const auto value = [&](std::int32_t i) {
    return axis < 3 ? source.positions[axis * source.count + i]
                    : source.normals[(axis - 3) * source.count + i];
  };
  std::nth_element(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(left), indices.end(),
                   [&](std::int32_t a, std::int32_t b) {
                     const double va = value(a), vb = value(b);
                     // A strict order, so that the result does not depend on the library
                     return va != vb ? va < vb : a < b;
                   });
  sort_neighbours(source, reach, indices.first(left));
  sort_neighbours(source, reach, indices.subspan(left));
}

// Writes the bounds of the points at `indices` as child `child` of a node.
void bound(const Source& source, std::span<const std::int32_t> indices, double* node, int child) {
  const auto row = [&](int r) -> double& { return node[kNodeChildren * r + child]; };
  Vector low = Vector::Constant(kAway), high = -low, axis = Vector::Zero();
  for (const std::int32_t i : indices) {
    low = low.cwiseMin(source.position(i));
    high = high.cwiseMax(source.position(i));
    axis += source.normal(i);
  }
  const Vector center = (low + high) / 2;
  const double length = axis.norm();
  axis = length > 1e-9 ? Vector(axis / length) : Vector::UnitZ();
  double radius2 = 0, cosine = 1, offset = -kAway;
  for (const std::int32_t i : indices) {
    const Vector from = source.position(i) - center;
    radius2 = std::max(radius2, from.squaredNorm());
    cosine = std::min(cosine, axis.dot(source.normal(i)));
    offset = std::max(offset, source.normal(i).dot(from));
  }
  const double size = std::sqrt(radius2) + center.cwiseAbs().maxCoeff();
  cosine = std::max(cosine - kMargin, -1.0);
  for (int k = 0; k < 3; ++k) {
    row(kCenterRow + k) = center[k];
    row(kHalfRow + k) = (high[k] - low[k]) / 2 + kMargin * size;
    row(kAxisRow + k) = axis[k];
  }
  row(kRadiusRow) = std::sqrt(radius2) + kMargin * size;
  row(kCosineRow) = cosine;
  row(kSineRow) = std::sqrt(std::max(0.0, 1 - cosine * cosine)) + kMargin;
  row(kOffsetRow) = offset + kMargin * size;
}

// Marks a child as absent: it is infinitely far from everywhere.
void put_away(double* node, int child) {
  for (int r = 0; r < kNodeNumbers / kNodeChildren; ++r) node[kNodeChildren * r + child] = 0;
  for (int k = 0; k < 3; ++k)
    node[kNodeChildren * (kCenterRow + k) + child] = std::numeric_limits<double>::infinity();
  node[kNodeChildren * kCosineRow + child] = 1;
}

}  // namespace

PointBlocks make_point_blocks(const double* positions, const double* normals, std::int32_t count,
                              double spacing) {
  PointBlocks blocks;
  if (count <= 0) return blocks;
  const Source source{positions, normals, count};
  std::vector<std::int32_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0);
  sort_neighbours(source, kNormalReach * spacing, indices);

  const std::int32_t block_count = (count + kBlockPoints - 1) / kBlockPoints;
  blocks.order.assign(std::size_t(block_count) * kBlockPoints, -1);
  std::copy(indices.begin(), indices.end(), blocks.order.begin());
  blocks.numbers.resize(std::size_t(block_count) * kBlockNumbers);
  Vector mean = Vector::Zero();
  for (std::size_t place = 0; place < blocks.order.size(); ++place) {
    const std::int32_t i = blocks.order[place];
    const Vector p = i < 0 ? Vector::Constant(kAway) : source.position(i);
    const Vector n = i < 0 ? Vector::Zero() : source.normal(i);
    double* const block = blocks.numbers.data() + place / kBlockPoints * kBlockNumbers + place % kBlockPoints;
    for (int k = 0; k < 3; ++k) {
      block[kBlockPoints * k] = p[k];
      block[kBlockPoints * (3 + k)] = n[k];
    }
    if (i >= 0) mean += p;
  }
  mean /= count;
  double radius2 = 0;
  for (std::int32_t i = 0; i < count; ++i)
    radius2 = std::max(radius2, (source.position(i) - mean).squaredNorm());
  for (int k = 0; k < 3; ++k) blocks.center[k] = mean[k];
  blocks.radius = std::sqrt(radius2);

  std::size_t run = kBlockPoints;  // points below a child
  for (std::int32_t children = block_count;; children = (children + 3) / 4, run *= kNodeChildren) {
    for (std::int32_t j = 0; j < (children + 3) / 4; ++j) {
      blocks.nodes.resize(blocks.nodes.size() + kNodeNumbers);
      double* const node = blocks.nodes.data() + blocks.nodes.size() - kNodeNumbers;
      for (int child = 0; child < kNodeChildren; ++child) {
        const std::size_t first = (std::size_t(kNodeChildren) * j + child) * run;
        if (first >= indices.size()) {
          put_away(node, child);
        } else {
          const std::size_t points = std::min(run, indices.size() - first);
          bound(source, std::span(indices).subspan(first, points), node, child);
        }
      }
    }
    if (children <= kNodeChildren) break;
  }
  return blocks;
}

PointBlocksView view(const PointBlocks& blocks) {
  PointBlocksView result;
  result.numbers = blocks.numbers.data();
  result.order = blocks.order.data();
  result.nodes = blocks.nodes.data();
  result.block_count = static_cast<std::int32_t>(blocks.order.size() / kBlockPoints);
  for (std::int32_t children = result.block_count, first = 0; children > 0;) {
    const std::int32_t parents = (children + 3) / 4;
    result.first_node[++result.levels] = first;
    first += parents;
    if (parents == 1) break;
    children = parents;
  }
  for (int k = 0; k < 3; ++k) result.center[k] = blocks.center[k];
  result.radius = blocks.radius;
  result.cover = blocks.cover;
  return result;
}

}  // namespace abut::asset
