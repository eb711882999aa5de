#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "command_runner.h"
#include "tests/support/shapes.h"

// Input that must be mended: exit code 0, an asset that passes verify, and a warning that says what was done.
namespace {

using namespace abut::test;
using abut::preprocess::TriangleMesh;

class Mend : public CommandTest {
 protected:
  // Makes data/thing.obj into a verified asset and returns what the run says of it.
  nlohmann::json mend(const TriangleMesh& mesh, const std::vector<std::string>& more = {}) {
    write("thing.obj", mesh);
    return mend_files(more);
  }

  nlohmann::json mend_files(const std::vector<std::string>& more = {}) {
    const std::string json = (folder_ / "run.json").string();
    std::vector<std::string> arguments{"--json", json};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult made = make(arguments);
    EXPECT_EQ(made.code, 0) << made.out << made.err;
    EXPECT_EQ(made.err, "");
    const CommandResult verified = command({"verify", asset("thing")});
    EXPECT_EQ(verified.code, 0) << verified.err;
    printed_ = made.out;
    return nlohmann::json::parse(std::ifstream(json))["objects"][0];
  }

  // A warning with this word is in the file of the run, and on the screen.
  void expect_warning(const nlohmann::json& object, const std::string& word) const {
    bool found = false;
    for (const std::string warning : object["warnings"]) {
      if (warning.find(word) == std::string::npos) continue;
      found = true;
      EXPECT_NE(printed_.find("warning: " + warning), std::string::npos) << printed_;
    }
    EXPECT_TRUE(found) << "no '" << word << "' in " << object["warnings"];
  }

  std::string printed_;
};

double volume_of(const nlohmann::json& object) { return 1e-6 * object["volume_cm3"].get<double>(); }

// Volume of the polyhedron sphere(radius, levels).
double sphere_volume(double radius, int levels) {
  const TriangleMesh mesh = sphere(radius, levels);
  double volume = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    volume += mesh.vertices[a].dot(mesh.vertices[b].cross(mesh.vertices[c])) / 6;
  return volume;
}

TEST_F(Mend, DuplicatedVertices) {
  TriangleMesh mesh;  // every triangle on vertices of its own
  const TriangleMesh ball = sphere(0.05, 3);
  for (const auto& triangle : ball.triangles) {
    const auto first = static_cast<std::int32_t>(mesh.vertices.size());
    for (const std::int32_t v : triangle) mesh.vertices.push_back(ball.vertices[v]);
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  const nlohmann::json object = mend(mesh);
  EXPECT_EQ(object["measures"]["welded_vertices"], mesh.vertices.size() - ball.vertices.size());
  EXPECT_NEAR(volume_of(object), sphere_volume(0.05, 3), 1e-12);
  expect_warning(object, "duplicated vertices");
}

TEST_F(Mend, Flaps) {
  TriangleMesh mesh = sphere(0.05, 3);
  // Two coincident opposite faces stand out of the edge (a, b) of the first triangle.
  const auto [a, b, c] = mesh.triangles[0];
  const auto tip = static_cast<std::int32_t>(mesh.vertices.size());
  mesh.vertices.push_back(1.1 * mesh.vertices[a]);
  mesh.triangles.push_back({a, b, tip});
  mesh.triangles.push_back({b, a, tip});
  mesh.triangles.push_back({a, a, b});
  const nlohmann::json object = mend(mesh);
  EXPECT_NEAR(volume_of(object), sphere_volume(0.05, 3), 1e-12);
  expect_warning(object, "flap");
  expect_warning(object, "collapsed");
}

TEST_F(Mend, SmallHoles) {
  TriangleMesh mesh = sphere(0.05, 4);
  mesh.triangles.erase(mesh.triangles.begin() + 100);
  mesh.triangles.erase(mesh.triangles.begin() + 900, mesh.triangles.begin() + 902);
  const nlohmann::json object = mend(mesh);
  EXPECT_NEAR(volume_of(object), sphere_volume(0.05, 4), 1e-3 * sphere_volume(0.05, 4));
  expect_warning(object, "hole");
}

TEST_F(Mend, InsideOut) {
  TriangleMesh mesh = sphere(0.05, 3);
  for (auto& triangle : mesh.triangles) std::swap(triangle[0], triangle[1]);
  const nlohmann::json object = mend(mesh);
  EXPECT_NEAR(volume_of(object), sphere_volume(0.05, 3), 1e-12);
  expect_warning(object, "inside");
}

TEST_F(Mend, TwoComponentsOfWhichTheLargestIsKept) {
  TriangleMesh mesh = sphere(0.05, 3);
  append(mesh, sphere(0.02, 3), {0.2, 0, 0});
  const nlohmann::json object = mend(mesh);
  EXPECT_NEAR(volume_of(object), sphere_volume(0.05, 3), 1e-12);
  expect_warning(object, "dropped");
  const nlohmann::json both = mend(mesh, {"--keep-all-components"});
  EXPECT_NEAR(volume_of(both), sphere_volume(0.05, 3) + sphere_volume(0.02, 3), 1e-12);
}

TEST_F(Mend, MissingMaterialFile) {
  write("thing.obj", "mtllib nowhere.mtl\nusemtl gold\n" + obj_text(sphere(0.05, 3)));
  EXPECT_NEAR(volume_of(mend_files()), sphere_volume(0.05, 3), 1e-12);
}

TEST_F(Mend, WrongUnitsSuspected) {
  const nlohmann::json object = mend(sphere(100, 3));  // 200 m across
  expect_warning(object, "--scale");
  const nlohmann::json scaled = mend(sphere(100, 3), {"--scale", "0.001"});
  EXPECT_EQ(scaled["warnings"].size(), 0U);
  EXPECT_NEAR(volume_of(scaled), sphere_volume(0.1, 3), 1e-12);
}

TEST_F(Mend, AMillionTriangles) {
  write("thing.obj", torus(0.1, 0.04, 1000, 500));
  const std::string json = (folder_ / "run.json").string();
  const CommandResult made = make({"--json", json});
  ASSERT_EQ(made.code, 0) << made.err;
  const nlohmann::json object = nlohmann::json::parse(std::ifstream(json))["objects"][0];
  EXPECT_EQ(object["triangles"], 1000000);
  EXPECT_EQ(object["measures"]["genus"], 1);
#ifndef ABUT_SANITIZED
  EXPECT_LT(object["peak_memory_mib"].get<double>(), 1024);
#endif
}

// The dirty household: every fault that was put in is mended, and all assets pass.
TEST_F(Mend, TheDirtyHousehold) {
  ASSERT_EQ(command({"synthetic", data_.string(), "--dirty"}).code, 0);
  const std::string json = (folder_ / "run.json").string();
  const CommandResult made = make({"--json", json});
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  std::vector<std::string> words{"verify"};
  for (const std::string& file : files()) words.push_back((out_ / file).string());
  EXPECT_EQ(words.size(), 9U);
  const CommandResult verified = command(words);
  EXPECT_EQ(verified.code, 0) << verified.err;
}

}  // namespace
