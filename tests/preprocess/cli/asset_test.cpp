#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "command_runner.h"
#include "preprocess/mesh/read.h"
#include "runtime/asset/container.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/schema.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "tests/support/shapes.h"

// Assets on disk as the command meets them: damaged, of a newer schema, exported and read back.
namespace {

using namespace abut;
using namespace abut::test;

class AssetFile : public CommandTest {
 protected:
  void SetUp() override {
    write("ball.obj", sphere(0.05, 2));
    ASSERT_EQ(make().code, 0);
    std::ifstream in(asset("ball"), std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
  }

  // The asset as it was made, but for some bits of one byte.
  void flip(std::size_t byte, unsigned char bits) const {
    std::fstream file(asset("ball"), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(byte)).put(static_cast<char>(bytes_[byte] ^ bits));
  }

  std::string bytes_;
};

TEST_F(AssetFile, OneFlippedByteAnywhereIsFound) {
  Random random(3);
  const auto expect_found = [&](std::size_t byte) {
    flip(byte, static_cast<unsigned char>(1 + random.below(255)));
    EXPECT_THROW(asset::load(asset("ball")), BadAsset) << "byte " << byte;
    flip(byte, 0);
  };
  for (std::size_t byte = 0; byte < asset::kHeaderBytes; ++byte) expect_found(byte);
  for (int i = 0; i < 2000; ++i) expect_found(random.below(bytes_.size()));
}

TEST_F(AssetFile, TheCommandRefusesADamagedAssetAndMakesItAgain) {
  for (const std::size_t byte : {std::size_t{3}, std::size_t{14}, std::size_t{700}, bytes_.size() - 1}) {
    std::ofstream(asset("ball"), std::ios::binary) << bytes_;
    flip(byte, 0x40);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"verify", asset("ball")},
          {"inspect", asset("ball")},
          {"export", asset("ball"), "--out", (folder_ / "ball.obj").string()}}) {
      const CommandResult result = command(words);
      EXPECT_EQ(result.code, words[0] == "verify" ? 1 : 2);
      EXPECT_EQ(result.out, "");
      EXPECT_TRUE(result.err.starts_with("abut-preprocess: error: " + asset("ball") + ": ")) << result.err;
      EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
    }
    EXPECT_FALSE(std::filesystem::exists(folder_ / "ball.obj"));
    const CommandResult again = make();
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_NE(again.out.find("made again: " + asset("ball")), std::string::npos) << again.out;
    EXPECT_EQ(command({"verify", asset("ball")}).code, 0);
  }
}

TEST_F(AssetFile, ATruncatedAssetIsRefused) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, std::size_t{512}, bytes_.size() - 1}) {
    std::ofstream(asset("ball"), std::ios::binary) << bytes_.substr(0, size);
    const CommandResult result = command({"verify", asset("ball")});
    EXPECT_EQ(result.code, 1);
    EXPECT_NE(result.err.find(asset("ball")), std::string::npos) << result.err;
  }
}

TEST_F(AssetFile, ANewerSchemaIsRefusedByName) {
  const std::string body = bytes_.substr(asset::kHeaderBytes);
  asset::write_container(asset("ball"), asset::kSchemaVersion + 1, std::as_bytes(std::span(body)));
  for (const char* verb : {"verify", "inspect"}) {
    const CommandResult result = command({verb, asset("ball")});
    EXPECT_NE(result.code, 0);
    EXPECT_NE(result.err.find("newer"), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  }
}

// What is exported and read back is the same bits.
TEST_F(AssetFile, ExportKeepsEveryBit) {
  const asset::Asset stored = asset::load(asset("ball"));
  for (const char* extension : {".obj", ".ply", ".vtk"}) {
    const std::filesystem::path file = folder_ / ("ball" + std::string(extension));
    ASSERT_EQ(command({"export", asset("ball"), "--out", file.string()}).code, 0);
    if (extension == std::string(".vtk")) continue;  // written, but there is no reader of it here
    preprocess::Report report;
    const preprocess::TriangleMesh mesh = preprocess::read_mesh(file, 1, report);
    ASSERT_EQ(3 * mesh.vertices.size(), stored.surfaces[0].vertices.size());
    ASSERT_EQ(3 * mesh.triangles.size(), stored.surfaces[0].triangles.size());
    for (std::size_t i = 0; i < stored.surfaces[0].vertices.size(); ++i)
      EXPECT_EQ(mesh.vertices[i / 3][static_cast<Eigen::Index>(i % 3)], stored.surfaces[0].vertices[i]);
  }
  ASSERT_EQ(command({"export", asset("ball"), "--out", (folder_ / "UPPER.OBJ").string()}).code, 0);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "UPPER.OBJ"),
            std::filesystem::file_size(folder_ / "ball.obj"));
  EXPECT_EQ(
      command({"export", asset("ball"), "--part", "hull", "--out", (folder_ / "hull.ply").string()}).code, 0);
  EXPECT_EQ(command({"export", asset("ball"), "--part", "soul", "--out", (folder_ / "x.ply").string()}).code,
            2);
  EXPECT_EQ(command({"export", asset("ball"), "--out", (folder_ / "x.docx").string()}).code, 2);
}

}  // namespace
