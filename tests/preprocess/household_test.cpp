// The household set meets the pipeline: the sound objects go through untouched, the faults of the dirty ones
// are mended and named.
#include "datasets/household.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "preprocess/mesh/close.h"
#include "preprocess/mesh/read.h"
#include "tests/datasets/household_sets.h"
#include "tests/preprocess/mesh/exact_check.h"

namespace abut::preprocess {
namespace {
namespace fs = std::filesystem;
using datasets::FaultKind;
using datasets::HouseholdObject;

class HouseholdMeshes : public test::HouseholdSets {
 protected:
  static bool has(const std::string& object, FaultKind kind) {
    return std::any_of(dirty_.faults.begin(), dirty_.faults.end(), [&](const datasets::Fault& fault) {
      return fault.object == object && fault.kind == kind;
    });
  }
};

double signed_volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (const Triangle& t : mesh.triangles)
    sum += mesh.vertices[t[0]].dot(mesh.vertices[t[1]].cross(mesh.vertices[t[2]])) / 6;
  return sum;
}

int genus_of(const TriangleMesh& closed) {
  const auto faces = static_cast<long>(closed.triangles.size());
  return static_cast<int>(1 - (static_cast<long>(closed.vertices.size()) - faces / 2) / 2);
}

TEST_F(HouseholdMeshes, SoundObjectsNeedNoMending) {
  for (const HouseholdObject& object : clean_.objects) {
    SCOPED_TRACE(object.name);
    Report report;
    const TriangleMesh mesh = read_mesh(object.file, 1, report);
    EXPECT_TRUE(is_closed_and_oriented(mesh));
    EXPECT_EQ(count_exact_intersections(mesh), 0U);
    const ClosedSurface closed = close_surface(mesh, {}, report);
    EXPECT_TRUE(report.warnings.empty()) << report.warnings.front();
    EXPECT_EQ(closed.surface.triangles.size(), mesh.triangles.size());
    EXPECT_EQ(closed.hull_points.size(), mesh.vertices.size());
  }
}

TEST_F(HouseholdMeshes, FaultsAreMended) {
  for (std::size_t i = 0; i < dirty_.objects.size(); ++i) {
    const HouseholdObject& object = dirty_.objects[i];
    SCOPED_TRACE(object.name);
    const double metres_per_unit = has(object.name, FaultKind::kWrongUnits) ? 1e-3 : 1;
    Report report, sound_report;
    const TriangleMesh soup = read_mesh(object.file, metres_per_unit, report);
    if (has(object.name, FaultKind::kSelfIntersection)) {
      EXPECT_GE(count_exact_intersections(soup), 8U);
    }
    const ClosedSurface closed = close_surface(soup, {}, report);
    const TriangleMesh sound = read_mesh(clean_.objects[i].file, 1, sound_report);
    EXPECT_TRUE(is_closed_and_oriented(closed.surface));
    EXPECT_EQ(count_exact_intersections(closed.surface), 0U);
    EXPECT_EQ(genus_of(closed.surface), object.genus);
    EXPECT_NEAR(signed_volume(closed.surface) / signed_volume(sound), 1, 0.01);
    EXPECT_NEAR(closed.surface.diagonal() / sound.diagonal(), 1, 1e-3);
    EXPECT_EQ(report.warnings.empty(), has(object.name, FaultKind::kWrongUnits));
  }
}

// 178 m of bottle: read as written, it is suspected.
TEST_F(HouseholdMeshes, WrongUnitsAreSuspected) {
  for (const HouseholdObject& object : dirty_.objects) {
    Report report;
    read_mesh(object.file, 1, report);
    const bool suspected = std::any_of(report.warnings.begin(), report.warnings.end(),
                                       [](const std::string& w) { return w.find("--scale") != w.npos; });
    EXPECT_EQ(suspected, has(object.name, FaultKind::kWrongUnits)) << object.name;
  }
}

}  // namespace
}  // namespace abut::preprocess
