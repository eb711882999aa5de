#include <cstdint>
#include <nlohmann/json.hpp>

#include "preprocess/mesh/read.h"
#include "tests/preprocess/export/exported_visual.h"

// What is seen of exports: materials and textures of the files that the assets were made from.
namespace {

using namespace abut;
using namespace abut::test;

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
  EXPECT_TRUE(contains(export_to("urdf").out, "its materials 'missing.mtl' are left out: no such file"));
  EXPECT_TRUE(has("urdf/box/surface.obj"));
  EXPECT_FALSE(has("urdf/box/visual_0.obj"));
}

TEST_F(ExportedVisual, LinksOutOfTheFolderAreNotFollowed) {
  write("box.obj", textured_box());
  write("box.mtl", "");
  make_assets();
  std::filesystem::create_directory(folder_ / "secrets");
  std::ofstream(folder_ / "secrets/secret.png") << png();
  std::filesystem::create_symlink(folder_ / "secrets/secret.png", data_ / "link.png");
  std::filesystem::create_directory_symlink(folder_ / "secrets", data_ / "way");
  expect_no_texture("link.png", "'link.png' is left out: no such picture");
  expect_no_texture("way/secret.png", "'way/secret.png' is left out: no such picture");
}

TEST_F(ExportedVisual, ADamagedPictureIsTold) {
  write("box.obj", textured_box());
  write("box.mtl", "");
  make_assets();
  write("half.png", png().substr(0, 50));
  expect_no_texture("half.png", "'half.png' is a damaged PNG and is left out");
}

// Google Scanned Objects: meshes/model.obj with pictures in materials/textures.
TEST_F(ExportedVisual, PicturesOfScannedObjectsAreInTheirPlace) {
  for (const char* folder : {"meshes", "materials/textures"})
    std::filesystem::create_directories(data_ / "Box" / folder);
  write("Box/meshes/model.obj", textured_box("model.mtl"));
  write("Box/meshes/model.mtl", "newmtl paper\nmap_Kd texture.png \nnewmtl lids\nKd 0 1 0\n");
  write("Box/materials/textures/texture.png", png());
  make_assets();
  EXPECT_FALSE(contains(export_to("urdf").out, "note:"));
  EXPECT_EQ(text("urdf/Box/texture_0.png"), png());
  EXPECT_TRUE(contains(text("urdf/Box/visual.mtl"), "Kd 1 1 1\nd 1\nmap_Kd"));  // Kd is not stated
}

TEST_F(ExportedVisual, WhatIsTooFarForSinglePrecisionIsTold) {
  std::string far = textured_box();
  for (const auto& [from, to] : {std::pair{"\nv 0 ", "\nv 5000000000 "}, {"\nv 100 ", "\nv 5000000100 "}})
    for (std::size_t at; (at = far.find(from)) != std::string::npos;)
      far.replace(at, std::string(from).size(), to);
  write("box.obj", far);
  write("box.mtl", box_materials("paper.png"));
  write("paper.png", png());
  make_assets();
  EXPECT_TRUE(contains(export_to("urdf").out, "too far from the origin"));
  EXPECT_TRUE(has("urdf/box/surface.obj"));
}

// The tetrahedron of the unit vectors with two sets of texture coordinates.
std::string tetrahedron_buffer(float size) {
  std::vector<float> numbers{0, 0, 0, size, 0, 0, 0, size, 0, 0, 0, size};  // places
  for (const float set : {0.25F, 0.75F}) numbers.insert(numbers.end(), 8, set);
  const std::vector<std::uint16_t> corners{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)) +
         std::string(reinterpret_cast<const char*>(corners.data()), corners.size() * sizeof(std::uint16_t));
}

std::string tetrahedron_gltf(const std::string& material) {
  return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
    "buffers":[{"uri":"the%20buffer.bin","byteLength":136}],
    "bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":32},
      {"buffer":0,"byteOffset":80,"byteLength":32},{"buffer":0,"byteOffset":112,"byteLength":24}],
    "accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,1,1]},
      {"bufferView":1,"componentType":5126,"count":4,"type":"VEC2"},
      {"bufferView":2,"componentType":5126,"count":4,"type":"VEC2"},
      {"bufferView":3,"componentType":5123,"count":12,"type":"SCALAR"}],
    "images":[{"uri":"my%20paper.png"}],"textures":[{"source":0}],
    "meshes":[{"primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":1,"TEXCOORD_1":2},"indices":3,
      "material":0}]}],"materials":[)" +
         material + "]}";
}

TEST_F(ExportedVisual, MaterialsOfGltfAreReadAsTheyAreMeant) {
  write("a.gltf", tetrahedron_gltf(R"({"pbrMetallicRoughness":{"baseColorFactor":[0.21404114,1,0,0.3],
    "baseColorTexture":{"index":0,"texCoord":1}}})"));
  write("the buffer.bin", tetrahedron_buffer(100));
  write("my paper.png", png());
  make_assets();
  EXPECT_FALSE(contains(export_to("urdf").out, "note:"));
  // Opaque, as no other mode is stated; 0.5 as pictures have colours.
  EXPECT_TRUE(contains(text("urdf/a/visual.mtl"), "Kd 0.5 1 0\nd 1\nmap_Kd")) << text("urdf/a/visual.mtl");
  EXPECT_TRUE(contains(text("urdf/a/visual_0.obj"), "vt 0.75 0.25\n")) << text("urdf/a/visual_0.obj");
  export_to("usd");
  EXPECT_TRUE(contains(text("usd/a/a.usda"), "inputs:scale = (0.214041")) << text("usd/a/a.usda");
  write("the buffer.bin", tetrahedron_buffer(200));
  EXPECT_TRUE(contains(export_to("urdf").out, "has changed since the asset was made"));
  EXPECT_FALSE(contains(make({"--quads", "none", "--scale", "0.001"}).out, "1 up to date"));
}

// The grey that assimp has where COLLADA states no colour.
TEST_F(ExportedVisual, AStatedGreyOfSixTenthsIsAColour) {
  write("a.gltf", tetrahedron_gltf(R"({"pbrMetallicRoughness":{"baseColorFactor":[0.6,0.6,0.6,1],
    "baseColorTexture":{"index":0}}})"));
  write("the buffer.bin", tetrahedron_buffer(100));
  write("my paper.png", png());
  const auto collada = [](const std::string& materials, const std::string& bound) {
    return R"(<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset/>)" +
           materials + R"(<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 100 0 0 0 100 0 0 0 100</float_array><technique_common>
<accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4" material="m"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g">)" +
           bound + R"(</instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
  };
  write("b.dae", collada(R"(<library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert>
<diffuse><color>0.6 0.6 0.6 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m" name="m"><instance_effect url="#e"/></material></library_materials>)",
                         R"(<bind_material><technique_common><instance_material symbol="m" target="#m"/>
</technique_common></bind_material>)"));
  write("c.dae", collada("", ""));
  make_assets();
  export_to("urdf");
  EXPECT_TRUE(contains(text("urdf/a/visual.mtl"), "Kd 0.797738 0.797738 0.797738\nd 1\nmap_Kd"))
      << text("urdf/a/visual.mtl");
  EXPECT_TRUE(contains(text("urdf/b/visual.mtl"), "Kd 0.6 0.6 0.6")) << text("urdf/b/visual.mtl");
  EXPECT_FALSE(has("urdf/c/visual.mtl"));
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

TEST_F(ExportedVisual, FoldersThatAreNoExportsAreLeftAlone) {
  write("box.obj", textured_box());
  make_assets();
  std::filesystem::create_directory(folder_ / "web");
  std::ofstream(folder_ / "web/manifest.json") << "{\"name\": \"an app\"}";
  const CommandResult refused =
      command({"export", out_.string(), "--to", "urdf", "--out", (folder_ / "web").string()});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "they are no export")) << refused.err;
  EXPECT_EQ(text("web/manifest.json"), "{\"name\": \"an app\"}");
  std::filesystem::create_directories(folder_ / "urdf");
  std::ofstream(folder_ / "urdf/manifest.json") << "{\"export\": \"urdf\"}";
  std::ofstream(folder_ / "urdf/box") << "a file";
  const CommandResult taken =
      command({"export", out_.string(), "--to", "urdf", "--out", (folder_ / "urdf").string()});
  EXPECT_TRUE(contains(taken.out + taken.err, "it is no folder; remove it")) << taken.out << taken.err;
  EXPECT_EQ(text("urdf/box"), "a file");
}

}  // namespace
