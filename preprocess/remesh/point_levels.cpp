#include "preprocess/remesh/point_levels.h"

#include <fmt/format.h>

#include <algorithm>

#include "preprocess/remesh/oriented_points.h"
#include "preprocess/remesh/quad_quality.h"

namespace abut::preprocess {

std::vector<asset::OrientedPoints> make_point_levels(const TriangleMesh& closed,
                                                     const PointParameters& parameters, Report& report) {
  const ReferenceSurface surface(closed);
  std::vector<QuadMesh> meshes;
  for (const QuadTarget& target : parameters.levels) {
    RemeshParameters remeshing = parameters.remesh;
    remeshing.target = target;
    meshes.push_back(remesh(closed, surface, remeshing, report));
  }
  std::stable_sort(meshes.begin(), meshes.end(),
                   [](const QuadMesh& a, const QuadMesh& b) { return a.quads.size() > b.quads.size(); });
  std::vector<asset::OrientedPoints> levels;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    report.measures.merge(measures_of(measure(meshes[i], closed, surface), fmt::format("points{}_", i)));
    levels.push_back(make_points(meshes[i], surface));
  }
  return levels;
}

}  // namespace abut::preprocess
