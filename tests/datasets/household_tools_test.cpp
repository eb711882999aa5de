#include <gtest/gtest.h>

#include <cmath>

#include "datasets/household/implicit.h"
#include "datasets/household/rings.h"
#include "tests/datasets/topology.h"

namespace abut::datasets {
namespace {

// The tools on shapes with closed forms.
TEST(Rings, SphereAndItsVolume) {
  household::Profile profile;
  household::arc(profile, {0, 0}, 1, -std::acos(0.0), std::acos(0.0), 0.01);
  EXPECT_NEAR(household::revolved_volume(profile), 4.1887902047863905, 1e-3);
  const household::Surface sphere = household::revolve(profile, 0.03);
  for (const Eigen::Vector3d& p : sphere.vertices) EXPECT_NEAR(p.norm(), 1, 1e-12);
  EXPECT_NEAR(test::volume({sphere.vertices, sphere.triangles, ""}), 4.18879, 5e-3);
}

TEST(Implicit, TorusKeepsItsGenusAndVolume) {
  const household::Field torus = [](const Eigen::Vector3d& p) {
    return std::hypot(p.head<2>().norm() - 1, p.z()) - 0.3;
  };
  const household::Extraction extraction =
      household::extract(torus, {{-1.4, -1.4, -0.4}, {1.4, 1.4, 0.4}, 0.05});
  EXPECT_NEAR(extraction.volume / (2 * 9.869604401089358 * 0.09), 1, 3e-3);
  for (const std::size_t triangles :
       {extraction.surface.triangles.size(), std::size_t{2000}, std::size_t{500}}) {
    const household::Surface surface = household::simplify(extraction.surface, triangles, torus, 0.05);
    const test::Counts counts = test::count({surface.vertices, surface.triangles, ""});
    EXPECT_EQ(counts.euler, 0);
    EXPECT_EQ(counts.boundary_edges + counts.crowded_edges + counts.misoriented + counts.pinched_vertices, 0);
    for (const Eigen::Vector3d& p : surface.vertices) EXPECT_NEAR(torus(p), 0, 1e-9);
  }
}

}  // namespace
}  // namespace abut::datasets
