#include "preprocess/pressure/snap.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "preprocess/tetrahedralize/editable_tets.h"

namespace abut::preprocess {
namespace {

// Vertices between these multiples of the core's depth belong to its boundary.
constexpr double kOutermost = 0.75;
constexpr double kInnermost = 1.33;
constexpr double kOnBoundary = 0.001;  // tolerance, relative to the core's depth
constexpr int kSteps = 3;              // the core's depth changes along the way

}  // namespace

void snap_to_core(TetrahedralMesh& mesh, const LocalInradius& inradius, double core_fraction) {
  const double enough = std::sin(kSnappedDihedral * std::numbers::pi / 180);
  EditableTets tets(mesh);
  for (auto v = mesh.surface_vertices; v < static_cast<std::int32_t>(mesh.vertices.size()); ++v) {
    for (int step = 0; step < kSteps; ++step) {
      const Eigen::Vector3d p = tets.point(v);
      const LocalInradius::Foot foot = inradius.foot(p);
      const double core = (1 - core_fraction) * inradius.inradius(p, foot);
      if (foot.distance < kOutermost * core || foot.distance > kInnermost * core ||
          std::abs(foot.distance - core) < kOnBoundary * core)
        break;
      const double before = tets.worst(tets.star(v));
      tets.move(v, foot.point + core / foot.distance * (p - foot.point));
      if (tets.worst(tets.star(v)) >= std::min(before, enough)) continue;
      tets.move(v, p);
      break;
    }
  }
  mesh = tets.mesh();
}

}  // namespace abut::preprocess
