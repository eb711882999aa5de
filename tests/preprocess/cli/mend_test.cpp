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
  // Two coincident opposite faces stand out of the edge (a, b) of the first triangle, far beyond the hull of
  // what has a volume.
  const auto [a, b, c] = mesh.triangles[0];
  const auto tip = static_cast<std::int32_t>(mesh.vertices.size());
  mesh.vertices.push_back(4 * mesh.vertices[a]);
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

// Box of 10 cm with n x n squares on each side, without the sides that `open` marks (-x, +x, -y, ...).
TriangleMesh open_box(const std::vector<int>& open, int n = 6, const Eigen::Vector3d& size = {0.1, 0.1, 0.1},
                      const Eigen::Vector3d& centre = {0, 0, 0}) {
  TriangleMesh mesh;
  for (int side = 0; side < 6; ++side) {
    if (std::find(open.begin(), open.end(), side) != open.end()) continue;
    const int axis = side / 2;
    for (int i = 0; i < n * n; ++i) {
      const auto corner = [&](int di, int dj) {
        Eigen::Vector3d p;
        p[axis] = side % 2;
        p[(axis + 1) % 3] = static_cast<double>(i % n + di) / n;
        p[(axis + 2) % 3] = static_cast<double>(i / n + dj) / n;
        mesh.vertices.emplace_back(centre + size.cwiseProduct(p - Eigen::Vector3d::Constant(0.5)));
        return static_cast<std::int32_t>(mesh.vertices.size()) - 1;
      };
      const std::int32_t a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), d = corner(0, 1);
      if (side % 2 == 1)
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {a, c, d}});
      else
        mesh.triangles.insert(mesh.triangles.end(), {{a, c, b}, {a, d, c}});
    }
  }
  return mesh;
}

const std::vector<std::string> kSurfaceOnly{"--tets", "none", "--quads", "none"};

TEST_F(Mend, LargeFlatHolesGetLids) {
  for (const std::vector<int>& open : {std::vector<int>{5}, {4, 5}}) {
    const nlohmann::json object = mend(open_box(open), kSurfaceOnly);
    EXPECT_NEAR(volume_of(object), 1e-3, 1e-12);
    EXPECT_EQ(object["measures"]["flat_lids"], open.size());
    EXPECT_EQ(object["status"], "ok, mended");
    EXPECT_NE(object["caution"].get<std::string>().find("taken for solid"), std::string::npos);
    expect_warning(object, "closed by");
    EXPECT_NE(printed_.find("take care: taken for solid"), std::string::npos) << printed_;
  }
}

TEST_F(Mend, AThinShellIsSaidLoudly) {
  const nlohmann::json object = mend(open_box({3, 5}), kSurfaceOnly);  // the hole goes around an edge
  EXPECT_LT(volume_of(object), 1e-4);
  EXPECT_EQ(object["status"], "ok, THIN SHELL");
  expect_warning(object, "NOT A SOLID");
  EXPECT_NE(printed_.find("take care: not a solid"), std::string::npos) << printed_;
  EXPECT_NE(command({"inspect", asset("thing")}).out.find("TAKE CARE    not a solid"), std::string::npos);
}

// A palm: a body with a block through it, one against it, one a hair above it, an open one set on it, one in
// it.
TEST_F(Mend, PartsOfOneObjectAreUnited) {
  TriangleMesh palm = open_box({}, 4, {0.1, 0.08, 0.03});
  append(palm, open_box({}, 3, {0.04, 0.06, 0.05}), {0.03, 0, 0.02});
  append(palm, open_box({}, 3, {0.03, 0.08, 0.03}), {0.065, 0, 0});
  append(palm, open_box({}, 3, {0.02, 0.02, 0.02}), {-0.03, -0.025, 0.0252});
  append(palm, open_box({4}, 3, {0.03, 0.03, 0.03}), {-0.03, 0.02, 0.02});
  append(palm, open_box({}, 3, {0.02, 0.02, 0.02}), {-0.03, 0, 0});
  // The block through the body sticks out of it by 40 x 60 x 30, beyond the end x = 0.05 into the one there
  // by nothing; the open one by 30 x 30 x 20.
  const double body = 0.1 * 0.08 * 0.03, on_body = 0.04 * 0.06 * 0.03, end = 0.03 * 0.08 * 0.03,
               small = 0.02 * 0.02 * 0.02, open = 0.03 * 0.03 * 0.02;
  const nlohmann::json object = mend(palm, kSurfaceOnly);
  EXPECT_NEAR(volume_of(object), body + on_body + end + small + open, 1e-4 * body);
  EXPECT_EQ(object["measures"]["hausdorff_to_input_percent"].get<double>() < 0.01, true);
  const nlohmann::json all = mend(palm, {"--keep-all-components", "--tets", "none", "--quads", "none"});
  EXPECT_NEAR(volume_of(all), body + on_body + end + small + open, 1e-4 * body);
  expect_warning(all, "united that overlap");
}

TEST_F(Mend, DroppedPartsAreNamedByAreaAndVolume) {
  TriangleMesh mesh = open_box({});
  append(mesh, open_box({}, 3, {0.05, 0.05, 0.05}), {0.3, 0, 0});
  const nlohmann::json object = mend(mesh, kSurfaceOnly);
  EXPECT_EQ(object["status"], "ok, parts dropped");
  EXPECT_NEAR(object["measures"]["dropped_area_percent"].get<double>(), 20, 1e-9);
  EXPECT_NEAR(object["measures"]["dropped_volume_percent"].get<double>(), 100.0 / 9, 1e-9);
  expect_warning(object, "20 % of the area");
}

TEST_F(Mend, FarFromTheOrigin) {
  for (int power = 3; power <= 9; ++power) {
    SCOPED_TRACE(power);
    TriangleMesh mesh = sphere(0.05, 3);
    for (auto& v : mesh.vertices) v += std::pow(10, power) * Eigen::Vector3d(1, -3, 0);
    const nlohmann::json object = mend(mesh, kSurfaceOnly);
    EXPECT_NEAR(volume_of(object) / sphere_volume(0.05, 3), 1, 1e-5);
    expect_warning(object, "recentred");
    EXPECT_NEAR(object["measures"]["recentred_x_m"].get<double>(), std::pow(10, power), 0.1);
  }
  // Six digits leave steps of 10 m: nothing to be made of that.
  TriangleMesh coarse = sphere(0.05, 4);
  for (auto& v : coarse.vertices) v.x() = 10 * std::round((v.x() + 1e6 + 5 * v.y() / 0.01) / 10);
  write("thing.obj", coarse);
  const CommandResult refused = make(kSurfaceOnly);
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("too coarse"), std::string::npos) << refused.err;
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

// Obtuse tetrahedra are no fault of the surface: they are counted.
TEST_F(Mend, ARepairedPressureFieldLeavesASolidOk) {
  write("brick.obj", box(0.2, 0.1, 0.03));
  write("crate.obj", box(0.3, 0.2, 0.1));
  write("slab.obj", box(0.15, 0.15, 0.05));
  const std::string json = (folder_ / "run.json").string();
  ASSERT_EQ(make({"--tets", "5000,3000", "--quads", "none", "--json", json}).code, 0);
  double repairs = 0;
  const nlohmann::json run = nlohmann::json::parse(std::ifstream(json));
  for (const nlohmann::json& object : run["objects"]) {
    EXPECT_EQ(object["status"], "ok") << object["warnings"];
    for (const nlohmann::json& volume : object["volumes"])
      repairs += volume["max_principle_repairs"].get<double>();
  }
  EXPECT_GT(repairs, 0);  // or the test tests nothing
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
