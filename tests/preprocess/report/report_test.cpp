#include <fstream>
#include <sstream>

#include "preprocess/report/report.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "runtime/bvh/build.h"
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

TEST_F(Report, ReplacesNoFileThatIsNoPage) {
  write("ball.obj", sphere(0.05, 2));
  ASSERT_EQ(make().code, 0);
  const std::filesystem::path pages = folder_ / "pages", mine = folder_ / "mine";
  std::ofstream(mine) << "by hand";
  const auto report = [&] { return command({"report", out_.string(), "--out", pages.string()}); };
  ASSERT_EQ(report().code, 0);
  EXPECT_EQ(report().code, 0);  // again
  for (const char* file : {"index.html", "ball.html"}) {
    SCOPED_TRACE(file);
    const std::filesystem::path page = pages / file;
    std::filesystem::remove_all(pages);
    std::filesystem::create_directory(pages);
    std::ofstream(page) << "<!doctype html>\n<title>my own</title>\n";
    CommandResult refused = report();
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(contains(refused.err, page.string() + ": it is no page of a report")) << refused.err;
    EXPECT_TRUE(contains(text_of(page), "my own"));
    std::filesystem::remove(page);
    std::filesystem::create_symlink(mine, page);
    refused = report();
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(contains(refused.err, page.string() + ": it is a link; remove it")) << refused.err;
    EXPECT_EQ(text_of(mine), "by hand");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(pages), {}), 1);  // nothing but that
  }
}

// Of `count` tetrahedra at one place, each the neighbour of all sides: every two of them overlap.
asset::Volume heap_of_tetrahedra(std::int32_t count) {
  asset::Volume heap;
  heap.vertices = {-0.05, -0.05, -0.05, 0.05, 0, 0, 0, 0.05, 0, 0, 0, 0.05};
  heap.extent = {0, 0.5, 0.5, 1};
  std::vector<bvh::Box> boxes(static_cast<std::size_t>(count),
                              {Eigen::Vector3d::Constant(-0.05), Eigen::Vector3d::Constant(0.05)});
  heap.tree = bvh::build_tree(boxes).tree;
  heap.tree_extent_ranges.assign(2 * heap.tree.counts.size(), 0);
  for (std::size_t i = 1; i < heap.tree_extent_ranges.size(); i += 2) heap.tree_extent_ranges[i] = 1;
  for (std::int32_t t = 0; t < count; ++t) {
    heap.tetrahedra.insert(heap.tetrahedra.end(), {0, 1, 2, 3});
    heap.neighbours.insert(heap.neighbours.end(), 4, 0);
    heap.gradients.insert(heap.gradients.end(), {5, 5, 5});
    heap.face_planes.insert(heap.face_planes.end(), 16, 0);
    heap.extent_ranges.insert(heap.extent_ranges.end(), {0, 1});
  }
  return heap;
}

// In time or in memory, which first.
TEST_F(Report, APageWhoseContactTakesTooMuchIsMadeWithoutIt) {
  write("ball.obj", sphere(0.05, 2));
  ASSERT_EQ(make({"--tets", "300"}).code, 0);
  asset::Asset forged = asset::load(asset("ball"));
  forged.volumes.assign(1, heap_of_tetrahedra(9000));
  asset::save(forged, asset("ball"));
  std::vector<std::string> failures;
  const auto done = [&](const preprocess::ReportedObject& object) { failures.push_back(object.failure); };
  preprocess::write_report({asset("ball")}, "set", true, folder_ / "pages", done, {.timeout_seconds = 5});
  EXPECT_EQ(failures, std::vector<std::string>{""});
  const std::string page = text_of(folder_ / "pages" / "ball.html");
  EXPECT_TRUE(contains(page, "\"pair\":null"));
  EXPECT_TRUE(contains(page, "its contact with the next object is left out: "));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "pages" / "index.html"));
}

TEST_F(Report, WhatCannotBeMadeInTimeIsARow) {
  write("ball.obj", sphere(0.05, 2));
  ASSERT_EQ(make().code, 0);
  std::vector<std::string> failures;
  const auto done = [&](const preprocess::ReportedObject& object) { failures.push_back(object.failure); };
  preprocess::write_report({asset("ball")}, "set", true, folder_ / "pages", done, {.timeout_seconds = 1e-9});
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_TRUE(contains(failures[0], asset("ball") + ": timed out")) << failures[0];
  EXPECT_TRUE(contains(text_of(folder_ / "pages" / "index.html"), "timed out"));
}

}  // namespace
