#include "preprocess/remesh/oriented_points.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "preprocess/remesh/no_quads.h"
#include "runtime/bvh/build.h"
#include "runtime/core/error.h"
#include "runtime/core/parallel.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

double thickness_below(const ReferenceSurface& surface, const Vec3& centre, const Vec3& normal, double edge) {
  FootPoint foot = surface.closest_facing(centre, {&normal, 1}, 0.3, edge);
  if (foot.triangle < 0) foot = surface.closest(centre);
  return std::min(surface.thickness(foot), surface.diagonal());
}

std::vector<double> spacing_of(const QuadMesh& mesh, double area) {
  double least = std::numeric_limits<double>::infinity(), sum = 0, greatest = 0;
  for (const Quad& q : mesh.quads)
    for (int k = 0; k < 4; ++k) {
      const double edge = (mesh.vertices[q[(k + 1) % 4]] - mesh.vertices[q[k]]).norm();
      least = std::min(least, edge);
      greatest = std::max(greatest, edge);
      sum += edge;  // every edge counts twice
    }
  const auto count = static_cast<double>(mesh.quads.size());
  return {std::sqrt(area / count), least, sum / (4 * count), greatest};
}

}  // namespace

asset::OrientedPoints make_points(const QuadMesh& mesh, const ReferenceSurface& surface) {
  const std::size_t count = mesh.quads.size();
  if (count == 0) throw InvalidInput("the quad mesh has no quads");
  std::vector<bvh::Box> boxes;
  for (const Quad& q : mesh.quads) {
    const Vec3 c = centre(mesh, q);
    boxes.push_back({c, c});
  }
  bvh::BuiltTree built = bvh::build_tree(boxes);
  asset::OrientedPoints points;
  points.tree = std::move(built.tree);
  points.positions.resize(3 * count);
  points.normals.resize(3 * count);
  points.areas.resize(count);
  points.thickness.resize(count);
  points.quads.resize(4 * count);
  std::vector<std::int32_t> place(mesh.vertices.size(), -1);
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Quad& q = mesh.quads[built.order[i]];
    const Vec3 area = vector_area(mesh, q), c = centre(mesh, q);
    points.areas[i] = area.norm();
    if (!(points.areas[i] > 0)) throw NoQuads(fmt::format("quad {} has no area", built.order[i]));
    total += points.areas[i];
    for (std::size_t k = 0; k < 3; ++k) {
      points.positions[k * count + i] = c[static_cast<int>(k)];
      points.normals[k * count + i] = area[static_cast<int>(k)] / points.areas[i];
    }
    for (std::size_t k = 0; k < 4; ++k) {
      std::int32_t& v = place[q[k]];
      if (v < 0) {
        v = static_cast<std::int32_t>(points.vertices.size() / 3);
        points.vertices.insert(points.vertices.end(), mesh.vertices[q[k]].begin(), mesh.vertices[q[k]].end());
      }
      points.quads[4 * i + k] = v;
    }
  }
  points.spacing = spacing_of(mesh, total);
  parallel_for(
      static_cast<std::int64_t>(count), 0,
      [&](std::int64_t i, int) {
        const Quad& q = mesh.quads[built.order[i]];
        points.thickness[i] =
            thickness_below(surface, centre(mesh, q), vector_area(mesh, q).normalized(), points.spacing[0]);
      },
      64);
  asset::add_blocks(points);
  return points;
}

QuadMesh quads_of(const asset::PointsView& points) {
  QuadMesh mesh;
  for (std::int32_t v = 0; v < points.vertex_count; ++v)
    mesh.vertices.emplace_back(Vec3::Map(points.vertices + std::ptrdiff_t(3) * v));
  for (std::int32_t i = 0; i < points.point_count; ++i) {
    const std::int32_t* q = points.quads + std::ptrdiff_t(4) * i;
    mesh.quads.push_back({q[0], q[1], q[2], q[3]});
  }
  return mesh;
}

}  // namespace abut::preprocess
