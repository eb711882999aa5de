#include "preprocess/cli/verify_points.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "preprocess/export/part.h"
#include "preprocess/mesh/measure.h"
#include "preprocess/remesh/oriented_points.h"
#include "runtime/core/disjoint_sets.h"
#include "runtime/distance/surface_distance.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

constexpr double kTolerance =
    1e-6;  // of the size, or of unit vectors: what is computed anew differs by rounding

Vector3d position(const asset::PointsView& p, std::int32_t i) { return {p.x[i], p.y[i], p.z[i]}; }
Vector3d normal(const asset::PointsView& p, std::int32_t i) { return {p.nx[i], p.ny[i], p.nz[i]}; }

// What is wrong with point i by its quad; empty if nothing is.
std::string fault_of_point(const asset::PointsView& p, std::int32_t i, const QuadMesh& mesh, double size) {
  const auto& quad = mesh.quads[static_cast<std::size_t>(i)];
  const Vector3d area = vector_area(mesh, quad);
  if (!((position(p, i) - centre(mesh, quad)).norm() <= kTolerance * size))
    return fmt::format("positions: point {} is not in the middle of its quad", i);
  if (!(std::abs(area.norm() - p.areas[i]) <= kTolerance * p.areas[i]) ||
      !((area.normalized() - normal(p, i)).norm() <= kTolerance))
    return fmt::format("normals, areas: point {} differs from its quad", i);
  if (!(p.thickness[i] >= 0 && p.thickness[i] <= (1 + kTolerance) * size))
    return fmt::format("thickness: point {} has {:.3g} m, more than the object", i, p.thickness[i]);
  return "";
}

std::string fault_of_spacing(const asset::PointsView& p, const QuadMesh& mesh,
                             const std::vector<double>& stored) {
  double area = 0, least = std::numeric_limits<double>::infinity(), sum = 0, greatest = 0;
  for (std::int32_t i = 0; i < p.point_count; ++i) {
    area += p.areas[i];
    for (std::size_t k = 0; k < 4; ++k) {
      const auto& quad = mesh.quads[static_cast<std::size_t>(i)];
      const double edge = (mesh.vertices[quad[k]] - mesh.vertices[quad[(k + 1) % 4]]).norm();
      least = std::min(least, edge);
      greatest = std::max(greatest, edge);
      sum += edge;
    }
  }
  const double expected[4] = {std::sqrt(area / p.point_count), least, sum / (4.0 * p.point_count), greatest};
  for (std::size_t k = 0; k < 4; ++k)
    if (!(std::abs(stored[k] - expected[k]) <= kTolerance * greatest))
      return fmt::format("spacing: entry {} is {:.9g} m, computed anew {:.9g} m", k, stored[k], expected[k]);
  return "";
}

}  // namespace

std::vector<std::string> point_problems(const asset::PointsView& p, const std::vector<double>& spacing,
                                        const PointsContext& context) {
  const QuadMesh mesh = quads_of(p);
  if (const std::string fault = find_topological_fault(mesh); !fault.empty()) return {"quads: " + fault};
  DisjointSets parts(mesh.vertices.size());
  for (const auto& quad : mesh.quads)
    for (int k = 0; k < 3; ++k) parts.join(quad[k], quad[k + 1]);
  std::map<std::int32_t, double>
      outward;  // of each part: its area times the cosine to the surface's normal, m^2
  for (std::int32_t i = 0; i < p.point_count; ++i) {
    const auto near = distance::signed_distance<double>(context.surface, position(p, i));
    if (!(std::abs(near.distance) <= context.farthest_of_points))
      return {fmt::format("positions: point {} is {:.3g} m from the surface, more than its quads are", i,
                          std::abs(near.distance))};
    if (std::string fault = fault_of_point(p, i, mesh, context.size); !fault.empty())
      return {std::move(fault)};
    outward[parts.least(mesh.quads[static_cast<std::size_t>(i)][0])] +=
        p.areas[i] * normal(p, i).dot(near.gradient);
  }
  std::vector<std::string> problems;
  for (const auto& [first, sum] : outward)
    if (!(sum > 0) && problems.empty())
      problems.push_back(
          fmt::format("quads: face inward{}", outward.size() > 1 ? ", those of one connected part" : ""));
  constexpr double kCertified = 5e-4;  // of the distance, over the size
  const double away =
      hausdorff(to_mesh(context.surface), triangulate(mesh), kCertified * context.size).from_A;
  if (!(away <= context.farthest_of_surface))
    problems.push_back(fmt::format(
        "quads: the surface is up to {:.3g} m from them, more than recorded: they miss some of it", away));
  if (std::string fault = fault_of_spacing(p, mesh, spacing); !fault.empty())
    problems.push_back(std::move(fault));
  return problems;
}

}  // namespace abut::preprocess
