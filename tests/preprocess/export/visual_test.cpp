#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "preprocess/mesh/read.h"
#include "tests/preprocess/cli/command_runner.h"
#include "tests/preprocess/export/textured_box.h"

// What is seen of exports: materials and textures of the files that the assets were made from.
namespace {

using namespace abut;
using namespace abut::test;

class ExportedVisual : public CommandTest {
 protected:
  // Of data/, in millimetres.
  void make_assets() const {
    const CommandResult made = make({"--quads", "none", "--scale", "0.001"});
    ASSERT_EQ(made.code, 0) << made.err;
  }

  CommandResult export_to(const std::string& simulator) const {
    const CommandResult result =
        command({"export", out_.string(), "--to", simulator, "--out", (folder_ / simulator).string()});
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  }

  std::string text(const std::string& file) const {
    std::ostringstream read;
    read << std::ifstream(folder_ / file, std::ios::binary).rdbuf();
    return read.str();
  }
  bool has(const std::string& file) const { return std::filesystem::exists(folder_ / file); }

  // Exports of box.obj by its .mtl, which names this texture, say this and keep the colours alone.
  void expect_no_texture(const std::string& texture, const std::string& note) const {
    SCOPED_TRACE(texture);
    write("box.mtl", box_materials(texture));
    const CommandResult result = export_to("urdf");
    EXPECT_TRUE(contains(result.out, note)) << result.out;
    EXPECT_TRUE(contains(text("urdf/box/visual.mtl"), "Kd 0.25 0.5 0.75"));
    EXPECT_FALSE(contains(text("urdf/box/visual.mtl"), "map_Kd"));
  }
};

TEST_F(ExportedVisual, TexturesAndColoursAreInEveryExport) {
  write("box.obj", textured_box());
  write("box.mtl", box_materials("pictures/paper.png"));
  std::filesystem::create_directory(data_ / "pictures");
  write("pictures/paper.png", png());
  make_assets();
  for (const char* simulator : {"mujoco", "urdf", "meshes", "usd"}) {
    SCOPED_TRACE(simulator);
    EXPECT_FALSE(contains(export_to(simulator).out, "note:"));
    const std::string folder = std::string(simulator) + "/box/";
    EXPECT_EQ(text(folder + "texture_0.png"), png());
    const nlohmann::json files =
        nlohmann::json::parse(text(std::string(simulator) + "/manifest.json"))["objects"][0]["files"];
    for (const std::string file : files) EXPECT_TRUE(has(simulator + ("/" + file))) << file;
    EXPECT_NE(std::find(files.begin(), files.end(), "box/texture_0.png"), files.end());
    if (std::string(simulator) == "usd") continue;
    EXPECT_EQ(text(folder + "visual.mtl"),
              "newmtl material_0\nKd 1 0.5 1\nd 1\nmap_Kd texture_0.png\n"
              "newmtl material_1\nKd 0.25 0.5 0.75\nd 0.5\n");
    EXPECT_TRUE(contains(text(folder + "visual_0.obj"), "vt 0 0.25\n"));
    EXPECT_EQ(has(folder + "surface.obj"), std::string(simulator) == "meshes");
  }
  preprocess::Report report;
  const preprocess::TriangleMesh sides = preprocess::read_mesh(folder_ / "urdf/box/visual_0.obj", 1, report);
  EXPECT_EQ(sides.triangles.size(), 8U);
  Eigen::AlignedBox3d around;
  for (const Eigen::Vector3d& v : sides.vertices) around.extend(v);
  EXPECT_LT((around.max() - Eigen::Vector3d(0.1, 0.2, 0.3)).norm(), 1e-8);
  EXPECT_LT(around.min().norm(), 1e-8);
  EXPECT_EQ(preprocess::read_mesh(folder_ / "urdf/box/visual_1.obj", 1, report).triangles.size(), 4U);
  const std::string usd = text("usd/box/box.usda");
  EXPECT_TRUE(contains(usd, "asset inputs:file = @./texture_0.png@"));
  EXPECT_TRUE(contains(usd, "rel material:binding = </box/material_1>"));
  EXPECT_EQ(std::count(usd.begin(), usd.end(), '{'), std::count(usd.begin(), usd.end(), '}'));
}

TEST_F(ExportedVisual, OnlyPicturesBesideTheSourceAreKept) {
  write("box.obj", textured_box());
  write("box.mtl", "");
  make_assets();
  std::ofstream(folder_ / "secret.png") << png();
  write("text.png", "no picture");
  expect_no_texture("missing.png", "'missing.png' is left out: no such picture");
  expect_no_texture("../secret.png", "'../secret.png' is left out: no such picture");
  expect_no_texture((folder_ / "secret.png").string(), "is left out: no such picture");
  expect_no_texture("text.png", "'text.png' is neither PNG nor JPEG");
  EXPECT_EQ(nlohmann::json::parse(text("urdf/manifest.json"))["objects"][0]["notes"].size(), 1U);
}

TEST_F(ExportedVisual, WithoutMaterialsTheSurfaceIsSeen) {
  write("box.obj", textured_box("missing.mtl"));
  make_assets();
  EXPECT_FALSE(contains(export_to("urdf").out, "note:"));
  EXPECT_TRUE(has("urdf/box/surface.obj"));
  EXPECT_FALSE(has("urdf/box/visual_0.obj"));
}

TEST_F(ExportedVisual, AChangedOrMissingSourceIsTold) {
  write("box.obj", textured_box());
  write("box.mtl", box_materials("paper.png"));
  write("paper.png", png());
  make_assets();
  write("box.obj", textured_box() + "\n");
  EXPECT_TRUE(contains(export_to("urdf").out,
                       "box.obj has changed since the asset was made: materials that it may have"));
  std::filesystem::remove(data_ / "box.obj");
  EXPECT_TRUE(
      contains(export_to("mujoco").out, "box.obj is not there: materials that it may have are left out"));
  EXPECT_TRUE(has("mujoco/box/surface.obj"));
}

TEST_F(ExportedVisual, PartsThatMujocoRefusesAreNotGivenToIt) {
  std::string lids = textured_box();
  lids.replace(lids.find("f 4 3 2 1\n"), 10, "usemtl other\nf 4 3 2 1\nusemtl lids\n");  // each of them flat
  write("box.obj", lids);
  write("box.mtl", box_materials("paper.png") + "newmtl other\nKd 1 1 0\n");
  write("paper.png", png());
  make_assets();
  EXPECT_TRUE(contains(export_to("mujoco").out, "MuJoCo refuses: the surface is seen"));
  EXPECT_TRUE(contains(text("mujoco/box/box.xml"), "surface.obj"));
  EXPECT_FALSE(contains(text("mujoco/box/box.xml"), "material"));
  EXPECT_FALSE(contains(export_to("urdf").out, "note:"));
}

}  // namespace
