#include <fstream>
#include <sstream>

#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "tests/preprocess/cli/command_runner.h"
#include "tests/support/shapes.h"

// Reports as the command meets them: assets that cannot be shown, names that are no HTML.
namespace {

using namespace abut;
using namespace abut::test;

using Report = CommandTest;

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST_F(Report, WhatCannotBeReadIsARowAndTheOthersHavePages) {
  write("ball.obj", sphere(0.05, 2));
  ASSERT_EQ(make({"--tets", "300"}).code, 0);
  asset::Asset forged = asset::load(asset("ball"));
  const std::string name = "<!--<script>x & \"y\"";
  asset::save(forged, asset(name));
  forged.surfaces.clear();
  asset::save(forged, asset("bare"));
  std::ofstream(out_ / "text.h5") << "not an asset";
  const CommandResult result = command({"report", out_.string()});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(contains(result.err, "bare.h5: the asset has no surface")) << result.err;
  EXPECT_TRUE(contains(result.err, "text.h5")) << result.err;
  const std::string page = text_of(out_ / "report" / "ball.html"),
                    table = text_of(out_ / "report" / "index.html");
  EXPECT_TRUE(contains(page, "\"frames\":[{")) << "no contact";
  EXPECT_FALSE(contains(page + table, name));
  EXPECT_TRUE(contains(table, "no surface"));
  std::size_t pages = 0;
  for (const auto& entry : std::filesystem::directory_iterator(out_ / "report"))
    pages += entry.path().extension() == ".html";
  EXPECT_EQ(pages, 3U);
}

TEST_F(Report, RenamedAssetsGoByTheNamesOfTheirFiles) {
  write("ball.obj", sphere(0.05, 2));
  ASSERT_EQ(make().code, 0);
  std::filesystem::rename(asset("ball"), asset("orb"));
  ASSERT_EQ(command({"report", out_.string()}).code, 0);
  const std::string page = text_of(out_ / "report" / "orb.html");
  EXPECT_TRUE(contains(page, "<title>orb</title>"));
  EXPECT_TRUE(contains(page, "\"name\":\"orb\""));
  EXPECT_TRUE(contains(text_of(out_ / "report" / "index.html"), "\"orb\""));
  const CommandResult exported =
      command({"export", out_.string(), "--to", "urdf", "--out", (folder_ / "robots").string()});
  ASSERT_EQ(exported.code, 0) << exported.err;
  EXPECT_TRUE(contains(exported.out, "  orb: ")) << exported.out;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "robots" / "orb" / "orb.urdf"));
  const CommandResult inspected = command({"inspect", asset("orb")});
  EXPECT_TRUE(inspected.out.starts_with("orb\n")) << inspected.out;
  EXPECT_TRUE(contains(inspected.out, "it was made as ball")) << inspected.out;
}

TEST_F(Report, LicencesAreThoseOfTheDownload) {
  std::filesystem::create_directories(data_ / "ball");
  std::filesystem::create_directories(data_ / ".abut");
  write("ball/mesh.obj", sphere(0.05, 2));
  write("ball_2.obj", sphere(0.06, 2));
  write(".abut/ball.a.json",
        R"({"object": "ball", "variant": "a", "address": "", "licence": "CC BY 4.0", "archive_sha256": "",
            "files": [{"path": "ball/mesh.obj", "bytes": 1, "sha256": ""}]})");
  write(".abut/ball_2.a.json", "damaged");
  ASSERT_EQ(run({preprocess_program(), (data_ / "ball").string(), out_.string(), "--tets", "none", "--quads",
                 "none"})
                .code,
            0);
  ASSERT_EQ(run({preprocess_program(), (data_ / "ball_2.obj").string(), out_.string(), "--tets", "none",
                 "--quads", "none"})
                .code,
            0);
  ASSERT_EQ(command({"report", out_.string()}).code, 0);
  const std::string table = text_of(out_ / "report" / "index.html");
  EXPECT_EQ(table.find("CC BY 4.0"), table.rfind("CC BY 4.0"));  // once
  EXPECT_TRUE(contains(table, "CC BY 4.0"));
}

TEST_F(Report, OfOneAssetIsOnePageThatLinksNoTable) {
  write("ball.obj", sphere(0.05, 2));
  ASSERT_EQ(make().code, 0);
  const std::string pages = (folder_ / "pages").string();
  ASSERT_EQ(command({"report", asset("ball"), "--out", pages}).code, 0);
  EXPECT_TRUE(contains(text_of(folder_ / "pages" / "ball.html"), "\"pair\":null"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "pages" / "index.html"));
  EXPECT_EQ(command({"report", (folder_ / "nothing.h5").string(), "--out", pages}).code, 2);
  EXPECT_EQ(command({"report", data_.string()}).code, 2);
}

}  // namespace
