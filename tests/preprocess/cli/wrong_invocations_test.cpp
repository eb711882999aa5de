#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <span>
#include <sstream>

#include "command_runner.h"
#include "tests/support/shapes.h"
#include "wrong_invocations.h"

// Wrong invocations of each command: one line on standard error that says what is wrong, nothing on standard
// output, the right exit status.
namespace {

using namespace abut::test;

const std::string kRobot = "<robot name='arm'><link name='base'/></robot>";

class WrongInvocations : public CommandTest {
 protected:
  void SetUp() override {
    write("ball.obj", sphere(0.05, 2));
    ASSERT_EQ(make().code, 0);
    const auto file = [&](const char* name, const std::string& text) {
      std::ofstream(folder_ / name) << text;
      return (folder_ / name).string();
    };
    std::ostringstream bytes;
    bytes << std::ifstream(asset("ball"), std::ios::binary).rdbuf();
    std::string damaged = bytes.str();
    damaged[damaged.size() / 2] ^= 1;
    std::filesystem::create_directory(folder_ / "empty");
    std::filesystem::create_directory(folder_ / "other");
    file("other/arm.urdf", kRobot);
    ::mkfifo((folder_ / "pipe").c_str(), 0600);
    places_ = {{"{data}", data_.string()},
               {"{out}", out_.string()},
               {"{asset}", asset("ball")},
               {"{text}", file("text", "once upon a time\n")},
               {"{vtk}", file("once.vtk", "# vtk DataFile Version 3.0\nonce\nASCII\nDATASET POLYDATA\n")},
               {"{poses}", file("poses.csv", "objA,objB,qw,qx,qy,qz,tx,ty,tz\nball,ball,1,0,0,0,0,0,1\n")},
               {"{scene}",
                file("fall.scn",
                     "duration 0.01\nbody a 1 1 1 1 0 0 0 1 0 0 0 0 0 0 0 0 0 1\nsphere 1 0 0 0 1 0 0 0\n")},
               {"{bad}", file("bad.h5", damaged)},
               {"{set}", file("set.json",
                              R"({"name": "test", "title": "", "licence": "", "homepage": "",
                                  "object_list": "http://127.0.0.1:1/",
                                  "variants": [{"name": "a", "address": "http://127.0.0.1:1/{object}"}]})")},
               {"{robot}", file("arm.urdf", kRobot)},
               {"{none}", (folder_ / "none").string()},
               {"{other}", (folder_ / "other").string()},
               {"{new}", (folder_ / "new").string()},
               {"{empty}", (folder_ / "empty").string()},
               {"{nothing}", ""},
               {"{pipe}", (folder_ / "pipe").string()}};
  }

  std::string filled(std::string text) const {
    for (const auto& [name, place] : places_)
      for (std::size_t at = 0; (at = text.find(name)) != std::string::npos;)
        text.replace(at, name.size(), place);
    return text;
  }

  void expect_told(std::span<const Wrong> rows, const std::string& program = preprocess_program()) const {
    const std::string start = std::filesystem::path(program).filename().string() + ": error: ";
    EXPECT_GE(rows.size(), 20U);
    for (const Wrong& row : rows) {
      std::istringstream words(row.words);
      std::vector<std::string> arguments{program};
      for (std::string word; words >> word;) arguments.push_back(filled(word));
      const CommandResult result = run(arguments);
      EXPECT_EQ(result.code, row.code) << row.words << "\n" << result.err;
      EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << row.words << "\n" << result.err;
      EXPECT_TRUE(result.err.starts_with(start)) << row.words << "\n" << result.err;
      EXPECT_TRUE(contains(result.err, filled(row.says))) << row.words << "\n" << result.err;
      std::filesystem::remove_all(folder_ / "new");
    }
  }

  std::map<std::string, std::string> places_;
};

TEST_F(WrongInvocations, OfMaking) { expect_told(kPreprocess); }
TEST_F(WrongInvocations, OfInspect) { expect_told(kInspect); }
TEST_F(WrongInvocations, OfVerify) { expect_told(kVerify); }
TEST_F(WrongInvocations, OfExport) { expect_told(kExport); }
TEST_F(WrongInvocations, OfReport) { expect_told(kReport); }
TEST_F(WrongInvocations, OfImport) { expect_told(kImport); }
TEST_F(WrongInvocations, OfQuery) { expect_told(kQuery, ABUT_QUERY_PROGRAM); }
TEST_F(WrongInvocations, OfSim) { expect_told(kSim, ABUT_SIM_PROGRAM); }
TEST_F(WrongInvocations, OfDatasets) { expect_told(kDatasets, ABUT_DATASETS_PROGRAM); }
TEST_F(WrongInvocations, OfStatus) { expect_told(kStatus); }
TEST_F(WrongInvocations, OfUrdf) {
  expect_told(kUrdf);
  std::ostringstream kept;
  kept << std::ifstream(folder_ / "other" / "arm.urdf").rdbuf();
  EXPECT_EQ(kept.str(), kRobot);
}
TEST_F(WrongInvocations, LeaveNothingOfAMissingSource) {
  EXPECT_EQ(command({"export", filled("{none}"), "--to", "urdf", "--out", filled("{new}")}).code, 2);
  EXPECT_EQ(command({"report", filled("{none}"), "--out", filled("{new}")}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
}
// Nor is it called empty.
TEST_F(WrongInvocations, AFolderThatMayNotBeReadIsNotCalledMissing) {
  std::filesystem::permissions(out_, std::filesystem::perms::none);
  const std::string out = out_.string();
  const std::vector<std::string> invocations[] = {
      {ABUT_QUERY_PROGRAM, out, filled("{poses}")},
      {preprocess_program(), "report", out},
      {preprocess_program(), "status", out},
      {preprocess_program(), out, filled("{new}")},
      {preprocess_program(), "inspect", asset("a")},
      {ABUT_DATASETS_PROGRAM, "check", out},
      {preprocess_program(), "export", out, "--to", "urdf", "--out", filled("{new}")}};
  for (const std::vector<std::string>& words : invocations) {
    const CommandResult result = run(words, become_nobody);
    if (result.code == 126 || result.code == 127) GTEST_SKIP() << "cannot run a program as another user here";
    EXPECT_EQ(result.code, 2) << words[1];
    EXPECT_TRUE(contains(result.err, out)) << result.err;
    EXPECT_TRUE(contains(result.err, "Permission denied")) << result.err;
    EXPECT_FALSE(contains(result.err, "make one with")) << result.err;
  }
}
TEST_F(WrongInvocations, OfSynthetic) { expect_told(kSynthetic); }

}  // namespace
