#include <gtest/gtest.h>
#include <png.h>

#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "command_runner.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "tests/support/shapes.h"

namespace {

using namespace abut;
using namespace abut::test;

using Command = CommandTest;
using ::testing::Test;

nlohmann::json read_json(const std::filesystem::path& file) {
  return nlohmann::json::parse(std::ifstream(file));
}

TEST_F(Command, MakesAssetsThatItCallsUpToDateUntilSomethingChanges) {
  write("ball.obj", sphere(0.05, 3));
  write("box.obj", box(0.1, 0.2, 0.3));
  const std::string json = (folder_ / "run.json").string();
  const CommandResult first = make({"--json", json});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.err, "");
  EXPECT_EQ(files(), (std::vector<std::string>{"ball.h5", "box.h5"}));
  const nlohmann::json run = read_json(json);
  EXPECT_EQ(run["objects"][1]["name"], "box");
  EXPECT_EQ(run["objects"][1]["status"], "ok");
  EXPECT_EQ(run["objects"][1]["hull_vertices"], 8);
  EXPECT_NEAR(run["objects"][1]["volume_cm3"].get<double>(), 6000, 1e-6);

  const auto statuses = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"--json", json};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(make(arguments).code, 0);
    const nlohmann::json result = read_json(json);
    std::string text;
    for (const auto& object : result["objects"]) text += object["status"].get<std::string>() + "; ";
    return text;
  };
  EXPECT_EQ(statuses({}), "up to date; up to date; ");
  EXPECT_EQ(statuses({"--force"}), "ok; ok; ");
  EXPECT_EQ(statuses({"--scale", "0.5"}), "ok; ok; ");
  EXPECT_EQ(statuses({"--scale", "1", "--only", "b?x"}), "ok; ");
  EXPECT_EQ(statuses({}), "ok; up to date; ");
  write("box.obj", box(0.1, 0.2, 0.31));
  EXPECT_EQ(statuses({}), "up to date; ok; ");
  std::filesystem::remove(asset("ball"));
  EXPECT_EQ(statuses({}), "ok; up to date; ");
}

// An asset of one name in two datasets.
TEST_F(Command, AnAssetOfAnotherSourceIsNotReplaced) {
  const auto made = [&](const std::string& folder, std::vector<std::string> more = {}) {
    more.insert(more.begin(),
                {(data_ / folder).string(), out_.string(), "--tets", "none", "--quads", "none"});
    return command(more);
  };
  const auto height = [&] { return asset::load(asset("mug")).mass.volume / 0.01; };
  for (const char* folder : {"one", "two", "copy"}) std::filesystem::create_directories(data_ / folder);
  write("one/mug.obj", box(0.1, 0.1, 0.1));
  write("copy/mug.obj", box(0.1, 0.1, 0.1));
  write("two/mug.obj", box(0.1, 0.1, 0.3));
  write("two/pot.obj", box(0.1, 0.1, 0.1));
  ASSERT_EQ(made("one").code, 0);
  const CommandResult refused = made("two");
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.err, "abut-preprocess: error: " + asset("mug") + " was made of " +
                             (data_ / "one/mug.obj").string() + ", this is " +
                             (data_ / "two/mug.obj").string() +
                             ": give another OUT, or remove the asset first\n");
  EXPECT_TRUE(contains(refused.out, "1 made, 0 up to date, 1 failed")) << refused.out;
  EXPECT_NEAR(height(), 0.1, 1e-9);
  EXPECT_EQ(made("two", {"--scale", "2"}).code, 1);  // made again in any case, but not of this
  EXPECT_TRUE(contains(made("copy").out, "0 made, 1 up to date, 0 failed"));
  EXPECT_EQ(made("two", {"--force"}).code, 0);
  EXPECT_NEAR(height(), 0.3, 1e-9);
  // A dataset that was moved and changed.
  std::filesystem::rename(data_ / "two", data_ / "moved");
  write("moved/mug.obj", box(0.1, 0.1, 0.2));
  const CommandResult moved = made("moved");
  EXPECT_EQ(moved.code, 0) << moved.err;
  EXPECT_NEAR(height(), 0.2, 1e-9);
}

// Two runs in different folders are told the same relative path of two files.
TEST_F(Command, SourcesAreToldApartWhereverARunStands) {
  for (const char* folder : {"one", "two"}) std::filesystem::create_directories(data_ / folder);
  write("one/mug.obj", box(0.1, 0.1, 0.1));
  write("two/mug.obj", box(0.1, 0.1, 0.3));
  const auto made_in = [&](const char* folder) {
    return run({preprocess_program(), "mug.obj", out_.string(), "--tets", "none", "--quads", "none"},
               [&] { std::filesystem::current_path(data_ / folder); });
  };
  EXPECT_EQ(made_in("one").code, 0);
  EXPECT_EQ(made_in("two").code, 1);
}

TEST_F(Command, QuietPrintsNothingWhenAllIsWell) {
  write("box.obj", box(0.1, 0.2, 0.3));
  const CommandResult result = make({"--quiet"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out + result.err, "");
}

TEST_F(Command, CountsAndSizesOfOneSmallObject) {
  write("die.obj", box(1e-3, 1e-3, 1e-3));
  const CommandResult made = make({"--jobs", "1"});
  EXPECT_EQ(made.code, 0) << made.err;
  for (const char* part :
       {": 1 object, layout flat\n", " 0.0010000 ", "\n1 object in ", " s on 1 job: 1 made"})
    EXPECT_TRUE(contains(made.out, part)) << part << "\n" << made.out;
  const CommandResult inspected = command({"inspect", asset("die")});
  for (const char* part : {"size       1.0000 x 1.0000 x 1.0000 mm, diagonal 1.7321 mm",
                           "volume 1.0000 mm3, area", "area 6.0000 mm2"})
    EXPECT_TRUE(contains(inspected.out, part)) << part << "\n" << inspected.out;
}

// What every program of the project says.
TEST_F(Command, VersionHasADigestOfTheCode) {
  const CommandResult version = command({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(std::regex_match(version.out, std::regex(R"(\d+\.\d+\.\d+ \(code [0-9a-f]{16}\)\n)")))
      << version.out;
}

TEST_F(Command, SeveralPatternsAndAReportToAPipe) {
  for (const char* name : {"cup.obj", "mug.obj", "pot.obj"}) write(name, box(0.1, 0.2, 0.3));
  const CommandResult result = make({"--only", "c*", "--only", "?ug", "--quiet", "--json", "/dev/stdout"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["objects"].size(), 2U);
  EXPECT_EQ(files(), (std::vector<std::string>{"cup.h5", "mug.h5"}));
}

TEST_F(Command, ANameIsNoPatternWhateverItsCharacters) {
  for (const char* name : {"cup1.obj", "cup[1].obj"}) write(name, box(0.1, 0.2, 0.3));
  EXPECT_EQ(make({"--only", "cup[1]"}).code, 0);
  EXPECT_EQ(files(), std::vector<std::string>{"cup[1].h5"});
  EXPECT_EQ(make({"--only", "cup?"}).code, 0);
  EXPECT_EQ(files(), (std::vector<std::string>{"cup1.h5", "cup[1].h5"}));
  EXPECT_EQ(make({"--only", "cup[2]"}).code, 2);
}

// A report on standard output stands there alone, also where an object fails, and it is no file of that name.
TEST_F(Command, AReportToStandardOutput) {
  write("cup.obj", box(0.1, 0.2, 0.3));
  write("bad.obj", "f 1 2 3\n");
  const CommandResult result = make({"--json", "-"});
  EXPECT_EQ(result.code, 1);
  const nlohmann::json report = nlohmann::json::parse(result.out);
  ASSERT_EQ(report["objects"].size(), 2U);
  EXPECT_EQ(report["objects"][1]["name"], "cup");
  EXPECT_EQ(report["objects"][1]["status"], "ok");
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_TRUE(contains(result.err, "bad.obj")) << result.err;
  EXPECT_FALSE(std::filesystem::exists("-"));
}

// Nor a file that runs keep in OUT.
TEST_F(Command, AReportDoesNotReplaceAnAsset) {
  write("cup.obj", box(0.1, 0.2, 0.3));
  ASSERT_EQ(make().code, 0);
  const std::filesystem::path link = folder_ / "link.json";
  std::filesystem::create_symlink(out_ / "cup.h5", link);
  const std::filesystem::path dangling = folder_ / "dangling.json";
  std::filesystem::create_symlink(out_ / "next.h5", dangling);
  for (const std::filesystem::path& report :
       {out_ / "cup.h5", out_ / "new.h5", data_ / ".." / "out" / "cup.h5", link, dangling,
        out_ / "robot.urdf", out_ / "robot.scn", out_ / ".abut-preprocess.lock",
        out_ / "manifests" / "1-of-2.json"}) {
    for (const std::string command_name : {"make", "status"}) {
      const CommandResult refused = command_name == "make"
                                        ? make({"--json", report.string()})
                                        : command({"status", out_.string(), "--json", report.string()});
      EXPECT_EQ(refused.code, 2);
      EXPECT_TRUE(contains(refused.err,
                           report.string() + ": the name of an asset, a robot, or a file that runs keep"))
          << refused.err;
    }
  }
  EXPECT_EQ(files(), std::vector<std::string>{"cup.h5"});
  EXPECT_EQ(command({"verify", asset("cup")}).code, 0);
  EXPECT_EQ(make({"--json", (out_ / "run.json").string()}).code, 0);
}

TEST_F(Command, HelpNamesTheExitCodes) {
  const CommandResult help = command({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* word : {"DATASET", "OUT", "--jobs", "--only", "--force", "--json", "--quiet", "Exit codes",
                           "inspect", "verify", "export"})
    EXPECT_TRUE(contains(help.out, word)) << word;
}

// Each command's help says what holds of it.
TEST_F(Command, HelpOfACommandIsItsOwn) {
  for (const char* name : {"inspect", "verify", "export", "report", "status", "import-volume", "settings",
                           "synthetic", "urdf"}) {
    const CommandResult help = command({name, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_TRUE(contains(help.out, "Exit codes: 0 ")) << name;
    const bool makes = std::string(name) == "urdf";
    EXPECT_EQ(contains(help.out, "skips what is up to date"), makes) << name << help.out;
    EXPECT_EQ(contains(help.out, "SIGTERM"), makes) << name;
  }
  EXPECT_TRUE(contains(command({"verify", "--help"}).out, "1 some asset is not, or cannot be read"));
}

// In the folder of the asset, by its name alone.
TEST_F(Command, AnAssetInTheWorkingFolderHasAReport) {
  write("box.obj", box(0.1, 0.2, 0.3));
  ASSERT_EQ(make().code, 0);
  const CommandResult report =
      run({preprocess_program(), "report", "box.h5"}, [this] { std::filesystem::current_path(out_); });
  EXPECT_EQ(report.code, 0) << report.err;
  EXPECT_TRUE(std::filesystem::exists(out_ / "report/box.html")) << report.out;
}

// The whole chain on a real object: mesh, asset, inspect, verify, export.
TEST_F(Command, MakesAVerifiedAssetOfARealObject) {
  const std::filesystem::path ycb = std::filesystem::path(ABUT_SHARED_DIR) / "data/ycb";
  if (!std::filesystem::exists(ycb)) GTEST_SKIP() << "no reference data at " << ycb;
  const CommandResult made = command({ycb.string(), out_.string(), "--only", "025_mug"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(contains(made.out, "warning: 3 flaps")) << made.out;
  const CommandResult verified = command({"verify", asset("025_mug")});
  EXPECT_EQ(verified.code, 0) << verified.err;
  const CommandResult inspected = command({"inspect", asset("025_mug")});
  EXPECT_EQ(inspected.code, 0) << inspected.err;
  for (const char* word : {"triangles", "diagonal", "volume 138.", "google_16k/textured.obj", "xxh3-128:",
                           "CGAL", "hausdorff_to_input_percent", "genus", "close.max_hausdorff", "3 flaps"})
    EXPECT_TRUE(contains(inspected.out, word)) << word << "\n" << inspected.out;
}

// What is read back of a PNG.
struct Picture {
  std::size_t width = 0, height = 0;
  std::vector<png_byte> rgb;

  // Share of the pixels of a square panel for which `is` holds.
  double share(std::size_t panel, const std::function<bool(const png_byte*)>& is) const {
    const std::size_t side = width / panels();
    std::size_t count = 0;
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x) count += is(&rgb[3 * (y * width + panel * side + x)]);
    return static_cast<double>(count) / static_cast<double>(side * side);
  }
  // Panels are a little higher than wide.
  std::size_t panels() const { return (width + height - 1) / height; }
};

Picture read_png(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  EXPECT_TRUE(bytes.starts_with("\x89PNG\r\n\x1a\n"));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()), 0) << image.message;
  image.format = PNG_FORMAT_RGB;
  Picture picture{image.width, image.height, std::vector<png_byte>(PNG_IMAGE_SIZE(image))};
  EXPECT_NE(png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr), 0) << image.message;
  return picture;
}

TEST_F(Command, InspectDrawsAPicture) {
  write("ball.obj", sphere(0.05, 3));
  const std::filesystem::path file = folder_ / "ball.png", link = folder_ / "link.png";
  const auto draw = [&](const std::vector<std::string>& options, const std::filesystem::path& to) {
    EXPECT_EQ(make(options).code, 0);
    const CommandResult drawn = command({"inspect", asset("ball"), "--png", to.string()});
    EXPECT_EQ(drawn.code, 0) << drawn.err;
    EXPECT_TRUE(contains(drawn.out, "triangles"));
    return read_png(to);
  };
  const auto drawn_on = [](const png_byte* p) { return p[0] < 250; };
  const auto yellow = [](const png_byte* p) { return p[0] > 200 && p[1] > 200 && p[2] < 90; };
  const Picture two = draw({"--tets", "none"}, file);
  ASSERT_EQ(two.panels(), 2U);
  std::filesystem::create_symlink(file, link);
  const Picture three = draw({"--tets", "400"}, link);
  ASSERT_EQ(three.panels(), 3U);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_png(file).rgb, three.rgb);
  // On each a ball: much of it, white around it; the core of the cut is yellow, a quarter of the disc or
  // less.
  for (const std::size_t panel : {0U, 1U, 2U}) {
    EXPECT_GT(three.share(panel, drawn_on), 0.25);
    EXPECT_LT(three.share(panel, drawn_on), 0.9);
  }
  EXPECT_EQ(three.share(0, yellow) + three.share(1, yellow), 0);
  EXPECT_GT(three.share(2, yellow), 0.03);
  EXPECT_LT(three.share(2, yellow), 0.3);
}

TEST_F(Command, AReportMayStandInAFolderThatIsMadeForIt) {
  write("ball.obj", sphere(0.05, 2));
  const CommandResult result = make({"--json", (out_ / "run.json").string()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(files(), (std::vector<std::string>{"ball.h5", "run.json"}));
}

// Of a forged asset: its object fails, and nothing else.
TEST_F(Command, MeasuresThatAreNoNumbersFailTheirObject) {
  write("ball.obj", sphere(0.05, 2));
  write("box.obj", box(0.1, 0.2, 0.3));
  ASSERT_EQ(make().code, 0);
  asset::Asset forged = asset::load(asset("ball"));
  forged.provenance.measures["genus"] = std::numeric_limits<double>::quiet_NaN();
  asset::save(forged, asset("ball"));
  std::filesystem::remove(asset("box"));
  const CommandResult result = make();
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_TRUE(contains(result.err, "ball.h5: has measures that are no numbers; make it again with --force"))
      << result.err << result.out;
  EXPECT_TRUE(contains(result.out, "1 made, 0 up to date, 1 failed")) << result.out;
  EXPECT_EQ(make({"--force"}).code, 0);
}

TEST_F(Command, EveryObjectHasALineOfProgress) {
  write("ball.obj", sphere(0.05, 2));
  write("broken.obj", "v 0 0\nf 1 2 3\n");
  const CommandResult result = make();
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(std::regex_search(result.out, std::regex(R"(\[[12]/2\] ball .* ok\n)"))) << result.out;
  EXPECT_TRUE(std::regex_search(result.out, std::regex(R"(\[[12]/2\] broken +- triangles .* failed\n)")))
      << result.out;
  EXPECT_TRUE(contains(result.err, "broken.obj: line 1: ")) << result.err;
  EXPECT_EQ(make({"--quiet"}).out, "");
}

TEST_F(Command, TakesCareOfUnits) {
  write("box.obj", box(60, 40, 20));
  EXPECT_TRUE(
      contains(make({"--quads", "none"}).out,
               "  box: take care: 74.83 m across: are its units millimetres? Say so with --scale 0.001\n"));
  EXPECT_FALSE(contains(make({"--quads", "none", "--scale", "0.001"}).out, "take care"));
}

TEST_F(Command, VerifiesTheAssetsOfAFolder) {
  write("ball.obj", sphere(0.05, 2));
  write("box.obj", box(0.1, 0.2, 0.3));
  ASSERT_EQ(make().code, 0);
  const CommandResult sound = command({"verify", out_.string()});
  EXPECT_EQ(sound.code, 0) << sound.err;
  EXPECT_EQ(sound.out, asset("ball") + ": ok\n" + asset("box") + ": ok\n");
  std::ofstream(asset("ball")) << "no asset";
  const CommandResult damaged = command({"verify", out_.string()});
  EXPECT_EQ(damaged.code, 1);
  EXPECT_EQ(damaged.out, asset("box") + ": ok\n");
  EXPECT_TRUE(contains(damaged.err, asset("ball"))) << damaged.err;
  std::filesystem::create_directory(asset("folder"));
  EXPECT_TRUE(contains(command({"verify", out_.string()}).err, asset("folder") + ": cannot read"));
}

TEST_F(Command, AllRealObjectsAreVerifiedWithinTheMemoryAndDeviationPromised) {
  const std::filesystem::path ycb = std::filesystem::path(ABUT_SHARED_DIR) / "data/ycb";
  if (!std::filesystem::exists(ycb)) GTEST_SKIP() << "no reference data at " << ycb;
  const std::string json = (folder_ / "run.json").string();
  const CommandResult made =
      command({ycb.string(), out_.string(), "--tets", "none", "--quads", "none", "--json", json});
  ASSERT_EQ(made.code, 0) << made.err;
  const nlohmann::json run = read_json(json);
  EXPECT_EQ(run["objects"].size(), 15U);
  std::vector<std::string> words{"verify"};
  for (const auto& object : run["objects"]) {
    const std::string name = object["name"];
    EXPECT_LT(object["peak_memory_mib"].get<double>(), 1024) << name;
    EXPECT_LT(object["measures"]["hausdorff_to_input_percent"].get<double>(), 0.5) << name;
    words.push_back(asset(name));
  }
  const CommandResult verified = command(words);
  EXPECT_EQ(verified.code, 0) << verified.err;
  const CommandResult again = command({ycb.string(), out_.string(), "--tets", "none", "--quads", "none"});
  EXPECT_TRUE(contains(again.out, "0 made, 15 up to date, 0 failed")) << again.out;
}

}  // namespace
