// abut-preprocess import-volume as a user runs it.
#include <gtest/gtest.h>

#include <fstream>

#include "runtime/asset/reader.h"
#include "tests/preprocess/cli/command_runner.h"
#include "tests/preprocess/pressure/vtu_text.h"
#include "tests/support/shapes.h"

namespace {

using namespace abut;
using namespace abut::test;

// Four tetrahedra around an inner point.
const preprocess::TetrahedralMesh kStar = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.2, 0.2, 0.2}},
                                           {{4, 1, 2, 3}, {0, 4, 2, 3}, {0, 1, 4, 3}, {0, 1, 2, 4}}};

std::string grid(double pressure_on_the_surface = 0) {
  VtuOptions options;
  options.format = VtuFormat::kBinary;
  options.compressed = true;
  return VtuWriter(options)(kStar, {pressure_on_the_surface, 0, 0, 0, 2.5e6});
}

class ImportVolume : public CommandTest {};

TEST_F(ImportVolume, MakesAnAssetThatVerifies) {
  write("star.vtu", grid());
  const CommandResult made = command({"import-volume", (data_ / "star.vtu").string(), out_.string()});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("star.h5: 4 tetrahedra, largest pressure 2.5e+06"), std::string::npos) << made.out;
  EXPECT_EQ(command({"verify", asset("star")}).code, 0);
  const asset::Asset loaded = asset::load(asset("star"));
  EXPECT_EQ(loaded.volumes.front().extent.size(), 5u);
  EXPECT_EQ(loaded.surfaces.size(), 1u);
}

TEST_F(ImportVolume, ANameThatNamesAPrimitiveIsChanged) {
  write("@box.vtu", grid());
  const CommandResult made = command({"import-volume", (data_ / "@box.vtu").string(), out_.string()});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("note: called '_box'"), std::string::npos) << made.out;
  EXPECT_EQ(asset::load(asset("_box")).name, "_box");
}

TEST_F(ImportVolume, ASizeThatHintsAtOtherUnitsIsTold) {
  for (const auto& [scale, what] :
       {std::pair{1000., "1732 m across: are its units millimetres? Scale its points"},
        {1e-4, "0.0001732 m across: are its units other than metres? Scale its points"},
        {1., ""}}) {
    preprocess::TetrahedralMesh star = kStar;
    for (Eigen::Vector3d& v : star.vertices) v *= scale;
    write("star.vtu", VtuWriter({})(star, {0, 0, 0, 0, 2.5e6}));
    const CommandResult made = command({"import-volume", (data_ / "star.vtu").string(), out_.string()});
    ASSERT_EQ(made.code, 0) << made.err;
    const CommandResult shown = command({"inspect", asset("star")});
    EXPECT_EQ(contains(made.out, "take care"), *what != 0) << made.out;
    EXPECT_EQ(contains(shown.out, "TAKE CARE"), *what != 0) << shown.out;
    EXPECT_TRUE(contains(made.out, what) && contains(shown.out, what)) << made.out << shown.out;
  }
}

TEST_F(ImportVolume, FaultsAreOneLineAndLeaveNothing) {
  write("bad.vtu", grid(1e6));
  write("cut.vtu", grid().substr(0, 700));
  for (const auto& [file, message] :
       {std::pair<std::string, std::string>{"bad.vtu", "the pressure at point 0, on the surface, is 1e+06"},
        {"cut.vtu", "is it cut off?"},
        {"none.vtu", "none.vtu"}}) {
    const CommandResult refused = command({"import-volume", (data_ / file).string(), out_.string()});
    EXPECT_NE(refused.code, 0);
    EXPECT_NE(refused.err.find(message), std::string::npos) << refused.err;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(out_ / "bad.h5"));
  }
}

// What the checks of the file let pass, verify() is asked about: edges of 1e-20 m have gradients beyond all
// bounds.
TEST_F(ImportVolume, NothingIsWrittenThatVerifyRefuses) {
  preprocess::TetrahedralMesh two = kStar, tiny = kStar;
  for (const Eigen::Vector3d& v : kStar.vertices) two.vertices.emplace_back(v + Eigen::Vector3d(0.3, 0, 0));
  for (preprocess::Tetrahedron t : kStar.tetrahedra) {
    for (std::int32_t& corner : t) corner += 5;
    two.tetrahedra.push_back(t);
  }
  for (Eigen::Vector3d& v : tiny.vertices) v *= 1e-20;
  write("two.vtu", VtuWriter({})(two, {0, 0, 0, 0, 1, 0, 0, 0, 0, 1}));
  write("tiny.vtu", VtuWriter({})(tiny, {0, 0, 0, 0, 1}));
  for (const auto& [name, what] : {std::pair<std::string, std::string>{"two.vtu", "tetrahedra "},
                                   {"tiny.vtu", "the asset of it would not be sound: "}}) {
    const std::string file = (data_ / name).string();
    const CommandResult refused = command({"import-volume", file, out_.string()});
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(refused.err.starts_with("abut-preprocess: error: " + file + ": " + what)) << refused.err;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    EXPECT_EQ(files(), std::vector<std::string>{});
  }
}

TEST_F(ImportVolume, DoesNotReplaceItsInput) {
  write("same.h5", grid());
  const CommandResult refused = command({"import-volume", (data_ / "same.h5").string(), data_.string()});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("it would overwrite an input"), std::string::npos) << refused.err;
  EXPECT_EQ(std::filesystem::file_size(data_ / "same.h5"), grid().size());
}

// As other runs do.
TEST_F(ImportVolume, TakesTheLockOfItsFolder) {
  write("star.vtu", grid());
  ASSERT_EQ(command({"import-volume", (data_ / "star.vtu").string(), out_.string()}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(out_ / ".abut-preprocess.lock"));
}

TEST_F(ImportVolume, TakesWhatExportWrites) {
  write("star.vtu", grid());
  ASSERT_EQ(command({"import-volume", (data_ / "star.vtu").string(), out_.string()}).code, 0);
  const std::string file = (data_ / "again.vtk").string();
  ASSERT_EQ(command({"export", asset("star"), "--part", "volume", "--out", file}).code, 0);
  const CommandResult made = command({"import-volume", file, out_.string()});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(asset::load(asset("again")).volumes.front().extent,
            asset::load(asset("star")).volumes.front().extent);
}

TEST_F(ImportVolume, AnotherSourcesAssetIsNotReplaced) {
  write("star.obj", box(0.1, 0.1, 0.1));
  ASSERT_EQ(make().code, 0);
  write("star.vtu", grid());
  const std::vector<std::string> import{"import-volume", (data_ / "star.vtu").string(), out_.string()};
  const CommandResult refused = command(import);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, asset("star") + " was made of " + (data_ / "star.obj").string()))
      << refused.err;
  std::filesystem::remove(data_ / "star.obj");
  EXPECT_EQ(command(import).code, 0);
}

// Each fault: where it stands in the file, what it is, what to do.
TEST_F(ImportVolume, FaultsOfTextNameTheLine) {
  const std::string good =
      "# vtk DataFile Version 3.0\nby a test\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
      "0 0 0\n1 0 0\n0 1 0\n0 0 1\n0.2 0.2 0.2\nCELLS 4 20\n4 4 1 2 3\n4 0 4 2 3\n4 0 1 4 3\n4 0 1 2 4\n"
      "CELL_TYPES 4\n10\n10\n10\n10\nPOINT_DATA 5\nSCALARS pressure double 1\nLOOKUP_TABLE default\n"
      "0\n0\n0\n0\n5\n";
  const struct {
    const char *what, *instead, *message;
  } cases[] = {
      {"ASCII", "BINARY", ":3: not in ASCII; save it so, or as .vtu"},
      {"UNSTRUCTURED_GRID", "POLYDATA", ":4: not an unstructured grid; save tetrahedra as one"},
      {"POINTS 5", "POINTS 500", ":5: 500 points: is it cut off?"},
      {"0.2 0.2 0.2", "0.2 zwei 0.2", ":10: 'zwei' where a coordinate should come; mend"},
      {"4 0 4 2 3", "3 0 4 2", ":13: cell 1 has 3 corners, not 4; keep tetrahedra alone"},
      {"4 0 1 2 4", "4 0 1 2 9", ": cell 3 has point 9, and there are 5; points are counted from 0"},
      {"LOOKUP_TABLE default\n", "", ":23: no LOOKUP_TABLE after SCALARS pressure; add the line"},
      {"pressure double 1", "pressure double 3", ":22: the pressure has more than one component; give one"},
      {"0\n0\n0\n0\n5\n", "0\n0\n0\n", ": it ends where a pressure should come; is it cut off?"},
      {"0\n0\n0\n0\n5\n", "0\n0\n-7\n0\n5\n", ": the pressure at point 2 is -7; it must be 0 or more"},
      {"10\n10\n10\n10\n", "10\n10\n12\n10\n", ": cell 2 is no tetrahedron; keep tetrahedra alone"},
      {"0\n0\n0\n0\n5\n", "0\n0\n0\n0\n5",
       ": its last line has no end, and ends in a number: is it cut off?"},
      {"0\n0\n0\n0\n5\n", "0\n0\n0\n0\n5e18\n", ": the largest pressure is 5e+18 Pa; it is the modulus"},
  };
  for (const auto& c : cases) {
    std::string text = good;
    write("bad.vtk", text.replace(text.find(c.what), std::string(c.what).size(), c.instead));
    const std::string file = (data_ / "bad.vtk").string();
    const CommandResult refused = command({"import-volume", file, out_.string()});
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(refused.err.starts_with("abut-preprocess: error: " + file + ":")) << refused.err;
    EXPECT_NE(refused.err.find(c.message), std::string::npos) << c.message << "\n" << refused.err;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  }
  write("good.vtk", good);
  EXPECT_EQ(command({"import-volume", (data_ / "good.vtk").string(), out_.string()}).code, 0);
  EXPECT_EQ(files(), std::vector<std::string>{"good.h5"});
}

}  // namespace
