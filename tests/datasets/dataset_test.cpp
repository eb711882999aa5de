#include "datasets/dataset.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>

#include "datasets/deeper.h"
#include "datasets/names.h"
#include "runtime/core/error.h"

namespace abut::datasets {
namespace {
namespace fs = std::filesystem;

// A folder that is made for one test and removed after it.
class DatasetTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "abut_dataset_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { fs::remove_all(root_); }

  void touch(const fs::path& file, const std::string& text = "x") const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  fs::path root_;
};

std::vector<std::string> names(const Dataset& dataset) {
  std::vector<std::string> result;
  for (const ObjectSource& object : dataset.objects) result.push_back(object.name);
  return result;
}

bool mentions(const std::vector<std::string>& notes, const std::string& text) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

// What the call throws, as text; empty where it throws something else or nothing.
template <class Exception, class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Exception& e) {
    return e.what();
  } catch (...) {
  }
  return "";
}

using Names = std::vector<std::string>;

// Scenes and models of simulators are XML.
TEST(SafeName, HasNoCharacterThatXmlRefuses) {
  EXPECT_EQ(abut::datasets::safe_name("@sphere:1"), "_sphere:1");
  EXPECT_EQ(abut::datasets::safe_name("a\uFFFE\uFFFFb\x01\uFFFD"), "a__b_\uFFFD");
}

TEST_F(DatasetTest, YcbTakesTheFirstScanThatIsThere) {
  touch("002_can/google_16k/textured.obj");
  touch("002_can/google_64k/textured.obj");
  touch("003_box/google_64k/nontextured.stl");
  touch("003_box/google_512k/textured.obj");
  touch("072-a_toy/poisson/nontextured.ply");
  touch("072-a_toy/poisson/nontextured.stl");
  touch("072-a_toy/tsdf/textured.obj");
  touch("073_lego/tsdf/textured.obj");
  touch("074_none/google_16k/textured.mtl");
  touch("075_none/clouds/merged_cloud.ply");
  touch("stray.ply");
  const Dataset dataset = open_dataset(root_);
  EXPECT_EQ(dataset.layout, "ycb");
  ASSERT_EQ(names(dataset), (Names{"002_can", "003_box", "072-a_toy", "073_lego"}));
  EXPECT_EQ(dataset.objects[0].file, root_ / "002_can/google_16k/textured.obj");
  EXPECT_TRUE(dataset.objects[0].notes.empty());
  EXPECT_EQ(dataset.objects[1].file, root_ / "003_box/google_64k/nontextured.stl");
  EXPECT_TRUE(mentions(dataset.objects[1].notes, "took google_64k/nontextured.stl"));
  EXPECT_TRUE(mentions(dataset.objects[1].notes, "google_16k/textured.obj is missing"));
  EXPECT_EQ(dataset.objects[2].file, root_ / "072-a_toy/poisson/nontextured.ply");
  EXPECT_EQ(dataset.objects[3].file, root_ / "073_lego/tsdf/textured.obj");
  EXPECT_TRUE(mentions(dataset.notes, "074_none': no mesh"));
  EXPECT_TRUE(mentions(dataset.notes, "075_none': no mesh"));
  EXPECT_TRUE(mentions(dataset.notes, "1 mesh file beside"));
  for (const ObjectSource& object : dataset.objects) EXPECT_EQ(object.metres_per_unit, 1);
}

TEST_F(DatasetTest, OneObjectsFolderIsADataset) {
  touch("ycb/025_mug/google_16k/textured.obj");
  touch("gso/Shoe/meshes/model.obj");
  for (const char* spelling : {"ycb/025_mug", "ycb/025_mug/", "ycb/025_mug/.", "ycb/../ycb/025_mug"})
    EXPECT_EQ(names(open_dataset(root_ / spelling)), Names{"025_mug"}) << spelling;
  EXPECT_EQ(names(open_dataset(root_ / "gso/Shoe")), Names{"Shoe"});
}

TEST_F(DatasetTest, BopIsInMillimetres) {
  touch("models/obj_000001.ply");
  touch("models/obj_000012.ply");
  touch("models/obj_000012.png");
  touch("models/obj_13.ply");
  touch("models/cup.obj");
  touch("models/models_info.json", R"({"1": {"diameter": 172.1}, "3": {"diameter": 269.6}})");
  touch("models_eval/obj_000001.ply");
  touch("test/000001/rgb/000001.png");
  const Dataset dataset = open_dataset(root_);
  EXPECT_EQ(dataset.layout, "bop");
  ASSERT_EQ(names(dataset), (Names{"obj_000001", "obj_000012"}));
  EXPECT_EQ(dataset.objects[0].metres_per_unit, 1e-3);
  EXPECT_EQ(dataset.objects[0].file, root_ / "models/obj_000001.ply");
  EXPECT_TRUE(mentions(dataset.objects[1].notes, "not listed in models_info.json"));
  EXPECT_TRUE(mentions(dataset.notes, "obj_000003.ply' is missing"));
  EXPECT_TRUE(mentions(dataset.notes, "2 mesh files left out that are not called obj_NNNNNN.ply"));
  EXPECT_TRUE(mentions(dataset.notes, "models_eval"));
  // The models' own folder, and one model of it.
  EXPECT_EQ(open_dataset(root_ / "models").layout, "bop");
  EXPECT_EQ(names(open_dataset(root_ / "models_eval")), Names{"obj_000001"});
  EXPECT_EQ(open_dataset(root_ / "models/obj_000001.ply").objects.at(0).metres_per_unit, 1e-3);
}

TEST_F(DatasetTest, BopWithoutUsableInfoIsReadAndSaidSo) {
  touch("tless/models_eval/obj_000001.ply");
  touch("tless/models_cad/obj_000001.ply");
  const Dataset tless = open_dataset(root_ / "tless");
  EXPECT_EQ(tless.objects.at(0).file, root_ / "tless/models_cad/obj_000001.ply");
  EXPECT_TRUE(mentions(tless.notes, "models_info.json' is missing"));
  touch("broken/models/obj_000001.ply");
  touch("broken/models/models_info.json", "{ not json");
  EXPECT_TRUE(mentions(open_dataset(root_ / "broken").notes, "not a JSON object"));
}

TEST_F(DatasetTest, GoogleScannedObjects) {
  touch("ACE_Coffee_Mug/meshes/model.obj");
  touch("ACE_Coffee_Mug/model.sdf");
  touch("Repacked/model.obj");
  touch("Empty/model.sdf");
  const Dataset dataset = open_dataset(root_);
  EXPECT_EQ(dataset.layout, "gso");
  EXPECT_EQ(names(dataset), (Names{"ACE_Coffee_Mug", "Repacked"}));
  EXPECT_TRUE(mentions(dataset.notes, "Empty': no mesh"));
}

TEST_F(DatasetTest, FlatFolderAnyCase) {
  touch("b.STL");
  touch("a.obj");
  touch("c.Ply");
  touch("a.mtl");
  touch("notes.txt");
  touch("chair.FBX");
  touch("table.GLB");
  touch("b.dae");
  touch(".hidden.obj");
  touch("sub/d.obj");
  const Dataset dataset = open_dataset(root_);
  EXPECT_EQ(dataset.layout, "flat");
  EXPECT_EQ(names(dataset), (Names{"a", "b", "c", "table"}));
  EXPECT_TRUE(mentions(dataset.notes, "b.dae' was left out: a mesh of the same name is beside it"));
  EXPECT_TRUE(
      mentions(dataset.notes, "1 folder beside the mesh files not searched (layout direct reads them): sub"));
  EXPECT_TRUE(mentions(dataset.notes,
                       "chair.FBX' was left out: .fbx is not read; convert it to .obj, .ply, .stl, .dae,"));
  EXPECT_TRUE(mentions(dataset.notes, "2 other files left out (not meshes): a.mtl, notes.txt"));
}

// With a comparison of all files with all others it takes a hundred times as long.
TEST_F(DatasetTest, ThousandsOfFilesAreListedInASecond) {
  constexpr int kFiles = 5000;
  for (int k = 0; k < kFiles; ++k) touch(std::to_string(k) + ".glb", "");
  touch("7.obj");
  const auto begin = std::chrono::steady_clock::now();
  const Dataset dataset = open_dataset(root_);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
  EXPECT_EQ(dataset.objects.size(), kFiles);
  EXPECT_TRUE(mentions(dataset.notes, "7.glb' was left out: a mesh of the same name is beside it"));
}

TEST_F(DatasetTest, FoldersWithOneMeshOfAnyName) {
  touch("mug/visual.STL");
  touch("mug/visual.mtl");
  touch("plate/deeper/lost.obj");
  touch("spoon/x.ply");
  touch("tray/a.obj");
  touch("tray/b.obj");
  touch("tray/c.obj");
  touch("finger/collision.stl");
  touch("finger/seen.dae");
  touch("toy/toy.glb");
  const Dataset dataset = open_dataset(root_);
  EXPECT_EQ(dataset.layout, "direct");
  ASSERT_EQ(names(dataset), (Names{"finger", "mug", "spoon", "toy"}));
  EXPECT_EQ(dataset.objects[0].file, root_ / "finger/collision.stl");
  EXPECT_EQ(dataset.objects[1].file, root_ / "mug/visual.STL");
  EXPECT_EQ(dataset.objects[1].metres_per_unit, 1);
  EXPECT_TRUE(mentions(dataset.notes,
                       "plate': no mesh directly in it; 1 mesh deeper (first: deeper/lost.obj): run it on '" +
                           (root_ / "plate/deeper").string() + "'"));
  EXPECT_TRUE(
      mentions(dataset.notes, "tray': 3 mesh files where one is the object (a.obj, b.obj, ...); left out"));
}

// As many meshes in the root as such folders, or a scan, a model or a model.obj in one folder alone, make the
// older layout.
TEST_F(DatasetTest, FoldersWithOneMeshGiveWayToOtherLayouts) {
  for (const char* base : {"flat/", "ycb/", "bop/", "gso/"}) touch(base + std::string("mug/any.obj"));
  touch("flat/a.obj");
  touch("ycb/002_can/google_16k/textured.obj");
  touch("bop/models/obj_000001.ply");
  touch("gso/Shoe/model.obj");
  for (const char* layout : {"flat", "ycb", "bop", "gso"}) {
    const Dataset dataset = open_dataset(root_ / layout);
    EXPECT_EQ(dataset.layout, layout);
    EXPECT_EQ(dataset.objects.size(), 1U);
    EXPECT_EQ(names(open_dataset(root_ / layout, {.layout = "direct", .metres_per_unit = {}})).back(), "mug");
  }
  // Folders of several meshes each are flat ones, of which none is guessed.
  touch("several/left/a.obj");
  touch("several/left/b.obj");
  const std::string message = message_of<InvalidInput>([&] { open_dataset(root_ / "several"); });
  EXPECT_NE(
      message.find("2 meshes deeper (first: left/a.obj): run it on '" + (root_ / "several/left").string()),
      std::string::npos)
      << message;
}

TEST_F(DatasetTest, AMeshBesideMoreFoldersOfObjectsIsAStray) {
  touch("mug/visual.stl");
  touch("spoon/x.ply");
  touch("table_scan.obj");
  touch("table_scan.glb");
  const Dataset dataset = open_dataset(root_);
  EXPECT_EQ(dataset.layout, "direct");
  EXPECT_EQ(names(dataset), (Names{"mug", "spoon"}));
  EXPECT_TRUE(mentions(dataset.notes, "left out (layout flat reads them): table_scan.glb, table_scan.obj"));
  touch("chair.obj");
  EXPECT_EQ(names(open_dataset(root_)), (Names{"chair", "table_scan"}));
}

TEST_F(DatasetTest, MeshesDeeperThanALayoutLooksAreNamed) {
  touch("meshes/kitchen/cups/red/red.obj");
  touch("meshes/kitchen/cups/blue/blue.obj");
  touch("meshes/kitchen/pans/small/iron/pan.stl");
  touch("meshes/mug/mug.obj");
  const std::string cups = (root_ / "meshes/kitchen/cups").string();
  const std::string deeper = "3 meshes deeper (first: cups/blue/blue.obj): run it on '" + cups + "'";
  EXPECT_TRUE(mentions(open_dataset(root_ / "meshes").notes,
                       (root_ / "meshes/kitchen").string() + "': no mesh directly in it; " + deeper));
  EXPECT_EQ(names(open_dataset(cups)), (Names{"blue", "red"}));
  std::string message = message_of<InvalidInput>([&] { open_dataset(root_ / "meshes/kitchen"); });
  EXPECT_NE(message.find("looked for"), std::string::npos) << message;
  // One folder around a mesh may be a part of an object's: its own is pointed at.
  touch("two/x/meshes/visual.obj");
  message = message_of<InvalidInput>([&] { open_dataset(root_ / "two"); });
  EXPECT_NE(message.find("1 mesh deeper (first: x/meshes/visual.obj): run it on '" +
                         (root_ / "two/x/meshes").string() + "'"),
            std::string::npos)
      << message;
  // Links lead out, and the search has an end.
  touch("out/a.obj");
  fs::create_directories(root_ / "in/below");
  fs::create_directory_symlink(root_ / "out", root_ / "in/below/link");
  fs::create_directory_symlink(root_ / "in", root_ / "in/below/loop");
  EXPECT_EQ(meshes_below(root_ / "in").count, 0U);
  touch("deep/1/2/3/4/5/6/7/8/in.obj");
  touch("deep/1/2/3/4/5/6/7/8/9/beyond.obj");
  const DeeperMeshes deep = meshes_below(root_ / "deep");
  EXPECT_EQ(deep.count, 1U);
  EXPECT_FALSE(deep.all);
}

TEST_F(DatasetTest, OneFile) {
  touch("cup.obj");
  touch("025_mug/google_16k/textured.obj");
  touch("Shoe/meshes/model.obj");
  touch("readme.txt");
  const Dataset dataset = open_dataset(root_ / "cup.obj");
  EXPECT_EQ(names(dataset), Names{"cup"});
  EXPECT_EQ(dataset.layout, "flat");
  EXPECT_EQ(names(open_dataset(root_ / "025_mug/google_16k/textured.obj")), Names{"025_mug"});
  EXPECT_EQ(names(open_dataset(root_ / "Shoe/meshes/model.obj")), Names{"Shoe"});
  EXPECT_EQ(
      open_dataset(root_ / "cup.obj", {.layout = "bop", .metres_per_unit = {}}).objects[0].metres_per_unit,
      1e-3);
  EXPECT_NE(message_of<InvalidInput>([&] {
              open_dataset(root_ / "readme.txt");
            }).find("looked for .obj, .ply, .stl, .dae, .glb or .gltf"),
            std::string::npos);
}

TEST_F(DatasetTest, LayoutAndScaleCanBeForced) {
  touch("001_x/google_16k/textured.obj");
  touch("y.obj");
  EXPECT_EQ(names(open_dataset(root_, {.layout = "flat", .metres_per_unit = 0.5})), Names{"y"});
  EXPECT_EQ(open_dataset(root_, {.layout = {}, .metres_per_unit = 0.5}).objects[0].metres_per_unit, 0.5);
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), HUGE_VAL})
    EXPECT_THROW(open_dataset(root_, {.layout = {}, .metres_per_unit = bad}), InvalidInput);
  const std::string message =
      message_of<InvalidInput>([&] { open_dataset(root_, {.layout = "bop", .metres_per_unit = {}}); });
  EXPECT_NE(message.find("no mesh found in layout bop"), std::string::npos) << message;
}

TEST_F(DatasetTest, ErrorsNameThePathAndWhatWasLookedFor) {
  EXPECT_NE(message_of<IoError>([&] { open_dataset(root_ / "absent"); }).find("absent"), std::string::npos);
  touch("deeper/a.txt");
  std::string message = message_of<InvalidInput>([&] { open_dataset(root_); });
  for (const char* expected : {"google_16k", "obj_NNNNNN.ply", "meshes/model.obj", ".stl"})
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  EXPECT_EQ(message.find("deeper"), std::string::npos);
  touch("ycb/002_can/google_16k/textured.obj");
  message = message_of<InvalidInput>([&] { open_dataset(root_); });
  EXPECT_NE(message.find("1 mesh deeper (first: ycb/002_can/google_16k/textured.obj): run it on '" +
                         (root_ / "ycb").string()),
            std::string::npos)
      << message;
}

TEST_F(DatasetTest, CollidingNamesBecomeUnique) {
  for (const char* file : {"a.obj", "a.ply", "a_obj.stl", "b.obj", "b.OBJ"}) touch(file);
  const Dataset dataset = open_dataset(root_);
  ASSERT_EQ(names(dataset), (Names{"a_obj", "a_obj_2", "a_ply", "b_OBJ", "b_obj"}));
  for (const ObjectSource& object : dataset.objects)
    EXPECT_EQ(object.file.stem() != object.name, mentions(object.notes, "called '" + object.name))
        << object.name;
  EXPECT_EQ(dataset.objects[0].file.filename(), "a_obj.stl");  // its own name is not given away
}

TEST_F(DatasetTest, UnusualNames) {
  const std::string lengthy(251, 'n'), accents = "tasse à café", kanji = "茶碗";
  touch(lengthy + ".obj");
  touch(std::string(250, 'n') + ".obj");
  touch(accents + ".obj");
  touch(kanji + ".obj");
  touch("two\nlines.obj");
  touch("latin\xE9.obj");
  touch("a\302\2332J.obj");  // U+009B begins a command to a terminal
  const Dataset dataset = open_dataset(root_);
  const Names found = names(dataset);
  EXPECT_EQ(found.size(), 7U);
  for (const std::string& name :
       {accents, kanji, std::string("two_lines"), std::string("latin_"), std::string("a_2J")})
    EXPECT_EQ(std::count(found.begin(), found.end(), name), 1) << name;
  for (const ObjectSource& object : dataset.objects) {
    EXPECT_LE(object.name.size(), kLongestName);
    EXPECT_EQ(object.name != object.file.stem().string(), !object.notes.empty()) << object.name;
  }
  EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
}

TEST_F(DatasetTest, LinksAreFollowedButLoopsAreNot) {
  touch("real/002_can/google_16k/textured.obj");
  fs::create_directory_symlink(root_ / "real", root_ / "real/loop");
  fs::create_symlink("self.obj", root_ / "real/self.obj");
  fs::create_directory_symlink(root_ / "real", root_ / "link");
  const Dataset dataset = open_dataset(root_ / "link");
  EXPECT_EQ(names(dataset), Names{"002_can"});
  EXPECT_TRUE(mentions(dataset.notes, "loop': no mesh"));
  EXPECT_TRUE(mentions(dataset.notes, "self.obj': neither a file"));
  EXPECT_THROW(open_dataset(root_ / "real/self.obj"), IoError);
}

TEST(RealDataset, FifteenYcbObjects) {
  const fs::path root = fs::path(ABUT_SHARED_DIR) / "data" / "ycb";
  if (!fs::is_directory(root)) GTEST_SKIP() << root << " is not there";
  const Dataset dataset = open_dataset(root);
  EXPECT_EQ(dataset.layout, "ycb");
  EXPECT_EQ(dataset.objects.size(), 15U);
  for (const ObjectSource& object : dataset.objects) {
    EXPECT_EQ(object.file, root / object.name / "google_16k" / "textured.obj");
    EXPECT_TRUE(object.notes.empty());
  }
}

TEST(Layout, UnknownNameIsRefusedWithTheKnownOnes) {
  const std::string message = message_of<InvalidInput>(
      [&] { open_dataset(fs::temp_directory_path(), {.layout = "nonsense", .metres_per_unit = {}}); });
  EXPECT_NE(message.find("'nonsense'"), std::string::npos);
  EXPECT_NE(message.find(layout_names()), std::string::npos) << message;
  EXPECT_EQ(layout_names(), "ycb, bop, gso, flat, direct");
}

}  // namespace
}  // namespace abut::datasets
