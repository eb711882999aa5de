#include "runtime/asset/sample_blocks.h"

#include <Eigen/Dense>
#include <algorithm>

#include "runtime/asset/moved_samples.h"

namespace abut::asset {

namespace {

using Vector = Eigen::Vector3d;
using Group = Eigen::Matrix<double, kGroupSamples, 4>;  // rows: x, y, z, area of a sample

// The surface bends at a corner where the mean of the unit normals of its quads is shorter than this: the
// cosine of half of 30 degrees, for two faces.
constexpr double kStraight = 0.966;

// Returns for each quad whether the surface bends at any of its corners.
std::vector<char> find_bent(const PointsView& points) {
  std::vector<Eigen::Vector4d> sums(std::size_t(points.vertex_count), Eigen::Vector4d::Zero());
  for (std::int32_t i = 0; i < 4 * points.point_count; ++i)
    sums[std::size_t(points.quads[i])] +=
        Eigen::Vector4d(points.nx[i / 4], points.ny[i / 4], points.nz[i / 4], 1);
  std::vector<char> bent(std::size_t(points.point_count), 0);
  for (std::int32_t i = 0; i < 4 * points.point_count; ++i) {
    const Eigen::Vector4d& sum = sums[std::size_t(points.quads[i])];
    if (sum.head<3>().norm() < kStraight * sum[3]) bent[std::size_t(i / 4)] = 1;
  }
  return bent;
}

// Samples the 2 x 2 parts about (u, v) of a bilinear quad, each of side `part` in the quad's parameters; the
// areas are not yet scaled to the quad's.
Group sample_quad(const Vector* c, double u, double v, double part) {
  const Vector twist = c[0] - c[1] + c[2] - c[3];
  Group group;
  for (int i = 0; i < kGroupSamples; ++i) {
    const double s = u + (i < 2 ? -part : part) / 2, t = v + (i % 2 == 0 ? -part : part) / 2;
    const Vector along_u = c[1] - c[0] + t * twist, along_v = c[3] - c[0] + s * twist;
    group.row(i) << (c[0] + s * (c[1] - c[0]) + t * along_v).transpose(), along_u.cross(along_v).norm();
  }
  return group;
}

void add_quad(const PointsView& points, std::int32_t quad, bool bent, std::vector<Group>& groups) {
  Vector c[4];
  for (int k = 0; k < 4; ++k) c[k] = Vector::Map(points.vertices + 3 * points.quads[4 * quad + k]);
  const std::size_t before = groups.size();
  if (!bent) groups.push_back(sample_quad(c, 0.5, 0.5, 0.5));
  for (int i = 0; bent && i < 4; ++i)
    groups.push_back(sample_quad(c, i < 2 ? 0.25 : 0.75, i % 2 == 0 ? 0.25 : 0.75, 0.25));
  double sum = 0;
  for (std::size_t i = before; i < groups.size(); ++i) sum += groups[i].col(3).sum();
  const double even = points.areas[quad] / double(kGroupSamples * (groups.size() - before));
  for (std::size_t i = before; i < groups.size(); ++i) {
    if (sum > 0)
      groups[i].col(3) *= points.areas[quad] / sum;
    else
      groups[i].col(3).setConstant(even);
  }
}

// Appends groups of those of a block's points that have no parts, then the groups of parts of the others.
void add_points(const PointsView& points, const std::int32_t* order,
                std::span<const std::vector<Eigen::Vector4d>> parts, std::vector<Group>& groups) {
  int single = 0;
  for (int i = 0; i < kBlockPoints; ++i) {
    const std::int32_t at = order[i];
    if (at < 0 || (!parts.empty() && !parts[std::size_t(at)].empty())) continue;
    const Eigen::RowVector4d sample(points.x[at], points.y[at], points.z[at], points.areas[at]);
    if (single % kGroupSamples == 0)
      groups.emplace_back(
          Eigen::RowVector4d(sample[0], sample[1], sample[2], 0).replicate<kGroupSamples, 1>());
    groups.back().row(single++ % kGroupSamples) = sample;
  }
  for (int i = 0; i < kBlockPoints && !parts.empty(); ++i) {
    if (order[i] < 0) continue;
    const std::vector<Eigen::Vector4d>& of = parts[std::size_t(order[i])];
    for (std::size_t k = 0; k < of.size(); k += kGroupSamples) {
      Group& group = groups.emplace_back();
      for (int j = 0; j < kGroupSamples; ++j) group.row(j) = of[k + std::size_t(j)].transpose();
    }
  }
}

// The mean of a group's distinct samples.
Vector center_of(const Group& group) {
  const Vector first = group.topLeftCorner<1, 3>().transpose();
  Vector sum = first;
  int count = 1;
  for (int i = 1; i < kGroupSamples; ++i) {
    const Vector sample = group.row(i).head<3>().transpose();
    if (sample == first) continue;
    sum += sample;
    ++count;
  }
  return sum / count;
}

double reach_from(const Vector& center, const Group& group) {
  return (group.leftCols<3>().rowwise() - center.transpose()).rowwise().norm().maxCoeff();
}

// Centre of the box around everything below child number `child` of a level's nodes.
Vector center_of(const PointBlocksView& blocks, std::int32_t level, std::int32_t child) {
  const double* const row = blocks.nodes +
                            std::ptrdiff_t(blocks.first_node[level] + child / kNodeChildren) * kNodeNumbers +
                            kNodeChildren * kCenterRow + child % kNodeChildren;
  return {row[0], row[kNodeChildren], row[2 * kNodeChildren]};
}

// Appends the radii of the balls of all children.
void add_radii(const PointBlocksView& blocks, const std::vector<Group>& groups, SampleBlocks& result) {
  std::int32_t run = 1;  // blocks below a child
  for (std::int32_t level = 1; level <= blocks.levels; ++level, run *= kNodeChildren) {
    const std::int32_t parents = (blocks.block_count + kNodeChildren * run - 1) / (kNodeChildren * run);
    for (std::int32_t child = 0; child < parents * kNodeChildren; ++child) {
      const auto first_of = [&](std::int32_t i) {
        return result.first[std::size_t(std::min(i * run, blocks.block_count))];
      };
      double radius = -1;
      for (std::int32_t i = first_of(child); i < first_of(child + 1); ++i)
        radius = std::max(radius, reach_from(center_of(blocks, level, child), groups[std::size_t(i)]));
      result.radii.push_back(radius);
    }
  }
}

// `move` as in moved_samples.h, parts as in sample_blocks.h; both may be empty.
SampleBlocks make(const PointsView& points, const std::function<void(double* numbers, bool bent)>& move,
                  std::span<const std::vector<Eigen::Vector4d>> parts) {
  const PointBlocksView& blocks = points.blocks;
  const bool of_quads = points.vertex_count > 0 && points.quads != nullptr;
  const std::vector<char> bent = of_quads ? find_bent(points) : std::vector<char>();
  SampleBlocks result;
  std::vector<Group> groups;
  result.first.push_back(0);
  for (std::int32_t block = 0; block < blocks.block_count; ++block) {
    const std::int32_t* const order = blocks.order + std::ptrdiff_t(block) * kBlockPoints;
    const std::size_t before = groups.size();
    if (of_quads) {
      for (int i = 0; i < kBlockPoints; ++i) {
        if (order[i] < 0) continue;
        const bool bends = bent[std::size_t(order[i])] != 0;
        const std::size_t first = groups.size();
        add_quad(points, order[i], bends, groups);
        for (std::size_t k = first; move && k < groups.size(); ++k) move(groups[k].data(), bends);
      }
    } else {
      add_points(points, order, parts, groups);
    }
    result.first.push_back(static_cast<std::int32_t>(groups.size()));
    for (std::size_t i = before; i < groups.size(); ++i) {
      const Vector center = center_of(groups[i]);
      result.numbers.insert(result.numbers.end(), groups[i].data(), groups[i].data() + kGroupNumbers);
      result.balls.push_back({{center[0], center[1], center[2]},
                              reach_from(center, groups[i]),
                              reach_from(center_of(blocks, 1, block), groups[i])});
    }
  }
  add_radii(blocks, groups, result);
  return result;
}

}  // namespace

SampleBlocksView view(const SampleBlocks& samples) {
  return {samples.numbers.data(), samples.balls.data(), samples.first.data(), samples.radii.data()};
}

SampleBlocks make_sample_blocks(const PointsView& points) { return make(points, nullptr, {}); }

SampleBlocks make_sample_blocks(const PointsView& points,
                                std::span<const std::vector<Eigen::Vector4d>> parts) {
  return make(points, nullptr, parts);
}

SampleBlocks make_sample_blocks(const PointsView& points,
                                const std::function<void(double* numbers, bool bent)>& move) {
  return make(points, move, {});
}

}  // namespace abut::asset
