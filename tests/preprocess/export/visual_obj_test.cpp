#include <png.h>

#include <Eigen/Geometry>
#include <limits>

#include "preprocess/export/mtl_materials.h"
#include "preprocess/export/plain_obj.h"
#include "preprocess/mesh/read.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "tests/preprocess/export/exported_visual.h"

// What is seen of OBJ files that are written in unusual ways, or whose asset's file is forged.
namespace {

using namespace abut;
using namespace abut::test;

class ExportedObj : public ExportedVisual {
 protected:
  // The box with lines of its file replaced, exported with its materials.
  CommandResult export_box(const std::vector<std::pair<std::string, std::string>>& replacements) const {
    std::string text = textured_box();
    for (const auto& [from, to] : replacements) {
      EXPECT_NE(text.find(from), std::string::npos) << from;
      for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    }
    write("box.obj", text);
    make_assets();
    return export_to("urdf");
  }

  // Of the parts of the visual together.
  void expect_whole_box() const {
    preprocess::Report report;
    Eigen::AlignedBox3d around;
    std::size_t triangles = 0;
    for (const char* part : {"urdf/box/visual_0.obj", "urdf/box/visual_1.obj"}) {
      ASSERT_TRUE(has(part)) << part;
      const preprocess::TriangleMesh mesh = preprocess::read_mesh(folder_ / part, 1, report);
      triangles += mesh.triangles.size();
      for (const Eigen::Vector3d& v : mesh.vertices) around.extend(v);
    }
    EXPECT_EQ(triangles, 12U);
    EXPECT_LT((around.max() - Eigen::Vector3d(0.1, 0.2, 0.3)).norm(), 1e-8);
    EXPECT_LT(around.min().norm(), 1e-8);
  }

  void SetUp() override {
    write("box.mtl", box_materials("paper.png"));
    write("paper.png", png());
  }
};

TEST_F(ExportedObj, IsReadByTheRulesByWhichTheAssetIsMade) {
  const std::vector<std::vector<std::pair<std::string, std::string>>> spellings{
      {{"v 100 200 300\n", "v 100 200 300 2\n"}},                                    // a weight
      {{"v 0 0 0\n", " v 0 0 0\n"}, {"f 4 3 2 1", "\tf 4 3 2 1"}},                   // blanks ahead
      {{"f 4 3 2 1\n", "f 4 3 2 1 # below\n"}, {"v 0 0 300\n", "v 0 0 300 # c\n"}},  // comments
      {{"f 5 6 7 8\n", "f 00005 06 7 8\n"}},                                         // leading zeros
      {{"f 4 3 2 1\n", "f 4 3 \\\n2 1\n"}},                                          // a line in two
      {{"f 5 6 7 8\n", "f -4 -3 -2 -1\n"}},                                          // counted from the end
  };
  for (std::size_t k = 0; k < spellings.size(); ++k) {
    SCOPED_TRACE(k);
    EXPECT_FALSE(contains(export_box(spellings[k]).out, "note:"));
    expect_whole_box();
    EXPECT_TRUE(has("urdf/box/texture_0.png"));
    std::filesystem::remove_all(folder_ / "urdf");
  }
  const CommandResult colored = export_box({{"v 100 200 300\n", "v 100 200 300 1 0.5 0 1\n"}});
  EXPECT_TRUE(contains(colored.out, "colours of its vertices are left out")) << colored.out;
  expect_whole_box();
}

TEST_F(ExportedObj, AFaceOfHalfStatedTextureCoordinatesLosesThemAlone) {
  for (const char* face : {"f 1/1 2 6/3 5/4\n", "f 1/1 2/99 6/3 5/4\n"}) {
    SCOPED_TRACE(face);
    const CommandResult result = export_box({{"f 1/1 2/2 6/3 5/4\n", face}});
    EXPECT_TRUE(contains(result.out, "texture coordinates or normals of 1 face are left out")) << result.out;
    expect_whole_box();
    EXPECT_TRUE(contains(text("urdf/box/visual.mtl"), "map_Kd texture_0.png"));
    EXPECT_TRUE(contains(text("urdf/box/visual_0.obj"), "vt 0 0.25\n"));
  }
}

TEST_F(ExportedObj, ATextureWithoutTextureCoordinatesIsTold) {
  const CommandResult result = export_box({{"f 1/1 2/2 6/3 5/4\n", "f 1 2 6 5\n"},
                                           {"f 2/1 3/2 7/3 6/4\n", "f 2 3 7 6\n"},
                                           {"f 3/1 4/2 8/3 7/4\n", "f 3 4 8 7\n"},
                                           {"f 4/1 1/2 5/3 8/4\n", "f 4 1 5 8\n"}});
  EXPECT_TRUE(contains(result.out, "'paper.png' is left out where faces have no texture coordinates"))
      << result.out;
  EXPECT_FALSE(contains(text("urdf/box/visual.mtl"), "map_Kd"));
}

TEST_F(ExportedObj, OptionsOfAMapAreNoPartOfItsName) {
  const std::string other = png() + "other";  // after its end nothing is read
  write("my paper.png", other);
  for (const auto& [line, bytes] : {std::pair{"-s 2 2 paper.png", png()},
                                    {"-o 0.5 paper.png", png()},
                                    {"-S 2 2 my paper.png", other},
                                    {"-clamp on -mm 0 1 -t 0.5 0.5 0 my paper.png", other}}) {
    SCOPED_TRACE(line);
    write("box.mtl", box_materials(line));
    const CommandResult result = export_box({});
    EXPECT_TRUE(contains(result.out, "paper.png' is moved, scaled or turned: that is left out"))
        << result.out;
    EXPECT_EQ(text("urdf/box/texture_0.png"), bytes);
  }
}

// The grey that assimp has where no colour is stated.
TEST_F(ExportedObj, AStatedGreyOfSixTenthsIsAColour) {
  write("box.mtl", "newmtl paper\nKd 0.6 0.6 0.6\nmap_Kd paper.png\nnewmtl lids\nKd 0.6 0.6 0.6\n");
  export_box({});
  EXPECT_EQ(text("urdf/box/visual.mtl"),
            "newmtl material_0\nKd 0.6 0.6 0.6\nd 1\nmap_Kd texture_0.png\n"
            "newmtl material_1\nKd 0.6 0.6 0.6\nd 1\n");
  std::filesystem::remove_all(folder_ / "urdf");
  write("box.mtl", "newmtl lids\nKd 0.6 0.6 0.6\n");
  export_box({});
  EXPECT_TRUE(contains(text("urdf/box/visual.mtl"), "Kd 0.6 0.6 0.6"));
}

TEST_F(ExportedObj, PicturesAreLookedForBesideTheirMtl) {
  std::filesystem::create_directory(data_ / "sub");
  write("sub/b.mtl", box_materials("picture.png"));
  write("sub/picture.png", png());
  EXPECT_FALSE(contains(export_box({{"mtllib box.mtl", "mtllib sub/b.mtl"}}).out, "note:"));
  write("none.mtl", "");
  EXPECT_FALSE(contains(export_box({{"mtllib box.mtl", "mtllib none.mtl  box.mtl"}}).out, "note:"));
  EXPECT_EQ(text("urdf/box/texture_0.png"), png());
}

// All the rows of a PNG of one bit a pixel, black.
std::string black_png(png_uint_32 size) {
  std::string bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  const auto append = [](png_structp to, png_bytep data, png_size_t count) {
    static_cast<std::string*>(png_get_io_ptr(to))->append(reinterpret_cast<char*>(data), count);
  };
  png_set_write_fn(png, &bytes, append, nullptr);
  png_set_IHDR(png, info, size, size, 1, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  const std::vector<png_byte> row((size + 7) / 8, 0);
  for (png_uint_32 y = 0; y < size; ++y) png_write_row(png, row.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

TEST_F(ExportedObj, ATextureOfTooManyPixelsIsLeftOutAlone) {
  write("paper.png", black_png(30000));
  const CommandResult result = export_box({});
  EXPECT_TRUE(contains(result.out, "'paper.png' is too large (30000 x 30000 pixels) and is left out"))
      << result.out;
  EXPECT_TRUE(contains(text("urdf/box/visual.mtl"), "Kd 0.25 0.5 0.75"));
}

TEST_F(ExportedObj, AForgedScaleOrOriginIsToldAndTheSurfaceIsSeen) {
  write("box.obj", textured_box());
  make_assets();
  const asset::Asset whole = asset::load(asset("box"));
  const auto expect_note = [&](const asset::Asset& forged, const std::string& note) {
    asset::save(forged, asset("box"));
    const CommandResult result = export_to("urdf");
    EXPECT_TRUE(contains(result.out, note)) << result.out;
    EXPECT_TRUE(has("urdf/box/surface.obj"));
    std::filesystem::remove_all(folder_ / "urdf");
  };
  for (const char* scale : {"-1", "0", "0.001abc", "nan", "inf", ""}) {
    SCOPED_TRACE(scale);
    asset::Asset forged = whole;
    forged.provenance.parameters["metres_per_unit"] = scale;
    expect_note(forged, "the asset's metres_per_unit is no positive number");
  }
  for (const double x : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    asset::Asset forged = whole;
    forged.provenance.measures["recentred_x_m"] = x;
    expect_note(forged, "the asset's recentred_x_m is not finite");
  }
  for (const double x : {0.1, 1e300}) {
    asset::Asset forged = whole;
    forged.provenance.measures["recentred_y_m"] = x;
    expect_note(forged, "it does not lie where the asset does");
  }
  asset::Asset forged = whole;
  forged.provenance.parameters["metres_per_unit"] = "0.002";
  expect_note(forged, "it does not lie where the asset does");
}

TEST(PlainObj, SaysWhatTheReaderOfMeshesReads) {
  const preprocess::PlainObj plain = preprocess::plain_obj(
      "\xEF\xBB\xBF# c\n\tv +1 2 3 9\nv 1e-400 .5 5. 1 0 0\nvt 0.5\nvn 0 0 1\n"
      " usemtl  red \t\r\nf 001/1/1 -1/-1/-1 \\\n1/1/1 # f\nusemtl \nf 1//1 2//1 1//2\no a\ng b\n",
      "none.obj");
  EXPECT_EQ(plain.text, "v 1 2 3\nv 0 0.5 5\nvt 0.5 0\nvn 0 0 1\nusemtl red\nf 1/1/1 2/1/1 1/1/1\nf 1 2 1\n");
  EXPECT_EQ(plain.bare_faces, 1U);
  EXPECT_TRUE(plain.colored);
}

TEST(MtlMaterials, AreThoseOfTheLastLineOfEachMaterial) {
  std::map<std::string, preprocess::MtlMaterial> materials;
  preprocess::add_mtl_materials(
      "newmtl a b \n\tMAP_KD -blendu on -s 1 1 1 x.png\r\nmap_Kd -s 1 1 y 1.png\nnewmtl c\nmap_Kd -o 1 2 3\n"
      "newmtl d\nmap_Kd -s\nmap_Ka z.png\nKd 0.5 x 1\nKd nan 1 1\nKd\nKa 1 1 1\n"
      "newmtl e\nKd 1 0 0\n kd 0.6 0.6 0.6\r\nnewmtl f\nKd 0.25\n",
      "sub", materials);
  ASSERT_EQ(materials.size(), 4U);
  EXPECT_EQ(materials["a b"].picture->name, "y 1.png");
  EXPECT_EQ(materials["a b"].picture->folder, "sub");
  EXPECT_FALSE(materials["a b"].picture->moved);
  EXPECT_FALSE(materials["a b"].color);
  EXPECT_EQ(materials["c"].picture->name, "3");
  EXPECT_TRUE(materials["c"].picture->moved);
  EXPECT_FALSE(materials["e"].picture);
  EXPECT_EQ(*materials["e"].color, Eigen::Vector3d::Constant(0.6));
  EXPECT_EQ(*materials["f"].color, Eigen::Vector3d::Constant(0.25));
}

}  // namespace
