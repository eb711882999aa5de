#include "preprocess/remesh/cover.h"

#include <Eigen/Geometry>
#include <limits>

#include "preprocess/index/index.h"
#include "preprocess/remesh/rows.h"
#include "runtime/bvh/build.h"
#include "runtime/bvh/traversal.h"
#include "runtime/core/parallel.h"
#include "runtime/distance/surface_distance.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

constexpr double kFacing = 0.3;    // least cosine between the normals of a vertex and of its target
constexpr double kFurthest = 2;    // largest move of a vertex, in tolerances: farther ones become spikes
constexpr double kUnturned = 0.3;  // least cosine between a quad's normals before and after

// Finds the nearest of the mesh's vertices whose normal agrees with a direction.
class NearestVertex {
 public:
  NearestVertex(const QuadMesh& mesh, const Rows& corners) : vertices_(mesh.vertices) {
    std::vector<bvh::Box> boxes;
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
      boxes.push_back({vertices_[v], vertices_[v]});
      Vec3 sum = Vec3::Zero();
      for (const std::int32_t corner : corners[v]) sum += vector_area(mesh, mesh.quads[corner / 4]);
      normals_.push_back(sum.normalized());
    }
    built_ = bvh::build_tree(boxes);
  }

  std::int32_t operator()(const Vec3& p, const Vec3& normal) const {
    std::int32_t nearest = -1;
    double bound = std::numeric_limits<double>::infinity();
    bvh::visit_nearest<double>(
        bvh::view(built_.tree), p, bound, [&](std::int32_t first, std::int32_t count, double& distance2) {
          for (std::int32_t i = first; i < first + count; ++i) {
            const double d2 = (p - vertices_[built_.order[i]]).squaredNorm();
            if (!(d2 < distance2) || !(normals_[built_.order[i]].dot(normal) > kFacing)) continue;
            distance2 = d2;
            nearest = built_.order[i];
          }
        });
    return nearest;
  }

 private:
  const std::vector<Vec3>& vertices_;
  std::vector<Vec3> normals_;
  bvh::BuiltTree built_;
};

// Whether a point of the surface lies within `reach` of p; the first one found ends the search.
bool is_within(const asset::SurfaceView& surface, const Vec3& p, double reach) {
  double bound = reach * reach;
  bvh::visit_nearest<double>(
      surface.tree, p, bound, [&](std::int32_t first, std::int32_t count, double& distance2) {
        for (std::int32_t t = first; t < first + count && distance2 >= 0; ++t) {
          const auto near =
              distance::closest_on_triangle<double>(distance::internal::corner<double>(surface, t, 0),
                                                    distance::internal::corner<double>(surface, t, 1),
                                                    distance::internal::corner<double>(surface, t, 2), p);
          if (near.distance2 <= distance2) distance2 = -1;
        }
      });
  return bound < 0;
}

struct Miss {
  double distance = 0;
  std::int32_t vertex = -1;
};

}  // namespace

std::vector<char> cover(QuadMesh& mesh, const ReferenceSurface& surface, double tolerance, int threads) {
  std::vector<char> moved(mesh.vertices.size(), 0);
  const asset::Surface quads = build_surface(triangulate(mesh));
  const asset::SurfaceView view = asset::view(quads);
  const Rows corners = corners_by_vertex(mesh);
  const NearestVertex nearest(mesh, corners);
  const auto at = [](const double* values, std::int64_t i) { return Vec3(Vec3::Map(values + 3 * i)); };
  std::vector<Miss> misses(static_cast<std::size_t>(surface.view().vertex_count));
  parallel_for(
      static_cast<std::int64_t>(misses.size()), threads,
      [&](std::int64_t i, int) {
        const Vec3 p = at(surface.view().vertices, i), n = at(surface.view().vertex_normals, i);
        if (is_within(view, p, tolerance)) return;
        misses[i] = {std::abs(distance::signed_distance<double>(view, p).distance), nearest(p, n)};
      },
      64);
  std::vector<std::int32_t> furthest(mesh.vertices.size(), -1);
  for (std::size_t i = 0; i < misses.size(); ++i) {
    if (misses[i].vertex < 0) continue;
    std::int32_t& best = furthest[misses[i].vertex];
    if (best < 0 || misses[i].distance > misses[best].distance) best = static_cast<std::int32_t>(i);
  }
  for (std::size_t v = 0; v < furthest.size(); ++v) {
    if (furthest[v] < 0) continue;
    std::vector<Vec3> before;
    for (const std::int32_t corner : corners[v])
      before.push_back(vector_area(mesh, mesh.quads[corner / 4]).normalized());
    const Vec3 old = mesh.vertices[v];
    const Vec3 wanted = at(surface.view().vertices, furthest[v]);
    if ((wanted - old).norm() > kFurthest * tolerance) continue;
    mesh.vertices[v] = wanted;
    bool sound = true;
    for (std::size_t i = 0; i < before.size(); ++i)
      sound =
          sound && vector_area(mesh, mesh.quads[corners[v][i] / 4]).normalized().dot(before[i]) > kUnturned;
    if (sound)
      moved[v] = 1;
    else
      mesh.vertices[v] = old;
  }
  return moved;
}

}  // namespace abut::preprocess
