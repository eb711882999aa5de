#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "preprocess/export/exporter.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "tests/preprocess/cli/command_runner.h"
#include "tests/support/shapes.h"

// Exports for simulators as the command meets them: options, names, what is missing, broken or in the way.
namespace {

using namespace abut;
using namespace abut::test;

class ExportSet : public CommandTest {
 protected:
  CommandResult export_to(const std::string& simulator, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"export", out_.string(), "--to", simulator, "--out", to().string()};
    words.insert(words.end(), more.begin(), more.end());
    return command(words);
  }
  std::filesystem::path to() const { return folder_ / "exported"; }
  nlohmann::json manifest() const { return nlohmann::json::parse(std::ifstream(to() / "manifest.json")); }
};

TEST_F(ExportSet, MassDensityMaterialAndTableAreTaken) {
  write("a.obj", box(0.1, 0.2, 0.3));
  write("b, c.obj", box(0.1, 0.1, 0.1));
  ASSERT_EQ(make().code, 0);
  const auto masses = [&] {
    std::vector<double> kg;
    const nlohmann::json read = manifest();
    for (const auto& object : read["objects"]) kg.push_back(object["mass_kg"]);
    return kg;
  };
  const auto expect_masses = [&](const std::vector<std::string>& options, double a, double b) {
    const CommandResult result = export_to("urdf", options);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_NEAR(masses()[0], a, 1e-12 * a);
    EXPECT_NEAR(masses()[1], b, 1e-12 * b);
  };
  expect_masses({}, 6, 1);
  expect_masses({"--density", "500"}, 3, 0.5);
  expect_masses({"--mass", "0.25"}, 0.25, 0.25);
  expect_masses({"--material", "steel"}, 47.1, 7.85);
  write("table.csv", "object,quantity,value\n# hollow, see b\n#\nb, c,mass,0.125\n#nobody,material,wood\n");
  const std::string table = (data_ / "table.csv").string();
  expect_masses({"--density", "100", "--table", table}, 0.6, 0.125);
  EXPECT_TRUE(contains(export_to("urdf", {"--table", table}).out, "there is no object '#nobody'"));
}

TEST_F(ExportSet, AHullMuchLargerThanItsSolidIsSaid) {
  write("box.obj", box(0.1, 0.2, 0.3));
  write("ring.obj", torus(0.05, 0.01, 24, 12));
  ASSERT_EQ(make({"--tets", "300"}).code, 0);
  for (const char* simulator : {"mujoco", "urdf", "usd"}) {
    const CommandResult result = export_to(simulator);
    ASSERT_EQ(result.code, 0) << result.err;
    const nlohmann::json objects = manifest()["objects"];
    EXPECT_FALSE(objects[0].contains("hull_volume_ratio"));
    const double ratio = objects[1]["hull_volume_ratio"];
    EXPECT_NEAR(ratio, 2.13, 0.1);  // of the round ring: R / (pi r) + 1 / 2 + 2 r / (3 pi R)
    const std::string caution = objects[1]["caution"];
    EXPECT_TRUE(caution.starts_with("collides as its convex hull, ")) << caution;
    EXPECT_TRUE(caution.ends_with(" times its volume: make the asset with --pieces auto")) << caution;
    EXPECT_TRUE(contains(result.out, " in ring/; " + caution + "\n")) << result.out;
    EXPECT_TRUE(contains(result.out, " in box/\n")) << result.out;
    EXPECT_TRUE(contains(result.out, "masses (kg, of solids of 1000 kg/m^3)")) << result.out;
    std::filesystem::remove_all(to());
  }
  EXPECT_FALSE(contains(export_to("drake").out, "convex hull"));  // its tetrahedra collide
  std::filesystem::remove_all(to());
  ASSERT_EQ(make({"--tets", "none", "--pieces", "4"}).code, 0);
  EXPECT_FALSE(contains(export_to("urdf").out, "convex hull"));
}

// A folder of robots' links knows meshes by their files' names.
TEST_F(ExportSet, RobotsOfTwoObjectsShareAFolder) {
  write("cup.obj", box(0.1, 0.2, 0.3));
  write("lid.obj", box(0.1, 0.1, 0.02));
  ASSERT_EQ(make().code, 0);
  ASSERT_EQ(export_to("urdf").code, 0);
  const std::filesystem::path links = folder_ / "links";
  for (const std::string name : {"cup", "lid"}) {
    const CommandResult result =
        command({"urdf", (to() / name / (name + ".urdf")).string(), links.string(), "--quads", "none"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(std::filesystem::exists(links / (name + "_convex_0.h5"))) << name;
  }
}

// The numbers behind `key =`, up to the end of the line.
std::vector<double> numbers_behind(const std::string& text, const std::string& key, std::size_t from = 0) {
  const std::size_t at = text.find(key + " = ", from);
  if (at == std::string::npos) return {};
  std::string line = text.substr(at + key.size() + 3, text.find('\n', at) - at - key.size() - 3);
  for (char& c : line)
    if (std::string("[](),").find(c) != std::string::npos) c = ' ';
  std::istringstream in(line);
  std::vector<double> numbers;
  for (double number = 0; in >> number;) numbers.push_back(number);
  return numbers;
}

TEST_F(ExportSet, UsdHasTheBodyAndItsMeshes) {
  write("9 lives.obj", box(0.1, 0.2, 0.3));
  ASSERT_EQ(make().code, 0);
  ASSERT_EQ(export_to("usd", {"--mass", "2"}).code, 0);
  std::ostringstream read;
  read << std::ifstream(to() / "9_lives" / "9_lives.usda").rdbuf();
  const std::string text = read.str();
  EXPECT_TRUE(text.starts_with("#usda 1.0\n"));
  EXPECT_TRUE(contains(text, "def Xform \"_9_lives\""));  // a name of USD has no digit first
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
  EXPECT_EQ(numbers_behind(text, "physics:mass"), std::vector<double>{2});
  const std::vector<double> moments = numbers_behind(text, "physics:diagonalInertia"),
                            q = numbers_behind(text, "physics:principalAxes");
  ASSERT_EQ(moments.size(), 3U);
  ASSERT_EQ(q.size(), 4U);
  const Eigen::Matrix3d R = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
  const Eigen::Matrix3d I = R * Eigen::Vector3d::Map(moments.data()).asDiagonal() * R.transpose();
  const nlohmann::json inertia = manifest()["objects"][0]["inertia_kg_m2"];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(I(i, j), inertia[i][j].get<double>(), 1e-15);
  for (const char* mesh : {"surface", "convex_0"}) {
    const std::size_t at = text.find("def Mesh \"" + std::string(mesh) + "\"");
    ASSERT_NE(at, std::string::npos) << mesh;
    EXPECT_EQ(numbers_behind(text, "faceVertexCounts", at), std::vector<double>(12, 3)) << mesh;
    EXPECT_EQ(numbers_behind(text, "faceVertexIndices", at).size(), 36U) << mesh;
    const std::vector<double> points = numbers_behind(text, "points", at);
    ASSERT_EQ(points.size(), 24U) << mesh;
    EXPECT_NEAR(*std::max_element(points.begin(), points.end()), 0.15, 1e-12) << mesh;
  }
  EXPECT_TRUE(contains(text, "physics:approximation = \"convexHull\""));
}

TEST_F(ExportSet, OddNamesAreFilesAndModels) {
  const std::vector<std::string> names{"a & <b> \"c\"", "a_&_<b>_'c'",   "-dash",        "world",
                                       "__x__",         "M\u00fcsli--x", "manifest.json"};
  for (const std::string& name : names) write(name + ".obj", box(0.1, 0.1, 0.1));
  ASSERT_EQ(make().code, 0);
  for (const char* simulator : {"mujoco", "urdf"}) {
    const CommandResult result = export_to(simulator);
    ASSERT_EQ(result.code, 0) << result.err;
    std::set<std::string> ids, originals;
    const nlohmann::json read = manifest();
    for (const auto& object : read["objects"]) {
      ids.insert(object["id"].get<std::string>());
      originals.insert(object["name"].get<std::string>());
      for (const auto& file : object["files"])
        EXPECT_TRUE(std::filesystem::is_regular_file(to() / file.get<std::string>())) << file;
    }
    EXPECT_EQ(originals, (std::set<std::string>(names.begin(), names.end())));
    EXPECT_EQ(ids.size(), names.size());
    for (const std::string& id : ids) EXPECT_EQ(id.find_first_of("&<>\"' /:"), std::string::npos) << id;
    std::filesystem::remove_all(to());
  }
}

TEST_F(ExportSet, WhatAnAssetLacksOrForgesIsItsOwnFailure) {
  write("whole.obj", sphere(0.05, 2));
  ASSERT_EQ(make({"--tets", "300"}).code, 0);
  const asset::Asset whole = asset::load(asset("whole"));
  asset::Asset forged = whole;
  forged.name = "no_solid";
  forged.mass.inertia[0] *= 10;
  asset::save(forged, asset("no_solid"));
  forged = whole;
  forged.name = "no_volume";
  forged.volumes.clear();
  asset::save(forged, asset("no_volume"));
  forged.name = "no_surface";
  forged.surfaces.clear();
  asset::save(forged, asset("no_surface"));
  std::ofstream(out_ / "text.h5") << "not an asset";
  std::filesystem::create_symlink("loop.h5", out_ / "loop.h5");
  std::filesystem::create_symlink("nowhere", out_ / "lost.h5");
  const CommandResult result = export_to("drake");
  EXPECT_EQ(result.code, 1);
  for (const char* words : {"no_solid.h5: not exported: its mass properties",
                            "no_volume.h5: not exported: the asset has no volume",
                            "no_surface.h5: not exported: the asset has no volume", "text.h5: not exported",
                            "loop.h5: not exported", "Too many levels of symbolic links",
                            "lost.h5: not exported", "No such file"})
    EXPECT_TRUE(contains(result.err, words)) << words << "\n" << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 6);
  EXPECT_TRUE(std::filesystem::exists(to() / "whole" / "whole.sdf"));
  EXPECT_FALSE(std::filesystem::exists(to() / "no_solid"));
  EXPECT_EQ(manifest()["objects"].size(), 7U);
  EXPECT_TRUE(manifest()["complete"]);
}

TEST_F(ExportSet, WhatMujocoWouldRefuseForItsSizeIsToldAndLeftOut) {
  write("grain.obj", box(1e-5, 1e-5, 1e-5));
  write("whole.obj", box(0.1, 0.1, 0.1));
  ASSERT_EQ(make().code, 0);
  const CommandResult result = export_to("mujoco");
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(contains(result.err, "grain.h5: not exported: its mass of 1e-12 kg")) << result.err;
  EXPECT_FALSE(std::filesystem::exists(to() / "grain"));
  EXPECT_TRUE(std::filesystem::exists(to() / "scene.xml"));
  EXPECT_EQ(export_to("urdf").code, 0);
  EXPECT_FALSE(std::filesystem::exists(to() / "scene.xml"));  // of another export
}

TEST_F(ExportSet, APressureMeshThatDrakeWouldNotTakeIsNamed) {
  write("ball.obj", sphere(0.05, 2));
  ASSERT_EQ(make({"--tets", "300"}).code, 0);
  const asset::Asset ball = asset::load(asset("ball"));
  EXPECT_EQ(preprocess::pressure_mesh_fault(asset::view(ball.volumes[0])), "");
  asset::Volume inverted = ball.volumes[0];
  std::swap(inverted.tetrahedra[4 * 7], inverted.tetrahedra[4 * 7 + 1]);
  EXPECT_EQ(preprocess::pressure_mesh_fault(asset::view(inverted)), "tetrahedron 7 has no positive volume");
  asset::Volume cut = ball.volumes[0];
  std::fill_n(cut.neighbours.begin() + 4 * 3, 4, -1);
  EXPECT_TRUE(contains(preprocess::pressure_mesh_fault(asset::view(cut)), "all four corners on the surface"));
  asset::Volume flat = ball.volumes[0];
  for (double& e : flat.extent) e = std::min(e, 0.0);
  EXPECT_TRUE(contains(preprocess::pressure_mesh_fault(asset::view(flat)), "is 0 inside"));
}

TEST_F(ExportSet, AnEarlierExportIsReplacedAndOtherFilesAreNot) {
  write("box.obj", box(0.1, 0.1, 0.1));
  ASSERT_EQ(make().code, 0);
  ASSERT_EQ(export_to("mujoco").code, 0);
  EXPECT_EQ(export_to("mujoco", {"--density", "1"}).code, 0);
  EXPECT_NEAR(manifest()["objects"][0]["mass_kg"], 1e-3, 1e-15);
  std::filesystem::remove(to() / "manifest.json");
  EXPECT_EQ(export_to("mujoco").code, 2);
  ASSERT_EQ(::mkfifo((to() / "manifest.json").c_str(), 0600), 0);
  EXPECT_TRUE(contains(export_to("mujoco").err, "manifest.json: it is no file"));
  std::filesystem::remove_all(to());
  std::ofstream(to()) << "a file";
  EXPECT_EQ(export_to("mujoco").code, 2);
}

TEST_F(ExportSet, NothingIsWrittenThroughALink) {
  write("box.obj", box(0.1, 0.1, 0.1));
  ASSERT_EQ(make().code, 0);
  const std::filesystem::path mine = folder_ / "mine";
  std::ofstream(mine) << "by hand";
  const auto is_mine = [&] {
    std::string read;
    std::getline(std::ifstream(mine), read);
    return read == "by hand";
  };
  ASSERT_EQ(export_to("mujoco").code, 0);
  for (const char* file : {"scene.xml", "manifest.json", "box/surface.obj"}) {
    SCOPED_TRACE(file);
    const std::filesystem::path link = to() / file;
    std::filesystem::rename(link, folder_ / "kept");
    std::filesystem::create_symlink(mine, link);
    const CommandResult result = export_to("mujoco");
    EXPECT_NE(result.code, 0);
    EXPECT_TRUE(contains(result.err, link.string() + ": it is a link; remove it")) << result.err;
    EXPECT_TRUE(is_mine());
    std::filesystem::remove(link);
    std::filesystem::rename(folder_ / "kept", link);
  }
  std::filesystem::rename(to() / "box", folder_ / "kept");
  std::filesystem::create_symlink(folder_ / "kept", to() / "box");
  EXPECT_TRUE(contains(export_to("mujoco").err, "box: it is no folder; remove it"));
  EXPECT_TRUE(std::filesystem::is_symlink(to() / "box"));
  EXPECT_FALSE(std::filesystem::exists(to() / "scene.xml"));  // of what is not exported any more
  std::filesystem::remove(to() / "box");
  EXPECT_EQ(export_to("mujoco").code, 0);
}

TEST_F(ExportSet, AnIdFollowsFromTheNamesAlone) {
  write("a b.obj", box(0.1, 0.1, 0.1));
  write("a_b.obj", box(0.2, 0.2, 0.2));
  write("a&b.obj", box(0.3, 0.3, 0.3));
  ASSERT_EQ(make().code, 0);
  const auto ids = [&] {
    std::map<std::string, std::string> by_name;
    const nlohmann::json read = manifest();
    for (const auto& object : read["objects"])
      if (object.contains("id")) by_name[object["name"]] = object["id"];
    return by_name;
  };
  ASSERT_EQ(export_to("urdf").code, 0);
  const std::map<std::string, std::string> all{{"a_b", "a_b"}, {"a b", "a_b-2"}, {"a&b", "a_b-3"}};
  EXPECT_EQ(ids(), all);
  std::ofstream(asset("a b")) << "damaged";
  EXPECT_EQ(export_to("urdf").code, 1);
  EXPECT_EQ(ids(), (std::map<std::string, std::string>{{"a_b", "a_b"}, {"a&b", "a_b-3"}}));
  EXPECT_EQ(command({"report", out_.string()}).code, 1);
  EXPECT_TRUE(std::filesystem::exists(out_ / "report" / "a_b-3.html"));
  EXPECT_FALSE(std::filesystem::exists(out_ / "report" / "a_b-2.html"));
}

TEST_F(ExportSet, AConvexPartWithoutTrianglesIsNamed) {
  write("box.obj", box(0.1, 0.1, 0.1));
  ASSERT_EQ(make().code, 0);
  asset::Asset forged = asset::load(asset("box"));
  forged.convex[0].triangles.clear();
  asset::save(forged, asset("box"));
  for (const char* simulator : {"mujoco", "urdf", "usd", "meshes"}) {
    SCOPED_TRACE(simulator);
    const CommandResult result = export_to(simulator);
    EXPECT_EQ(result.code, 1);
    EXPECT_TRUE(contains(result.err, "the asset has a convex part without triangles")) << result.err;
    EXPECT_FALSE(std::filesystem::exists(to() / "box"));
  }
  const CommandResult part =
      command({"export", asset("box"), "--part", "hull", "--out", (folder_ / "hull.stl").string()});
  EXPECT_EQ(part.code, 2);
  EXPECT_TRUE(contains(part.err, "hull.stl: it has no triangles")) << part.err;
}

TEST_F(ExportSet, SpheresOfAFileWhoseNameIsNotUtf8AreWritten) {
  write("ball.obj", sphere(0.05, 2));
  ASSERT_EQ(make({"--spheres", "4"}).code, 0);
  const std::string odd = (out_ / "ba\xFFll.h5").string(), file = (folder_ / "spheres.json").string();
  std::filesystem::rename(asset("ball"), odd);
  const CommandResult result = command({"export", odd, "--part", "spheres", "--out", file});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(nlohmann::json::parse(std::ifstream(file))["collision_spheres"].contains("ba\uFFFDll"));
}

TEST_F(ExportSet, AFullDiskLeavesNoHalfFile) {
  write("ball.obj", sphere(0.05, 4));
  ASSERT_EQ(make().code, 0);
  const auto limit = [] {
    const struct rlimit bytes { 1 << 14, 1 << 14 };
    ::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &bytes) != 0) ::_exit(126);
  };
  const CommandResult result =
      run({preprocess_program(), "export", out_.string(), "--to", "meshes", "--out", to().string()}, limit);
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(contains(result.err, "surface.obj: cannot write: File too large")) << result.err;
  EXPECT_TRUE(std::filesystem::is_empty(to() / "ball"));
  EXPECT_FALSE(manifest()["complete"]);
  EXPECT_EQ(export_to("meshes").code, 0);  // later, with room
  EXPECT_TRUE(manifest()["complete"]);
}

}  // namespace
