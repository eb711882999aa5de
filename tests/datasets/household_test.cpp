#include "datasets/household.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "datasets/dataset.h"
#include "datasets/household/shapes.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "tests/datasets/household_sets.h"
#include "tests/datasets/topology.h"

namespace abut::datasets {
namespace {
namespace fs = std::filesystem;

class HouseholdTest : public abut::test::HouseholdSets {
 protected:
  static const HouseholdObject& dirty_object(const std::string& name) {
    for (const HouseholdObject& object : dirty_.objects)
      if (object.name == name) return object;
    throw std::out_of_range(name);
  }
  static int faults(const std::string& name, FaultKind kind) {
    int sum = 0;
    for (const Fault& fault : dirty_.faults)
      if (fault.object == name && fault.kind == kind) sum += fault.count;
    return sum;
  }
};

TEST_F(HouseholdTest, IsAYcbTree) {
  for (const char* set : {"clean", "dirty"}) {
    const Dataset dataset = open_dataset(root_ / set);
    EXPECT_EQ(dataset.layout, "ycb");
    const bool has_faults = fs::exists(root_ / set / "faults.json");  // named among the files left out
    EXPECT_EQ(dataset.notes.size(), has_faults ? 1U : 0U);
    ASSERT_EQ(dataset.objects.size(), 8U);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(dataset.objects[i].name, clean_.objects[i].name);
      EXPECT_EQ(dataset.objects[i].file.filename(), "textured.obj");
      EXPECT_TRUE(dataset.objects[i].notes.empty());
    }
  }
  EXPECT_FALSE(fs::exists(root_ / "clean" / "faults.json"));
}

TEST_F(HouseholdTest, SoundObjectsAreClosedConnectedManifoldsOfTheRightGenus) {
  for (const HouseholdObject& object : clean_.objects) {
    SCOPED_TRACE(object.name);
    const test::Mesh mesh = test::read_obj(object.file);
    EXPECT_GE(mesh.triangles.size(), 15000U);
    EXPECT_LE(mesh.triangles.size(), 17000U);
    const test::Counts counts = test::count(mesh);
    EXPECT_EQ(counts.boundary_edges, 0);
    EXPECT_EQ(counts.crowded_edges, 0);
    EXPECT_EQ(counts.misoriented, 0);
    EXPECT_EQ(counts.collapsed_faces, 0);
    EXPECT_EQ(counts.twin_faces, 0);
    EXPECT_EQ(counts.pinched_vertices, 0);
    EXPECT_EQ(counts.unused_vertices, 0);
    EXPECT_EQ(counts.components, 1);
    EXPECT_EQ(counts.euler, 2 - 2 * object.genus);
    EXPECT_EQ(test::weld(mesh).vertices.size(), mesh.vertices.size());
    EXPECT_GT(test::smallest_angles(mesh).front(),
              object.name == "004_bowl" ? 5 : 10);  // the bowl's rim is fine
  }
}

// Chords cut corners: the mesh is a little smaller than the shape, most so where parts are thin against its
// triangles.
TEST_F(HouseholdTest, VolumesAreTheShapes) {
  for (const HouseholdObject& object : clean_.objects) {
    const bool implicit = object.name >= "005" && object.name.substr(0, 3) != "006";
    const double ratio = test::volume(test::read_obj(object.file)) / object.volume;
    EXPECT_GT(ratio, implicit ? 0.978 : 0.998) << object.name;
    EXPECT_LT(ratio, 1 + 1e-12) << object.name;
  }
  EXPECT_DOUBLE_EQ(clean_.objects[0].volume, 0.060 * 0.158 * 0.210);
}

TEST_F(HouseholdTest, SizesAreHouseholdSizes) {
  for (const HouseholdObject& object : clean_.objects) {
    Eigen::Array3d lower = Eigen::Array3d::Constant(1e9), upper = -lower;
    for (const Eigen::Vector3d& p : test::read_obj(object.file).vertices) {
      lower = lower.min(p.array());
      upper = upper.max(p.array());
    }
    EXPECT_GT((upper - lower).maxCoeff(), 0.05) << object.name;
    EXPECT_LT((upper - lower).maxCoeff(), 0.25) << object.name;
  }
}

// Every vertex of the bowl lies on one of two spheres 1.5 mm apart or on the rim between them.
TEST_F(HouseholdTest, BowlsWallIsOneAndAHalfMillimetres) {
  int outer = 0, inner = 0;
  const test::Mesh mesh = test::read_obj(clean_.objects[3].file);
  for (const Eigen::Vector3d& p : mesh.vertices) {
    const double radius = (p - Eigen::Vector3d(0, 0, 0.0857)).norm();
    outer += std::abs(radius - 0.0857) < 1e-12 ? 1 : 0;
    inner += std::abs(radius - 0.0842) < 1e-12 ? 1 : 0;
    EXPECT_GT(radius, 0.0842 - 1e-12);
    EXPECT_LT(radius, 0.0857 + 1e-12);
  }
  EXPECT_GT(outer, 3000);
  EXPECT_GT(inner, 3000);
}

// The vertices lie on the shape, and its volume by counting the points of another, finer grid is the one
// stated.
TEST_F(HouseholdTest, ImplicitShapesLieOnTheirZeroSets) {
  const std::map<std::string, double (*)(const Eigen::Vector3d&)> fields{
      {"005_mug", household::mug_field},
      {"007_clamp", household::clamp_field},
      {"008_scissors", household::scissors_field}};
  for (const HouseholdObject& object : clean_.objects) {
    const auto field = fields.find(object.name);
    if (field == fields.end()) continue;
    Eigen::Array3d lower = Eigen::Array3d::Constant(1e9), upper = -lower;
    for (const Eigen::Vector3d& p : test::read_obj(object.file).vertices) {
      EXPECT_NEAR(field->second(p), 0, 1e-7) << object.name;
      lower = lower.min(p.array());
      upper = upper.max(p.array());
    }
    // One random point in every cell.
    const Eigen::Array3d step = (upper - lower) / 100;
    Random random(1);
    long inside = 0;
    for (int cell = 0; cell < 1000000; ++cell) {
      const Eigen::Array3d at(cell % 100 + random.uniform(), cell / 100 % 100 + random.uniform(),
                              cell / 10000 + random.uniform());
      inside += field->second(lower + step * at) < 0 ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(inside) * step.prod() / object.volume, 1, 0.005) << object.name;
  }
}

TEST_F(HouseholdTest, NumbersAreWrittenInFull) {
  const std::vector<household::Shape> shapes = household::make_shapes();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const test::Mesh mesh = test::read_obj(clean_.objects[i].file);
    EXPECT_EQ(mesh.vertices, shapes[i].surface.vertices) << shapes[i].name;
    EXPECT_EQ(mesh.triangles, shapes[i].surface.triangles) << shapes[i].name;
  }
}

TEST_F(HouseholdTest, DirtySeamsWeldAway) {
  const test::Mesh mesh = test::read_obj(dirty_object("001_box").file);
  const test::Counts open = test::count(mesh);
  EXPECT_GT(open.boundary_edges, 0);
  EXPECT_EQ(open.components, 6);
  const test::Mesh welded = test::weld(mesh);
  EXPECT_EQ(static_cast<int>(mesh.vertices.size() - welded.vertices.size()),
            faults("001_box", FaultKind::kDuplicateVertices));
  EXPECT_EQ(test::count(welded).boundary_edges, 0);
  EXPECT_NEAR(test::volume(welded), clean_.objects[0].volume, 1e-12);
}

TEST_F(HouseholdTest, DirtyCanIsInsideOutAndBottleInMillimetres) {
  const test::Mesh can = test::read_obj(dirty_object("002_can").file);
  EXPECT_EQ(test::count(can).misoriented, 0);
  EXPECT_NEAR(test::volume(can) / clean_.objects[1].volume, -1, 0.002);
  const test::Mesh bottle = test::read_obj(dirty_object("003_bottle").file);
  EXPECT_NEAR(test::volume(bottle) / clean_.objects[2].volume, 1e9, 0.002e9);
}

TEST_F(HouseholdTest, DirtyBowlHasHoles) {
  const test::Counts counts = test::count(test::read_obj(dirty_object("004_bowl").file));
  const int holes = faults("004_bowl", FaultKind::kHole);
  EXPECT_EQ(holes, 5);
  EXPECT_EQ(counts.euler, 2 - holes);
  EXPECT_GE(counts.boundary_edges, 3 * holes);
  EXPECT_EQ(counts.pinched_vertices, 0);
  EXPECT_EQ(counts.unused_vertices, 0);
}

TEST_F(HouseholdTest, DirtyMugHasTunnels) {
  const test::Counts counts = test::count(test::read_obj(dirty_object("005_mug").file));
  const int tunnels = faults("005_mug", FaultKind::kTunnel);
  EXPECT_EQ(tunnels, 3);
  EXPECT_EQ(counts.euler, 2 - 2 * (1 + tunnels));
  EXPECT_EQ(counts.boundary_edges + counts.crowded_edges + counts.misoriented, 0);
  EXPECT_EQ(counts.components, 1);
}

TEST_F(HouseholdTest, DirtyBananaHasFlaps) {
  const int flaps = faults("006_banana", FaultKind::kFlap);
  EXPECT_EQ(flaps, 6);
  const test::Mesh mesh = test::read_obj(dirty_object("006_banana").file);
  EXPECT_EQ(test::count(mesh).boundary_edges, 0);  // before welding nothing shows
  const test::Counts welded = test::count(test::weld(mesh));
  EXPECT_EQ(welded.collapsed_faces, 2 * flaps);
  EXPECT_EQ(welded.twin_faces, flaps);
  EXPECT_EQ(welded.crowded_edges, flaps);
  EXPECT_EQ(welded.boundary_edges, 0);
}

TEST_F(HouseholdTest, DirtyClampAndScissors) {
  // That the clamp's dents do cross is checked with CGAL in the tests of preprocess.
  EXPECT_EQ(faults("007_clamp", FaultKind::kSelfIntersection), 4);
  EXPECT_EQ(test::count(test::read_obj(dirty_object("007_clamp").file)).euler, 2);
  const test::Counts scissors = test::count(test::read_obj(dirty_object("008_scissors").file));
  EXPECT_EQ(scissors.components, 1 + faults("008_scissors", FaultKind::kExtraComponent));
  EXPECT_EQ(scissors.euler, (2 - 2 * 2) + 2);
}

TEST_F(HouseholdTest, DirtyFilesNameAMaterialThatIsMissing) {
  for (const HouseholdObject& object : dirty_.objects) {
    EXPECT_EQ(faults(object.name, FaultKind::kMissingMaterial), 1);
    const std::string material = test::read_obj(object.file).material;
    EXPECT_EQ(material, "textured.mtl");
    EXPECT_FALSE(fs::exists(object.file.parent_path() / material));
  }
  for (const HouseholdObject& object : clean_.objects) EXPECT_EQ(test::read_obj(object.file).material, "");
}

TEST_F(HouseholdTest, FaultsAreListedInAFile) {
  std::stringstream text;
  text << std::ifstream(root_ / "dirty" / "faults.json").rdbuf();
  for (const Fault& fault : dirty_.faults) {
    EXPECT_NE(text.str().find("\"" + fault.object + "\""), std::string::npos);
    EXPECT_NE(text.str().find("\"" + to_string(fault.kind) + "\""), std::string::npos);
    EXPECT_NE(text.str().find(fault.description), std::string::npos);
  }
}

TEST_F(HouseholdTest, TheListOfADirtySetDoesNotOutliveItNorAnotherFileTheSet) {
  const fs::path set = root_ / "again", list = set / "faults.json";
  HouseholdOptions dirty;
  dirty.dirty = true;
  write_household(set, dirty);
  EXPECT_TRUE(fs::exists(list));
  write_household(set);
  EXPECT_FALSE(fs::exists(list));
  std::ofstream(list) << "{\"mine\": 1}";
  write_household(set);
  EXPECT_TRUE(fs::exists(list));
}

TEST_F(HouseholdTest, UnwritableFolderIsAnIoError) {
  std::ofstream(root_ / "file") << "x";
  try {
    write_household(root_ / "file");
    FAIL() << "no error";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find((root_ / "file").string()), std::string::npos);
  }
}

}  // namespace
}  // namespace abut::datasets
