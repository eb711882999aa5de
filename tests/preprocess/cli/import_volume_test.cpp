// abut-preprocess import-volume as a user runs it.
#include <gtest/gtest.h>

#include <fstream>

#include "runtime/asset/reader.h"
#include "tests/preprocess/cli/command_runner.h"
#include "tests/preprocess/pressure/vtu_text.h"

namespace {

using namespace abut;
using namespace abut::test;

// Four tetrahedra around an inner point.
std::string grid(double pressure_on_the_surface = 0) {
  preprocess::TetrahedralMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.2, 0.2, 0.2}};
  mesh.tetrahedra = {{4, 1, 2, 3}, {0, 4, 2, 3}, {0, 1, 4, 3}, {0, 1, 2, 4}};
  VtuOptions options;
  options.format = VtuFormat::kBinary;
  options.compressed = true;
  return VtuWriter(options)(mesh, {pressure_on_the_surface, 0, 0, 0, 2.5e6});
}

class ImportVolume : public CommandTest {};

TEST_F(ImportVolume, MakesAnAssetThatVerifies) {
  write("star.vtu", grid());
  const CommandResult made =
      command({"import-volume", (data_ / "star.vtu").string(), "--out", out_.string()});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("star.h5: 4 tetrahedra, largest pressure 2.5e+06"), std::string::npos) << made.out;
  EXPECT_EQ(command({"verify", asset("star")}).code, 0);
  const asset::Asset loaded = asset::load(asset("star"));
  EXPECT_EQ(loaded.volumes.front().extent.size(), 5u);
  EXPECT_EQ(loaded.surfaces.size(), 1u);
}

TEST_F(ImportVolume, FaultsAreOneLineAndLeaveNothing) {
  write("bad.vtu", grid(1e6));
  write("cut.vtu", grid().substr(0, 700));
  for (const auto& [file, message] :
       {std::pair<std::string, std::string>{"bad.vtu", "the pressure at point 0, on the surface, is 1e+06"},
        {"cut.vtu", "is it cut off?"},
        {"none.vtu", "none.vtu"}}) {
    const CommandResult refused = command({"import-volume", (data_ / file).string(), "--out", out_.string()});
    EXPECT_NE(refused.code, 0);
    EXPECT_NE(refused.err.find(message), std::string::npos) << refused.err;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(out_ / "bad.h5"));
  }
}

}  // namespace
