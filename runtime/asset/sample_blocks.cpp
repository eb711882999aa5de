#include "runtime/asset/sample_blocks.h"

#include <Eigen/Dense>
#include <algorithm>

#include "runtime/asset/asset.h"

namespace abut::asset {

namespace {

using Vector = Eigen::Vector3d;
using Group = Eigen::Map<Eigen::Matrix<double, kGroupSamples, 4>>;  // a sample's x, y, z, area in a row

void sample_quad(const PointsView& points, std::int32_t quad, Group group) {
  Vector c[4];
  for (int k = 0; k < 4; ++k) c[k] = Vector::Map(points.vertices + 3 * points.quads[4 * quad + k]);
  const Vector twist = c[0] - c[1] + c[2] - c[3];
  for (int i = 0; i < kGroupSamples; ++i) {
    const double u = i < 2 ? 0.25 : 0.75, v = i % 2 == 0 ? 0.25 : 0.75;
    const Vector along_u = c[1] - c[0] + v * twist, along_v = c[3] - c[0] + u * twist;
    group.row(i) << (c[0] + u * (c[1] - c[0]) + v * along_v).transpose(), along_u.cross(along_v).norm();
  }
  const double sum = group.col(3).sum();
  for (int i = 0; i < kGroupSamples; ++i)
    group(i, 3) = sum > 0 ? group(i, 3) * (points.areas[quad] / sum) : points.areas[quad] / kGroupSamples;
}

// Four of a block's points; absent ones stand without area where its first one is.
void sample_points(const PointsView& points, const std::int32_t* order, int half, Group group) {
  for (int i = 0; i < kGroupSamples; ++i) {
    const std::int32_t point = order[half * kGroupSamples + i], at = point >= 0 ? point : order[0];
    group.row(i) << points.x[at], points.y[at], points.z[at], point >= 0 ? points.areas[at] : 0;
  }
}

double reach_from(const Vector& center, const Group& group) {
  return (group.leftCols<3>().rowwise() - center.transpose()).rowwise().norm().maxCoeff();
}

// Center of the box about what is below a child.
Vector center_of(const PointBlocksView& blocks, std::int32_t node, int child) {
  const double* const row =
      blocks.nodes + std::ptrdiff_t(node) * kNodeNumbers + kNodeChildren * kCenterRow + child;
  return {row[0], row[kNodeChildren], row[2 * kNodeChildren]};
}

}  // namespace

SampleBlocksView view(const SampleBlocks& samples, std::int32_t block_groups) {
  return {samples.numbers.data(), samples.balls.data(), samples.radii.data(), block_groups};
}

SampleBlocks make_sample_blocks(const PointsView& points) {
  const PointBlocksView& blocks = points.blocks;
  const std::int32_t block_groups = points.samples.block_groups;
  const std::size_t groups = std::size_t(blocks.block_count) * std::size_t(block_groups);
  SampleBlocks result;
  result.numbers.assign(groups * kGroupNumbers, 0);
  result.balls.assign(groups, {{0, 0, 0}, -1, 0});
  const auto group_at = [&](std::size_t i) { return Group(result.numbers.data() + i * kGroupNumbers); };
  for (std::size_t i = 0; i < groups; ++i) {
    const std::size_t block = i / std::size_t(block_groups), part = i % std::size_t(block_groups);
    const std::int32_t* const order = blocks.order + block * kBlockPoints;
    if (block_groups == kBlockPoints) {
      if (order[part] < 0) continue;
      sample_quad(points, order[part], group_at(i));
    } else {
      sample_points(points, order, static_cast<int>(part), group_at(i));
    }
    const Vector center = group_at(i).leftCols<3>().colwise().mean().transpose();
    SampleBall& ball = result.balls[i];
    Vector::Map(ball.center) = center;
    ball.radius = reach_from(center, group_at(i));
    const auto node = static_cast<std::int32_t>(block / kNodeChildren);  // of level 1
    ball.reach = reach_from(center_of(blocks, node, static_cast<int>(block % kNodeChildren)), group_at(i));
  }
  std::size_t run = std::size_t(block_groups);  // groups below a child
  for (std::int32_t level = 1; level <= blocks.levels; ++level, run *= kNodeChildren) {
    const std::int32_t begin = blocks.first_node[level];
    const std::size_t parents = (groups + kNodeChildren * run - 1) / (kNodeChildren * run);
    for (std::size_t child = 0; child < parents * kNodeChildren; ++child) {
      const Vector center = center_of(blocks, begin + static_cast<std::int32_t>(child / kNodeChildren),
                                      static_cast<int>(child % kNodeChildren));
      double radius = -1;
      for (std::size_t i = child * run; i < std::min((child + 1) * run, groups); ++i)
        if (result.balls[i].radius >= 0) radius = std::max(radius, reach_from(center, group_at(i)));
      result.radii.push_back(radius);
    }
  }
  return result;
}

}  // namespace abut::asset
